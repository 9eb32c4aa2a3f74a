// Package feedtest provides a change feed in memory for tests.
package feedtest

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"inkfeed/cosmos/feeds"
	"inkfeed/domain"
)

// Feed is a change feed of integers in memory. A partition key is a text of digits, and is its own hash.
type Feed struct {
	Mu      sync.Mutex
	ID      string
	Ranges  []feeds.Range
	Log     []feeds.Change[int] // in the order of their LSNs
	LSN     int64
	Failure error // returned by every call while it is set
	Opaque  bool  // makes Narrow fail
	Misused error // set if a continuation was used for another range
	Reads   int   // the number of calls of Read
	Looks   int   // the number of calls of FeedRanges
	// Fail makes the error of each call, if it is set. LooksFail is returned by FeedRanges only.
	Fail      func() error
	LooksFail error
	Silent    bool // makes Read answer with neither changes nor the statement that there are none
}

// New returns a feed with a number of ranges: "0" to "1", "1" to "2", and so on.
func New(ranges int) *Feed {
	f := &Feed{ID: "rid"}
	for i := range ranges {
		f.Ranges = append(f.Ranges, feeds.Range{MinInclusive: fmt.Sprint(i), MaxExclusive: fmt.Sprint(i + 1)})
	}
	return f
}

// Irrelevant is the value of an item that the feed skips, like an item of a type that the reader ignores.
const Irrelevant = -1

// Write writes items to the partition of the first key of a range.
func (f *Feed) Write(at int, items ...int) {
	f.Mu.Lock()
	key := f.Ranges[at].MinInclusive
	f.Mu.Unlock()
	f.WriteKey(key, items...)
}

// WriteKey writes items to the partition of a key.
func (f *Feed) WriteKey(key string, items ...int) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	for _, item := range items {
		f.append(key, item, nil)
	}
}

// WriteBroken writes an item that cannot be decoded.
func (f *Feed) WriteBroken(at int, item int, err error) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	f.append(f.Ranges[at].MinInclusive, item, err)
}

func (f *Feed) append(key string, item int, err error) {
	f.LSN++
	c := feeds.Change[int]{Item: feeds.ItemRef{PartitionKey: key, ID: fmt.Sprint(item)}, Value: item, Err: err,
		LSN: f.LSN, Modified: time.Now().Truncate(time.Second)}
	if err != nil {
		c.Value = 0
	}
	f.Log = append(f.Log, c)
}

// Forget removes an item from the feed, as a deletion does.
func (f *Feed) Forget(item int) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	f.Log = slices.DeleteFunc(f.Log, func(c feeds.Change[int]) bool { return c.Item.ID == fmt.Sprint(item) })
}

// Split divides a range at a bound, if the bound lies within the range.
func (f *Feed) Split(at int, bound string) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	r := f.Ranges[at]
	if r.MinInclusive < bound && bound < r.MaxExclusive {
		f.Ranges = slices.Replace(slices.Clone(f.Ranges), at, at+1,
			feeds.Range{MinInclusive: r.MinInclusive, MaxExclusive: bound},
			feeds.Range{MinInclusive: bound, MaxExclusive: r.MaxExclusive})
	}
}

// SetFailure sets the error that every call returns from now on; nil ends the failure.
func (f *Feed) SetFailure(err error) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	f.Failure = err
}

// CountReads returns Reads while others read the feed.
func (f *Feed) CountReads() int {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	return f.Reads
}

// Set changes the feed while others read it.
func (f *Feed) Set(change func()) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	change()
}

func (f *Feed) failure() error {
	if f.Fail != nil {
		return f.Fail()
	}
	return f.Failure
}

// Container implements changefeed.Feed.
func (f *Feed) Container(context.Context) (string, error) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	return f.ID, f.failure()
}

// FeedRanges implements changefeed.Feed.
func (f *Feed) FeedRanges(context.Context) ([]feeds.Range, error) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	f.Looks++
	return slices.Clone(f.Ranges), cmp.Or(f.LooksFail, f.failure())
}

// ContinuationOf returns the continuation of a range after an LSN. Like the SDK's continuations, it names the range and
// the container for which it is valid.
func (f *Feed) ContinuationOf(r feeds.Range, lsn int64) string {
	return fmt.Sprintf("%s %s..%s %d", f.ID, r.MinInclusive, r.MaxExclusive, lsn)
}

// Read implements changefeed.Feed.
func (f *Feed) Read(_ context.Context, r feeds.Range, continuation string,
	limit int) (feeds.Batch[int], error) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	f.Reads++
	if err := f.failure(); err != nil {
		return feeds.Batch[int]{}, err
	}
	if f.Silent {
		return feeds.Batch[int]{Continuation: continuation}, nil
	}
	var from int64
	if continuation != "" {
		text, ok := strings.CutPrefix(continuation, f.ContinuationOf(r, 0)[:len(f.ContinuationOf(r, 0))-1])
		if !ok {
			f.Misused = fmt.Errorf("the range %v of %s was read from %q", r, f.ID, continuation)
			return feeds.Batch[int]{}, f.Misused
		}
		from, _ = strconv.ParseInt(text, 10, 64)
	}
	page := feeds.Batch[int]{LSN: f.LSN, Drained: true}
	end := page.LSN
	for _, c := range f.Log {
		if c.LSN <= from || c.Item.PartitionKey < r.MinInclusive || c.Item.PartitionKey >= r.MaxExclusive {
			continue
		}
		if limit == 0 {
			end = c.LSN - 1
			break
		}
		limit--
		page.Drained, page.Last = false, c.LSN
		if c.Value != Irrelevant {
			page.Changes = append(page.Changes, c)
		}
	}
	page.Continuation = f.ContinuationOf(r, end)
	return page, nil
}

// Narrow implements changefeed.Feed.
func (f *Feed) Narrow(continuation string, r feeds.Range) (string, error) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	if continuation == "" {
		return "", nil
	}
	if f.Opaque {
		return "", errors.New("a continuation of unknown form")
	}
	fields := strings.Fields(continuation)
	lsn, err := strconv.ParseInt(fields[len(fields)-1], 10, 64)
	return f.ContinuationOf(r, lsn), err
}

// Item implements changefeed.Feed.
func (f *Feed) Item(_ context.Context, item feeds.ItemRef) (feeds.Change[int], error) {
	f.Mu.Lock()
	defer f.Mu.Unlock()
	for _, c := range slices.Backward(f.Log) {
		if c.Item == item {
			return c, f.Failure
		}
	}
	return feeds.Change[int]{}, cmp.Or(f.Failure, domain.NewError(domain.NotFound, "item {item}", "item", item.ID))
}
