package execution

import (
	"context"
	"database/sql/driver"
	"time"

	"inkfeed/cosmos/embedded/internal/apierror"
	"inkfeed/cosmos/embedded/internal/catalog"
	"inkfeed/cosmos/embedded/internal/query"
	"inkfeed/cosmos/embedded/internal/storage"
	"inkfeed/cosmos/embedded/internal/value"
)

// pageOptions are what a page of a query depends on besides the query.
type PageOptions struct {
	Store        *storage.Store
	Now          int64
	Size         int    // the most items or rows
	Continuation string // the token of the page before; empty for the first
	Splitter     *PageSplitter
}

// executePage runs a query for one page.
func Execute(ctx context.Context, c *catalog.Container, spec *Query, t *Target, o PageOptions) (*Page, error) {
	r, err := newRun(ctx, c, spec, t, o)
	if err != nil {
		return nil, err
	}
	return r, r.execute()
}

// run is the execution of one page of a query.
type Page struct {
	PageOptions
	ctx    context.Context
	C      *catalog.Container
	spec   *Query
	stmt   *query.Statement
	Target *Target
	env    *query.Env
	began  time.Time

	skip      int64 // rows to pass before the page: the offset, and earlier pages that were counted
	remaining int64 // rows that TOP or LIMIT leave; -1: all
	from      Continuation
	next      *Continuation

	groups *query.Groups   // nil: rows are not gathered
	seen   map[string]bool // what DISTINCT has passed

	seenBytes int

	Documents    [][]byte
	bytes        int // of documents
	loaded       int // rows charged for
	loadedBytes  int
	indexed      bool           // rows that the residual filter drops are no load, see serves
	passed       int64          // rows that SQLite skips for OFFSET
	full         bool           // the page could not take the last row
	inside       query.Position // the row of lastRID to go on at, if the page ended within that item
	lastRID      int64
	lastKeys     []driver.Value // by which that item was ordered
	parsePerItem bool

	// With Options.SplitPages.
	skipped bool // the page is empty, and its continuation leads to where it would have begun
	partial int  // the number of items that the page aggregates; 0: all
	taken   int  // the number of items that it has aggregated
}

func newRun(ctx context.Context, c *catalog.Container, spec *Query, t *Target, o PageOptions) (*Page, error) {
	r := &Page{PageOptions: o, ctx: ctx, C: c, spec: spec, stmt: spec.Statement, Target: t, remaining: -1,
		began: time.Now()}
	r.env = query.NewEnv(ctx, spec.Statement, spec.Params)
	var err error
	if r.from, err = readContinuation(o.Continuation, c, spec); err != nil {
		return nil, err
	}
	if err := r.limits(); err != nil {
		return nil, err
	}
	r.split()
	if r.from.RID == 0 {
		r.skip += r.from.Done
	}
	if r.stmt.Distinct {
		r.seen = make(map[string]bool)
	}
	if r.stmt.Grouped() {
		r.groups = query.NewGroups(r.stmt)
	}
	r.parsePerItem = !r.stmt.Star || r.stmt.Joined() || t.Filter.Residual != nil
	r.indexed = t.Filter.Residual != nil && indexServes(c.Policy, t.Filter.Residual)
	return r, nil
}

// limits reads TOP, OFFSET and LIMIT.
func (r *Page) limits() (err error) {
	limit := r.stmt.Limit
	if r.stmt.Top != nil {
		limit = r.stmt.Top
	}
	if limit != nil {
		if r.remaining, err = r.spec.count(limit); err != nil {
			return err
		}
		r.remaining = max(r.remaining-r.from.Done, 0)
	}
	if r.stmt.Offset != nil && r.from.RID == 0 { // otherwise the rows were passed before
		r.skip, err = r.spec.count(r.stmt.Offset)
	}
	return err
}

// count evaluates the argument of TOP, OFFSET or LIMIT.
func (s *Query) count(e query.Expr) (int64, error) {
	n, ok := query.Eval(e, value.Value{}, s.Params).Int()
	if !ok || n < 0 || n > maxCount {
		return 0, apierror.BadRequest("The argument of TOP, OFFSET or LIMIT is not a whole number from 0 to %d.",
			maxCount)
	}
	return n, nil
}

// maxPageBytes bounds the items or rows of a page.
const MaxPageBytes = 4 << 20

const (
	maxCount     = 1<<32 - 1
	maxSeenBytes = 128 << 20
)

// ordered tells whether the rows are in an order of the query's own, see order.go.
func (r *Page) ordered() bool {
	s := r.stmt
	return len(s.OrderBy) > 0 || s.Offset != nil || s.Top != nil || s.Distinct || r.groups != nil
}

func (r *Page) execute() error {
	var err error
	switch {
	case r.remaining == 0:
	case r.skipped:
		r.next = &r.from
	case r.groups != nil:
		err = r.executeGroups()
	case r.stmt.Constant():
		err = r.row()
	case r.ordered():
		err = r.executeOrdered()
	default:
		err = r.executeScan()
	}
	if err == nil {
		err = r.env.Err()
	}
	return err
}
