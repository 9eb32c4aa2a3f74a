package embedded

import (
	"net/http"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

// budget is what the requests to one partition have spent of its throughput.
type budget struct {
	mu     sync.Mutex
	second int64   // of the window
	spent  float64 // RU in it, and what was spent before beyond the throughput
}

// sharedThroughput is that of a database, whose containers without their own share it.
// Their feed ranges lie, in their order, in so many partitions as the throughput needs.
type sharedThroughput struct {
	throughput atomic.Int64 // 0: the database has none
	budgets    [maxThroughput / rangeRU]budget
}

// defaultThroughput is that of a container for which none was set.
const defaultThroughput = minThroughput

// allowance is the budget from which a feed range's requests are paid, and how much it has
// a second.
func (q *request) allowance(rng *feedRange) (*budget, float64) {
	c := q.coll
	n := len(c.ranges)
	if own := c.state.throughput.Load(); own > 0 {
		return &rng.budget, float64(own) / float64(n)
	}
	shared := c.db.shared
	if throughput := shared.throughput.Load(); throughput > 0 {
		partitions := rangesFor(throughput)
		place := max(slices.Index(c.ranges, rng), 0) * partitions / n
		return &shared.budgets[place], float64(throughput) / float64(partitions)
	}
	return &rng.budget, float64(q.engine.throughput) / float64(n)
}

// throttle refuses a request, before any work is done, if its range has spent its share
// of the throughput in this second.
func (q *request) throttle(rng *feedRange) error {
	if !q.engine.enforce {
		return nil
	}
	b, perSecond := q.allowance(rng)
	wait := b.wait(q.engine.now(), perSecond)
	if wait == 0 {
		return nil
	}
	err := failure(http.StatusTooManyRequests, subThrottled,
		"The request rate is large. More Request Units may be needed, so no changes were made. Please retry this request later.")
	err.units = throttledUnits
	err.retryMS = int((wait + time.Millisecond - 1) / time.Millisecond)
	return err
}

// spend enters the charge of a request that was served, or refused after work was done.
func (q *request) spend(rng *feedRange, charge float64) {
	if !q.engine.enforce {
		return
	}
	b, _ := q.allowance(rng)
	b.mu.Lock()
	b.spent += charge
	b.mu.Unlock()
}

// wait is how long a request has to wait, 0 if it may go ahead. A window begins with what
// the last one was overspent by: requests that ran beside one another, or that cost more
// than a second has, are paid for later, so that in the long run no more is spent than
// there is.
func (b *budget) wait(now time.Time, perSecond float64) time.Duration {
	b.mu.Lock()
	defer b.mu.Unlock()
	if second := now.Unix(); second != b.second {
		if second > b.second { // the clock was not put back
			b.spent = max(b.spent-perSecond*float64(second-b.second), 0)
		}
		b.second = second
	}
	if b.spent < perSecond {
		return 0
	}
	windows := time.Duration(b.spent / perSecond) // that have to pass until there is some left
	return windows*time.Second - time.Duration(now.Nanosecond())
}
