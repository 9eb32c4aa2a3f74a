package embedded

import (
	"net/http"
	"strings"

	"inkfeed/cosmos/embedded/internal/value"
)

// isQuery recognises a query by any of the ways in which SDKs mark one.
func (q *request) isQuery() bool {
	return isTrue(q.header("X-Ms-Documentdb-Query")) || isTrue(q.header("X-Ms-Documentdb-Isquery")) ||
		strings.HasPrefix(strings.ToLower(q.header("Content-Type")), "application/query+json")
}

// readQuery reads the body of a query. A GET lists everything.
func (q *request) readQuery() (*querySpec, error) {
	spec := &querySpec{text: "SELECT * FROM c"}
	if q.Method != http.MethodGet {
		body, err := q.json()
		if err != nil {
			return nil, err
		}
		text := body.Member("query")
		if text.Kind() != value.String {
			return nil, badRequest("The body of a query has a member \"query\" that is its text.")
		}
		spec.text = text.Str()
		if spec.params, err = readParams(body.Member("parameters")); err != nil {
			return nil, err
		}
	}
	stmt, err := q.engine.plans.parse(spec.text)
	spec.stmt = stmt
	return spec, err
}

func (e *Engine) queryItems(q *request) (*response, error) {
	c, err := q.container(errOwnerMissing)
	if err != nil {
		return nil, err
	}
	if err := q.engine.checkConsistency(q.header("X-Ms-Consistency-Level")); err != nil {
		return nil, err
	}
	if err := c.checkSession(q.header("X-Ms-Session-Token")); err != nil {
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
	if !t.single && q.Method != http.MethodGet {
		if err := q.checkCrossPartition(c, spec); err != nil {
			return nil, err
		}
	}
	if err := checkIndexed(c, spec.stmt); err != nil {
		return nil, err
	}
	for _, rng := range t.ranges {
		if err := q.throttle(rng); err != nil {
			return nil, err
		}
	}
	options := pageOptions{store: e.store, now: q.now, splitter: e.splitter, continuation: q.header("X-Ms-Continuation")}
	if options.size, err = q.pageSize(); err != nil {
		return nil, err
	}
	run, err := executePage(q.ctx(), c, spec, t, options)
	if err != nil {
		return nil, err
	}
	if t.outdated() {
		q.rng = nil
		return e.queryItems(q)
	}
	return q.queryPage(run), nil
}

// target finds out what the query is about, from headers and from its WHERE clause.
func (q *request) target(c *container, spec *querySpec) (*target, error) {
	t := &target{ranges: c.ranges, filter: spec.stmt.Compile(c.schema, spec.params)}
	var err error
	if t.min, t.max, err = q.hashBounds(); err != nil {
		return nil, err
	}
	if text := q.header(keyHeader); text != "" {
		if t.key, err = parseKeyHeader(text); err != nil {
			return nil, err
		}
		if len(t.key) > len(c.keyPaths) {
			return nil, failure(http.StatusBadRequest, subKeyMismatch, "The partition key supplied has more components than that of the container.")
		}
		if c.systemKey {
			if t.key, err = c.wholeKey(t.key); err != nil {
				return nil, err
			}
		}
	}
	if id := q.header(rangeHeader); id != "" {
		rng, err := c.rangeByID(id)
		if err != nil {
			return nil, err
		}
		t.ranges, t.single = []*feedRange{rng}, true
	}
	whole := t.key
	if len(whole) == 0 {
		whole = t.filter.Key
	}
	if len(whole) == len(c.keyPaths) {
		owner := c.rangeOf(c.hashKey(whole))
		if t.single && t.ranges[0] != owner && len(t.key) > 0 {
			return nil, failure(http.StatusGone, subRangeGone, "The partition key range does not own the partition key.")
		}
		if !t.single {
			t.ranges, t.single = []*feedRange{owner}, true
		}
		t.pinned = t.ranges[0] == owner
	}
	t.single = t.single || c.systemKey && q.legacy()
	if len(t.ranges) == 1 {
		q.rng = t.ranges[0]
	}
	return t, nil
}

// checkCrossPartition refuses a query over several partitions that the request does not
// allow, or that the service's gateway does not serve.
func (q *request) checkCrossPartition(c *container, spec *querySpec) error {
	if !isTrue(q.header("X-Ms-Documentdb-Query-Enablecrosspartition")) {
		return badRequest("Cross partition query is required but disabled. Please set x-ms-documentdb-query-enablecrosspartition to true, " +
			"specify x-ms-documentdb-partitionkey, or revise your query to avoid this exception.")
	}
	if q.engine.permissive {
		return nil
	}
	parallel := isTrue(q.header("X-Ms-Documentdb-Query-Parallelizecrosspartitionquery"))
	return checkStreamable(c, spec, parallel)
}
