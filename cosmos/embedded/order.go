package embedded

import (
	"database/sql/driver"
	"strings"
)

// sortColumn is a column that rows are ordered by.
type sortColumn struct {
	sql  string
	desc bool
}

func (s sortColumn) String() string {
	if s.desc {
		return s.sql + " DESC"
	}
	return s.sql
}

// beyond is the condition on rows that come after those with a value. NULL is the
// smallest.
func (s sortColumn) beyond(v driver.Value) (string, []driver.Value) {
	switch {
	case v == nil && s.desc:
		return "0", nil
	case v == nil:
		return s.sql + " IS NOT NULL", nil
	case s.desc:
		return "(" + s.sql + " < ? OR " + s.sql + " IS NULL)", []driver.Value{v}
	}
	return s.sql + " > ?", []driver.Value{v}
}

// beyondRow is the condition on rows that come after one with these values.
func beyondRow(columns []sortColumn, values []driver.Value) (string, []driver.Value) {
	var either []string
	var args []driver.Value
	same := ""
	for i, c := range columns {
		sql, arg := c.beyond(values[i])
		either = append(either, same+sql)
		args = append(append(args, values[:i]...), arg...)
		same += c.sql + " IS ? AND "
	}
	return "(" + strings.Join(either, " OR ") + ")", args
}

// sortColumns are those of ORDER BY and then rid, in the direction in which the index
// that has the others has it too.
func (r *run) sortColumns() []sortColumn {
	var columns []sortColumn
	for _, o := range r.stmt.OrderBy {
		columns = append(columns, sortColumn{r.c.table.columnOf(o.Path.String()), o.Desc})
	}
	last := sortColumn{sql: "rid"}
	switch {
	case len(columns) == 1:
		last.desc = columns[0].desc
	case len(columns) > 1:
		last.desc = true
		for _, composite := range r.c.policy.composites {
			if servesOrder(composite, r.stmt.OrderBy, false) {
				last.desc = false
			}
		}
	}
	return append(columns, last)
}

// counted tells whether pages go on by counting rows, as OFFSET and DISTINCT need them
// counted from the first. Otherwise they go on after an item, which holds while others
// come and go.
func (r *run) counted() bool { return r.stmt.Offset != nil || r.stmt.Distinct }

// executeOrdered runs a query whose rows are in an order of its own.
func (r *run) executeOrdered() error {
	rng := 0
	if len(r.target.ranges) == 1 && !r.target.pinned {
		rng = r.target.ranges[0].id
	}
	if r.from.done > 0 && r.from.rid == 0 && r.from.rng != rng {
		return errContinuation() // the rows of the range that was split were counted
	}
	if err := r.fetch(r.orderedStatement()); err != nil {
		return err
	}
	if !r.full {
		return nil
	}
	r.next = &continuation{rng: rng, done: r.from.done + int64(len(r.documents))}
	if size := keysSize(r.lastKeys); !r.counted() && size <= maxTokenKeys {
		r.next.rid, r.next.keys = r.lastRID, r.lastKeys
	}
	return nil
}

func keysSize(keys []driver.Value) (n int) {
	for _, key := range keys {
		n += len(formatKey(key))
	}
	return n
}

// orderedStatement adds the order. SQLite also does the counting if it decides the
// whole WHERE clause.
func (r *run) orderedStatement() sqlQuery {
	columns := r.sortColumns()
	keys := columns[:len(columns)-1]
	if r.counted() && len(keys) > 0 {
		columns = keys
	}
	s := r.statement(nil)
	if !r.counted() {
		for _, k := range keys {
			s.columns += ", " + k.sql
		}
		if r.from.rid > 0 {
			sql, args := beyondRow(columns, append(r.from.keys[:len(keys):len(keys)], r.from.rid))
			s.and(sql, args...)
		}
	}
	order := make([]string, len(columns))
	for i, c := range columns {
		order[i] = c.String()
	}
	s.tail = " ORDER BY " + strings.Join(order, ", ")
	if r.target.filter.Residual == nil && r.target.max == nil && !r.stmt.Distinct && !r.stmt.Value {
		limit := int64(r.pageSize) + 1
		if r.remaining >= 0 {
			limit = min(limit, r.remaining)
		}
		s.tail += " LIMIT ? OFFSET ?"
		s.args = append(s.args, limit, r.skip)
		r.passed, r.skip = r.skip, 0
	}
	return s
}
