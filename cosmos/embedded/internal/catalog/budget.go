package catalog

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// budget is what the requests to one partition have spent of its throughput.
type budget struct {
	mu     sync.Mutex
	second int64   // of the window
	Spent  float64 // RU in it, and what was spent before beyond the throughput
}

// sharedThroughput is that of a database, whose containers without their own share it.
// Their feed ranges lie, in their order, in so many partitions as the throughput needs.
type SharedThroughput struct {
	Throughput atomic.Int64 // 0: the database has none
	budgets    [MaxThroughput / RangeRU]budget
}

// allowance is the budget from which a feed range's requests are paid, and how much it has
// a second. standard is the throughput where none was set.
func (c *Container) Allowance(rng *FeedRange, standard int) (*budget, float64) {
	n := len(c.Ranges)
	if own := c.State.Throughput.Load(); own > 0 {
		return &rng.Budget, float64(own) / float64(n)
	}
	shared := c.Database.Shared
	if throughput := shared.Throughput.Load(); throughput > 0 {
		partitions := rangesFor(throughput)
		place := max(slices.Index(c.Ranges, rng), 0) * partitions / n
		return &shared.budgets[place], float64(throughput) / float64(partitions)
	}
	return &rng.Budget, float64(standard) / float64(n)
}

// spend enters a charge.
func (b *budget) Spend(charge float64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.Spent += charge
}

// wait is how long a request has to wait, 0 if it may go ahead. A window begins with what
// the last one was overspent by: requests that ran beside one another, or that cost more
// than a second has, are paid for later, so that in the long run no more is spent than
// there is.
func (b *budget) Wait(now time.Time, perSecond float64) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if second := now.Unix(); second != b.second {
		if second > b.second { // the clock was not put back
			b.Spent = max(b.Spent-perSecond*float64(second-b.second), 0)
		}
		b.second = second
	}
	if b.Spent < perSecond {
		return 0
	}
	windows := time.Duration(b.Spent / perSecond) // that have to pass until there is some left
	return windows*time.Second - time.Duration(now.Nanosecond())
}
