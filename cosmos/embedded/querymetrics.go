package embedded

import (
	"fmt"
	"time"
)

// shape is what the charge of the query depends on.
func (r *run) shape() queryShape {
	return queryShape{ranges: len(r.target.ranges), predicates: r.stmt.Predicates(), sorted: len(r.stmt.OrderBy) > 0}
}

// charge is what the page costs, in RU.
func (r *run) charge() float64 {
	shape := r.shape()
	loaded := r.loaded
	if loaded > 0 { // so there are as many rows before them
		loaded += int(r.passed)
	}
	cost := shape.rows(loaded, r.loadedBytes)
	if r.from.isStart() {
		cost += shape.base()
	}
	return max(cost, minimumPageRU)
}

// nextToken is the continuation token of the next page; empty if there is none.
func (r *run) nextToken() string {
	if r.next == nil {
		return ""
	}
	return r.next.token(r.c, r.spec)
}

// executionInfo tells the client of an ORDER BY in which order equal rows come, which it
// needs to go on in the midst of them. It is empty for other queries.
func (r *run) executionInfo() string {
	if len(r.stmt.OrderBy) == 0 {
		return ""
	}
	return fmt.Sprintf(`{"reverseRidEnabled":false,"reverseIndexScan":%t}`, r.reversed())
}

// metrics are the query metrics in the form of the service.
func (r *run) metrics() string {
	ms := float64(time.Since(r.began)) / float64(time.Millisecond)
	hits := 1.0
	if r.loaded > 0 {
		hits = float64(len(r.documents)) / float64(r.loaded)
	}
	return fmt.Sprintf("totalExecutionTimeInMs=%.2f;queryCompileTimeInMs=0.01;queryLogicalPlanBuildTimeInMs=0.01;"+
		"queryPhysicalPlanBuildTimeInMs=0.01;queryOptimizationTimeInMs=0.00;VMExecutionTimeInMs=%.2f;indexLookupTimeInMs=0.00;"+
		"instructionCount=0;documentLoadTimeInMs=0.00;systemFunctionExecuteTimeInMs=0.00;userFunctionExecuteTimeInMs=0.00;"+
		"retrievedDocumentCount=%d;retrievedDocumentSize=%d;outputDocumentCount=%d;outputDocumentSize=%d;writeOutputTimeInMs=0.00;indexUtilizationRatio=%.2f",
		ms, ms, r.loaded, r.loadedBytes, len(r.documents), r.bytes, min(hits, 1))
}
