package execution

import (
	"database/sql/driver"
	"fmt"
	"slices"

	"inkfeed/cosmos/embedded/internal/apierror"
	"inkfeed/cosmos/embedded/internal/items"
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

// countItems lets SQLite count the items. They are charged as if they were loaded.
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
