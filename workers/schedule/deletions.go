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
	// AbandonDeletion cancels the deletion, tells the user the problem and stores the deliveries about it. It reports
	// whether this call did so.
	AbandonDeletion(ctx context.Context, item domain.ScheduledItem, problem locale.Stored,
		outgoing ...domain.Delivery) (abandoned bool, err error)
}

// NewDeleter returns a scheduler that deletes accounts. The users projector then erases what they wrote. If tell is not
// nil, it returns the deliveries that tell the user of an account that cannot be deleted the problem.
func NewDeleter(items Items, accounts Accounts,
	tell func(ctx context.Context, userID string, problem locale.Stored) ([]domain.Delivery, error),
	o Options) *Scheduler {
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
			var outgoing []domain.Delivery
			var err error
			if tell != nil {
				outgoing, err = tell(ctx, item.UserID, problem)
			}
			if err == nil {
				_, err = accounts.AbandonDeletion(ctx, item, problem, outgoing...)
			}
			return err
		},
		metrics: o.Metrics.orUnregistered().deletions,
	}, o)
}
