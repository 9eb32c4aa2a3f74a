package embedded

import (
	"net/http"
	"strings"

	"inkfeed/cosmos/embedded/internal/apierror"
	"inkfeed/cosmos/embedded/internal/catalog"
	"inkfeed/cosmos/embedded/internal/charge"
	"inkfeed/cosmos/embedded/internal/epk"
	"inkfeed/cosmos/embedded/internal/execution"
	"inkfeed/cosmos/embedded/internal/value"
)

// planQuery answers with how the client is to answer the query itself, over the ranges
// that it finds for the plan's.
func (q *request) planQuery(c *catalog.Container, spec *execution.Query) (*response, error) {
	if err := execution.CheckIndexed(c, spec.Statement); err != nil {
		return nil, err
	}
	var key []value.Value
	if text := q.header(keyHeader); text != "" {
		var err error
		if key, err = epk.ParseHeader(text); err != nil {
			return nil, err
		}
	}
	plan, err := execution.NewClientPlan(c, spec, key)
	if err != nil {
		return nil, err
	}
	if text := q.header("X-Ms-Cosmos-Supported-Query-Features"); text != "" {
		if lacking := plan.Lacking(text); len(lacking) > 0 {
			return nil, apierror.BadRequest("Query contains the following features, which the calling client does not support: %s", strings.Join(lacking, " "))
		}
	}
	return q.respond(http.StatusOK, plan.Document.AppendJSON(nil), charge.MetadataRU), nil
}

// queryPage answers with a page of a query.
func (q *request) queryPage(r *execution.Page) *response {
	charge := r.Charge()
	for _, rng := range r.Target.Ranges {
		q.spend(rng, charge/float64(len(r.Target.Ranges)))
	}
	resp := q.feed("Documents", r.C.Rid(), r.Documents, charge)
	if token := r.NextToken(); token != "" {
		resp.set("X-Ms-Continuation", token)
	}
	if info := r.ExecutionInfo(); info != "" {
		resp.set("X-Ms-Cosmos-Query-Execution-Info", info)
	}
	if isTrue(q.header("X-Ms-Documentdb-Populatequerymetrics")) {
		resp.set("X-Ms-Documentdb-Query-Metrics", r.Metrics())
	}
	if isTrue(q.header("X-Ms-Cosmos-Populateindexmetrics")) {
		resp.set("X-Ms-Cosmos-Index-Utilization", r.IndexUtilization())
	}
	if isTrue(q.header("X-Ms-Cosmos-Populateindexmetrics-V2")) {
		resp.set("X-Ms-Cosmos-Index-Utilization", r.IndexUtilizationV2())
	}
	return resp
}
