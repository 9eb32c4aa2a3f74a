package cosmos

import (
	"context"
	"iter"

	"inkfeed/domain"
)

// PostsExport reads what a user wrote in the container posts.
type PostsExport struct{ c *container }

// newPostsExport returns the export of the container posts of a database.
func newPostsExport(db *Database) *PostsExport {
	return &PostsExport{c: db.Container(postsContainer)}
}

// Posts are the user's, whatever their status, in no certain order.
func (e *PostsExport) Posts(ctx context.Context, userID string) iter.Seq2[domain.Post, error] {
	return rows(everywhere[postItem](ctx, e.c,
		`SELECT * FROM c WHERE c.userId = @user AND c.type = 'post' AND NOT IS_DEFINED(c.deletionDate)`, userID), postItem.domain)
}

// Versions are the past ones of a post, the oldest first.
func (e *PostsExport) Versions(ctx context.Context, postID string) iter.Seq2[domain.PostVersion, error] {
	return rows(within[versionItem](ctx, e.c, postID,
		`SELECT * FROM c WHERE c.postId = @post AND c.type = 'version' ORDER BY c.type ASC, c.creationDate ASC, c.id ASC`,
		parameters{"post": postID}), versionItem.domain)
}

// Comments are those that the user wrote, on anybody's posts, in no certain order.
func (e *PostsExport) Comments(ctx context.Context, userID string) iter.Seq2[domain.Comment, error] {
	return rows(everywhere[commentItem](ctx, e.c,
		`SELECT * FROM c WHERE c.userId = @user AND c.type = 'comment' AND NOT IS_DEFINED(c.deletionDate)`, userID), commentItem.domain)
}

// Likes are the user's, in no certain order.
func (e *PostsExport) Likes(ctx context.Context, userID string) iter.Seq2[domain.Like, error] {
	return rows(everywhere[likeItem](ctx, e.c, `SELECT * FROM c WHERE c.userId = @user AND c.type = 'like'`, userID), likeItem.domain)
}

// Bookmarks are the user's, in no certain order.
func (e *PostsExport) Bookmarks(ctx context.Context, userID string) iter.Seq2[domain.Bookmark, error] {
	return rows(everywhere[bookmarkItem](ctx, e.c,
		`SELECT * FROM c WHERE c.userId = @user AND c.type = 'bookmark' AND NOT IS_DEFINED(c.deletionDate)`, userID), bookmarkItem.domain)
}
