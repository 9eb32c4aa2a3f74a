package query

import "slices"

// Predicate is a condition of WHERE on one path of the item, which an index over the path
// serves.
type Predicate struct {
	Path  *Path
	Expr  Expr
	Equal bool // it admits single values, not a range of them
	And   bool // WHERE cannot be true without it
}

// FilterPredicates lists the conditions of WHERE on paths of the item.
func (s *Statement) FilterPredicates() (list []Predicate) {
	if s.Where == nil {
		return nil
	}
	for _, part := range flatten("AND", s.Where, nil) {
		if p, ok := predicateOf(part); ok {
			p.And = true
			list = append(list, p)
			continue
		}
		walk(part, func(e Expr) {
			if p, ok := predicateOf(e); ok {
				list = append(list, p)
			}
		})
	}
	return list
}

func predicateOf(e Expr) (Predicate, bool) {
	of := func(x Expr, equal bool) (Predicate, bool) {
		p, ok := ItemPath(x)
		return Predicate{Path: p, Expr: e, Equal: equal}, ok && len(p.Steps) > 0
	}
	switch e := e.(type) {
	case *Binary:
		if !isComparison(e.Op) {
			break
		}
		if p, ok := of(e.L, e.Op == "="); ok {
			return p, true
		}
		return of(e.R, e.Op == "=")
	case *In:
		return of(e.X, true)
	case *Between:
		return of(e.X, false)
	case *Like:
		return of(e.X, false)
	case *Call:
		if slices.Contains(indexedCalls, e.Name) {
			return of(e.Args[0], e.Name == "IS_NULL" || e.Name == "STRINGEQUALS")
		}
	}
	return Predicate{}, false
}

// indexedCalls are the functions that the service answers from its index.
var indexedCalls = []string{"IS_DEFINED", "IS_NULL", "STARTSWITH", "ENDSWITH", "CONTAINS", "STRINGEQUALS", "REGEXMATCH", "ARRAY_CONTAINS"}
