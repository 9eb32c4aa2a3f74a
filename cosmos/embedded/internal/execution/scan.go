package execution

import (
	"cmp"
	"database/sql/driver"
	"strings"

	"inkfeed/cosmos/embedded/internal/catalog"
	"inkfeed/cosmos/embedded/internal/items"
	"inkfeed/cosmos/embedded/internal/query"
	"inkfeed/cosmos/embedded/internal/storage"
)

// sqlQuery is a SQLite statement over the items of a container.
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

// statement returns the SQL of the query over one feed range, or over all ranges of the target if
// rng is nil.
func (r *Page) statement(rng *catalog.FeedRange) sqlQuery {
	s := r.matching(rng)
	if r.C.TTL != nil {
		s.and("(exp IS NULL OR exp > ?)", r.Now)
	}
	return s
}

// matching returns the same statement, but for expired items too.
func (r *Page) matching(rng *catalog.FeedRange) sqlQuery {
	s := sqlQuery{columns: catalog.ItemColumns, table: r.C.Table.Name}
	s.where, s.args = r.Target.where(r.C)
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

// executeScan runs a query without an order of its own: range by range, and by creation within a
// range. A full page has a continuation even if no rows follow.
func (r *Page) executeScan() error {
	ranges, err := r.from.scanned(r.C, r.Target)
	if err != nil {
		return err
	}
	return r.withConn(len(ranges), func(conn *storage.Conn) error { return r.scan(conn, ranges) })
}

func (r *Page) scan(conn *storage.Conn, ranges []*catalog.FeedRange) error {
	for i, rng := range ranges {
		s := r.statement(rng)
		r.lastRID = 0
		if i == 0 && r.from.RID > 0 {
			s.and(r.from.beyond(), r.from.RID)
			r.lastRID = r.from.RID
		}
		s.tail = " ORDER BY rid"
		if err := r.fetch(conn, s); err != nil {
			return err
		}
		if r.pageEnds() {
			r.next = &Continuation{Range: rng.ID, RID: r.lastRID, at: r.inside}
			return nil
		}
	}
	return nil
}

// pageEnds reports whether the page is complete.
func (r *Page) pageEnds() bool {
	return r.full || r.partial > 0 && r.taken == r.partial || r.inside != nil ||
		!r.ordered() && len(r.Documents) >= r.Size ||
		r.sliced()
}

// sliced reports whether the page has taken so many steps that it should end, provided that it can
// be continued.
func (r *Page) sliced() bool {
	return r.env.Spent()+r.readSteps > cmp.Or(r.SliceSteps, query.SliceSteps) &&
		r.groups == nil && !r.counted() && r.skip == 0
}

// itemSteps returns the number of steps that reading and parsing an item is worth. They end a page
// early, but they do not count towards the limit of a request, because an aggregate may read any
// number of items.
func itemSteps(item *items.Stored) int { return 10 + len(item.Body)/64 }

// withConn calls f with a connection. If f runs several statements, they see the items at one moment, so
// that a page never shows a part of a batch.
func (r *Page) withConn(statements int, f func(*storage.Conn) error) error {
	if statements > 1 {
		return r.Store.ReadSnapshot(r.ctx, f)
	}
	return r.Store.Read(r.ctx, f)
}

// fetchAll is fetch for the only statement of a page.
func (r *Page) fetchAll(s sqlQuery) error {
	return r.withConn(1, func(conn *storage.Conn) error { return r.fetch(conn, s) })
}

// fetch runs a statement and adds its rows until the page is full.
func (r *Page) fetch(conn *storage.Conn, s sqlQuery) error {
	return conn.Query(r.ctx, s.text(), s.args, func(row []driver.Value) (bool, error) {
		item := items.ScanItem(row)
		if r.Target.Max != nil && !r.Target.admits(r.C, item.PK) {
			return true, nil
		}
		r.loaded++
		r.loadedBytes += len(item.Body)
		r.readSteps += itemSteps(&item)
		if err := r.addItem(&item); err != nil {
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
}
