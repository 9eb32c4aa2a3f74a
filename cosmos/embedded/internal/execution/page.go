// Package execution runs queries page by page. It decides what SQLite and what Go evaluate, and it
// implements orders, groups, continuations, query plans for clients and index metrics.
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

// PageOptions are the inputs of a page besides the query itself.
type PageOptions struct {
	Store        *storage.Store
	Now          int64
	Size         int    // maximum number of items or rows
	Continuation string // token of the previous page; empty for the first
	Splitter     *PageSplitter
	SliceSteps   int // number of steps after which the page should end if it can be continued; 0: query.SliceSteps
}

// Execute runs a query for one page.
func Execute(ctx context.Context, c *catalog.Container, spec *Query, t *Target, o PageOptions) (*Page, error) {
	r, err := newRun(ctx, c, spec, t, o)
	if err != nil {
		return nil, err
	}
	return r, r.execute()
}

// Page is one page of a query's results, with the state of its execution.
type Page struct {
	PageOptions
	ctx    context.Context
	C      *catalog.Container
	spec   *Query
	stmt   *query.Statement
	Target *Target
	env    *query.Env
	began  time.Time

	skip      int64 // rows to skip before the page: OFFSET and counted rows of earlier pages
	remaining int64 // rows that TOP or LIMIT still allows; -1: no limit
	from      Continuation
	next      *Continuation

	groups *query.Groups   // nil: the query does not aggregate
	seen   map[string]bool // rows that DISTINCT has returned

	seenBytes int

	Documents    [][]byte
	bytes        int // total length of documents
	loaded       int // rows included in the charge
	loadedBytes  int
	readSteps    int            // steps for reading and parsing items, see itemSteps
	indexed      bool           // rows that the residual filter drops are not charged, see indexServes
	passed       int64          // rows that SQLite skips for OFFSET
	full         bool           // the last row did not fit on the page
	inside       query.Position // row of the item lastRID at which to resume, if the page ended within it
	lastRID      int64
	lastKeys     []driver.Value // sort keys of that item
	parsePerItem bool

	// For Options.SplitPages.
	skipped bool // the page is empty and its continuation repeats the position
	partial int  // number of items to aggregate on this page; 0: all
	taken   int  // number of items aggregated so far
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

// limits evaluates TOP, OFFSET and LIMIT.
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
	if r.stmt.Offset != nil && r.from.RID == 0 { // earlier pages have already skipped the offset
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

// MaxPageBytes is the maximum size of a page's items or rows, in bytes.
const MaxPageBytes = 4 << 20

const (
	maxCount     = 1<<32 - 1
	maxSeenBytes = 128 << 20
)

// ordered reports whether the rows have an order of the query's own, see order.go.
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
