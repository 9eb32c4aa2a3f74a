package tailer

import (
	"context"
	"errors"
	"time"

	"inkfeed/cosmos/feeds"
)

// Mark is how far a tailer has come in a feed range.
type Mark struct {
	Range        feeds.Range
	Continuation string    // empty: at the beginning
	LSN          int64     // of the range when it was read last; 0: not known
	Read         time.Time // when it was read last; zero: never
	// Complete is true once the end of the range has been reached.
	Complete bool
}

// Follower consumes the changes that a tailer reads. It is something that every process has for itself, such as an
// index or a cache. It stores the marks together with its data, so that both are lost together or not at all. The
// tailer calls it from one goroutine at a time.
//
// After an error the tailer repeats the call, with growing pauses, for as long as it takes. After ErrLost it asks for
// the marks again instead.
type Follower[T any] interface {
	// Marks returns the marks to continue at, and the resource id of their container. Without marks, the tailer calls
	// Begin and reads the whole feed.
	Marks(ctx context.Context) (container string, marks []Mark, err error)
	// Begin deletes all data and marks.
	Begin(ctx context.Context, container string) error
	// Replace replaces the marks of a range that was split by those of its parts. Without ranges the marks are new.
	Replace(ctx context.Context, ranges []feeds.Range, marks []Mark) error
	// Follow applies changes and stores the mark of their range, both or neither. A page may come again when the
	// service has merged ranges, and changes of one item may then come in any order. The list of changes may be empty.
	Follow(ctx context.Context, changes []feeds.Change[T], m Mark) error
}

// ErrLost is returned by a Follower that has lost its marks. The tailer then starts from the beginning.
var ErrLost = errors.New("the data derived from the change feed is lost")

// Feed is the change feed of a container. See changefeed.Feed for its methods.
type Feed[T any] interface {
	Container(ctx context.Context) (string, error)
	FeedRanges(ctx context.Context) ([]feeds.Range, error)
	Read(ctx context.Context, r feeds.Range, continuation string, limit int) (feeds.Batch[T], error)
	Narrow(continuation string, r feeds.Range) (string, error)
}
