package embedded

import (
	"database/sql/driver"
	"fmt"
	"strings"
	"time"

	"inkfeed/cosmos/embedded/internal/query"
	"inkfeed/cosmos/embedded/internal/value"
)

// run is the execution of one page of a query.
type run struct {
	q        *request
	c        *container
	spec     *querySpec
	stmt     *query.Statement
	target   *target
	pageSize int
	began    time.Time

	skip      int64 // rows to pass before the page: the offset, and earlier pages that were counted
	remaining int64 // rows that TOP or LIMIT leave; -1: all
	from      continuation
	next      *continuation

	accumulator *query.Accumulator
	seen        map[string]bool // what DISTINCT has passed

	documents    [][]byte
	bytes        int // of documents
	loaded       int // rows charged for
	loadedBytes  int
	indexed      bool  // rows that the residual filter drops are no load, see serves
	passed       int64 // rows that SQLite skips for OFFSET
	full         bool  // the page could not take the last row
	lastRID      int64
	lastKeys     []driver.Value // by which that item was ordered
	parsePerItem bool
}

func newRun(q *request, c *container, spec *querySpec, t *target) (*run, error) {
	r := &run{q: q, c: c, spec: spec, stmt: spec.stmt, target: t, remaining: -1, began: time.Now()}
	var err error
	if r.pageSize, err = q.pageSize(); err != nil {
		return nil, err
	}
	if r.from, err = readContinuation(q.header("X-Ms-Continuation"), c, spec); err != nil {
		return nil, err
	}
	limit := r.stmt.Limit
	if r.stmt.Top != nil {
		limit = r.stmt.Top
	}
	if limit != nil {
		if r.remaining, err = spec.count(limit); err != nil {
			return nil, err
		}
		r.remaining = max(r.remaining-r.from.done, 0)
	}
	if r.stmt.Offset != nil {
		if r.skip, err = spec.count(r.stmt.Offset); err != nil {
			return nil, err
		}
	}
	if r.from.rid == 0 {
		r.skip += r.from.done
	}
	if r.stmt.Distinct {
		r.seen = make(map[string]bool)
	}
	if a := r.stmt.Aggregate(); a != nil {
		r.accumulator = query.NewAccumulator(a)
		r.pageSize = 1
	}
	r.parsePerItem = !r.stmt.Star || t.filter.Residual != nil
	r.indexed = t.filter.Residual != nil && c.policy.serves(t.filter.Residual)
	return r, nil
}

// count evaluates the argument of TOP, OFFSET or LIMIT.
func (s *querySpec) count(e query.Expr) (int64, error) {
	n, ok := query.Eval(e, value.Value{}, s.params).Int()
	if !ok || n < 0 {
		return 0, badRequest("The argument of TOP, OFFSET or LIMIT is not a whole number from 0.")
	}
	return n, nil
}

// ordered tells whether the rows are in an order of the query's own, see order.go.
func (r *run) ordered() bool {
	s := r.stmt
	return len(s.OrderBy) > 0 || s.Offset != nil || s.Top != nil || s.Distinct
}

func (r *run) execute() error {
	if r.stmt.Alias == "" {
		return r.constant()
	}
	if r.remaining == 0 {
		return nil
	}
	var err error
	switch {
	case r.accumulator != nil:
		if err = r.fetch(r.statement(nil)); err == nil {
			err = r.emit(r.accumulator.Result())
		}
	case r.ordered():
		err = r.executeOrdered()
	default:
		err = r.executeScan()
	}
	return err
}

// constant answers a query without FROM, which has one row.
func (r *run) constant() error {
	if r.target.filter.Residual != nil {
		return nil
	}
	return r.emit(r.project(value.Value{}))
}

// sqlQuery is a statement for SQLite over a container's items.
type sqlQuery struct {
	columns string // besides those of an item
	table   string
	where   []string
	tail    string
	args    []driver.Value
}

func (s *sqlQuery) and(condition string, args ...driver.Value) {
	s.where = append(s.where, condition)
	s.args = append(s.args, args...)
}

func (s *sqlQuery) text() string {
	text := "SELECT " + itemColumns + s.columns + " FROM " + s.table
	if len(s.where) > 0 {
		text += " WHERE " + strings.Join(s.where, " AND ")
	}
	return text + s.tail
}

// statement makes the SQL of the query, over one range or, if that is nil, over all
// that the target names.
func (r *run) statement(rng *feedRange) sqlQuery {
	s := sqlQuery{table: r.c.table.name}
	s.where, s.args = r.target.where(r.c, r.q.now)
	if rng == nil && len(r.target.ranges) == 1 && !r.target.pinned {
		rng = r.target.ranges[0]
	}
	if rng != nil && !r.target.pinned {
		if condition, args := r.c.rowsOf(rng); condition != "" {
			s.and(condition, args...)
		}
	}
	return s
}

// executeScan runs a query without an order: in that of the ranges, and within one that
// in which the items were created. A page that is filled to the last row has a
// continuation even if nothing comes after it.
func (r *run) executeScan() error {
	ranges, err := r.from.scanned(r.c, r.target)
	if err != nil {
		return err
	}
	for i, rng := range ranges {
		s := r.statement(rng)
		r.lastRID = 0
		if i == 0 && r.from.rid > 0 {
			s.and("rid > ?", r.from.rid)
			r.lastRID = r.from.rid
		}
		s.tail = " ORDER BY rid"
		if err := r.fetch(s); err != nil {
			return err
		}
		if r.full || len(r.documents) >= r.pageSize {
			r.next = &continuation{rng: rng.id, rid: r.lastRID}
			return nil
		}
	}
	return nil
}

// fetch runs a statement and takes its rows in until the page is full.
func (r *run) fetch(s sqlQuery) error {
	ctx := r.q.ctx()
	ordered := r.ordered()
	return r.q.engine.store.read(ctx, func(conn *conn) error {
		return conn.query(ctx, s.text(), s.args, func(row []driver.Value) (bool, error) {
			item := scanItem(row)
			if r.target.max != nil && !r.target.admits(r.c, item.pk) {
				return true, nil
			}
			r.loaded++
			r.loadedBytes += len(item.body)
			if err := r.take(&item); err != nil {
				return false, err
			}
			if r.full {
				return false, nil
			}
			r.lastRID = item.rid
			r.lastKeys = append(r.lastKeys[:0], row[itemColumnCount:]...)
			done := r.remaining == 0 || !ordered && len(r.documents) >= r.pageSize
			return r.accumulator != nil || !done, nil
		})
	})
}

// take adds one item to the page, if it passes.
func (r *run) take(item *stored) error {
	if !r.parsePerItem {
		r.count(item.render(r.c, false))
		return nil
	}
	body := item.body
	if r.stmt.NeedsSystem() {
		body = string(item.render(r.c, false))
	}
	v, err := value.Parse(body)
	if err != nil {
		return fmt.Errorf("item %s: %w", item.id, err)
	}
	if rest := r.target.filter.Residual; rest != nil && !query.Eval(rest, v, r.spec.params).IsTrue() {
		if r.indexed {
			r.loaded--
			r.loadedBytes -= len(item.body)
		}
		return nil
	}
	switch {
	case r.accumulator != nil:
		r.accumulator.Add(query.Eval(r.stmt.Aggregate().Arg, v, r.spec.params))
	case r.stmt.Star:
		r.count(item.render(r.c, false))
	default:
		return r.emit(r.project(v))
	}
	return nil
}

// project computes the SELECT clause.
func (r *run) project(item value.Value) value.Value {
	if r.stmt.Value {
		return query.Eval(r.stmt.Items[0].Expr, item, r.spec.params)
	}
	members := make([]value.Member, 0, len(r.stmt.Items))
	left := maxPageBytes
	for i := 0; i < len(r.stmt.Items) && left >= 0; i++ { // what is longer is refused anyway
		if v := query.Eval(r.stmt.Items[i].Expr, item, r.spec.params); v.Defined() {
			members = append(members, value.Member{Name: r.stmt.Items[i].Label, Value: v})
			left = v.Spend(left)
		}
	}
	return value.OfObject(members)
}

// emit adds a projected value; an undefined one is no row.
func (r *run) emit(v value.Value) error {
	if !v.Defined() {
		return nil
	}
	if v.LongerThan(maxPageBytes) {
		return badRequest("A row of the result is longer than a page may be.")
	}
	if r.seen != nil {
		key := string(v.Key())
		if r.seen[key] {
			return nil
		}
		r.seen[key] = true
	}
	r.count(v.AppendJSON(nil))
	return nil
}

// count adds a row to the page unless OFFSET passes it by. Where rows are counted, one
// more than fits shows that there is a next page.
func (r *run) count(document []byte) {
	if r.skip > 0 {
		r.skip--
		return
	}
	over := len(r.documents) > 0 && r.bytes+len(document) > maxPageBytes
	if over || r.ordered() && len(r.documents) >= r.pageSize {
		r.full = true
		return
	}
	r.documents = append(r.documents, document)
	r.bytes += len(document)
	if r.remaining > 0 {
		r.remaining--
	}
}
