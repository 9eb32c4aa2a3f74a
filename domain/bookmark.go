package domain

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"io"
	"time"
)

// BookmarksPerPage is the number of bookmarks on a page.
const BookmarksPerPage = 20

// Bookmark records that a user wants to read a post later. There is at most one per user and post. It is stored in
// the post's partition; BookmarkedPost is the user's own copy.
type Bookmark struct {
	PostID  string
	UserID  string
	Created time.Time
	// Version orders the states of a bookmark, including its removal and re-creation: a later state has a higher
	// version. It increases by at least one and is never behind the clock.
	Version int64
	// Deleted is when the user removed the bookmark, or zero. The marker is kept for MarkerTime, because the change
	// feed shows no deletions.
	Deleted time.Time
}

// ID returns the bookmark's id within its post, which is derived from the user's id.
func (b Bookmark) ID() string { return BookmarkID(b.UserID) }

const bookmarkPrefix = "bookmark-"

// BookmarkID returns the id of a user's bookmark within any post.
func BookmarkID(userID string) string { return bookmarkPrefix + userID }

// BookmarkedPost is a bookmark with the summary of its post, as the user's list of bookmarks shows it. The summary
// omits the counts, the time of the last edit and the revision. For an unpublished or hidden post it omits the title
// and the text too.
type BookmarkedPost struct {
	Bookmark
	Post Summary
}

// BookmarkDigest returns a digest of all fields of a post that BookmarkedPost contains. While it stays the same, the
// users' copies need no update.
func (p Post) BookmarkDigest() string {
	sum := sha256.New()
	for _, part := range []string{p.Title, p.Slug, p.Content, p.AuthorName, p.AuthorDisplayName,
		string(p.Tags), string(p.Standing()),
		p.Created.UTC().Format(placeLayout)} {
		fmt.Fprintf(sum, "%d:%s", len(part), part)
	}
	// Both are empty for a post without details and avatar, which keeps the digest of earlier releases.
	io.WriteString(sum, p.Details.JSON())
	io.WriteString(sum, p.AuthorAvatar)
	return base64.RawURLEncoding.EncodeToString(sum.Sum(nil)[:12])
}
