package comments

import (
	"context"
	"time"

	"inkfeed/domain"
	"inkfeed/web/site"
)

// Store is the storage that comments use. Errors are of the kinds of package domain.
type Store struct {
	Posts   Posts
	Users   site.Users
	Blocks  site.Blocks
	Reports site.Reports
}

// Posts reads posts, and reads and writes their comments.
type Posts interface {
	site.Posts
	// Comments returns a page of a post's comments, oldest first, replies below their parents.
	Comments(ctx context.Context, postID string, page int) (domain.ListPage[domain.Comment], error)
	// CommentsAfter returns as many comments as a page has, beginning after a place.
	CommentsAfter(ctx context.Context, postID, place string) (domain.ListPage[domain.Comment], error)
	// CommentsBefore counts the comments before a place.
	CommentsBefore(ctx context.Context, postID, place string) (int, error)
	// Comment returns a comment. Of a deleted comment with replies a placeholder is left.
	Comment(ctx context.Context, postID, commentID string) (domain.Comment, error)
	// AddComment stores a comment and returns the changed post. It changes nothing if there is a comment with this id.
	// It fails with Conflict if the parent of a reply was deleted.
	AddComment(ctx context.Context, c domain.Comment) (domain.Post, error)
	// EditComment fails with Conflict if the comment has changed since the edit began, and with Forbidden if it is
	// another user's.
	EditComment(ctx context.Context, e domain.CommentEdit, userID string) (domain.Comment, error)
	// DeleteComment deletes a comment and returns what is left of it. It changes nothing if the comment is already
	// deleted, and fails with Forbidden if it is another user's.
	DeleteComment(ctx context.Context, postID, commentID, userID string) (domain.CommentRemoval, error)
	// HoldComment hides a comment and returns the changed post. Repeating it changes nothing.
	HoldComment(ctx context.Context, postID, commentID string, hold domain.Hold) (domain.Post, error)
	// ShowComment replaces the hold HeldByAuthor, and no other, by another hold or none. It returns the changed post,
	// and fails with Conflict if the comment was last edited at another time.
	ShowComment(ctx context.Context, postID, commentID string, edited time.Time, instead domain.Hold) (domain.Post,
		error)
	// CloseComments closes or opens the comments of a post. Repeating it changes nothing. It fails with Forbidden if
	// the post is another user's.
	CloseComments(ctx context.Context, postID, userID string, closed bool) (domain.Post, error)
}
