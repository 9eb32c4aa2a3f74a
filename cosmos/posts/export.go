package posts

import (
	"context"
	"iter"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// PostsExport reads the contributions of a user in the container posts.
type PostsExport struct{ c *client.Container }

// NewPostsExport returns the export of the container posts of a database.
func NewPostsExport(db *client.Database) *PostsExport {
	return &PostsExport{c: db.Container(schema.PostsContainer)}
}

// Posts yields the user's posts of every status, or the texts of the site's pages, in no particular order.
func (e *PostsExport) Posts(ctx context.Context, userID string) iter.Seq2[domain.Post, error] {
	query := `SELECT * FROM c WHERE c.userId = @user AND c.type = 'post' AND NOT IS_DEFINED(c.deletionDate)`
	if userID == domain.SiteUserID {
		query = `SELECT * FROM c WHERE c.userId = @user AND c.type = 'page' AND NOT IS_DEFINED(c.deletionDate)`
	}
	return client.Rows(client.Everywhere[PostItem](ctx, e.c, query, userID), PostItem.domain)
}

// Versions yields the past versions of a post, the oldest first.
func (e *PostsExport) Versions(ctx context.Context, postID string) iter.Seq2[domain.PostVersion, error] {
	return client.Rows(client.Within[versionItem](ctx, e.c, postID,
		`SELECT * FROM c WHERE c.postId = @post AND c.type = 'version'
		 ORDER BY c.type ASC, c.creationDate ASC, c.id ASC`,
		client.Parameters{"post": postID}), versionItem.domain)
}

// Comments yields the user's comments on all posts, in no particular order.
func (e *PostsExport) Comments(ctx context.Context, userID string) iter.Seq2[domain.Comment, error] {
	return client.Rows(client.Everywhere[CommentItem](ctx, e.c,
		`SELECT * FROM c WHERE c.userId = @user AND c.type = 'comment' AND NOT IS_DEFINED(c.deletionDate)`, userID),
		CommentItem.Domain)
}

// Likes yields the user's likes, in no particular order.
func (e *PostsExport) Likes(ctx context.Context, userID string) iter.Seq2[domain.Like, error] {
	return client.Rows(client.Everywhere[LikeItem](ctx, e.c,
		`SELECT * FROM c WHERE c.userId = @user AND c.type = 'like'`, userID), LikeItem.Domain)
}

// Bookmarks yields the user's bookmarks, in no particular order.
func (e *PostsExport) Bookmarks(ctx context.Context, userID string) iter.Seq2[domain.Bookmark, error] {
	return client.Rows(client.Everywhere[bookmarkItem](ctx, e.c,
		`SELECT * FROM c WHERE c.userId = @user AND c.type = 'bookmark' AND NOT IS_DEFINED(c.deletionDate)`, userID),
		bookmarkItem.domain)
}

// Authored counts the items that have the user's name: posts, and comments and likes. It stops at a thousand items.
func (e *PostsExport) Authored(ctx context.Context, userID string) (posts, responses int, err error) {
	p := &Posts{c: e.c}
	byPost, _, err := p.AuthoredBy(client.Reads("count-authored").In(ctx), stepLimit,
		`c.userId = @user AND IS_DEFINED(c.userUsername) AND NOT IS_DEFINED(c.deletionDate)`,
		client.Parameters{"user": userID})
	for _, items := range byPost {
		for _, item := range items {
			if item.isPost() {
				posts++
			} else {
				responses++
			}
		}
	}
	return posts, responses, client.Translate(err)
}
