package cosmos

import (
	"context"
	"iter"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/imports"
	"inkfeed/cosmos/posts"
	"inkfeed/domain"
)

// Export reads everything that a user wrote, piece by piece. What is in other partitions
// than the user's is found by an index over all of them, as for a rename: that costs a
// look into each physical partition, which nobody pays for but who takes all away.
type Export struct {
	*posts.PostsExport
	users   *client.Container
	imports *imports.Imports
}

// Drafts are the user's.
func (e *Export) Drafts(ctx context.Context, userID string) iter.Seq2[domain.Draft, error] {
	return client.Rows(client.Within[draftItem](ctx, e.users, userID,
		`SELECT * FROM c WHERE c.userId = @user AND c.type = 'draft'`, client.Parameters{"user": userID}), draftItem.domain)
}

// Images are the records of the user's pictures, the avatar's too.
func (e *Export) Images(ctx context.Context, userID string) iter.Seq2[domain.Image, error] {
	return client.Rows(client.Within[imageItem](ctx, e.users, userID,
		`SELECT * FROM c WHERE c.userId = @user AND c.type IN ('image', 'avatar') AND NOT IS_DEFINED(c.incomplete)`, client.Parameters{"user": userID}), imageItem.domain)
}

// Paths are former addresses of the user's posts, by the posts' ids.
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
