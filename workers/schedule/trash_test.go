package schedule

import (
	"context"
	"errors"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/domain"
)

// trash is a storage of posts in the trash. It fails as often as failures says.
type trash struct {
	mu       sync.Mutex
	failures int
	restored bool // there is no post to delete
	deleted  int
}

func (p *trash) Purge(context.Context, domain.ScheduledItem) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	switch p.failures--; {
	case p.failures >= 0:
		return errors.New("no idea")
	case p.restored:
		return domain.NewError(domain.NotFound, "no such post")
	}
	p.deleted++
	return nil
}

// count returns the number of deleted posts.
func (p *trash) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.deleted
}

func TestPurger(t *testing.T) {
	for name, posts := range map[string]*trash{
		"deletes a post once its time is over":                                {},
		"tries again for as long as the storage fails, however often it does": {failures: 2 * maxAttempts},
		"drops the entry of a restored post":                                  {restored: true},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, stop := context.WithCancel(t.Context())
				items, attempts := newFakeAccounts(), posts.failures+1
				items.schedule("ada", domain.TrashTime)
				var running sync.WaitGroup
				running.Go(func() { NewPurger(items, posts, Options{Interval: time.Hour}).Run(ctx) })
				time.Sleep(domain.TrashTime - time.Second)
				synctest.Wait()
				if posts.count() > 0 {
					t.Error("the post was deleted too early")
				}
				time.Sleep(time.Second + time.Duration(attempts)*time.Hour + staleTime)
				synctest.Wait()
				stop()
				running.Wait()
				if posts.deleted == 0 != posts.restored || len(items.entries) > 0 {
					t.Errorf("%d posts were deleted; the entries %+v are left", posts.deleted, items.entries)
				}
			})
		})
	}
}
