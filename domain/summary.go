package domain

import (
	"cmp"
	"time"
)

// SummaryLimit is the most characters a short form keeps of a post's text.
const SummaryLimit = 280

// Summary is the short form of a post, as lists show it.
type Summary struct {
	PostID     string
	AuthorID   string
	AuthorName string // the username
	// AuthorDisplayName is the author's name in full, empty: the username.
	AuthorDisplayName string
	Title             string
	Slug              string // see Post
	Text              string // plain text, at most SummaryLimit characters
	Tags              Tags
	Details           Details
	Status            Status // see Post.Standing
	CommentCount      int
	LikeCount         int
	Created           time.Time
	Edited            time.Time // zero: never
	Revision          int
	Version           int // of the post it was made from
	// Deleted is when the post was deleted, zero: never. The copies of a deleted
	// post are tombstones for a while: see TombstoneTime.
	Deleted time.Time
}

// TombstoneTime is how long a deleted post's copies are remembered as deleted, so
// that a worker that lost its lease in the middle of a page cannot bring back what
// its successor took away. No worker is in the middle of a page for as long.
const TombstoneTime = time.Hour

// MarkerTime is how long the marker of a deleted post or user stays in the change
// feed after its erasure is complete, for readers who keep an index of their own.
const MarkerTime = 30 * 24 * time.Hour

// Listed tells whether the post stands in lists.
func (s Summary) Listed() bool { return s.Deleted.IsZero() && s.Status.Listed() }

// Path is the canonical address of the post.
func (s Summary) Path() string { return PostPath(s.PostID, cmp.Or(s.Slug, s.Title)) }

// NewestFirst orders short forms as lists of the newest posts do, for
// slices.SortFunc. It is a total order: posts of the same millisecond are ordered
// by id.
func NewestFirst(a, b Summary) int {
	return cmp.Or(b.Created.Compare(a.Created), cmp.Compare(b.PostID, a.PostID))
}
