package execution

import (
	"database/sql/driver"
	"strings"

	"inkfeed/cosmos/embedded/internal/storage"
)

// sortColumn is a column in an ORDER BY.
type sortColumn struct {
	sql      string
	desc     bool
	nullable bool
}

func (s sortColumn) String() string {
	if s.desc {
		return s.sql + " DESC"
	}
	return s.sql
}

// beyond returns conditions on the rows after those with the value v, in the order of the column.
// Each condition selects one contiguous interval of an index. NULL sorts first.
func (s sortColumn) beyond(v driver.Value) []bound {
	switch {
	case v == nil && s.desc:
		return nil
	case v == nil:
		return []bound{{sql: s.sql + " IS NOT NULL"}}
	case !s.desc:
		return []bound{{sql: s.sql + " > ?", args: []driver.Value{v}}}
	case !s.nullable:
		return []bound{{sql: s.sql + " < ?", args: []driver.Value{v}}}
	}
	return []bound{{sql: s.sql + " < ?", args: []driver.Value{v}}, {sql: s.sql + " IS NULL", same: true}}
}

// bound is a condition on a sort column. same means that only one value meets it.
type bound struct {
	sql  string
	args []driver.Value
	same bool
}

// segment is a part of an order: rows with equal values in the first columns.
type segment struct {
	conditions []string
	args       []driver.Value
	columns    []sortColumn // columns in which the rows differ
}

// segments divides the rows after a position into segments. values are those of the position, the
// last one being the rid. SQLite finds each segment by a search of the index, which it could not do
// for a single condition.
func segments(columns []sortColumn, values []driver.Value, inclusive bool) []segment {
	var list []segment
	for i := len(columns) - 1; i >= 0; i-- {
		var s segment
		for k, c := range columns[:i] {
			s.conditions = append(s.conditions, c.sql+" IS ?")
			s.args = append(s.args, values[k])
		}
		bounds := columns[i].beyond(values[i])
		if inclusive && i == len(columns)-1 {
			bounds[0].sql = strings.Replace(bounds[0].sql, " ?", "= ?", 1)
		}
		for _, b := range bounds {
			one := segment{append(s.conditions[:i:i], b.sql), append(s.args[:i:i], b.args...), columns[i:]}
			if b.same {
				one.columns = columns[i+1:]
			}
			list = append(list, one)
		}
	}
	return list
}

// sortColumns returns the columns of ORDER BY followed by the rid, in the direction in which the
// serving index has it.
func (r *Page) sortColumns() []sortColumn {
	var columns []sortColumn
	for _, o := range r.stmt.OrderBy {
		path := o.Path.String()
		nullable := path != "/id" && path != "/_ts" && path != "/_rid"
		columns = append(columns, sortColumn{r.C.Table.ColumnOf(path), o.Desc, nullable})
	}
	last := sortColumn{sql: "rid"}
	switch {
	case len(columns) == 1:
		last.desc = columns[0].desc
	case len(columns) > 1:
		last.desc = true
		for _, composite := range r.C.Policy.Composites {
			if servesOrder(composite, r.stmt.OrderBy, false) {
				last.desc = false
			}
		}
	}
	return append(columns, last)
}

// reversed reports whether items with equal sort keys come in the reverse order of their creation.
func (r *Page) reversed() bool {
	columns := r.sortColumns()
	return columns[len(columns)-1].desc
}

// counted reports whether pages resume by a number of rows. DISTINCT needs this, because it must
// see all rows from the first. Other queries resume after an item, which stays valid while items
// are added and deleted and while clients narrow the WHERE clause.
func (r *Page) counted() bool { return r.stmt.Distinct }

// countedIn returns the feed range to which the number of rows of earlier pages refers; 0 also
// stands for all ranges.
func (r *Page) countedIn() int {
	if len(r.Target.Ranges) == 1 && !r.Target.Pinned {
		return r.Target.Ranges[0].ID
	}
	return 0
}

// checkCounted fails if the number of rows refers to a feed range that has been split since.
func (r *Page) checkCounted() error {
	if r.from.Done > 0 && r.from.RID == 0 && r.from.Range != r.countedIn() {
		return errContinuation()
	}
	return nil
}

// executeOrdered runs a query whose rows have a defined order.
func (r *Page) executeOrdered() error {
	if err := r.restoreSortKeys(); err != nil {
		return err
	}
	if err := r.checkCounted(); err != nil {
		return err
	}
	statements := r.orderedStatements()
	err := r.withConn(len(statements), func(conn *storage.Conn) error { return r.fetchOrdered(conn, statements) })
	if err != nil {
		return err
	}
	if r.remaining == 0 || !r.pageEnds() {
		return nil
	}
	r.next = &Continuation{Range: r.countedIn(), Done: r.from.Done + int64(len(r.Documents))}
	if !r.counted() {
		r.next.RID, r.next.Keys, r.next.at = r.lastRID, r.lastKeys, r.inside
		if keysSize(r.lastKeys) > maxTokenKeys {
			r.next.Keys, r.next.digest = nil, digestOf(r.lastKeys)
		}
	}
	return nil
}

// fetchOrdered runs statements one after another until the page ends.
func (r *Page) fetchOrdered(conn *storage.Conn, statements []sqlQuery) error {
	for _, s := range statements {
		r.limit(&s)
		if err := r.sortNumbers(conn, &s); err != nil {
			return err
		}
		if err := r.fetch(conn, s); err != nil {
			return err
		}
		if r.remaining == 0 || r.pageEnds() {
			return nil
		}
	}
	return nil
}

// restoreSortKeys restores sort keys that were too long for the token by reading the item. If the item was
// deleted or its keys have changed, the page resumes after the number of rows on the earlier pages.
func (r *Page) restoreSortKeys() error {
	if r.from.digest == "" {
		return nil
	}
	columns := r.sortColumns()
	var names []string
	for _, c := range columns[:len(columns)-1] {
		names = append(names, c.sql)
	}
	var keys []driver.Value
	err := r.Store.Read(r.ctx, func(conn *storage.Conn) error {
		return conn.Query(r.ctx, "SELECT "+strings.Join(names, ", ")+" FROM "+r.C.Table.Name+" WHERE rid = ?",
			[]driver.Value{r.from.RID},
			func(row []driver.Value) (bool, error) {
				keys = append(keys, row...)
				return false, nil
			})
	})
	if err != nil {
		return err
	}
	if len(keys) == len(names) && digestOf(keys) == r.from.digest {
		r.from.Keys = keys
		return nil
	}
	r.from = Continuation{Range: r.from.Range, Done: r.from.Done}
	err = r.limits() // limits apply from the first row again
	r.skip += r.from.Done
	return err
}

func keysSize(keys []driver.Value) (n int) {
	for _, key := range keys {
		n += len(formatKey(key))
	}
	return n
}

// orderedStatements returns the statements that produce the query's rows one after another, in its
// order.
func (r *Page) orderedStatements() []sqlQuery {
	columns := r.sortColumns()
	keys := columns[:len(columns)-1]
	if r.counted() && len(keys) > 0 {
		columns = keys
	}
	parts := []segment{{columns: columns}}
	if r.from.RID > 0 && !r.counted() {
		parts = segments(columns, append(r.from.Keys[:len(keys):len(keys)], r.from.RID), r.from.at != nil)
	}
	list := make([]sqlQuery, len(parts))
	for i, part := range parts {
		s := r.statement(nil)
		if !r.counted() {
			for _, k := range keys {
				s.columns += ", " + k.sql
			}
		}
		for _, c := range part.conditions {
			s.and(c)
		}
		s.args = append(s.args, part.args...)
		order := make([]string, len(part.columns))
		for i, c := range part.columns {
			order[i] = c.String()
		}
		s.tail = " ORDER BY " + strings.Join(order, ", ")
		list[i] = s
	}
	return list
}

// limit passes OFFSET and LIMIT to SQLite if SQLite decides alone which items are rows.
func (r *Page) limit(s *sqlQuery) {
	if r.Target.Filter.Residual != nil || r.Target.Max != nil || r.stmt.Distinct || r.stmt.Value || r.stmt.Joined() {
		return
	}
	limit := int64(r.Size-len(r.Documents)) + 1
	if r.remaining >= 0 {
		limit = min(limit, r.remaining)
	}
	// SQLite plans for the value of a parameter that is the whole LIMIT, and so prepares the statement again whenever
	// the parameter is bound. It does not plan for the value of an expression.
	s.tail += " LIMIT ?+0 OFFSET ?+0"
	s.args = append(s.args, limit, r.skip)
	r.passed, r.skip = r.passed+r.skip, 0
}

// sortNumbers makes SQLite sort rids instead of whole items if no index has the order of a statement.
// SQLite holds everything that it sorts in memory. LIMIT, even without a limit, keeps SQLite from
// merging both queries, which would lose the order.
func (r *Page) sortNumbers(conn *storage.Conn, s *sqlQuery) error {
	if len(r.stmt.OrderBy) == 0 {
		return nil
	}
	sorts, err := conn.Sorts(r.ctx, r.C, s.text(), s.args)
	if err != nil || !sorts {
		return err
	}
	order := *s
	order.columns = "rid AS sorted"
	if !strings.Contains(order.tail, " LIMIT ") {
		order.tail += " LIMIT -1"
	}
	*s = sqlQuery{columns: s.columns, args: s.args,
		table: "(" + order.text() + ") CROSS JOIN " + s.table + " ON rid = sorted"}
	return nil
}
