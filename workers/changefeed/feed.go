package changefeed

import (
	"context"

	"inkfeed/domain"
)

// Feed is a change feed in latest-version mode. Continuations are texts that only
// the feed understands; an empty one means the beginning.
type Feed[T any] interface {
	// Container is the resource id of the container that is read now.
	Container(ctx context.Context) (string, error)
	// FeedRanges lists the ranges that the container has now.
	FeedRanges(ctx context.Context) ([]domain.FeedRange, error)
	// Read returns at most about limit changes that follow a continuation. It may
	// be given a range that the service has split since.
	Read(ctx context.Context, r domain.FeedRange, continuation string, limit int) (domain.ChangePage[T], error)
	// Narrow makes the continuation of a range into that of the part r of it.
	Narrow(continuation string, r domain.FeedRange) (string, error)
	// Item reads the present state of an item; NotFound when there is none.
	Item(ctx context.Context, item domain.ItemRef) (domain.Change[T], error)
}

// Leases is the store of leases. Replace and Delete are conditional on the lease's
// ETag and answer Conflict when another instance changed it first.
type Leases interface {
	Create(ctx context.Context, l domain.Lease) error // nil when it exists
	List(ctx context.Context, processor string) ([]domain.Lease, error)
	Read(ctx context.Context, processor string, r domain.FeedRange) (domain.Lease, error)
	Replace(ctx context.Context, l domain.Lease) (domain.Lease, error)
	Delete(ctx context.Context, l domain.Lease) error // nil when it is gone
}

// DeadLetters is where changes go that cannot be projected. To put the same item
// aside again is no error.
type DeadLetters interface {
	Put(ctx context.Context, l domain.DeadLetter) error
}

// Projector applies changes. It must be idempotent: after a crash, or when a lease
// changes hands, pages come again. It must return soon after its context ends.
//
// An error of kind Unavailable makes the same changes come again after a pause, for
// as long as it takes. After another error they come again a few times, then one by
// one, and then those that still fail become dead letters.
type Projector[T any] interface {
	Project(ctx context.Context, changes []T) error
}
