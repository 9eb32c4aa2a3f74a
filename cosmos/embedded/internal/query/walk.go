package query

import "slices"

// children calls visit for the direct parts of e, except those of a subquery.
func children(e Expr, visit func(Expr)) {
	each := func(list ...Expr) {
		for _, x := range list {
			if x != nil {
				visit(x)
			}
		}
	}
	switch e := e.(type) {
	case *Index:
		each(e.X, e.Key)
	case *Unary:
		each(e.X)
	case *Binary:
		each(e.L, e.R)
	case *Concat:
		each(e.Parts...)
	case *In:
		each(e.X)
		each(e.List...)
	case *Between:
		each(e.X, e.Lo, e.Hi)
	case *Like:
		each(e.X, e.Pattern, e.Escape)
	case *Cond:
		each(e.If, e.Then, e.Else)
	case *Call:
		each(e.Args...)
	case *Aggregate:
		each(e.Arg)
	case *MakeArray:
		each(e.Elems...)
	case *MakeObject:
		each(e.Values...)
	case *groupKey:
		each(e.of)
	}
}

// Walk calls visit for e and all its parts, except those of subqueries.
func Walk(e Expr, visit func(Expr)) {
	visit(e)
	children(e, func(part Expr) { Walk(part, visit) })
}

// walkAll calls visit for e and all its parts, including those of subqueries.
func walkAll(e Expr, visit func(Expr)) {
	Walk(e, func(e Expr) {
		visit(e)
		if sub, ok := e.(*Subquery); ok {
			sub.Stmt.walk(visit)
		}
	})
}

// walk calls visit for every expression of the statement and its subqueries.
func (s *Statement) walk(visit func(Expr)) {
	all := func(list ...Expr) {
		for _, e := range list {
			if e != nil {
				walkAll(e, visit)
			}
		}
	}
	for _, item := range s.Items {
		all(item.Expr)
	}
	for _, source := range s.From {
		if source.Sub != nil {
			source.Sub.walk(visit)
		} else if !source.isItem() {
			visit(source.Path)
		}
	}
	all(s.Where)
	all(s.GroupBy...)
	for _, o := range s.OrderBy {
		visit(o.Path)
	}
}

// hasAggregate reports whether e contains an aggregate of its own statement.
func hasAggregate(e Expr) bool {
	found := false
	Walk(e, func(e Expr) {
		if _, ok := e.(*Aggregate); ok {
			found = true
		}
	})
	return found
}

// replace replaces each part of e in place by the result of by.
func replace(e Expr, by func(Expr) Expr) {
	one := func(x *Expr) {
		if *x != nil {
			*x = by(*x)
		}
	}
	each := func(list []Expr) {
		for i := range list {
			one(&list[i])
		}
	}
	switch e := e.(type) {
	case *Index:
		one(&e.X)
		one(&e.Key)
	case *Unary:
		one(&e.X)
	case *Binary:
		one(&e.L)
		one(&e.R)
	case *Concat:
		each(e.Parts)
	case *In:
		one(&e.X)
		each(e.List)
	case *Between:
		one(&e.X)
		one(&e.Lo)
		one(&e.Hi)
	case *Like:
		one(&e.X)
		one(&e.Pattern)
		one(&e.Escape)
	case *Cond:
		one(&e.If)
		one(&e.Then)
		one(&e.Else)
	case *Call:
		each(e.Args)
	case *MakeArray:
		each(e.Elems)
	case *MakeObject:
		each(e.Values)
	}
}

// Flatten returns the operands of nested ANDs or ORs.
func Flatten(op string, e Expr, list []Expr) []Expr {
	if b, ok := e.(*Binary); ok && b.Op == op {
		return Flatten(op, b.R, Flatten(op, b.L, list))
	}
	return append(list, e)
}

// Predicate is a condition of WHERE on one path of the item. An index over the path can serve it.
type Predicate struct {
	Path  *Path
	Expr  Expr
	Equal bool // it admits single values, not intervals
	And   bool // WHERE requires it to be true
}

// FilterPredicates returns the conditions of WHERE on paths of the item.
func (s *Statement) FilterPredicates() (list []Predicate) {
	if s.Where == nil {
		return nil
	}
	for _, part := range Flatten("AND", s.Where, nil) {
		if p, ok := predicateOf(part); ok {
			p.And = true
			list = append(list, p)
			continue
		}
		Walk(part, func(e Expr) {
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

// indexedCalls are the functions that the service evaluates on its index.
var indexedCalls = []string{"IS_DEFINED", "IS_NULL", "STARTSWITH", "ENDSWITH", "CONTAINS", "STRINGEQUALS", "REGEXMATCH",
	"ARRAY_CONTAINS"}
