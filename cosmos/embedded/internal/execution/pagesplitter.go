package execution

import (
	"math/rand/v2"
	"sync"
)

// PageSplitter chooses where pages end in an engine with Options.SplitPages. The service may end a
// page anywhere, and clients must continue while there is a continuation token. A nil PageSplitter
// changes nothing.
type PageSplitter struct {
	mu     sync.Mutex
	random *rand.Rand
}

// NewPageSplitter returns a page splitter for a seed, and nil for the seed 0.
func NewPageSplitter(seed uint64) *PageSplitter {
	if seed == 0 {
		return nil
	}
	return &PageSplitter{random: rand.New(rand.NewPCG(seed, 0))}
}

// draw returns a random number from 0 to n-1.
func (s *PageSplitter) draw(n int) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.random.IntN(n)
}

// Size returns the size of a page, at most 16, for a client that asked for at most the given number
// of items.
func (s *PageSplitter) Size(most int) int {
	if s == nil {
		return most
	}
	return min(most, 1<<s.draw(5))
}

// empty decides at random whether a page is empty and has a continuation.
func (s *PageSplitter) empty() bool { return s != nil && s.draw(5) == 0 }

// split chooses where the page ends.
func (r *Page) split() {
	s := r.Splitter
	r.Size = s.Size(r.Size)
	if s.empty() {
		r.skipped = true
	}
	if s != nil && r.stmt.PartialAggregate() && len(r.Target.Ranges) == 1 {
		r.partial = s.draw(4) + 1
	}
}

// executePartial aggregates some of the items and leaves the rest to the next pages.
func (r *Page) executePartial() error {
	s := r.statement(nil)
	if r.from.RID > 0 {
		s.and(r.from.beyond(), r.from.RID)
	}
	s.tail = " ORDER BY rid"
	if err := r.fetchAll(s); err != nil {
		return err
	}
	if r.taken == r.partial {
		r.next = &Continuation{Range: r.countedIn(), RID: r.lastRID}
	}
	return nil
}
