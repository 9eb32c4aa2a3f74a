package query

import (
	"fmt"
	"reflect"
)

// check rejects statements that are well formed but invalid or not supported, and prepares the
// statement for evaluation.
func (p *parser) check(s *Statement) error {
	if s.Constant() && s.Star {
		return &Error{Code: "SC2001", Message: "'SELECT *' is not valid if FROM clause is omitted."}
	}
	if inner := p.scope.outer != nil; s.Constant() &&
		(s.Where != nil && !inner || len(s.OrderBy) > 0 || len(s.GroupBy) > 0) {
		return &Error{Code: "SC2001", Message: "Filters, groups and orders are only valid with a FROM clause."}
	}
	if s.Star && (len(s.From) > 1 || len(s.GroupBy) > 0) {
		return &Error{Code: "SC2040", Message: "'SELECT *' is only valid with a single input set."}
	}
	if s.Top != nil && s.Offset != nil {
		return &Error{Code: "SC1001", Message: "TOP and OFFSET LIMIT cannot be used together."}
	}
	if s.Offset != nil && p.scope.outer != nil {
		return &Error{Code: "SC2204", Message: "'OFFSET LIMIT' clause is not supported in subqueries."}
	}
	if s.Where != nil && hasAggregate(s.Where) {
		return &Error{Code: "SC2103", Message: "An aggregate may not appear in the WHERE clause."}
	}
	for _, e := range s.GroupBy {
		if hasAggregate(e) {
			return &Error{Code: "SC2103", Message: "An aggregate may not appear in the GROUP BY clause."}
		}
	}
	labels := make(map[string]bool, len(s.Items))
	for _, item := range s.Items {
		if !s.Value && labels[item.Label] {
			return &Error{Code: "SC2022", Message: fmt.Sprintf("The property name '%s' is used more than once.",
				item.Label)}
		}
		labels[item.Label] = true
	}
	if err := p.checkOrder(s); err != nil {
		return err
	}
	return s.group()
}

func (p *parser) checkOrder(s *Statement) error {
	if len(s.OrderBy) > 0 && p.scope.outer != nil {
		return &Error{Code: "SC2202", Message: "'ORDER BY' is not supported in subqueries."}
	}
	for _, o := range s.OrderBy {
		if o.Path.slot != 0 {
			return &Error{Code: "SC2104", Message: "Order-by over correlated collections is not supported."}
		}
	}
	return nil
}

// group numbers the aggregates and replaces the expressions of GROUP BY by group keys.
func (s *Statement) group() error {
	for i := range s.Items {
		s.Items[i].Expr = s.keyed(s.Items[i].Expr)
		Walk(s.Items[i].Expr, func(e Expr) {
			if a, ok := e.(*Aggregate); ok {
				a.index = len(s.aggregates)
				s.aggregates = append(s.aggregates, a)
			}
		})
	}
	if !s.Grouped() {
		return nil
	}
	if len(s.OrderBy) > 0 && len(s.GroupBy) > 0 {
		return &Error{Code: "SC2105", Message: "The ORDER BY clause is not supported with GROUP BY."}
	}
	for _, item := range s.Items {
		if p := s.ungroupedPath(item.Expr); p != nil {
			return &Error{Code: "SC2102",
				Message: fmt.Sprintf(
					"Property reference '%s' is invalid in the select list because it is not contained in "+
						"either an aggregate function or the GROUP BY clause.", Text(p))}
		}
	}
	return nil
}

// keyed replaces expressions of GROUP BY in e by group keys.
func (s *Statement) keyed(e Expr) Expr {
	for i, key := range s.GroupBy {
		if reflect.TypeOf(e) == reflect.TypeOf(key) && reflect.DeepEqual(e, key) {
			return &groupKey{index: i, of: e}
		}
	}
	if _, ok := e.(*Aggregate); !ok && len(s.GroupBy) > 0 {
		replace(e, s.keyed)
	}
	return e
}

// ungroupedPath returns a path in e that has no single value within a group; nil if there is none.
func (s *Statement) ungroupedPath(e Expr) (found *Path) {
	own := func(p *Path) bool {
		for _, source := range s.From {
			if source.slot == p.slot {
				return true
			}
		}
		return false
	}
	switch e := e.(type) {
	case *groupKey, *Aggregate:
		return nil
	case *Path:
		if own(e) {
			return e
		}
	case *Subquery:
		e.Stmt.walk(func(e Expr) {
			if p, ok := e.(*Path); ok && own(p) {
				found = p
			}
		})
	}
	children(e, func(part Expr) {
		if found == nil {
			found = s.ungroupedPath(part)
		}
	})
	return found
}
