package reading

import (
	"context"
	"io"
	"time"

	"inkfeed/domain"
	"inkfeed/web/site"
	"inkfeed/web/site/events"
)

// Store is the storage that the pages for readers use. Errors are of the kinds of package domain.
type Store struct {
	Feed          Feed
	Posts         Posts
	Users         site.Users
	UserCopies    UserCopies
	Blocks        site.Blocks
	Follows       Follows
	Notifications Notifications
	Mutes         Mutes
	Drafts        events.Drafts
	Tags          Tags
	Search        Search
	Files         Files
	Images        Images
	Reports       site.Reports
	Redirects     site.OldAddresses
}

// Feed reads the front page.
type Feed interface {
	// FrontPage returns a page of the listed posts, newest first.
	FrontPage(ctx context.Context, page int) (domain.ListPage[domain.Summary], error)
}

// Posts reads posts with their comments, and stores likes and bookmarks.
type Posts interface {
	site.Posts
	events.Posts
	// Comments returns a page of a post's comments, oldest first, replies below their parents.
	Comments(ctx context.Context, postID string, page int) (domain.ListPage[domain.Comment], error)
	// Like stores a like and returns the changed post. Repeating it changes nothing.
	Like(ctx context.Context, l domain.Like) (domain.Post, error)
	// Unlike deletes a like and returns the changed post. Repeating it changes nothing.
	Unlike(ctx context.Context, postID, userID string) (domain.Post, error)
	// Liked reports whether a user likes a post. It costs a point read.
	Liked(ctx context.Context, postID, userID string) (bool, error)
	// Likes returns a page of a post's likes, newest first.
	Likes(ctx context.Context, postID string, page int) (domain.ListPage[domain.Like], error)
	// LatestLikes returns at most so many likes of a post, newest first.
	LatestLikes(ctx context.Context, postID string, most int) ([]domain.Like, error)
	// Bookmark stores a bookmark and returns it. Repeating it changes nothing.
	Bookmark(ctx context.Context, post domain.Post, userID string, now time.Time) (domain.Bookmark, error)
	// Unbookmark deletes a bookmark and returns it, or the zero bookmark if there is none.
	Unbookmark(ctx context.Context, postID, userID string) (domain.Bookmark, error)
	// Bookmarked reports whether a user has bookmarked a post. It costs a point read.
	Bookmarked(ctx context.Context, postID, userID string) (bool, error)
}

// UserCopies reads the lists of posts and bookmarks in the partitions of users.
type UserCopies interface {
	// PostsOf returns a page of a user's listed posts, newest first.
	PostsOf(ctx context.Context, userID string, page int) (domain.ListPage[domain.Summary], error)
	// Post returns a listed post in short form. It costs a point read.
	Post(ctx context.Context, userID, postID string) (domain.Summary, error)
	// HiddenOf returns a page of a user's hidden posts, newest first.
	HiddenOf(ctx context.Context, userID string, page int) (domain.ListPage[domain.Summary], error)
	// Archive returns a page of the posts that a user published in a year. Year 0 is the latest year with posts.
	Archive(ctx context.Context, userID string, zone *time.Location, year, page int) (domain.Archive, error)
	// Neighbours returns the author's posts before and after a post, nil if there is none.
	Neighbours(ctx context.Context, post domain.Post) (previous, next *domain.Summary, err error)
	// Series returns the listed posts of the series of a user that has a key, in order and without their text. It
	// returns at most domain.MaxSeriesPosts.
	Series(ctx context.Context, userID, key string) ([]domain.Summary, error)
	// RenamedSeries returns the present key of a user's series that had a key, or "" if there is none.
	RenamedSeries(ctx context.Context, userID, key string) (string, error)
	// AllSeries returns the series of a user's listed posts.
	AllSeries(ctx context.Context, userID string) ([]domain.Series, error)
	// Bookmarks returns a page of a user's bookmarks, newest first.
	Bookmarks(ctx context.Context, userID string, page int) (domain.ListPage[domain.BookmarkedPost], error)
	// ApplyBookmark updates the copy of a bookmark in its user's list. It ignores a bookmark that is older than the
	// copy.
	ApplyBookmark(ctx context.Context, s domain.BookmarkedPost) error
}

// Notifications stores the notifications of users.
type Notifications interface {
	// List returns a page of a user's notifications, newest first.
	List(ctx context.Context, userID string, page int) (domain.ListPage[domain.Notification], error)
	// SetSeen records how many of all notifications that a user has received were seen.
	SetSeen(ctx context.Context, userID string, seen int) error
	// SetQuiet records the kinds of notifications that a user has switched off.
	SetQuiet(ctx context.Context, userID string, kinds domain.NotificationKinds) error
}

// Mutes stores what users have muted.
type Mutes interface {
	site.Mutes
	// Mute adds a mute. Repeating it changes nothing.
	Mute(ctx context.Context, userID string, m domain.Mute) error
	// Unmute removes a mute. Repeating it changes nothing.
	Unmute(ctx context.Context, userID string, kind domain.MuteKind, id string) error
}

// Tags reads posts by their tags.
type Tags interface {
	// PostsOf returns a page of the listed posts with a tag, newest first.
	PostsOf(ctx context.Context, key string, page int) (domain.ListPage[domain.Summary], error)
	// Newest returns the newest listed posts with a tag, newest first, without their text.
	Newest(ctx context.Context, key string) ([]domain.Summary, error)
}

// Follows reads who follows what.
type Follows interface {
	// Has reports whether a user follows a source. It costs a point read.
	Has(ctx context.Context, userID string, source domain.Source) (bool, error)
	// Followers returns how many followers a source has. It costs a point read.
	Followers(ctx context.Context, source domain.Source) (domain.Followers, error)
}

// Search is the full-text index of this process.
type Search interface {
	// Search returns a page of the listed posts that match a query. Every text is a valid query.
	Search(ctx context.Context, query string, page int) (domain.Found, error)
	// Tags returns at most limit tags that begin with a prefix, the most frequent first.
	Tags(ctx context.Context, prefix string, limit int) ([]domain.TagUse, error)
	// TagsByName returns a page of the tags of listed posts, by their keys.
	TagsByName(ctx context.Context, page int) (domain.ListPage[domain.TagUse], error)
	// Authors returns a page of the authors of listed posts, those with the most posts first.
	Authors(ctx context.Context, page int) (domain.ListPage[domain.AuthorUse], error)
	// Building reports whether the index may lack posts.
	Building(ctx context.Context) (bool, error)
}

// Files reads the files of pictures.
type Files interface {
	// Open opens a file, which the caller closes. The error is of kind NotFound if the file does not exist.
	Open(ctx context.Context, name string) (io.ReadSeekCloser, error)
}

// Images reads the records of pictures.
type Images interface {
	// Owner returns the id of the user who uploaded a picture. It costs a query on all partitions.
	Owner(ctx context.Context, name domain.ImageName) (userID string, err error)
}
