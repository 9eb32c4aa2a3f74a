package embedded

import (
	"net/http"
	"strings"

	"inkfeed/cosmos/embedded/internal/value"
)

// planQuery answers with how the client is to answer the query itself, over the ranges
// that it finds for the plan's.
func (q *request) planQuery(c *container, spec *querySpec) (*response, error) {
	if err := checkIndexed(c, spec.stmt); err != nil {
		return nil, err
	}
	var key []value.Value
	if text := q.header(keyHeader); text != "" {
		var err error
		if key, err = parseKeyHeader(text); err != nil {
			return nil, err
		}
	}
	plan, err := newPlan(c, spec, key)
	if err != nil {
		return nil, err
	}
	if text := q.header("X-Ms-Cosmos-Supported-Query-Features"); text != "" {
		if lacking := plan.lacking(text); len(lacking) > 0 {
			return nil, badRequest("Query contains the following features, which the calling client does not support: %s", strings.Join(lacking, " "))
		}
	}
	return q.respond(http.StatusOK, plan.document.AppendJSON(nil), metadataRU), nil
}

// queryPage answers with a page of a query.
func (q *request) queryPage(r *run) *response {
	charge := r.charge()
	for _, rng := range r.target.ranges {
		q.spend(rng, charge/float64(len(r.target.ranges)))
	}
	resp := q.feed("Documents", r.c.rid(), r.documents, charge)
	if token := r.nextToken(); token != "" {
		resp.set("X-Ms-Continuation", token)
	}
	if info := r.executionInfo(); info != "" {
		resp.set("X-Ms-Cosmos-Query-Execution-Info", info)
	}
	if isTrue(q.header("X-Ms-Documentdb-Populatequerymetrics")) {
		resp.set("X-Ms-Documentdb-Query-Metrics", r.metrics())
	}
	if isTrue(q.header("X-Ms-Cosmos-Populateindexmetrics")) {
		resp.set("X-Ms-Cosmos-Index-Utilization", r.indexUtilization())
	}
	if isTrue(q.header("X-Ms-Cosmos-Populateindexmetrics-V2")) {
		resp.set("X-Ms-Cosmos-Index-Utilization", r.indexUtilizationV2())
	}
	return resp
}
