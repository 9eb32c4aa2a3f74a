package subscriptions

import (
	"context"
	"fmt"
	"slices"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
	"inkfeed/domain/subscription"
)

// Erase deletes the subscriptions of a deleted account, and their copies.
func (s *Subscriptions) Erase(ctx context.Context, userID string) error {
	ctx = client.Erasing.In(ctx)
	return client.Translate(client.Rewrite(ctx, func() error {
		sub, err := s.Change(ctx, userID, func(sub *subscription.Subscriber) error {
			sub.Subscriptions = nil
			return nil
		})
		if err == nil {
			err = s.complete(ctx, sub)
		}
		if err != nil {
			return err
		}
		item, err := s.read(ctx, userID)
		switch {
		case err != nil || item.ETag == "":
			return err
		case len(item.Subscriptions)+len(item.Outdated) > 0: // another change came first
			return client.AgainLaterIf(true, &domain.Error{Kind: domain.Conflict})
		}
		return client.Lost(s.users.DeleteVersion(ctx, userID, item.ID, item.ETag))
	}))
}

// Drop removes the subscriptions of a subscriber to the lists of an author.
func (s *Subscriptions) Drop(ctx context.Context, subscriberID, authorID string) error {
	_, err := s.Change(ctx, subscriberID, func(sub *subscription.Subscriber) error {
		sub.Subscriptions = slices.DeleteFunc(sub.Subscriptions, func(one subscription.Subscription) bool {
			return one.List.AuthorID == authorID
		})
		return nil
	})
	return err
}

// EraseLists takes one step of removing the subscriptions of others to a deleted author, at most as many as the limit.
func (s *Subscriptions) EraseLists(ctx context.Context, userID string, limit int) (done domain.Step, err error) {
	ctx = client.Erasing.In(ctx)
	key := schema.ReceiversKey(subscription.Author(userID))
	if err := s.refresh(ctx, key); err != nil {
		return done, err
	}
	rows, err := client.Query[copyItem](ctx, s.users, key, fmt.Sprintf(
		"SELECT TOP %d * FROM c WHERE c.type = '%s'", limit, schema.TypeReceiver), nil)
	for _, row := range rows {
		if err == nil {
			err = s.Drop(ctx, row.SubscriberID, userID)
		}
		if err == nil { // it is a marker now, unless there was no such subscription
			err = client.UnlessGone(s.users.DeleteVersion(ctx, row.UserID, row.ID, row.ETag))
		}
		done.Items++
	}
	done.More = done.Items >= limit
	return done, client.Translate(err)
}
