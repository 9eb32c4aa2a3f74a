package execution

import (
	"fmt"
	"time"

	"inkfeed/cosmos/embedded/internal/charge"
)

// shape describes the query for its charge.
func (r *Page) shape() charge.QueryShape {
	return charge.QueryShape{Ranges: len(r.Target.Ranges), Predicates: r.stmt.Predicates(),
		Sorted: len(r.stmt.OrderBy) > 0}
}

// Charge returns the request charge of the page in RU.
func (r *Page) Charge() float64 {
	shape := r.shape()
	loaded := r.loaded
	if loaded > 0 { // OFFSET skipped as many rows before the loaded ones
		loaded += int(r.passed)
	}
	cost := shape.Rows(loaded, r.loadedBytes)
	if r.from.isStart() {
		cost += shape.Base()
	}
	return max(cost, charge.MinimumPageRU)
}

// NextToken returns the continuation token of the next page; empty if this is the last page.
func (r *Page) NextToken() string {
	if r.next == nil {
		return ""
	}
	return r.next.Token(r.C, r.spec)
}

// ExecutionInfo returns a header for queries with ORDER BY: whether rows with equal keys come in
// descending order. A client needs it to resume between such rows. It is empty for other queries.
func (r *Page) ExecutionInfo() string {
	if len(r.stmt.OrderBy) == 0 {
		return ""
	}
	return fmt.Sprintf(`{"reverseRidEnabled":false,"reverseIndexScan":%t}`, r.reversed())
}

// Metrics returns the query metrics in the service's form.
func (r *Page) Metrics() string {
	ms := float64(time.Since(r.began)) / float64(time.Millisecond)
	hits := 1.0
	if r.loaded > 0 {
		hits = float64(len(r.Documents)) / float64(r.loaded)
	}
	return fmt.Sprintf("totalExecutionTimeInMs=%.2f;queryCompileTimeInMs=0.01;queryLogicalPlanBuildTimeInMs=0.01;"+
		"queryPhysicalPlanBuildTimeInMs=0.01;queryOptimizationTimeInMs=0.00;"+
		"VMExecutionTimeInMs=%.2f;indexLookupTimeInMs=0.00;"+
		"instructionCount=0;documentLoadTimeInMs=0.00;"+
		"systemFunctionExecuteTimeInMs=0.00;userFunctionExecuteTimeInMs=0.00;"+
		"retrievedDocumentCount=%d;retrievedDocumentSize=%d;outputDocumentCount=%d;outputDocumentSize=%d;"+
		"writeOutputTimeInMs=0.00;indexUtilizationRatio=%.2f",
		ms, ms, r.loaded, r.loadedBytes, len(r.Documents), r.bytes, min(hits, 1))
}
