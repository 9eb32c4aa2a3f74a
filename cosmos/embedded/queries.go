package embedded

import (
	"database/sql/driver"
	"net/http"
	"slices"
	"strings"

	"inkfeed/cosmos/embedded/internal/query"
	"inkfeed/cosmos/embedded/internal/value"
)

// isQuery recognises a query by any of the ways in which SDKs mark one.
func (q *request) isQuery() bool {
	return isTrue(q.header("X-Ms-Documentdb-Query")) || isTrue(q.header("X-Ms-Documentdb-Isquery")) ||
		strings.HasPrefix(strings.ToLower(q.header("Content-Type")), "application/query+json")
}

// querySpec is a query with its parameters.
type querySpec struct {
	text   string
	stmt   *query.Statement
	params query.Params
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

func readParams(list value.Value) (query.Params, error) {
	if list.Kind() > value.Null && list.Kind() != value.Array {
		return nil, badRequest("The parameters of a query are an array.")
	}
	params := make(query.Params, len(list.Elems()))
	for _, p := range list.Elems() {
		name := p.Member("name").Str()
		if len(name) < 2 || name[0] != '@' {
			return nil, badRequest("The parameter name %s does not begin with @.", p.Member("name").JSON())
		}
		if _, ok := params[name]; ok {
			return nil, badRequest("The parameter %s is given more than once.", name)
		}
		params[name] = p.Member("value")
	}
	return params, nil
}

// target is the part of a container that a query is about.
type target struct {
	key    []value.Value // of the header, whole or a prefix
	ranges []*feedRange
	single bool // one partition key or one range: everything is served
	pinned bool // the whole partition key is fixed, and its owner is the only range
	filter query.Filter
	min    []byte // bounds of the hash; max nil: none
	max    []byte
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
	if err := checkServed(c, spec, t, q); err != nil {
		return nil, err
	}
	for _, rng := range t.ranges {
		if err := q.throttle(rng); err != nil {
			return nil, err
		}
	}
	run, err := newRun(q, c, spec, t)
	if err != nil {
		return nil, err
	}
	if err := run.execute(); err != nil {
		return nil, err
	}
	if t.outdated() {
		q.rng = nil
		return e.queryItems(q)
	}
	return run.respond(), nil
}

// outdated tells whether a range has been split meanwhile: rows may have moved on to the
// new ones before they were read.
func (t *target) outdated() bool {
	return !t.pinned && slices.ContainsFunc(t.ranges, func(r *feedRange) bool { return r.gone.Load() })
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

// onePartition tells SQLite how few items of a container a partition has. It would
// guess that all equalities are alike, and then might take the index of a type, say, and
// read every item of that type.
const onePartition = "likelihood(pk = ?, 0.000001)"

// where is the condition on the rows that a query's target and filter make.
func (t *target) where(c *container, now int64) (conditions []string, args []driver.Value) {
	add := func(sql string, a ...driver.Value) {
		conditions = append(conditions, sql)
		args = append(args, a...)
	}
	if n := len(t.key); n > 0 {
		enc := encodeKey(t.key)
		if n == len(c.keyPaths) {
			add(onePartition, enc)
		} else {
			add("pk >= ? AND pk < ?", enc, append(encodeKey(t.key), 0xFF))
		}
	}
	if t.filter.SQL != "" {
		add(t.filter.SQL, t.filter.Args...)
	}
	if c.ttl != nil {
		add("(exp IS NULL OR exp > ?)", now)
	}
	return conditions, args
}

// admits tells whether a row is within the bounds of the hash.
func (t *target) admits(c *container, pk []byte) bool {
	f := changeFilter{min: t.min, max: t.max}
	return f.admits(c, pk)
}
