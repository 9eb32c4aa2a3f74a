package projection

import (
	"context"

	"inkfeed/cosmos/feeds"
	"inkfeed/domain"
	"inkfeed/domain/subscription"
	"inkfeed/workers/loop"
)

// SubscriptionStore stores subscriptions by mail.
type SubscriptionStore interface {
	// Complete brings the copies of a subscriber in the lists up to date. Repeating it changes nothing.
	Complete(ctx context.Context, sub subscription.Subscriber) error
	// Drop removes the subscriptions of a subscriber to the lists of an author.
	Drop(ctx context.Context, subscriberID, authorID string) error
	// EraseLists removes the subscriptions of others to a deleted author. It takes one step of at most as many as the
	// limit.
	EraseLists(ctx context.Context, userID string, limit int) (domain.Step, error)
}

// subscribers completes the subscribers of a batch of changes.
func (p *UsersProjector) subscribers(ctx context.Context, changes []feeds.UserChange) error {
	latest := make(map[string]subscription.Subscriber)
	for _, c := range changes {
		if sub := c.Subscriber; sub != nil && sub.Version >= latest[sub.ID].Version {
			latest[sub.ID] = *sub
		}
	}
	var list []subscription.Subscriber
	for _, sub := range latest {
		list = append(list, sub)
	}
	return loop.InParallel(ctx, list, p.completeSubscriber)
}

// completeSubscriber completes a subscriber. It ends subscriptions to authors who have been deleted: somebody may have
// subscribed to one at that moment.
func (p *UsersProjector) completeSubscriber(ctx context.Context, sub subscription.Subscriber) error {
	var ids []string
	for _, one := range sub.Active() {
		if one.List.AuthorID != "" {
			ids = append(ids, one.List.AuthorID)
		}
	}
	authors, err := p.Users.Authors(ctx, ids)
	for id, author := range authors {
		if err == nil && author.Deleted {
			err = p.Subscriptions.Drop(ctx, sub.ID, id)
		}
	}
	if err != nil {
		return err
	}
	return p.Subscriptions.Complete(ctx, sub)
}

// eraseFollowers takes one step of ending the follows of a deleted account, and then the subscriptions to it.
func (p *UsersProjector) eraseFollowers(ctx context.Context, userID string, limit int) (domain.Step, error) {
	done, err := p.Follows.EraseFollows(ctx, userID, limit)
	if err != nil || done.More {
		return done, err
	}
	lists, err := p.Subscriptions.EraseLists(ctx, userID, limit)
	lists.Items += done.Items
	return lists, err
}
