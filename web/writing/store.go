package writing

import (
	"context"
	"time"

	"inkfeed/domain"
	"inkfeed/web/site"
)

// Store is the storage that the pages for authors use. Errors are of the kinds of package domain.
type Store struct {
	Drafts     Drafts
	Posts      Posts
	Users      site.Users
	UserCopies UserCopies
	Profiles   Profiles
	Pages      site.PageList
	Audit      site.AuditLog
}

// Drafts stores drafts, publishes them and shares them.
type Drafts interface {
	// Get returns a user's draft of a post.
	Get(ctx context.Context, userID, postID string) (domain.Draft, error)
	// List returns a page of a user's drafts, the last saved first, with the beginning of their texts.
	List(ctx context.Context, userID string, page int) (domain.ListPage[domain.Draft], error)
	// Open returns the draft to continue, and the post if there is one, also an unpublished one. It fails with NotFound
	// if the user has neither.
	Open(ctx context.Context, userID, postID string) (domain.Draft, *domain.Post, error)
	// Save fails with Conflict if the stored draft is not of version d.Version, and with NotFound if the draft was
	// published or discarded.
	Save(ctx context.Context, d domain.Draft) (domain.Draft, error)
	// SetSeries puts a draft into the series that d names, and sets its revision. It fails as Save does.
	SetSeries(ctx context.Context, d domain.Draft) error
	// Discard deletes a draft. It changes nothing if the draft is already deleted, and fails with Conflict if the draft
	// is of another version.
	Discard(ctx context.Context, userID, postID string, version int) error
	// Publish makes a post of a draft. It fails with Conflict, and changes nothing, if the post has another revision
	// than d.Revision or was deleted, or if the stored draft has another text.
	Publish(ctx context.Context, author domain.User, d domain.Draft, now time.Time) (domain.Post, error)
	// Unpublish makes a draft of a post. An existing draft stays as it is.
	Unpublish(ctx context.Context, userID, postID string) (domain.Draft, error)
	// Schedule sets the time at which the draft of this version will be published.
	Schedule(ctx context.Context, userID, postID string, version int, at time.Time) (domain.Draft, error)
	// Unschedule clears that time.
	Unschedule(ctx context.Context, userID, postID string) (domain.Draft, error)
	// Share returns the secret of the draft's private link. The secret stays the same until Unshare.
	Share(ctx context.Context, userID, postID string) (string, error)
	// Unshare revokes the private link.
	Unshare(ctx context.Context, userID, postID string) error
	// Shared returns the draft of a private link, or the post that was made of it. It fails with NotFound for a revoked
	// link.
	Shared(ctx context.Context, secret string) (domain.Shared, error)
}

// Posts reads posts with their past versions, and deletes posts.
type Posts interface {
	site.Posts
	// Versions returns a page of a post's past versions, newest first, with the beginning of their texts.
	Versions(ctx context.Context, postID string, page int) (domain.ListPage[domain.PostVersion], error)
	// Version returns a past version of a post.
	Version(ctx context.Context, postID string, revision int) (domain.PostVersion, error)
	// Edit changes a post. It fails with Conflict if the post has another revision than e.Revision.
	Edit(ctx context.Context, e domain.Edit, authorID string) (domain.Post, error)
	// EditedBy returns the post that a draft of this author edits, or the zero post if it cannot become an edit of one.
	EditedBy(ctx context.Context, d domain.Draft, authorID string) (domain.Post, error)
	// Delete deletes a post for good, also from the trash. It changes nothing if the post is already deleted, and fails
	// with Forbidden if it is another user's.
	Delete(ctx context.Context, postID, authorID string) error
	// Trash moves a post to the trash, and Restore takes it out. They change nothing if the post is already there, and
	// fail with Forbidden if it is another user's.
	Trash(ctx context.Context, postID, userID string, now time.Time) (domain.Post, error)
	Restore(ctx context.Context, postID, userID string) (domain.Post, error)
	// OwnOrTrashed is Own that also returns a post in the trash.
	OwnOrTrashed(ctx context.Context, postID, userID string) (domain.Post, error)
}

// Profiles stores which posts authors have pinned.
type Profiles interface {
	// Pin pins a post to the top of its author's page, and unpins the posts gone. It fails with Conflict if as many
	// posts as possible are pinned. Repeating it changes nothing.
	Pin(ctx context.Context, userID, postID string, gone []string) error
	// Unpin undoes Pin. Repeating it changes nothing.
	Unpin(ctx context.Context, userID, postID string) error
}

// UserCopies reads the lists of posts in an author's partition.
type UserCopies interface {
	// Post returns a listed post in short form. It costs a point read.
	Post(ctx context.Context, userID, postID string) (domain.Summary, error)
	// UnlistedOf returns a page of a user's unlisted and hidden posts, newest first.
	UnlistedOf(ctx context.Context, userID string, page int) (domain.ListPage[domain.Summary], error)
	// Trash returns a page of a user's posts in the trash, the latest first.
	Trash(ctx context.Context, userID string, page int) (domain.ListPage[domain.Summary], error)
	// WholeSeries returns the posts of the series of a user that has a key, also those that appear in no list. It
	// returns at most domain.MaxSeriesPosts.
	WholeSeries(ctx context.Context, userID, key string) ([]domain.Summary, error)
	// AllSeries returns the series of a user's listed posts.
	AllSeries(ctx context.Context, userID string) ([]domain.Series, error)
	// RecordRenamedSeries redirects the address of a user's series from one key to another while no series has the
	// former key.
	RecordRenamedSeries(ctx context.Context, userID, from, to string) error
	// Statuses returns the statuses of a user's posts by their ids. It omits unknown posts.
	Statuses(ctx context.Context, userID string, postIDs []string) (map[string]domain.Status, error)
}
