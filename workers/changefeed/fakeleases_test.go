package changefeed

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"inkfeed/cosmos/feeds"
	"inkfeed/domain"
)

// fakeLeases is a lease container in memory.
type fakeLeases struct {
	mu     sync.Mutex
	leases map[feeds.Range]feeds.Lease
	writes int
	fail   error // returned by every Replace while it is set
}

func newFakeLeases() *fakeLeases { return &fakeLeases{leases: make(map[feeds.Range]feeds.Lease)} }

func (s *fakeLeases) Create(_ context.Context, l feeds.Lease) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.leases[l.Range]; !ok {
		s.put(&l)
	}
	return nil
}

func (s *fakeLeases) List(context.Context, string) ([]feeds.Lease, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return slices.SortedFunc(maps.Values(s.leases), func(a, b feeds.Lease) int {
		return cmp.Compare(RangeName(a.Range), RangeName(b.Range))
	}), nil
}

func (s *fakeLeases) Read(_ context.Context, _ string, r feeds.Range) (feeds.Lease, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	l, ok := s.leases[r]
	if !ok {
		return l, domain.NewError(domain.NotFound, "lease")
	}
	return l, nil
}

func (s *fakeLeases) Replace(_ context.Context, l feeds.Lease) (feeds.Lease, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	stored, ok := s.leases[l.Range]
	switch {
	case s.fail != nil:
		return feeds.Lease{}, s.fail
	case !ok:
		return feeds.Lease{}, domain.NewError(domain.NotFound, "lease")
	case stored.ETag != l.ETag:
		return feeds.Lease{}, domain.NewError(domain.Conflict, "etag")
	}
	s.put(&l)
	return l, nil
}

func (s *fakeLeases) Delete(_ context.Context, l feeds.Lease) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	stored, ok := s.leases[l.Range]
	if ok && stored.ETag != l.ETag {
		return domain.NewError(domain.Conflict, "etag")
	}
	delete(s.leases, l.Range)
	return nil
}

func (s *fakeLeases) put(l *feeds.Lease) {
	s.writes++
	l.ETag = fmt.Sprint(s.writes)
	s.leases[l.Range] = *l
}

func (s *fakeLeases) setFailure(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.fail = err
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

func (s *fakeLeases) get(r feeds.Range) feeds.Lease {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.leases[r]
}

// change writes every lease as another process would.
func (s *fakeLeases) change(how func(*feeds.Lease)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, l := range s.leases {
		how(&l)
		s.put(&l)
	}
}

// seizedBy makes another instance the owner of a lease, as acquire does.
func seizedBy(owner string) func(*feeds.Lease) {
	return func(l *feeds.Lease) { l.Owner, l.Epoch, l.Renewed = owner, l.Epoch+1, time.Now() }
}
