package changefeed

import (
	"context"

	"inkfeed/cosmos/feeds"
)

// Feed is a change feed in latest-version mode. Continuations are texts that only the feed understands; an empty one
// means the beginning.
type Feed[T any] interface {
	// Container returns the resource id of the container.
	Container(ctx context.Context) (string, error)
	// FeedRanges lists the present feed ranges of the container.
	FeedRanges(ctx context.Context) ([]feeds.Range, error)
	// Read returns about limit changes at most that follow a continuation. The service may have split the range since.
	Read(ctx context.Context, r feeds.Range, continuation string, limit int) (feeds.Batch[T], error)
	// Narrow turns the continuation of a range into that of its part r.
	Narrow(continuation string, r feeds.Range) (string, error)
	// Item reads the present state of an item. It returns NotFound if there is none.
	Item(ctx context.Context, item feeds.ItemRef) (feeds.Change[T], error)
}

// Leases stores leases. Replace and Delete are conditional on the lease's ETag, and return Conflict if another instance
// has changed the lease.
type Leases interface {
	Create(ctx context.Context, l feeds.Lease) error // nil if it exists already
	List(ctx context.Context, processor string) ([]feeds.Lease, error)
	Read(ctx context.Context, processor string, r feeds.Range) (feeds.Lease, error)
	Replace(ctx context.Context, l feeds.Lease) (feeds.Lease, error)
	Delete(ctx context.Context, l feeds.Lease) error // nil if there is none
}

// DeadLetters stores changes that cannot be projected. Storing the same item again is no error.
type DeadLetters interface {
	Put(ctx context.Context, l feeds.DeadLetter) error
}

// Projector applies changes. It must be idempotent, because pages are repeated after a crash and when a lease changes
// hands. It must return soon after its context ends.
//
// After an error of kind Unavailable the processor repeats the same changes, with pauses, for as long as it takes.
// After any other error it repeats them a few times, and then one by one. A change that still fails becomes a dead
// letter.
type Projector[T any] interface {
	Project(ctx context.Context, changes []T) error
}
