package domain

import (
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"time"
)

// BookmarksPerPage is how many bookmarks a page of them shows.
const BookmarksPerPage = 20

// Bookmark says that a user wants to read a post later. There is at most one for
// both. It stands in the post's partition; Saved is the user's own copy of it.
type Bookmark struct {
	PostID  string
	UserID  string
	Created time.Time
	// Version orders what becomes of it, also when it is taken back and made again: a
	// later state has a higher one. It counts up, and is never behind the clock.
	Version int64
	// Deleted is when it was taken back, zero: it is there. The marker stays for
	// MarkerTime, for the change feed shows no deletes.
	Deleted time.Time
}

// ID is the bookmark's id within its post, derived from the user's.
func (b Bookmark) ID() string { return BookmarkID(b.UserID) }

const bookmarkPrefix = "bookmark-"

// BookmarkID is the id of that user's bookmark within any post.
func BookmarkID(userID string) string { return bookmarkPrefix + userID }

// Saved is a bookmark as its reader's list shows it: with the post in short form, without
// what changes often or is of no use there, its counts and when it was edited. Of an
// post that is unpublished or hidden it has neither title nor text.
type Saved struct {
	Bookmark
	Post Summary
}

// Shown is a digest of all that Save takes of a post: while it is the same, the copies
// that readers keep need not be told.
func (p Post) Shown() string {
	sum := sha256.New()
	for _, part := range []string{p.Title, p.Slug, p.Content, p.AuthorName, p.AuthorDisplayName, string(p.Tags), string(p.Standing()),
		p.Created.UTC().Format(placeLayout)} {
		fmt.Fprintf(sum, "%d:%s", len(part), part)
	}
	if p.Details != (Details{}) { // otherwise the digest is that of earlier releases
		fmt.Fprintf(sum, "%+v", p.Details)
	}
	return base64.RawURLEncoding.EncodeToString(sum.Sum(nil)[:12])
}
