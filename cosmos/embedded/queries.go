package embedded

import (
	"net/http"
	"strings"

	"inkfeed/cosmos/embedded/internal/apierror"
	"inkfeed/cosmos/embedded/internal/catalog"
	"inkfeed/cosmos/embedded/internal/charge"
	"inkfeed/cosmos/embedded/internal/epk"
	"inkfeed/cosmos/embedded/internal/execution"
	"inkfeed/cosmos/embedded/internal/pushdown"
	"inkfeed/cosmos/embedded/internal/value"
)

// isQuery reports whether the request is a query, by any of the marks that SDKs use.
func (q *request) isQuery() bool {
	return isTrue(q.header("X-Ms-Documentdb-Query")) || isTrue(q.header("X-Ms-Documentdb-Isquery")) ||
		strings.HasPrefix(strings.ToLower(q.header("Content-Type")), "application/query+json")
}

// readQuery parses the body of a query. A GET request lists all resources.
func (q *request) readQuery() (*execution.Query, error) {
	spec := &execution.Query{Text: "SELECT * FROM c"}
	if q.Method != http.MethodGet {
		body, err := q.json()
		if err != nil {
			return nil, err
		}
		text := body.Member("query")
		if text.Kind() != value.String {
			return nil, apierror.BadRequest("The body of a query requires the member \"query\" with its text.")
		}
		spec.Text = text.Str()
		if spec.Params, err = execution.ReadParams(body.Member("parameters")); err != nil {
			return nil, err
		}
	}
	stmt, err := q.engine.plans.Parse(spec.Text)
	spec.Statement = stmt
	return spec, err
}

func (e *Engine) queryItems(q *request) (*response, error) {
	c, err := q.container(apierror.OwnerMissing)
	if err != nil {
		return nil, err
	}
	if err := q.engine.checkConsistency(q.header("X-Ms-Consistency-Level")); err != nil {
		return nil, err
	}
	if err := c.CheckSession(q.header("X-Ms-Session-Token")); err != nil {
		return nil, err
	}
	spec, err := q.readQuery()
	if err != nil {
		return nil, err
	}
	if isTrue(q.header("X-Ms-Cosmos-Is-Query-Plan-Request")) {
		return q.planQuery(c, spec)
	}
	t, err := q.target(c, spec)
	if err != nil {
		return nil, err
	}
	// API versions before 2018-12-31 take a query for one over several partitions unless a header names the key.
	inferred := q.legacy() && !c.SystemKey && q.header(keyHeader)+q.header(rangeHeader) == ""
	if q.Method != http.MethodGet && (!t.Single || inferred && execution.NeedsValue(spec.Statement)) {
		if err := q.checkCrossPartition(c, spec); err != nil {
			return nil, err
		}
	}
	if err := execution.CheckIndexed(c, spec.Statement); err != nil {
		return nil, err
	}
	for _, rng := range t.Ranges {
		if err := q.throttle(rng); err != nil {
			return nil, err
		}
	}
	options := execution.PageOptions{Store: e.store, Now: q.now, Splitter: e.splitter,
		SliceSteps: e.sliceSteps, Continuation: q.header("X-Ms-Continuation")}
	if options.Size, err = q.pageSize(); err != nil {
		return nil, err
	}
	run, err := execution.Execute(q.ctx(), c, spec, t, options)
	if err != nil {
		return nil, err
	}
	if t.Outdated() {
		q.rng = nil
		return e.queryItems(q)
	}
	return q.queryPage(run), nil
}

// target determines the part of the container that a query concerns, from the headers and the WHERE
// clause.
func (q *request) target(c *catalog.Container, spec *execution.Query) (*execution.Target, error) {
	t := &execution.Target{Ranges: c.Ranges, Filter: pushdown.Compile(spec.Statement, c.Schema, spec.Params)}
	var err error
	if t.Min, t.Max, err = q.hashBounds(); err != nil {
		return nil, err
	}
	if text := q.header(keyHeader); text != "" {
		if t.Key, err = epk.ParseHeader(text); err != nil {
			return nil, err
		}
		if len(t.Key) > len(c.KeyPaths) {
			return nil, apierror.New(http.StatusBadRequest, apierror.SubKeyMismatch,
				"The partition key supplied has more components than that of the container.")
		}
		if c.SystemKey {
			if t.Key, err = c.WholeKey(t.Key); err != nil {
				return nil, err
			}
		}
	}
	if id := q.header(rangeHeader); id != "" {
		rng, err := c.RangeByID(id)
		if err != nil {
			return nil, err
		}
		t.Ranges, t.Single = []*catalog.FeedRange{rng}, true
	}
	whole := t.Key
	if len(whole) == 0 {
		whole = t.Filter.Key
	}
	if len(whole) == len(c.KeyPaths) {
		owner := c.RangeOf(c.HashKey(whole))
		if t.Single && t.Ranges[0] != owner && len(t.Key) > 0 {
			return nil, apierror.New(http.StatusGone, apierror.SubRangeGone,
				"The partition key range does not own the partition key.")
		}
		if !t.Single {
			t.Ranges, t.Single = []*catalog.FeedRange{owner}, true
		}
		t.Pinned = t.Ranges[0] == owner
	} else if len(whole) > 0 && !t.Single {
		// The service serves a query under a prefix of a hierarchical key that lies in one feed range.
		prefix := c.HashKey(whole)
		if rng := c.RangeOf(prefix); rng.Contains(prefix, append(prefix, 0xFF)) {
			t.Ranges, t.Single = []*catalog.FeedRange{rng}, true
		}
	}
	t.Single = t.Single || c.SystemKey && q.legacy()
	if len(t.Ranges) == 1 {
		q.rng = t.Ranges[0]
	}
	return t, nil
}

// checkCrossPartition fails for a query over several partitions that the request does not allow, or
// that the service's gateway does not serve.
func (q *request) checkCrossPartition(c *catalog.Container, spec *execution.Query) error {
	if !isTrue(q.header("X-Ms-Documentdb-Query-Enablecrosspartition")) {
		return apierror.BadRequest(
			"Cross partition query is required but disabled. Please set " +
				"x-ms-documentdb-query-enablecrosspartition to true, " +
				"specify x-ms-documentdb-partitionkey, or revise your query to avoid this exception.",
		)
	}
	if q.engine.permissive {
		return nil
	}
	parallel := isTrue(q.header("X-Ms-Documentdb-Query-Parallelizecrosspartitionquery"))
	return execution.CheckStreamable(c, spec, parallel)
}

// planQuery returns the plan by which a client runs the query itself over the feed ranges.
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
			return nil,
				apierror.BadRequest(
					"Query contains the following features, which the calling client does not support: %s",
					strings.Join(lacking, " "))
		}
	}
	q.coll = nil // the plan depends on no items, so it has no session token
	return q.respond(http.StatusOK, plan.Document.AppendJSON(nil), charge.MetadataRU), nil
}

// queryPage returns the response with a page of a query.
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

// queryResources runs a query over databases, containers, offers or conflicts.
func (e *Engine) queryResources(q *request, name, parent string, all []value.Value) (*response, error) {
	spec, err := q.readQuery()
	if err != nil {
		return nil, err
	}
	size, err := q.pageSize()
	if err != nil {
		return nil, err
	}
	documents, next, err := execution.ListResources(q.ctx(), spec, all, size, q.header("X-Ms-Continuation"))
	if err != nil {
		return nil, err
	}
	resp := q.feed(name, parent, documents, charge.QueryRU)
	if next != "" {
		resp.set("X-Ms-Continuation", next)
	}
	return resp, nil
}
