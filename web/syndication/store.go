package syndication

import (
	"context"

	"inkfeed/domain"
	"inkfeed/web/site"
)

// Store is the storage that feeds, sitemaps and redirects use. Errors are of the kinds of package domain.
type Store struct {
	Feed       Feed
	Users      site.Users
	UserCopies UserCopies
	Tags       Tags
	Posts      Posts
	Drafts     Drafts
	Search     Search
	Redirects  Redirects
	Pictures   Pictures
}

// Feed reads the front page.
type Feed interface {
	// FrontPage returns a page of the listed posts, newest first.
	FrontPage(ctx context.Context, page int) (domain.ListPage[domain.Summary], error)
}

// UserCopies reads the lists of posts in an author's partition.
type UserCopies interface {
	// PostsOf returns a page of a user's listed posts, newest first.
	PostsOf(ctx context.Context, userID string, page int) (domain.ListPage[domain.Summary], error)
	// NewestOfSeries returns the newest listed posts of the series of a user that has a key, newest first.
	NewestOfSeries(ctx context.Context, userID, key string) ([]domain.Summary, error)
	// RenamedSeries returns the present key of a user's series that had a key, or "" if there is none.
	RenamedSeries(ctx context.Context, userID, key string) (string, error)
}

// Tags reads posts by their tags.
type Tags interface {
	// PostsOf returns a page of the listed posts with a tag, newest first.
	PostsOf(ctx context.Context, key string, page int) (domain.ListPage[domain.Summary], error)
}

// Posts reads posts.
type Posts interface {
	// Get returns a published post that is not hidden.
	Get(ctx context.Context, postID string) (domain.Post, error)
	// Latest returns a post whatever its status, and the rest of a deleted post.
	Latest(ctx context.Context, postID string) (domain.Post, error)
}

// Drafts reads drafts.
type Drafts interface {
	// Get returns a user's draft of a post.
	Get(ctx context.Context, userID, postID string) (domain.Draft, error)
}

// Search lists all listed posts.
type Search interface {
	// Building reports whether the index may lack posts.
	Building(ctx context.Context) (bool, error)
	// CountPosts counts the listed posts that were first published here.
	CountPosts(ctx context.Context) (int, error)
	// Posts returns a page of size posts in the order of their creation, oldest first, so that full pages rarely
	// change.
	Posts(ctx context.Context, page, size int) ([]domain.Listing, error)
}

// Redirects stores the former addresses of imported posts and lists.
type Redirects interface {
	// Find returns where a former address leads. It fails with NotFound for an unknown address.
	Find(ctx context.Context, path string) (domain.Redirect, error)
}

// Pictures stores the pictures of the site.
type Pictures interface {
	// Picture returns the content of a picture of the site.
	Picture(ctx context.Context, hash string) ([]byte, error)
}
