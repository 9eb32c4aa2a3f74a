package schedule

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus/testutil"

	"inkfeed/domain"
	"inkfeed/workers/loop"
)

// fakeAccounts holds accounts and the items of their scheduled deletions.
type fakeAccounts struct {
	mu       sync.Mutex
	entries  []domain.ScheduledItem
	accounts map[string]time.Time // when each is deleted
	fail     map[string]error     // of deleting
	deleted  []string
	kept     []string
	told     []string
}

func newFakeAccounts() *fakeAccounts {
	return &fakeAccounts{accounts: make(map[string]time.Time), fail: make(map[string]error)}
}

func (a *fakeAccounts) schedule(userID string, in time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.accounts[userID] = time.Now().Add(in)
	a.entries = append(a.entries, domain.ScheduledItem{UserID: userID, At: time.Now().Add(in)})
}

func (a *fakeAccounts) cancel(userID string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	delete(a.accounts, userID)
}

func (a *fakeAccounts) failing(userID string, err error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.fail[userID] = err
}

func (a *fakeAccounts) Upcoming(_ context.Context, before time.Time) iter.Seq2[domain.ScheduledItem, error] {
	a.mu.Lock()
	defer a.mu.Unlock()
	list := slices.Clone(a.entries)
	slices.SortStableFunc(list, func(a, b domain.ScheduledItem) int { return a.At.Compare(b.At) })
	return func(yield func(domain.ScheduledItem, error) bool) {
		for _, e := range list {
			if !e.At.Before(before) || !yield(e, nil) {
				return
			}
		}
	}
}

func (a *fakeAccounts) Done(_ context.Context, e domain.ScheduledItem) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.entries = slices.DeleteFunc(a.entries, func(other domain.ScheduledItem) bool { return other == e })
	return nil
}

func (a *fakeAccounts) DeleteScheduled(_ context.Context, e domain.ScheduledItem) error {
	a.mu.Lock()
	defer a.mu.Unlock()
	if err := a.fail[e.UserID]; err != nil {
		return err
	}
	if at, ok := a.accounts[e.UserID]; !ok || !at.Equal(e.At) {
		return domain.Errorf(domain.NotFound, "it stays")
	}
	delete(a.accounts, e.UserID)
	a.deleted = append(a.deleted, fmt.Sprintf("%s after %s", e.UserID, time.Since(e.At)))
	return nil
}

func (a *fakeAccounts) AbandonDeletion(_ context.Context, e domain.ScheduledItem, problem string) (bool, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if at, ok := a.accounts[e.UserID]; !ok || !at.Equal(e.At) {
		return false, nil
	}
	delete(a.accounts, e.UserID)
	a.kept = append(a.kept, e.UserID+": "+problem)
	return true, nil
}

func (a *fakeAccounts) tell(_ context.Context, userID, problem string) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.told = append(a.told, userID+": "+problem)
}

// runDeleters runs so many schedulers while do is done.
func runDeleters(t *testing.T, a *fakeAccounts, instances int, m *Metrics, do func()) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		for range instances {
			s := NewDeleter(a, a, a.tell, Options{Interval: 30 * time.Second, Metrics: m})
			running.Go(func() { s.Run(ctx) })
		}
		do()
		stop()
		running.Wait()
	})
}

func (a *fakeAccounts) is(t *testing.T, entries int, deleted ...string) {
	t.Helper()
	synctest.Wait()
	a.mu.Lock()
	defer a.mu.Unlock()
	if !slices.Equal(a.deleted, deleted) || len(a.entries) != entries {
		t.Errorf("deleted %q, want %q; %d entries are left, want %d", a.deleted, deleted, len(a.entries), entries)
	}
}

func TestDeleter(t *testing.T) {
	const fortnight = 14 * 24 * time.Hour
	t.Run("an account goes at its time and not before, once, whoever runs", func(t *testing.T) {
		a := newFakeAccounts()
		runDeleters(t, a, 3, nil, func() {
			a.schedule("ada", fortnight)
			time.Sleep(fortnight - time.Millisecond)
			a.is(t, 1)
			time.Sleep(time.Millisecond)
			a.is(t, 0, "ada after 0s")
		})
	})
	t.Run("also when nobody ran at its time", func(t *testing.T) {
		a, m := newFakeAccounts(), NewMetrics(nil)
		synctest.Test(t, func(*testing.T) { a.schedule("ada", -time.Hour) })
		runDeleters(t, a, 1, m, func() { a.is(t, 0, "ada after 1h0m0s") })
		if n := testutil.CollectAndCount(m.deletions.late); n != 1 {
			t.Errorf("%d metrics of lateness", n)
		}
	})
	t.Run("one that was kept stays, and its entry goes", func(t *testing.T) {
		a := newFakeAccounts()
		runDeleters(t, a, 1, nil, func() {
			a.schedule("ada", fortnight)
			time.Sleep(fortnight - time.Minute)
			a.cancel("ada")
			time.Sleep(time.Hour)
			a.is(t, 0)
		})
	})
	t.Run("kept and asked for again it goes at the later time only", func(t *testing.T) {
		a := newFakeAccounts()
		runDeleters(t, a, 1, nil, func() {
			a.schedule("ada", fortnight)
			a.cancel("ada")
			a.schedule("ada", fortnight+time.Hour)
			time.Sleep(fortnight + 30*time.Minute)
			a.is(t, 1)
			time.Sleep(30 * time.Minute)
			a.is(t, 0, "ada after 0s")
		})
	})
	t.Run("one that cannot go stays, and its user is told once", func(t *testing.T) {
		a, m := newFakeAccounts(), NewMetrics(nil)
		a.fail["ada"] = domain.Errorf(domain.Conflict, "This site has no other administrator.")
		runDeleters(t, a, 2, m, func() {
			a.schedule("ada", time.Hour)
			time.Sleep(2 * time.Hour)
			a.is(t, 0)
		})
		want := []string{"ada: This site has no other administrator."}
		if !slices.Equal(a.kept, want) || !slices.Equal(a.told, want) {
			t.Errorf("kept %q, told %q", a.kept, a.told)
		}
		if n := testutil.ToFloat64(m.deletions.abandoned); n < 1 {
			t.Errorf("%v were kept", n)
		}
	})
	for name, err := range map[string]error{"the storage is unavailable": domain.Errorf(domain.Unavailable, "throttled"), "nobody knows why it fails": errors.New("no idea")} {
		t.Run("while "+name+" it is tried again, for as long as it takes, and its neighbours go", func(t *testing.T) {
			a := newFakeAccounts()
			a.fail["ada"] = err
			runDeleters(t, a, 1, nil, func() {
				a.schedule("ada", time.Minute)
				a.schedule("ben", time.Minute)
				time.Sleep(24 * time.Hour)
				a.is(t, 1, "ben after 0s")
				a.failing("ada", nil)
				time.Sleep(2 * loop.MaxBackoff)
				synctest.Wait()
				if len(a.deleted) != 2 || len(a.kept) != 0 {
					t.Errorf("deleted %q, kept %q", a.deleted, a.kept)
				}
			})
		})
	}
}
