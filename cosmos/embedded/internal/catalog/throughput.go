package catalog

import (
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// budget counts the RU that requests to one physical partition have spent.
type budget struct {
	mu     sync.Mutex
	second int64   // Unix time of the current window
	Spent  float64 // RU spent in the window, plus the overspending of earlier windows
}

// SharedThroughput is the throughput of a database. Containers without a throughput of their own
// share it. Their feed ranges are distributed, in order, over as many physical partitions as the
// throughput needs.
type SharedThroughput struct {
	Throughput atomic.Int64 // RU/s; 0: the database has none
	budgets    [MaxThroughput / RangeRU]budget
}

// Allowance returns the budget that pays for a feed range's requests and its size in RU/s. standard
// is the throughput of a container for which none was set.
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

// Spend enters the charge of a request in RU.
func (b *budget) Spend(charge float64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.Spent += charge
}

// Wait returns how long a request has to wait; 0 means that it may proceed. A window starts with
// the overspending of the one before. Concurrent requests and requests that cost more than one
// window has are thus paid for later, and the average never exceeds the throughput.
func (b *budget) Wait(now time.Time, perSecond float64) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if second := now.Unix(); second != b.second {
		if second > b.second { // the clock has not gone back
			b.Spent = max(b.Spent-perSecond*float64(second-b.second), 0)
		}
		b.second = second
	}
	if b.Spent < perSecond {
		return 0
	}
	windows := time.Duration(b.Spent / perSecond) // windows that must pass until the budget is available again
	return windows*time.Second - time.Duration(now.Nanosecond())
}
