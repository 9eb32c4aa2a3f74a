package embedded

import (
	"net/http"
	"time"

	"inkfeed/cosmos/embedded/internal/apierror"
	"inkfeed/cosmos/embedded/internal/catalog"
	"inkfeed/cosmos/embedded/internal/charge"
)

// defaultThroughput is the throughput of a container for which none was set, in RU/s.
const defaultThroughput = catalog.MinThroughput

// throttle rejects a request before any work is done if its feed range has spent its share of the
// throughput in this second.
func (q *request) throttle(rng *catalog.FeedRange) error {
	if !q.engine.enforce {
		return nil
	}
	b, perSecond := q.coll.Allowance(rng, q.engine.throughput)
	wait := b.Wait(q.engine.now(), perSecond)
	if wait == 0 {
		return nil
	}
	err := apierror.New(
		http.StatusTooManyRequests,
		apierror.SubThrottled,
		"The request rate is large. More Request Units may be needed, so no changes were made. Please retry this "+
			"request later.",
	)
	err.Units = charge.ThrottledUnits
	err.RetryMS = int((wait + time.Millisecond - 1) / time.Millisecond)
	return err
}

// spend charges a request that was served, or that failed after work was done.
func (q *request) spend(rng *catalog.FeedRange, charge float64) {
	if !q.engine.enforce {
		return
	}
	b, _ := q.coll.Allowance(rng, q.engine.throughput)
	b.Spend(charge)
}
