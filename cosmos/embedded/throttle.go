package embedded

import (
	"net/http"
	"sync"
	"time"
)

// budget is what a feed range has spent in the current second.
type budget struct {
	mu     sync.Mutex
	second int64
	spent  float64 // RU
}

// throttle refuses a request, before any work is done, if its range has spent its share
// of the throughput in this second.
func (q *request) throttle(rng *feedRange) error {
	e := q.engine
	if e.throughput == 0 {
		return nil
	}
	now := time.Now()
	b := &rng.budget
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.second != now.Unix() {
		b.second, b.spent = now.Unix(), 0
	}
	if b.spent < float64(e.throughput)/float64(len(q.coll.ranges)) {
		return nil
	}
	err := failure(http.StatusTooManyRequests, subThrottled,
		"The request rate is large. More Request Units may be needed, so no changes were made. Please retry this request later.")
	err.units = 2 // 0.38 RU
	err.retryMS = int(time.Second-time.Duration(now.Nanosecond()))/int(time.Millisecond) + 1
	return err
}

// spend enters the charge of a request that was served.
func (q *request) spend(rng *feedRange, charge float64) {
	if q.engine.throughput == 0 {
		return
	}
	b := &rng.budget
	b.mu.Lock()
	b.spent += charge
	b.mu.Unlock()
}
