package cosmos

import (
	"context"
	"iter"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/imports"
	"inkfeed/cosmos/notifications"
	"inkfeed/cosmos/posts"
	"inkfeed/cosmos/subscriptions"
	"inkfeed/domain"
	"inkfeed/domain/subscription"
)

// Export reads everything that a user wrote, as sequences. It finds items outside the user's
// partition by an index over all partitions, as a rename does. That costs a query in each physical
// partition.
type Export struct {
	*posts.PostsExport
	users   *client.Container
	imports *imports.Imports
	mutes   *notifications.Mutes

	subscriptions *subscriptions.Subscriptions
}

// Muted returns what the user has muted.
func (e *Export) Muted(ctx context.Context, userID string) (domain.Mutes, error) {
	return e.mutes.Of(ctx, userID)
}

// Subscribed returns the user's subscriptions by mail.
func (e *Export) Subscribed(ctx context.Context, userID string) ([]subscription.Subscription, error) {
	sub, err := e.subscriptions.Get(ctx, userID)
	if domain.Is(err, domain.NotFound) {
		err = nil
	}
	return sub.Subscriptions, err
}

// Drafts reads the user's drafts.
func (e *Export) Drafts(ctx context.Context, userID string) iter.Seq2[domain.Draft, error] {
	return client.Rows(client.Within[draftItem](ctx, e.users, userID,
		`SELECT * FROM c WHERE c.userId = @user AND c.type = 'draft'`,
		client.Parameters{"user": userID}), draftItem.domain)
}

// Images reads the records of the user's pictures, including the avatar's.
func (e *Export) Images(ctx context.Context, userID string) iter.Seq2[domain.Image, error] {
	return client.Rows(client.Within[imageItem](ctx, e.users, userID, `SELECT * FROM c
		WHERE c.userId = @user AND c.type IN ('image', 'avatar') AND NOT IS_DEFINED(c.incomplete)`,
		client.Parameters{"user": userID}), imageItem.domain)
}

// Paths reads the former addresses of the user's posts, by the posts' ids.
func (e *Export) Paths(ctx context.Context, userID string) (map[string][]string, error) {
	records, err := e.imports.Of(ctx, userID)
	paths := make(map[string][]string)
	for _, r := range records {
		if len(r.Paths) > 0 {
			paths[r.PostID] = r.Paths
		}
	}
	return paths, err
}
