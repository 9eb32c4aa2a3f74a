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
	"inkfeed/domain/locale"
	"inkfeed/workers/loop"
)

// fakeAccounts stores accounts and the items of their scheduled deletions in memory.
type fakeAccounts struct {
	mu       sync.Mutex
	entries  []domain.ScheduledItem
	accounts map[string]time.Time // the scheduled times
	fail     map[string]error     // returned by DeleteScheduled, by user
	deleted  []string
	kept     []string // users and problems of abandoned deletions
	notified []string // the deliveries about abandoned deletions
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
		return domain.NewError(domain.NotFound, "not scheduled for that time")
	}
	delete(a.accounts, e.UserID)
	a.deleted = append(a.deleted, fmt.Sprintf("%s after %s", e.UserID, time.Since(e.At)))
	return nil
}

func (a *fakeAccounts) AbandonDeletion(_ context.Context, e domain.ScheduledItem, problem locale.Stored,
	outgoing ...domain.Delivery) (bool, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if at, ok := a.accounts[e.UserID]; !ok || !at.Equal(e.At) {
		return false, nil
	}
	delete(a.accounts, e.UserID)
	a.kept = append(a.kept, e.UserID+": "+problem.String())
	for _, d := range outgoing {
		a.notified = append(a.notified, d.ID)
	}
	return true, nil
}

func tell(_ context.Context, userID string, problem locale.Stored) ([]domain.Delivery, error) {
	return []domain.Delivery{{ID: userID + ": " + problem.String()}}, nil
}

// runDeleters runs a number of schedulers while it calls do.
func runDeleters(t *testing.T, a *fakeAccounts, instances int, m *Metrics, do func()) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		for range instances {
			s := NewDeleter(a, a, tell, Options{Interval: 30 * time.Second, Metrics: m})
			running.Go(func() { s.Run(ctx) })
		}
		do()
		stop()
		running.Wait()
	})
}

// is fails unless these accounts were deleted, in this order, and that many items are left.
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
	const grace = 24 * time.Hour
	t.Run("deletes an account once, exactly at its time", func(t *testing.T) {
		a := newFakeAccounts()
		runDeleters(t, a, 3, nil, func() {
			a.schedule("ada", grace)
			time.Sleep(grace - time.Millisecond)
			a.is(t, 1)
			time.Sleep(time.Millisecond)
			a.is(t, 0, "ada after 0s")
		})
	})
	t.Run("deletes at the start an account that came due while no scheduler ran", func(t *testing.T) {
		a, m := newFakeAccounts(), NewMetrics(nil)
		synctest.Test(t, func(*testing.T) { a.schedule("ada", -time.Hour) })
		runDeleters(t, a, 1, m, func() { a.is(t, 0, "ada after 1h0m0s") })
		if n := testutil.CollectAndCount(m.deletions.late); n != 1 {
			t.Errorf("%d metrics of the delay", n)
		}
	})
	t.Run("keeps an account whose user has cancelled, and drops the item", func(t *testing.T) {
		a := newFakeAccounts()
		runDeleters(t, a, 1, nil, func() {
			a.schedule("ada", grace)
			time.Sleep(grace - time.Minute)
			a.cancel("ada")
			time.Sleep(time.Hour)
			a.is(t, 0)
		})
	})
	t.Run("deletes an account that was scheduled again at the later time only", func(t *testing.T) {
		a := newFakeAccounts()
		runDeleters(t, a, 1, nil, func() {
			a.schedule("ada", grace)
			a.cancel("ada")
			a.schedule("ada", grace+time.Hour)
			time.Sleep(grace + 30*time.Minute)
			a.is(t, 1)
			time.Sleep(30 * time.Minute)
			a.is(t, 0, "ada after 0s")
		})
	})
	t.Run("keeps an account that cannot be deleted, and notifies its user once", func(t *testing.T) {
		a, m := newFakeAccounts(), NewMetrics(nil)
		a.fail["ada"] = domain.NewError(domain.Conflict, "This site has no other administrator.")
		runDeleters(t, a, 2, m, func() {
			a.schedule("ada", time.Hour)
			time.Sleep(2 * time.Hour)
			a.is(t, 0)
		})
		want := []string{"ada: This site has no other administrator."}
		if !slices.Equal(a.kept, want) || !slices.Equal(a.notified, want) {
			t.Errorf("kept %q, notified %q", a.kept, a.notified)
		}
		if n := testutil.ToFloat64(m.deletions.abandoned); n < 1 {
			t.Errorf("%v deletions were abandoned", n)
		}
	})
	for name, err := range map[string]error{
		"the storage is unavailable":  domain.NewError(domain.Unavailable, "throttled"),
		"it fails for unknown reason": errors.New("no idea"),
	} {
		t.Run("tries again for as long as "+name+", and deletes other accounts", func(t *testing.T) {
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
