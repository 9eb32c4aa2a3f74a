package embedded

import (
	"fmt"
	"time"
)

// shape is what the charge of the query depends on.
func (r *run) shape() queryShape {
	return queryShape{ranges: len(r.target.ranges), predicates: r.stmt.Predicates(), sorted: len(r.stmt.OrderBy) > 0}
}

func (r *run) respond() *response {
	shape := r.shape()
	loaded := r.loaded
	if loaded > 0 { // so there are as many rows before them
		loaded += int(r.passed)
	}
	charge := shape.rows(loaded, r.loadedBytes)
	if r.from.isStart() {
		charge += shape.base()
	}
	charge = max(charge, minimumPageRU)
	for _, rng := range r.target.ranges {
		r.q.spend(rng, charge/float64(len(r.target.ranges)))
	}
	resp := r.q.feed("Documents", r.c.rid(), r.documents, charge)
	if r.next != nil {
		resp.set("X-Ms-Continuation", r.next.token(r.c, r.spec))
	}
	if len(r.stmt.OrderBy) > 0 {
		// Clients that go on in the midst of equal rows need to know their order.
		resp.set("X-Ms-Cosmos-Query-Execution-Info", fmt.Sprintf(`{"reverseRidEnabled":false,"reverseIndexScan":%t}`, r.reversed()))
	}
	if isTrue(r.q.header("X-Ms-Documentdb-Populatequerymetrics")) {
		resp.set("X-Ms-Documentdb-Query-Metrics", r.metrics())
	}
	if isTrue(r.q.header("X-Ms-Cosmos-Populateindexmetrics")) {
		resp.set("X-Ms-Cosmos-Index-Utilization", r.indexUtilization())
	}
	if isTrue(r.q.header("X-Ms-Cosmos-Populateindexmetrics-V2")) {
		resp.set("X-Ms-Cosmos-Index-Utilization", r.indexUtilizationV2())
	}
	return resp
}

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
