package following

import (
	"context"
	"time"

	"inkfeed/domain"
	"inkfeed/web/site"
)

// Store is the storage that following uses. Errors are of the kinds of package domain.
type Store struct {
	Follows    Follows
	Users      site.Users
	Profiles   Profiles
	Blocks     site.Blocks
	Mutes      site.Mutes
	UserCopies UserCopies
	Tags       Tags
	Search     Search
	Redirects  site.OldAddresses
}

// Profiles stores what users choose for themselves.
type Profiles interface {
	// SetPrefersFollowing says whether the personal feed is a user's front page.
	SetPrefersFollowing(ctx context.Context, userID string, prefers bool) error
	// SetHidesFollows hides the lists of whom a user follows and who follows the user, or shows them again.
	SetHidesFollows(ctx context.Context, userID string, hides bool) error
	// SetFeedSecret changes the secret in the address of a user's private feed. An empty one ends the feed.
	SetFeedSecret(ctx context.Context, userID, secret string) error
}

// Follows stores who follows what, and the timelines.
type Follows interface {
	// Follow makes a user follow a source. Repeating it changes nothing.
	Follow(ctx context.Context, userID string, source domain.Source, now time.Time) (domain.Follow, error)
	// Unfollow ends a follow. Repeating it changes nothing.
	Unfollow(ctx context.Context, userID string, source domain.Source) error
	// List returns a page of what a user follows, the latest first.
	List(ctx context.Context, userID string, page int) (domain.ListPage[domain.Follow], error)
	// All returns all that a user follows, the latest first.
	All(ctx context.Context, userID string) ([]domain.Follow, error)
	// Each visits all that a user follows, without present names.
	Each(ctx context.Context, userID string, visit func(domain.Follow) error) error
	// Among returns which of at most domain.FollowsPerPage sources a user follows. It is one query.
	Among(ctx context.Context, userID string, sources []domain.Source) (map[domain.Source]bool, error)
	// Followers returns how many followers a source has. It costs a point read.
	Followers(ctx context.Context, source domain.Source) (domain.Followers, error)
	// ListFollowers returns the followers at a place of the list or after it, and the place where the next page begins.
	ListFollowers(ctx context.Context, source domain.Source, from domain.Place) ([]domain.Follow, domain.Place, error)
	// Timeline reads a part of a user's timeline after a place. It is one query.
	Timeline(ctx context.Context, userID string, after domain.Place, limit int) (domain.Timeline, error)
	// Merged lists the merged sources of a user's timeline.
	Merged(ctx context.Context, userID string) ([]domain.Source, error)
}

// UserCopies reads the lists of authors' posts.
type UserCopies interface {
	// Post returns a listed post in short form. It costs a point read.
	Post(ctx context.Context, userID, postID string) (domain.Summary, error)
	// PostsAfter lists at most limit of an author's posts after a place, the newest first.
	PostsAfter(ctx context.Context, userID string, after domain.Place, limit int) ([]domain.Summary, error)
}

// Tags reads the lists of posts by tag.
type Tags interface {
	// PostsAfter lists at most limit posts with a tag after a place, the newest first.
	PostsAfter(ctx context.Context, key string, after domain.Place, limit int) ([]domain.Summary, error)
}

// Search is the full-text index of this process.
type Search interface {
	// Summaries reads posts by their ids. The result has no entry for an unknown post, and the zero Summary for one
	// that is not listed.
	Summaries(ctx context.Context, postIDs []string) (map[string]domain.Summary, error)
	// Authors returns a page of the authors of listed posts, those with the most posts first.
	Authors(ctx context.Context, page int) (domain.ListPage[domain.AuthorUse], error)
	// Tags returns at most limit tags that begin with a prefix, the most frequent first.
	Tags(ctx context.Context, prefix string, limit int) ([]domain.TagUse, error)
}
