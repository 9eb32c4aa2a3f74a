package exporting

import (
	"context"
	"io"
	"iter"

	"inkfeed/domain"
	"inkfeed/domain/subscription"
)

// Store is the storage that exports read. Errors are of the kinds of package domain.
type Store struct {
	Export Export
	Drafts Drafts
	Posts  Posts
	Files  Files
}

// Export reads everything that a user or the site has written, piece by piece.
type Export interface {
	// Authored counts the items that have the user's name: posts, and comments and likes. It stops at a thousand items.
	Authored(ctx context.Context, userID string) (posts, responses int, err error)
	Posts(ctx context.Context, userID string) iter.Seq2[domain.Post, error]
	Versions(ctx context.Context, postID string) iter.Seq2[domain.PostVersion, error]
	Drafts(ctx context.Context, userID string) iter.Seq2[domain.Draft, error]
	Comments(ctx context.Context, userID string) iter.Seq2[domain.Comment, error]
	Likes(ctx context.Context, userID string) iter.Seq2[domain.Like, error]
	Bookmarks(ctx context.Context, userID string) iter.Seq2[domain.Bookmark, error]
	Images(ctx context.Context, userID string) iter.Seq2[domain.Image, error]
	// Paths returns the former addresses of the user's posts by the posts' ids.
	Paths(ctx context.Context, userID string) (map[string][]string, error)
	// Muted returns what the user has muted.
	Muted(ctx context.Context, userID string) (domain.Mutes, error)
	// Subscribed returns the user's subscriptions by mail.
	Subscribed(ctx context.Context, userID string) ([]subscription.Subscription, error)
}

// Drafts reads drafts.
type Drafts interface {
	// Get returns a user's draft of a post.
	Get(ctx context.Context, userID, postID string) (domain.Draft, error)
}

// Posts reads posts.
type Posts interface {
	// Own returns a post of the user, whatever its status.
	Own(ctx context.Context, postID, userID string) (domain.Post, error)
}

// Files reads pictures.
type Files interface {
	// Open opens a file, which the caller closes. The error is of kind NotFound if the file does not exist.
	Open(ctx context.Context, name string) (io.ReadSeekCloser, error)
}
