package query

import (
	"strconv"

	"inkfeed/cosmos/embedded/internal/value"
)

// Plan tells a client how to run a query over several partitions: the query for each partition and
// how to merge the results. It follows the plans of the service as recorded in the public tests of
// Microsoft's .NET SDK.
type Plan struct {
	Distinct   string // None, Ordered or Unordered
	Top        *int64
	Offset     *int64
	Limit      *int64
	Order      []string // Ascending or Descending
	OrderExprs []string
	GroupExprs []string
	Aliases    []string // names in a grouped query without VALUE
	Types      []string // aggregate of each alias; "" means none
	Aggregates []string // aggregates of a query with VALUE
	HasValue   bool
	Rewritten  string // "" if the query is sent unchanged
	Features   []string
}

// orderFilter is the placeholder that a client replaces by its condition to resume.
const orderFilter = "{documentdb-formattableorderbyquery-filter}"

// Plan returns the plan of a query. pinned means that the query concerns one partition key, so
// clients need not merge orders and limits.
func (s *Statement) Plan(params Params, pinned bool) (*Plan, error) {
	p := &Plan{Distinct: "None", HasValue: s.Value}
	top, offset, limit, err := s.counts(params)
	if err != nil {
		return nil, err
	}
	if p.Top = top; top != nil {
		p.feature("Top")
	}
	if s.Distinct {
		p.Distinct = "Unordered"
		if s.distinctOrdered() {
			p.Distinct = "Ordered"
		}
		p.feature("Distinct")
	}
	simple := !s.Grouped() && !s.Distinct
	if pinned && simple {
		return p, nil
	}
	if p.Offset, p.Limit = offset, limit; offset != nil {
		p.feature("OffsetAndLimit")
	}
	if s.Grouped() {
		if err := p.group(s); err != nil {
			return nil, err
		}
	} else {
		p.order(s)
	}
	p.rewrite(s)
	return p, nil
}

func (p *Plan) feature(name string) { p.Features = append(p.Features, name) }

// counts evaluates TOP, OFFSET and LIMIT.
func (s *Statement) counts(params Params) (top, offset, limit *int64, err error) {
	one := func(e Expr) *int64 {
		if e == nil || err != nil {
			return nil
		}
		n, ok := Eval(e, value.Value{}, params).Int()
		if !ok || n < 0 || n > maxCount {
			err = &Error{Code: "SC2060",
				Message: "The count value provided for a TOP, OFFSET or LIMIT clause must be an integer."}
		}
		return &n
	}
	return one(s.Top), one(s.Offset), one(s.Limit), err
}

// distinctOrdered reports whether equal rows are adjacent, because the projection contains only the
// sort keys.
func (s *Statement) distinctOrdered() bool {
	if len(s.OrderBy) == 0 || s.Star || len(s.Items) != len(s.OrderBy) {
		return false
	}
	for i, item := range s.Items {
		if path, ok := ItemPath(item.Expr); !ok || path.String() != s.OrderBy[i].Path.String() {
			return false
		}
	}
	return true
}

// order describes ORDER BY.
func (p *Plan) order(s *Statement) {
	for _, o := range s.OrderBy {
		direction := "Ascending"
		if o.Desc {
			direction = "Descending"
		}
		p.Order = append(p.Order, direction)
		p.OrderExprs = append(p.OrderExprs, Text(o.Path))
	}
	if len(p.Order) > 0 {
		p.feature("OrderBy")
	}
	if len(p.Order) > 1 {
		p.feature("MultipleOrderBy")
	}
}

// group describes groups and aggregates. Clients can merge an aggregate only if it is a whole item.
func (p *Plan) group(s *Statement) error {
	for _, e := range s.GroupBy {
		p.GroupExprs = append(p.GroupExprs, Text(e))
	}
	if len(s.GroupBy) > 0 {
		p.feature("GroupBy")
	}
	whole := 0
	for _, item := range s.Items {
		a, ok := item.Expr.(*Aggregate)
		if !ok && hasAggregate(item.Expr) {
			return &Error{Code: "SC2106", Message: "Compositions of aggregates and other expressions are not allowed."}
		}
		kind := ""
		if ok {
			whole++
			kind = aggregates[a.Name]
			p.feature("Aggregate")
		}
		switch {
		case !s.Value:
			p.Aliases, p.Types = append(p.Aliases, item.Label), append(p.Types, kind)
		case ok:
			p.Aggregates = append(p.Aggregates, kind)
		}
	}
	if !s.Value && whole > 0 {
		p.feature("NonValueAggregate")
	}
	if whole > 1 {
		p.feature("MultipleAggregates")
	}
	return nil
}

// rewrite writes the query to send to each partition.
func (p *Plan) rewrite(s *Statement) {
	var w writer
	switch {
	case s.Grouped():
		w.WriteString("SELECT ")
		w.grouped(s)
		w.tables(s, "\n")
		if s.Where != nil {
			w.all("\nWHERE ", s.Where)
		}
		w.groupBy(s, "\n")
	case len(s.OrderBy) > 0:
		w.ordered(s, p)
	case s.Distinct && (p.Top != nil || p.Offset != nil):
		w.WriteString("SELECT DISTINCT ")
		w.projection(s)
		w.tables(s, "\n")
		if s.Where != nil {
			w.all("\nWHERE ", s.Where)
		}
	case p.Offset != nil:
		short := *s
		short.Offset, short.Limit = nil, nil
		w.statement(&short, "\n")
		w.limit(p)
	}
	p.Rewritten = w.String()
}

// limit makes each partition return every row that the merged result could need.
func (w *writer) limit(p *Plan) {
	if p.Offset != nil {
		w.WriteString("\nOFFSET 0 LIMIT " + strconv.FormatInt(*p.Offset+*p.Limit, 10))
	}
}

// grouped projects the values from which clients merge groups.
func (w *writer) grouped(s *Statement) {
	if len(s.GroupBy) > 0 {
		w.items(s.GroupBy)
		w.WriteString(" AS groupByItems, ")
	}
	if s.Value {
		if len(s.GroupBy) == 0 {
			w.WriteString("VALUE ")
		}
		if a, ok := s.Items[0].Expr.(*Aggregate); ok {
			w.WriteByte('[')
			w.partial(a)
			w.WriteByte(']')
		} else {
			w.expr(s.Items[0].Expr)
		}
		if len(s.GroupBy) > 0 {
			w.WriteString(" AS payload")
		}
		return
	}
	w.WriteByte('{')
	for i, item := range s.Items {
		if i > 0 {
			w.WriteString(", ")
		}
		w.WriteString(quoted(item.Label) + ": ")
		if a, ok := item.Expr.(*Aggregate); ok {
			w.partial(a)
		} else {
			w.expr(item.Expr)
		}
	}
	w.WriteString("} AS payload")
}

// items wraps expressions so that undefined values keep their positions.
func (w *writer) items(list []Expr) {
	w.WriteByte('[')
	for i, e := range list {
		if i > 0 {
			w.WriteString(", ")
		}
		w.all(`{"item": `, e, "}")
	}
	w.WriteByte(']')
}

// partial writes the partial result of an aggregate.
func (w *writer) partial(a *Aggregate) {
	switch a.Name {
	case "AVG":
		w.all(`{"item": {"sum": SUM(`, a.Arg, `), "count": COUNT(`, a.Arg, `)}}`)
	case "MIN":
		w.all(`{"item": `, a, `, "item2": {"min": `, a, `, "count": COUNT(`, a.Arg, `)}}`)
	case "MAX":
		w.all(`{"item": `, a, `, "item2": {"max": `, a, `, "count": COUNT(`, a.Arg, `)}}`)
	default:
		w.all(`{"item": `, a, "}")
	}
}

// ordered projects the sort keys beside each row, with a placeholder for the condition to resume.
func (w *writer) ordered(s *Statement, p *Plan) {
	w.WriteString("SELECT ")
	if p.Top != nil && !s.Distinct {
		w.WriteString("TOP " + strconv.FormatInt(*p.Top, 10) + " ")
	}
	w.WriteString(s.Alias + "._rid, ")
	keys := make([]Expr, len(s.OrderBy))
	for i, o := range s.OrderBy {
		keys[i] = o.Path
	}
	w.items(keys)
	w.WriteString(" AS orderByItems, ")
	condition := "(" + orderFilter + ")"
	switch {
	case s.Star:
		w.WriteString(s.Alias)
	case s.Value:
		w.expr(s.Items[0].Expr)
		condition += " AND IS_DEFINED(" + Text(s.Items[0].Expr) + ")"
	default:
		names, values := make([]string, len(s.Items)), make([]Expr, len(s.Items))
		for i, item := range s.Items {
			names[i], values[i] = item.Label, item.Expr
		}
		w.object(names, values)
	}
	w.WriteString(" AS payload")
	w.tables(s, "\n")
	if s.Where != nil {
		condition = "(" + Text(s.Where) + " AND " + condition + ")"
	} else if s.Value {
		condition = "(" + condition + ")"
	}
	w.WriteString("\nWHERE " + condition)
	w.orderBy(s, "\n")
	if !s.Distinct {
		w.limit(p)
	}
}
