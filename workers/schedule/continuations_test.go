package schedule

import (
	"context"
	"errors"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/domain"
	"inkfeed/workers/loop"
)

// touches records the users that were touched. It fails as often as failures says.
type touches struct {
	mu       sync.Mutex
	users    []string
	failures int
}

func (u *touches) Touch(_ context.Context, userID string) error {
	u.mu.Lock()
	defer u.mu.Unlock()
	if u.failures--; u.failures >= 0 {
		return errors.New("no idea")
	}
	u.users = append(u.users, userID)
	return nil
}

func (u *touches) touched() []string {
	u.mu.Lock()
	defer u.mu.Unlock()
	return slices.Clone(u.users)
}

func TestContinuer(t *testing.T) {
	for name, failures := range map[string]int{
		"touches a user once, at the time of the entry":                       0,
		"tries again for as long as the storage fails, however often it does": 2 * maxAttempts,
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, stop := context.WithCancel(t.Context())
				items, users := newFakeAccounts(), &touches{failures: failures}
				items.schedule("ada", time.Hour)
				s := NewContinuer(items, users, Options{Interval: 30 * time.Second})
				var running sync.WaitGroup
				running.Go(func() { s.Run(ctx) })
				time.Sleep(time.Hour - time.Second)
				synctest.Wait()
				if touched := users.touched(); len(touched) > 0 {
					t.Errorf("%q were touched too early", touched)
				}
				time.Sleep(time.Second + time.Duration(failures)*loop.MaxBackoff)
				synctest.Wait()
				stop()
				running.Wait()
				if touched := users.touched(); !slices.Equal(touched, []string{"ada"}) || len(items.entries) > 0 {
					t.Errorf("touched %q; the entries %+v are left", touched, items.entries)
				}
			})
		})
	}
	t.Run("drops the entry of a user who is gone", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			ctx, stop := context.WithCancel(t.Context())
			items := newFakeAccounts()
			items.schedule("ada", time.Second)
			s := NewContinuer(items, gone{}, Options{})
			var running sync.WaitGroup
			running.Go(func() { s.Run(ctx) })
			time.Sleep(2 * staleTime)
			stop()
			running.Wait()
			if len(items.entries) > 0 {
				t.Errorf("the entries %+v are left", items.entries)
			}
		})
	})
}

// gone is a storage without users.
type gone struct{}

func (gone) Touch(context.Context, string) error {
	return domain.NewError(domain.NotFound, "no such user")
}
