package workers

import (
	"context"
	"fmt"
	"strconv"
	"sync"

	"inkfeed/domain"
)

// fakeFeed is a change feed of ints in memory: a list for each feed range.
type fakeFeed struct {
	mu     sync.Mutex
	ranges []domain.FeedRange
	items  map[domain.FeedRange][]int
	fail   error // of every call while set
	reads  int
}

func newFakeFeed(ranges int) *fakeFeed {
	f := &fakeFeed{items: make(map[domain.FeedRange][]int)}
	for i := range ranges {
		f.ranges = append(f.ranges, domain.FeedRange{MinInclusive: fmt.Sprint(i), MaxExclusive: fmt.Sprint(i + 1)})
	}
	return f
}

func (f *fakeFeed) write(at int, items ...int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.items[f.ranges[at]] = append(f.items[f.ranges[at]], items...)
}

// counts is how often the feed was read and a lease written.
func counts(f *fakeFeed, s *fakeLeases) (reads, writes int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	s.mu.Lock()
	defer s.mu.Unlock()
	return f.reads, s.writes
}

func (f *fakeFeed) setFailure(err error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.fail = err
}

func (f *fakeFeed) FeedRanges(context.Context) ([]domain.FeedRange, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.ranges, f.fail
}

func (f *fakeFeed) Read(_ context.Context, r domain.FeedRange, continuation string, limit int) (domain.ChangePage[int], error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.reads++
	if f.fail != nil {
		return domain.ChangePage[int]{}, f.fail
	}
	at, _ := strconv.Atoi(continuation)
	items := f.items[r][min(at, len(f.items[r])):]
	items = items[:min(limit, len(items))]
	page := domain.ChangePage[int]{Continuation: strconv.Itoa(at + len(items)), Drained: len(items) == 0}
	for _, item := range items {
		if item != irrelevant {
			page.Changes = append(page.Changes, domain.Change[int]{Value: item})
		}
	}
	return page, nil
}

// irrelevant stands for a change of an item that is not the reader's.
const irrelevant = -1

// fakeLeases is a lease container in memory.
type fakeLeases struct {
	mu     sync.Mutex
	leases map[domain.FeedRange]domain.Lease
	writes int
	fail   error // of every Replace while set
}

func newFakeLeases() *fakeLeases { return &fakeLeases{leases: make(map[domain.FeedRange]domain.Lease)} }

func (s *fakeLeases) Create(_ context.Context, l domain.Lease) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.leases[l.Range]; !ok {
		s.leases[l.Range] = l
	}
	return nil
}

func (s *fakeLeases) List(context.Context, string) ([]domain.Lease, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var list []domain.Lease
	for _, l := range s.leases {
		list = append(list, l)
	}
	return list, nil
}

func (s *fakeLeases) Read(_ context.Context, _ string, r domain.FeedRange) (domain.Lease, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, ok := s.leases[r]
	if !ok {
		return l, domain.Errorf(domain.NotFound, "lease")
	}
	return l, nil
}

func (s *fakeLeases) Replace(_ context.Context, l domain.Lease) (domain.Lease, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.fail != nil {
		return domain.Lease{}, s.fail
	}
	if s.leases[l.Range].ETag != l.ETag {
		return domain.Lease{}, domain.Errorf(domain.Conflict, "etag")
	}
	s.writes++
	l.ETag = fmt.Sprint(s.writes)
	s.leases[l.Range] = l
	return l, nil
}

func (s *fakeLeases) owners() map[string]int {
	s.mu.Lock()
	defer s.mu.Unlock()
	owners := map[string]int{}
	for _, l := range s.leases {
		owners[l.Owner]++
	}
	return owners
}

// seize makes another instance the owner of every lease.
func (s *fakeLeases) seize(owner string, change func(*domain.Lease)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for r, l := range s.leases {
		s.writes++
		l.Owner, l.ETag = owner, fmt.Sprint(s.writes)
		change(&l)
		s.leases[r] = l
	}
}

// collector is a projector that remembers what it saw.
type collector struct {
	mu    sync.Mutex
	seen  []int
	pages int
	fail  error
}

func (c *collector) Project(_ context.Context, changes []int) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.fail != nil {
		return c.fail
	}
	c.pages++
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
	return append([]int(nil), c.seen...)
}
