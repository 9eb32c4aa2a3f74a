package cosmos

import (
	"context"
	"iter"

	"inkfeed/domain"
)

// Export reads everything that a user wrote, piece by piece. What is in other partitions
// than the user's is found by an index over all of them, as for a rename: that costs a
// look into each physical partition, which nobody pays for but who takes all away.
type Export struct {
	users   *container
	posts   *container
	imports *Imports
}

func everywhere[T any](ctx context.Context, c *container, text, userID string) func(func(T) error) error {
	return func(visit func(T) error) error {
		return scan(operation(ctx, "export"), c, text, parameters{"user": userID}, visit)
	}
}

func within[T any](ctx context.Context, c *container, partition, text string, params parameters) func(func(T) error) error {
	return func(visit func(T) error) error {
		return eachRow(operation(ctx, "export"), c, key(partition), text, params, visit)
	}
}

// Posts are the user's, whatever their status, in no certain order.
func (e *Export) Posts(ctx context.Context, userID string) iter.Seq2[domain.Post, error] {
	return rows(everywhere[postItem](ctx, e.posts,
		`SELECT * FROM c WHERE c.userId = @user AND c.type = 'post' AND NOT IS_DEFINED(c.deletionDate)`, userID), postItem.domain)
}

// Versions are the past ones of a post, the oldest first.
func (e *Export) Versions(ctx context.Context, postID string) iter.Seq2[domain.PostVersion, error] {
	return rows(within[versionItem](ctx, e.posts, postID,
		`SELECT * FROM c WHERE c.postId = @post AND c.type = 'version' ORDER BY c.type ASC, c.creationDate ASC, c.id ASC`,
		parameters{"post": postID}), versionItem.domain)
}

// Drafts are the user's.
func (e *Export) Drafts(ctx context.Context, userID string) iter.Seq2[domain.Draft, error] {
	return rows(within[draftItem](ctx, e.users, userID,
		`SELECT * FROM c WHERE c.userId = @user AND c.type = 'draft'`, parameters{"user": userID}), draftItem.domain)
}

// Comments are those that the user wrote, on anybody's posts, in no certain order.
func (e *Export) Comments(ctx context.Context, userID string) iter.Seq2[domain.Comment, error] {
	return rows(everywhere[commentItem](ctx, e.posts,
		`SELECT * FROM c WHERE c.userId = @user AND c.type = 'comment' AND NOT IS_DEFINED(c.deletionDate)`, userID), commentItem.domain)
}

// Likes are the user's, in no certain order.
func (e *Export) Likes(ctx context.Context, userID string) iter.Seq2[domain.Like, error] {
	return rows(everywhere[likeItem](ctx, e.posts, `SELECT * FROM c WHERE c.userId = @user AND c.type = 'like'`, userID), likeItem.domain)
}

// Bookmarks are the user's, in no certain order.
func (e *Export) Bookmarks(ctx context.Context, userID string) iter.Seq2[domain.Bookmark, error] {
	return rows(everywhere[bookmarkItem](ctx, e.posts,
		`SELECT * FROM c WHERE c.userId = @user AND c.type = 'bookmark' AND NOT IS_DEFINED(c.deletionDate)`, userID), bookmarkItem.domain)
}

// Images are the records of the user's pictures, the avatar's too.
func (e *Export) Images(ctx context.Context, userID string) iter.Seq2[domain.Image, error] {
	return rows(within[imageItem](ctx, e.users, userID,
		`SELECT * FROM c WHERE c.userId = @user AND c.type IN ('image', 'avatar') AND NOT IS_DEFINED(c.incomplete)`, parameters{"user": userID}), imageItem.domain)
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
