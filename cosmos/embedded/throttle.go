package embedded

import (
	"net/http"
	"time"
)

// defaultThroughput is that of a container for which none was set.
const defaultThroughput = minThroughput

// throttle refuses a request, before any work is done, if its range has spent its share
// of the throughput in this second.
func (q *request) throttle(rng *feedRange) error {
	if !q.engine.enforce {
		return nil
	}
	b, perSecond := q.coll.allowance(rng, q.engine.throughput)
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
	b, _ := q.coll.allowance(rng, q.engine.throughput)
	b.spend(charge)
}
