package schedule

import (
	"context"

	"inkfeed/domain"
	"inkfeed/domain/locale"
)

// Drafts publishes drafts that are scheduled.
type Drafts interface {
	// PublishScheduled publishes a draft whose time has come. Several instances may publish the same draft at once, or
	// finish what another began: there is one post. See Task.Run for its errors.
	PublishScheduled(ctx context.Context, item domain.ScheduledItem) (domain.Post, error)
	// AbandonPublication makes it a draft that is not scheduled, and tells its author the problem.
	AbandonPublication(ctx context.Context, item domain.ScheduledItem, problem locale.Stored) error
}

// NewPublisher returns a scheduler that publishes posts. A draft that breaks a rule is abandoned at once.
func NewPublisher(items Items, drafts Drafts, o Options) *Scheduler {
	return newScheduler(Task{
		Name:  "publish post",
		Items: items,
		Run: func(ctx context.Context, item domain.ScheduledItem) error {
			_, err := drafts.PublishScheduled(ctx, item)
			return err
		},
		Abandon: drafts.AbandonPublication,
		metrics: o.Metrics.orUnregistered().posts,
	}, o)
}
