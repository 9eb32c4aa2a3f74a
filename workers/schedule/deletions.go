package schedule

import (
	"context"

	"inkfeed/domain"
	"inkfeed/domain/locale"
)

// Accounts deletes accounts whose deletion is scheduled.
type Accounts interface {
	// DeleteScheduled deletes an account whose time has come. Several instances may delete the same account at once.
	// See Task.Run for its errors.
	DeleteScheduled(ctx context.Context, item domain.ScheduledItem) error
	// AbandonDeletion cancels the deletion, and tells the user the problem. It reports whether this call did so.
	AbandonDeletion(ctx context.Context, item domain.ScheduledItem, problem locale.Stored) (abandoned bool, err error)
}

// NewDeleter returns a scheduler that deletes accounts. The users projector then erases what they wrote. If onAbandoned
// is not nil, it is called once for each account that cannot be deleted, with the problem. It must not block.
func NewDeleter(items Items, accounts Accounts,
	onAbandoned func(ctx context.Context, userID string, problem locale.Stored), o Options) *Scheduler {
	return newScheduler(Task{
		Name:  "delete account",
		Items: items,
		Run: func(ctx context.Context, item domain.ScheduledItem) error {
			err := accounts.DeleteScheduled(ctx, item)
			if domain.Is(err, domain.Internal) {
				// A deletion that the user asked for is never abandoned for a reason that means nothing to the user.
				err = &domain.Error{Kind: domain.Unavailable, Message: locale.M("We couldn't delete your account yet."),
					Err: err}
			}
			return err
		},
		Abandon: func(ctx context.Context, item domain.ScheduledItem, problem locale.Stored) error {
			abandoned, err := accounts.AbandonDeletion(ctx, item, problem)
			if abandoned && onAbandoned != nil {
				onAbandoned(ctx, item.UserID, problem)
			}
			return err
		},
		metrics: o.Metrics.orUnregistered().deletions,
	}, o)
}
