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
	Post     *Post
	Comment  *Comment
	Like     *Like
	Bookmark *Bookmark
}

// UserChange is the latest state of one item of the users container: exactly one of its
// fields is set.
type UserChange struct {
	User *User
	// Draft is one that has just been begun, or has a time at which it publishes itself.
	// Of others the feed says nothing: they are saved while their authors type.
	Draft *Draft
}

// ItemRef names an item of a container.
type ItemRef struct{ PartitionKey, ID string }

// Change is one entry of a change feed: the latest version of an item.
type Change[T any] struct {
	Item  ItemRef
	Value T
	// Err says that the item is not of its shape; Value is then zero.
	Err      error
	Body     []byte    // the item as it is stored, in JSON
	LSN      int64     // of the transaction that wrote it, within its feed range
	Modified time.Time // to the second
}

// ChangePage is one page of a change feed. Continuation says where the next
// page begins and is worth storing even when Changes is empty.
type ChangePage[T any] struct {
	Changes      []Change[T]
	Continuation string
	Drained      bool  // nothing newer was there
	LSN          int64 // of the feed range when the page was read; 0 when not known
	Last         int64 // the LSN of the last item read, also of one that is left out; 0: there was none
}

// AtEnd tells whether everything that was there when the page was read has been read.
func (p ChangePage[T]) AtEnd() bool { return p.Drained || p.LSN > 0 && p.Last >= p.LSN }

// Lease says who reads a feed range for a processor and how far it has come.
type Lease struct {
	Processor string
	Range     FeedRange
	// Container is the resource id of the container that is read: one that was
	// dropped and made again has another, and its feed begins anew.
	Container    string
	Owner        string // empty: nobody
	Epoch        int    // counts the times that it was acquired
	Continuation string // empty: from the beginning
	Renewed      time.Time
	ETag         string // of the stored lease, for conditional replaces
}

// DeadLetter is a change that could not be projected, put aside so that its
// neighbours go on.
type DeadLetter struct {
	Processor string
	Range     FeedRange
	Item      ItemRef
	Body      []byte // the item as it was, in JSON; empty when it was too large to keep
	Error     string
	Attempts  int       // at projecting it, in all
	First     time.Time // when it was put aside first
	Last      time.Time // and last
}
