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

// exit has the accounts that are to be deleted.
type exit struct {
	mu       sync.Mutex
	entries  []domain.Departure
	accounts map[string]time.Time // when each is deleted
	fail     map[string]error     // of deleting
	deleted  []string
	kept     []string
	told     []string
}

func newExit() *exit {
	return &exit{accounts: make(map[string]time.Time), fail: make(map[string]error)}
}

func (x *exit) leave(userID string, in time.Duration) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.accounts[userID] = time.Now().Add(in)
	x.entries = append(x.entries, domain.Departure{UserID: userID, At: time.Now().Add(in)})
}

func (x *exit) stay(userID string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	delete(x.accounts, userID)
}

func (x *exit) failing(userID string, err error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.fail[userID] = err
}

func (x *exit) Upcoming(_ context.Context, before time.Time) iter.Seq2[domain.Departure, error] {
	x.mu.Lock()
	defer x.mu.Unlock()
	list := slices.Clone(x.entries)
	slices.SortStableFunc(list, func(a, b domain.Departure) int { return a.At.Compare(b.At) })
	return func(yield func(domain.Departure, error) bool) {
		for _, e := range list {
			if !e.At.Before(before) || !yield(e, nil) {
				return
			}
		}
	}
}

func (x *exit) Done(_ context.Context, e domain.Departure) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.entries = slices.DeleteFunc(x.entries, func(other domain.Departure) bool { return other == e })
	return nil
}

func (x *exit) DeleteLeaving(_ context.Context, e domain.Departure) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if err := x.fail[e.UserID]; err != nil {
		return err
	}
	if at, ok := x.accounts[e.UserID]; !ok || !at.Equal(e.At) {
		return domain.Errorf(domain.NotFound, "it stays")
	}
	delete(x.accounts, e.UserID)
	x.deleted = append(x.deleted, fmt.Sprintf("%s after %s", e.UserID, time.Since(e.At)))
	return nil
}

func (x *exit) Keep(_ context.Context, e domain.Departure, problem string) (bool, error) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if at, ok := x.accounts[e.UserID]; !ok || !at.Equal(e.At) {
		return false, nil
	}
	delete(x.accounts, e.UserID)
	x.kept = append(x.kept, e.UserID+": "+problem)
	return true, nil
}

func (x *exit) tell(_ context.Context, userID, problem string) {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.told = append(x.told, userID+": "+problem)
}

// departingOn runs so many schedulers while do is done.
func departingOn(t *testing.T, x *exit, instances int, m *Metrics, do func()) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		ctx, stop := context.WithCancel(t.Context())
		var running sync.WaitGroup
		for range instances {
			s := NewDepartures(x, x, x.tell, Options{Interval: 30 * time.Second, Metrics: m})
			running.Go(func() { s.Run(ctx) })
		}
		do()
		stop()
		running.Wait()
	})
}

func (x *exit) is(t *testing.T, entries int, deleted ...string) {
	t.Helper()
	synctest.Wait()
	x.mu.Lock()
	defer x.mu.Unlock()
	if !slices.Equal(x.deleted, deleted) || len(x.entries) != entries {
		t.Errorf("deleted %q, want %q; %d entries are left, want %d", x.deleted, deleted, len(x.entries), entries)
	}
}

func TestDepartures(t *testing.T) {
	const fortnight = 14 * 24 * time.Hour
	t.Run("an account goes at its time and not before, once, whoever runs", func(t *testing.T) {
		x := newExit()
		departingOn(t, x, 3, nil, func() {
			x.leave("ada", fortnight)
			time.Sleep(fortnight - time.Millisecond)
			x.is(t, 1)
			time.Sleep(time.Millisecond)
			x.is(t, 0, "ada after 0s")
		})
	})
	t.Run("also when nobody ran at its time", func(t *testing.T) {
		x, m := newExit(), NewMetrics(nil)
		synctest.Test(t, func(*testing.T) { x.leave("ada", -time.Hour) })
		departingOn(t, x, 1, m, func() { x.is(t, 0, "ada after 1h0m0s") })
		if n := testutil.CollectAndCount(m.departures.late); n != 1 {
			t.Errorf("%d metrics of lateness", n)
		}
	})
	t.Run("one that was kept stays, and its entry goes", func(t *testing.T) {
		x := newExit()
		departingOn(t, x, 1, nil, func() {
			x.leave("ada", fortnight)
			time.Sleep(fortnight - time.Minute)
			x.stay("ada")
			time.Sleep(time.Hour)
			x.is(t, 0)
		})
	})
	t.Run("kept and asked for again it goes at the later time only", func(t *testing.T) {
		x := newExit()
		departingOn(t, x, 1, nil, func() {
			x.leave("ada", fortnight)
			x.stay("ada")
			x.leave("ada", fortnight+time.Hour)
			time.Sleep(fortnight + 30*time.Minute)
			x.is(t, 1)
			time.Sleep(30 * time.Minute)
			x.is(t, 0, "ada after 0s")
		})
	})
	t.Run("one that cannot go stays, and its user is told once", func(t *testing.T) {
		x, m := newExit(), NewMetrics(nil)
		x.fail["ada"] = domain.Errorf(domain.Conflict, "This site has no other administrator.")
		departingOn(t, x, 2, m, func() {
			x.leave("ada", time.Hour)
			time.Sleep(2 * time.Hour)
			x.is(t, 0)
		})
		want := []string{"ada: This site has no other administrator."}
		if !slices.Equal(x.kept, want) || !slices.Equal(x.told, want) {
			t.Errorf("kept %q, told %q", x.kept, x.told)
		}
		if n := testutil.ToFloat64(m.departures.putBack); n < 1 {
			t.Errorf("%v were kept", n)
		}
	})
	for name, err := range map[string]error{"the storage is unavailable": domain.Errorf(domain.Unavailable, "throttled"), "nobody knows why it fails": errors.New("no idea")} {
		t.Run("while "+name+" it is tried again, for as long as it takes, and its neighbours go", func(t *testing.T) {
			x := newExit()
			x.fail["ada"] = err
			departingOn(t, x, 1, nil, func() {
				x.leave("ada", time.Minute)
				x.leave("ben", time.Minute)
				time.Sleep(24 * time.Hour)
				x.is(t, 1, "ben after 0s")
				x.failing("ada", nil)
				time.Sleep(2 * loop.MaxBackoff)
				synctest.Wait()
				if len(x.deleted) != 2 || len(x.kept) != 0 {
					t.Errorf("deleted %q, kept %q", x.deleted, x.kept)
				}
			})
		})
	}
}
