package workers

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

	"inkfeed/domain"
)

// fakeFeed is a change feed of ints in memory. A partition key is a text of digits,
// and is its own hash.
type fakeFeed struct {
	mu        sync.Mutex
	container string
	ranges    []domain.FeedRange
	log       []domain.Change[int] // in the order of their LSNs
	lsn       int64
	fail      error // of every call while set
	opaque    bool  // continuations cannot be narrowed
	misused   error // a continuation was used for another range
	reads     int
}

// newFakeFeed makes a feed with that many ranges: "0" to "1", "1" to "2", …
func newFakeFeed(ranges int) *fakeFeed {
	f := &fakeFeed{container: "rid"}
	for i := range ranges {
		f.ranges = append(f.ranges, domain.FeedRange{MinInclusive: fmt.Sprint(i), MaxExclusive: fmt.Sprint(i + 1)})
	}
	return f
}

// irrelevant stands for a change of an item that is not the reader's.
const irrelevant = -1

// write changes items of the first key of a range.
func (f *fakeFeed) write(at int, items ...int) {
	f.mu.Lock()
	key := f.ranges[at].MinInclusive
	f.mu.Unlock()
	f.writeKey(key, items...)
}

func (f *fakeFeed) writeKey(key string, items ...int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, item := range items {
		f.append(key, item, nil)
	}
}

// writeBroken writes an item that cannot be decoded.
func (f *fakeFeed) writeBroken(at int, item int, err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.append(f.ranges[at].MinInclusive, item, err)
}

func (f *fakeFeed) append(key string, item int, err error) {
	f.lsn++
	c := domain.Change[int]{Item: domain.ItemRef{PartitionKey: key, ID: fmt.Sprint(item)}, Value: item, Err: err,
		Body: fmt.Appendf(nil, `{"id":"%d"}`, item), LSN: f.lsn, Modified: time.Now().Truncate(time.Second)}
	if err != nil {
		c.Value = 0
	}
	f.log = append(f.log, c)
}

// forget makes an item vanish, as a deletion does.
func (f *fakeFeed) forget(item int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.log = slices.DeleteFunc(f.log, func(c domain.Change[int]) bool { return c.Item.ID == fmt.Sprint(item) })
}

// split divides a range of the service's at a bound.
func (f *fakeFeed) split(at int, bound string) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.ranges = slices.Concat(f.ranges[:at], cut(f.ranges[at], []domain.FeedRange{{MinInclusive: bound}}), f.ranges[at+1:])
}

func (f *fakeFeed) setFailure(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fail = err
}

func (f *fakeFeed) Container(context.Context) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.container, f.fail
}

func (f *fakeFeed) FeedRanges(context.Context) ([]domain.FeedRange, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.ranges), f.fail
}

// continuationOf says how far a range is read: the SDK's say as well for which
// range and which container they are good.
func (f *fakeFeed) continuationOf(r domain.FeedRange, lsn int64) string {
	return fmt.Sprintf("%s %s..%s %d", f.container, r.MinInclusive, r.MaxExclusive, lsn)
}

func (f *fakeFeed) Read(_ context.Context, r domain.FeedRange, continuation string, limit int) (domain.ChangePage[int], error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reads++
	if f.fail != nil {
		return domain.ChangePage[int]{}, f.fail
	}
	var from int64
	if continuation != "" {
		text, ok := strings.CutPrefix(continuation, f.continuationOf(r, 0)[:len(f.continuationOf(r, 0))-1])
		if !ok {
			f.misused = fmt.Errorf("the range %v of %s was read from %q", r, f.container, continuation)
			return domain.ChangePage[int]{}, f.misused
		}
		from, _ = strconv.ParseInt(text, 10, 64)
	}
	page := domain.ChangePage[int]{LSN: f.lsn, Drained: true}
	end := page.LSN
	for _, c := range f.log {
		if c.LSN <= from || c.Item.PartitionKey < r.MinInclusive || c.Item.PartitionKey >= r.MaxExclusive {
			continue
		}
		if limit == 0 {
			end = c.LSN - 1
			break
		}
		limit--
		page.Drained, page.Last = false, c.LSN
		if c.Value != irrelevant {
			page.Changes = append(page.Changes, c)
		}
	}
	page.Continuation = f.continuationOf(r, end)
	return page, nil
}

func (f *fakeFeed) Narrow(continuation string, r domain.FeedRange) (string, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if continuation == "" {
		return "", nil
	}
	if f.opaque {
		return "", errors.New("a continuation of unknown form")
	}
	fields := strings.Fields(continuation)
	lsn, err := strconv.ParseInt(fields[len(fields)-1], 10, 64)
	return f.continuationOf(r, lsn), err
}

func (f *fakeFeed) Item(_ context.Context, item domain.ItemRef) (domain.Change[int], error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, c := range slices.Backward(f.log) {
		if c.Item == item {
			return c, f.fail
		}
	}
	return domain.Change[int]{}, cmp.Or(f.fail, domain.Errorf(domain.NotFound, "item %s", item.ID))
}

// fakeLetters is a container of dead letters in memory.
type fakeLetters struct {
	mu      sync.Mutex
	letters []domain.DeadLetter
	fail    error
}

func (d *fakeLetters) Put(_ context.Context, l domain.DeadLetter) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.fail == nil {
		d.letters = append(d.letters, l)
	}
	return d.fail
}

func (d *fakeLetters) setFailure(err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.fail = err
}

func (d *fakeLetters) items() (ids []string) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, l := range d.letters {
		ids = append(ids, l.Item.ID)
	}
	return ids
}

// collector is a projector that remembers what it saw.
type collector struct {
	mu       sync.Mutex
	seen     []int
	attempts int
	fail     error
	reject   map[int]error                               // items that never succeed
	during   func(ctx context.Context, page []int) error // called before each attempt
}

func (c *collector) Project(ctx context.Context, changes []int) error {
	c.mu.Lock()
	c.attempts++
	during := c.during
	c.mu.Unlock()
	if during != nil {
		if err := during(ctx, changes); err != nil {
			return err
		}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fail != nil {
		return c.fail
	}
	for _, item := range changes {
		if err := c.reject[item]; err != nil {
			return err
		}
	}
	c.seen = append(c.seen, changes...)
	return nil
}

func (c *collector) setFailure(err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.fail = err
}

func (c *collector) all() []int {
	c.mu.Lock()
	defer c.mu.Unlock()
	return slices.Clone(c.seen)
}
