package schedule

import (
	"context"

	"inkfeed/domain"
	"inkfeed/domain/locale"
)

// Purger deletes posts from the trash.
type Purger interface {
	// Purge deletes a post for good that is in the trash for the time of the item. It fails with NotFound if the post
	// was restored or deleted since.
	Purge(ctx context.Context, item domain.ScheduledItem) error
}

// NewPurger returns a scheduler that deletes posts for good whose time in the trash is over.
func NewPurger(items Items, posts Purger, o Options) *Scheduler {
	return newScheduler(Task{
		Name:  "delete post from the trash",
		Items: items,
		Run: func(ctx context.Context, item domain.ScheduledItem) error {
			err := posts.Purge(ctx, item)
			if err != nil && !domain.Is(err, domain.NotFound) { // never abandoned: the post would stay
				err = &domain.Error{Kind: domain.Unavailable, Err: err}
			}
			return err
		},
		Abandon: func(context.Context, domain.ScheduledItem, locale.Stored) error { return nil },
		metrics: o.Metrics.orUnregistered().purges,
	}, o)
}
