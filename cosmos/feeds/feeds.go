// Package feeds has what the change feeds of containers consist of: ranges, changes and the positions of readers.
package feeds

import (
	"time"

	"inkfeed/domain"
	"inkfeed/domain/subscription"
)

// Range is a contiguous range of a container's partition-key hash space, the unit in which its change feed is
// read. MinInclusive and MaxExclusive are effective partition keys. The changes of one logical partition are always
// in one range, in order.
type Range struct {
	MinInclusive string
	MaxExclusive string
}

// Overlaps reports whether any partition key is in both ranges. Bounds compare as strings: they are hexadecimal
// digits of one length, or "" and "FF" at the ends.
func (r Range) Overlaps(other Range) bool {
	return r.MinInclusive < other.MaxExclusive && other.MinInclusive < r.MaxExclusive
}

// PostChange is the latest state of one item of the container posts. Exactly one of its fields is set.
type PostChange struct {
	Post     *domain.Post
	Comment  *domain.Comment
	Like     *domain.Like
	Bookmark *domain.Bookmark
}

// UserChange is the latest state of one item of the container users. Exactly one of its fields is set.
type UserChange struct {
	User *domain.User
	// Draft is a new draft, one with a scheduled publication, or one whose bytes are not counted. Other changes of
	// drafts are not in the feed, because drafts are saved while their authors type.
	Draft *domain.Draft
	// Outgoing is a delivery that was stored in the transaction that causes it.
	Outgoing *domain.Delivery
	// Follow is one that has begun or ended. Block is one that has begun.
	Follow *domain.Follow
	Block  *domain.Block
	// Subscriber is one with new or changed subscriptions by mail.
	Subscriber *subscription.Subscriber
}

// ItemRef identifies an item of a container.
type ItemRef struct{ PartitionKey, ID string }

// Change is one entry of a change feed: the latest version of an item.
type Change[T any] struct {
	Item  ItemRef
	Value T
	// Err reports that the item could not be decoded; Value is then zero.
	Err      error
	LSN      int64     // the number of the transaction that wrote it, within its feed range
	Modified time.Time // with a precision of one second
}

// Batch is a batch of changes of one range. Continuation is the position of the next batch. It is worth storing even if
// Changes is empty.
type Batch[T any] struct {
	Changes      []Change[T]
	Continuation string
	Drained      bool  // there were no newer changes
	LSN          int64 // of the feed range when the batch was read; 0 if unknown
	Last         int64 // the LSN of the last item read, including items that are left out; 0 if there was none
}

// AtEnd reports whether all changes that existed when the batch was read have been read.
func (p Batch[T]) AtEnd() bool { return p.Drained || p.LSN > 0 && p.Last >= p.LSN }

// Empty reports whether a batch has no changes although the storage did not report the end of the feed. A reader pauses
// after such a batch, because the storage may answer like that again and again.
func (p Batch[T]) Empty() bool { return !p.Drained && p.Last == 0 && len(p.Changes) == 0 }

// Lease records which process reads a feed range for a processor, and its position.
type Lease struct {
	Processor string
	Range     Range
	// Container is the resource id of the container. A container that was deleted and created again has another id,
	// and its feed begins anew.
	Container    string
	Owner        string // empty if the lease is free
	Epoch        int    // counts the acquisitions
	Continuation string // empty at the beginning
	Renewed      time.Time
	ETag         string // of the stored lease, for conditional replacement
}

// DeadLetter is a change that could not be projected. It is stored separately, so that later changes can be
// projected.
type DeadLetter struct {
	Processor string
	Range     Range
	Item      ItemRef
	Error     string
	Attempts  int       // the total number of attempts
	First     time.Time // of the first failure
	Last      time.Time // of the last failure
}
