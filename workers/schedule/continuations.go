package schedule

import (
	"context"

	"inkfeed/domain"
	"inkfeed/domain/locale"
)

// Toucher makes the change feed deliver a user once more.
type Toucher interface {
	Touch(ctx context.Context, userID string) error
}

// NewContinuer returns a scheduler that makes the users projector continue its work for an account.
func NewContinuer(items Items, users Toucher, o Options) *Scheduler {
	return newScheduler(Task{
		Name:  "continue for account",
		Items: items,
		Run: func(ctx context.Context, item domain.ScheduledItem) error {
			err := users.Touch(ctx, item.UserID)
			if err != nil && !domain.Is(err, domain.NotFound) { // never abandoned: the work would stop
				err = &domain.Error{Kind: domain.Unavailable, Err: err}
			}
			return err
		},
		Abandon: func(context.Context, domain.ScheduledItem, locale.Stored) error { return nil },
		metrics: o.Metrics.orUnregistered().continuations,
	}, o)
}
