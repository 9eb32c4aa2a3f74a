package execution

import (
	"database/sql/driver"
	"fmt"
	"math"
	"slices"

	"inkfeed/cosmos/embedded/internal/apierror"
	"inkfeed/cosmos/embedded/internal/items"
	"inkfeed/cosmos/embedded/internal/pushdown"
	"inkfeed/cosmos/embedded/internal/query"
	"inkfeed/cosmos/embedded/internal/storage"
	"inkfeed/cosmos/embedded/internal/value"
)

// executeGroups aggregates all rows before it returns the first group.
func (r *Page) executeGroups() error {
	err := r.checkCounted()
	switch {
	case err != nil:
	case r.stmt.Constant():
		r.groups.Add(r.env)
	case r.partial > 0:
		err = r.executePartial()
	case r.countedBySQLite():
		err = r.countItems()
	default:
		err = r.fetchAll(r.statement(nil))
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

// countedBySQLite reports whether the query asks only for the number of items and SQLite alone
// decides which items match. The statement of a count has the arguments of the filter three times.
func (r *Page) countedBySQLite() bool {
	return r.groups != nil && r.partial == 0 && r.stmt.OnlyCounts() && !r.stmt.Constant() &&
		r.Target.Filter.Residual == nil && r.Target.Max == nil && len(r.Target.Filter.Args) <= pushdown.MaxArgs/3
}

// countItems lets SQLite count the items. They are charged as if they were loaded, because the
// counts in Microsoft's modelling article cost as much as the rows that they count. Their size is
// estimated from a sample, and exact if there are no more than that.
func (r *Page) countItems() error {
	s, ctx := r.countStatement(), r.ctx
	return r.Store.Read(ctx, func(conn *storage.Conn) error {
		return conn.Query(ctx, s.text(), s.args, func(row []driver.Value) (bool, error) {
			n, sampled := storage.AsInt(row[0]), storage.AsInt(row[1])
			bytes, _ := row[2].(float64)
			if n > sampled {
				bytes *= float64(n) / float64(sampled)
			}
			r.loaded, r.loadedBytes = int(n), int(math.Round(bytes))
			r.groups.Count(n)
			return true, nil
		})
	})
}

// countStatement returns the SQL for the number of all items, the number of items in a sample, and
// the size of these. Counting loads no items if an index has all paths of the conditions. The time
// of expiry is in no such index. So the expired items that are not deleted yet are counted
// separately and subtracted.
func (r *Page) countStatement() sqlQuery {
	all := r.matching(nil)
	all.columns = "COUNT(*)"
	sample := r.statement(nil)
	sample.columns, sample.tail = "octet_length(body) AS bytes", fmt.Sprintf(" LIMIT %d", countedSample)
	s := sqlQuery{columns: "(" + all.text() + ")", table: "(" + sample.text() + ")", args: all.args}
	if r.C.TTL != nil {
		expired := r.matching(nil)
		expired.columns = "COUNT(*)"
		expired.table += " INDEXED BY " + expired.table + "_exp"
		expired.and("exp <= ?", r.Now)
		s.columns += " - (" + expired.text() + ")"
		s.args = append(s.args, expired.args...)
	}
	s.columns += ", COUNT(*), TOTAL(bytes)"
	s.args = append(s.args, sample.args...)
	return s
}

// countedSample is the number of items from which the size of counted items is estimated.
const countedSample = 32

// addItem adds the rows of one item that pass the filter to the page.
func (r *Page) addItem(item *items.Stored) error {
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
		return r.addJoined(item)
	}
	if !r.env.Passes(r.Target.Filter.Residual) {
		r.deductExcluded(item)
		return r.env.Err()
	}
	if r.stmt.Star && r.groups == nil {
		r.count(item.Render(r.C, false))
		return nil
	}
	return r.row()
}

// deductExcluded removes an item from the charge that the service's index would have excluded.
func (r *Page) deductExcluded(item *items.Stored) {
	if r.indexed {
		r.loaded--
		r.loadedBytes -= len(item.Body)
	}
}

// addJoined adds the rows that JOIN produces from the current item.
func (r *Page) addJoined(item *items.Stored) (err error) {
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
				r.inside[len(at)-1]++ // the current row is on the page
			}
			return false
		}
		return true
	})
	if !passed {
		r.deductExcluded(item)
	}
	if err == nil {
		err = r.env.Err()
	}
	return err
}

// row adds the current row to the page or to its group.
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

// emit adds a projected value to the page. An undefined value is not a row.
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
			return apierror.BadRequest("DISTINCT has more distinct rows than fit into memory.")
		}
		r.seen[key] = true
	}
	r.count(v.AppendJSON(nil))
	return nil
}

// count adds a row to the page unless OFFSET skips it. If rows are counted, one row more than fits
// shows that there is a next page.
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
