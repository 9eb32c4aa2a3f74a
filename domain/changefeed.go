package domain

import "time"

// FeedRange is a contiguous part of a container's partition-key hash space, the
// unit in which its change feed is read: MinInclusive and MaxExclusive are
// effective partition keys, and changes of one logical partition are always in
// one range, in order.
type FeedRange struct {
	MinInclusive string
	MaxExclusive string
}

// Overlaps reports whether some partition key is in both ranges. Bounds compare
// as texts: hexadecimal digits of one length, or "" and "FF", the ends.
func (r FeedRange) Overlaps(other FeedRange) bool {
	return r.MinInclusive < other.MaxExclusive && other.MinInclusive < r.MaxExclusive
}

// PostChange is the latest state of one item of the posts container: exactly
// one of its fields is set.
type PostChange struct {
	Post    *Post
	Comment *Comment
	Like    *Like
}

// UserChange is the latest state of a user.
type UserChange struct{ User User }

// ChangePage is one page of a change feed. Continuation says where the next
// page begins and is worth storing even when Changes is empty.
type ChangePage[T any] struct {
	Changes      []T
	Continuation string
	Drained      bool // nothing newer was there
}

// Lease says who reads a feed range for a processor and how far it has come.
type Lease struct {
	Processor    string
	Range        FeedRange
	Owner        string // empty: nobody
	Continuation string // empty: from the beginning
	Renewed      time.Time
	ETag         string // of the stored lease, for conditional replaces
}
