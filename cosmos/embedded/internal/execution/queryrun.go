package execution

import (
	"context"
	"database/sql/driver"
	"fmt"
	"slices"
	"strings"
	"time"

	"inkfeed/cosmos/embedded/internal/apierror"
	"inkfeed/cosmos/embedded/internal/catalog"
	"inkfeed/cosmos/embedded/internal/items"
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
	r := &Page{PageOptions: o, ctx: ctx, C: c, spec: spec, stmt: spec.Statement, Target: t, remaining: -1, began: time.Now()}
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
		return 0, apierror.BadRequest("The argument of TOP, OFFSET or LIMIT is not a whole number from 0 to %d.", maxCount)
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

// executeGroups gathers all rows before it answers with the first.
func (r *Page) executeGroups() error {
	err := r.checkCounted()
	switch {
	case err != nil:
	case r.stmt.Constant():
		r.groups.Add(r.env)
	case r.partial > 0:
		err = r.executePartial()
	case r.stmt.OnlyCounts() && r.Target.Filter.Residual == nil && r.Target.Max == nil:
		err = r.countItems()
	default:
		err = r.fetch(r.statement(nil))
	}
	if err != nil {
		return err
	}
	r.groups.Each(r.env, func(v value.Value) bool {
		err = r.emit(v)
		return err == nil && !r.full && r.remaining != 0
	})
	if r.full {
		r.next = &Continuation{Range: r.countedIn(), Done: r.from.Done + int64(len(r.Documents))}
	}
	return err
}

// countItems has SQLite count the items. It is charged for as if they were loaded.
func (r *Page) countItems() error {
	s := r.statement(nil)
	s.columns = "COUNT(*), TOTAL(octet_length(body))"
	ctx := r.ctx
	return r.Store.Read(ctx, func(conn *storage.Conn) error {
		return conn.Query(ctx, s.text(), s.args, func(row []driver.Value) (bool, error) {
			bytes, _ := row[1].(float64)
			r.loaded, r.loadedBytes = int(storage.AsInt(row[0])), int(bytes)
			r.groups.Count(storage.AsInt(row[0]))
			return true, nil
		})
	})
}

// sqlQuery is a statement for SQLite over a container's items.
type sqlQuery struct {
	columns string
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
	text := "SELECT " + s.columns + " FROM " + s.table
	if len(s.where) > 0 {
		text += " WHERE " + strings.Join(s.where, " AND ")
	}
	return text + s.tail
}

// statement makes the SQL of the query, over one range or, if that is nil, over all
// that the target names.
func (r *Page) statement(rng *catalog.FeedRange) sqlQuery {
	s := sqlQuery{columns: catalog.ItemColumns, table: r.C.Table.Name}
	s.where, s.args = r.Target.where(r.C, r.Now)
	if rng == nil && len(r.Target.Ranges) == 1 {
		rng = r.Target.Ranges[0]
	}
	if rng != nil && !r.Target.Pinned {
		if condition, args := r.C.RowsOf(rng); condition != "" {
			s.and(condition, args...)
		}
	}
	return s
}

// executeScan runs a query without an order: in that of the ranges, and within one that
// in which the items were created. A page that is filled to the last row has a
// continuation even if nothing comes after it.
func (r *Page) executeScan() error {
	ranges, err := r.from.scanned(r.C, r.Target)
	if err != nil {
		return err
	}
	for i, rng := range ranges {
		s := r.statement(rng)
		r.lastRID = 0
		if i == 0 && r.from.RID > 0 {
			s.and(r.from.beyond(), r.from.RID)
			r.lastRID = r.from.RID
		}
		s.tail = " ORDER BY rid"
		if err := r.fetch(s); err != nil {
			return err
		}
		if r.pageEnds() {
			r.next = &Continuation{Range: rng.ID, RID: r.lastRID, at: r.inside}
			return nil
		}
	}
	return nil
}

// pageEnds tells whether the page has all the rows that it can have.
func (r *Page) pageEnds() bool {
	return r.full || r.partial > 0 && r.taken == r.partial || r.inside != nil ||
		!r.ordered() && len(r.Documents) >= r.Size ||
		r.sliced()
}

// sliced tells whether the page has taken so much work that it had better end, if it can
// be continued.
func (r *Page) sliced() bool {
	return r.env.Spent() > query.SliceSteps && r.groups == nil && !r.counted() && r.skip == 0
}

// fetch runs a statement and takes its rows in until the page is full.
func (r *Page) fetch(s sqlQuery) error {
	ctx := r.ctx
	return r.Store.Read(ctx, func(conn *storage.Conn) error {
		return conn.Query(ctx, s.text(), s.args, func(row []driver.Value) (bool, error) {
			item := items.ScanItem(row)
			if r.Target.Max != nil && !r.Target.admits(r.C, item.PK) {
				return true, nil
			}
			r.loaded++
			r.loadedBytes += len(item.Body)
			if err := r.take(&item); err != nil {
				return false, err
			}
			if r.full && r.inside == nil {
				return false, nil
			}
			r.lastRID = item.RID
			r.taken++
			r.lastKeys = append(r.lastKeys[:0], row[catalog.ItemColumnCount:]...)
			return r.remaining != 0 && !r.pageEnds(), nil
		})
	})
}

// take adds the rows of one item to the page, those that pass.
func (r *Page) take(item *items.Stored) error {
	if !r.parsePerItem {
		r.count(item.Render(r.C, false))
		return nil
	}
	body := item.Body
	if r.stmt.NeedsSystem() {
		body = string(item.Render(r.C, false))
	}
	v, err := value.Parse(body)
	if err != nil {
		return fmt.Errorf("item %s: %w", item.ID, err)
	}
	r.env.Bind(v)
	if r.stmt.Joined() {
		return r.takeJoined(item)
	}
	if !r.env.Passes(r.Target.Filter.Residual) {
		r.unload(item)
		return r.env.Err()
	}
	if r.stmt.Star && r.groups == nil {
		r.count(item.Render(r.C, false))
		return nil
	}
	return r.row()
}

// unload takes back that an item was loaded that the service would not have: its index
// says that the item does not pass.
func (r *Page) unload(item *items.Stored) {
	if r.indexed {
		r.loaded--
		r.loadedBytes -= len(item.Body)
	}
}

// takeJoined adds what the sources make of the item at hand.
func (r *Page) takeJoined(item *items.Stored) (err error) {
	var from query.Position
	if item.RID == r.from.RID {
		from = r.from.at
	}
	passed := false
	r.env.Rows(r.stmt, from, func(at query.Position) bool {
		if r.env.Passes(r.Target.Filter.Residual) {
			passed = true
			err = r.row()
		}
		if err != nil || r.remaining == 0 {
			return false
		}
		if r.pageEnds() {
			r.inside = slices.Clone(at)
			if !r.full {
				r.inside[len(at)-1]++ // this row is on the page
			}
			return false
		}
		return true
	})
	if !passed {
		r.unload(item)
	}
	if err == nil {
		err = r.env.Err()
	}
	return err
}

// row adds the row at hand to the page or to its group.
func (r *Page) row() error {
	if r.groups != nil {
		r.groups.Add(r.env)
		return r.env.Err()
	}
	v := r.env.Project(r.stmt)
	if err := r.env.Err(); err != nil {
		return err
	}
	return r.emit(v)
}

// emit adds a projected value; an undefined one is no row.
func (r *Page) emit(v value.Value) error {
	if !v.Defined() {
		return nil
	}
	if v.LongerThan(MaxPageBytes) {
		return apierror.BadRequest("A row of the result is longer than a page may be.")
	}
	if r.seen != nil {
		key := string(v.Key())
		if r.seen[key] {
			return nil
		}
		if r.seenBytes += len(key); r.seenBytes > maxSeenBytes {
			return apierror.BadRequest("DISTINCT has more rows to tell apart than there is room for.")
		}
		r.seen[key] = true
	}
	r.count(v.AppendJSON(nil))
	return nil
}

// count adds a row to the page unless OFFSET passes it by. Where rows are counted, one
// more than fits shows that there is a next page.
func (r *Page) count(document []byte) {
	if r.skip > 0 {
		r.skip--
		return
	}
	over := len(r.Documents) > 0 && r.bytes+len(document) > MaxPageBytes
	if over || r.ordered() && len(r.Documents) >= r.Size {
		r.full = true
		return
	}
	r.Documents = append(r.Documents, document)
	r.bytes += len(document)
	if r.remaining > 0 {
		r.remaining--
	}
}
