package embedded

import (
	"slices"

	"inkfeed/cosmos/embedded/internal/query"
	"inkfeed/cosmos/embedded/internal/value"
)

// queryResources runs a query over databases, containers or offers, which are few.
func (e *Engine) queryResources(q *request, name, parent string, all []value.Value) (*response, error) {
	spec, err := q.readQuery()
	if err != nil {
		return nil, err
	}
	stmt := spec.stmt
	if stmt.Aggregate() != nil || stmt.Distinct || stmt.Grouped() {
		return nil, badRequest("Aggregates and DISTINCT are not supported here.")
	}
	slices.SortFunc(all, func(a, b value.Value) int {
		for _, o := range stmt.OrderBy {
			x, y := query.Eval(o.Path, a, nil), query.Eval(o.Path, b, nil)
			if o.Desc {
				x, y = y, x
			}
			if c := value.Compare(x, y); c != 0 {
				return c
			}
		}
		return value.Compare(a.Member("id"), b.Member("id"))
	})
	r := &run{q: q, spec: spec, stmt: stmt, remaining: -1, pageSize: len(all)}
	for _, v := range all {
		if stmt.Where != nil && !query.Eval(stmt.Where, v, spec.params).IsTrue() {
			continue
		}
		if stmt.Star {
			r.count(v.AppendJSON(nil))
		} else if err := r.emit(r.project(v)); err != nil {
			return nil, err
		}
	}
	return q.feed(name, parent, r.documents, queryRU), nil
}
