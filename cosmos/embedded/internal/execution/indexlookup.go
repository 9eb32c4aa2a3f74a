package execution

import (
	"strings"

	"inkfeed/cosmos/embedded/internal/catalog"
	"inkfeed/cosmos/embedded/internal/query"
)

// indexServes reports whether the service's index would find the rows of a condition without
// loading other items. The service indexes every path that the policy covers. The engine has
// columns only for paths that the policy names individually. So when the engine reads all items
// where the service would use its index, the charge is still that of an index lookup.
//
// The service's index evaluates comparisons, ranges, and functions of one property and constants,
// joined by AND, OR and NOT. It does not compute expressions.
func indexServes(p *catalog.IndexingPolicy, e query.Expr) bool {
	switch e := e.(type) {
	case *query.Binary:
		switch e.Op {
		case "AND", "OR":
			return indexServes(p, e.L) && indexServes(p, e.R)
		case "=", "!=", "<", "<=", ">", ">=":
			return property(p, e.L) && constant(e.R) || constant(e.L) && property(p, e.R)
		}
	case *query.Unary:
		return e.Op == "NOT" && indexServes(p, e.X)
	case *query.In:
		return property(p, e.X) && constant(e.List...)
	case *query.Between:
		return property(p, e.X) && constant(e.Lo, e.Hi)
	case *query.Like:
		return property(p, e.X) && constant(e.Pattern) && (e.Escape == nil || constant(e.Escape))
	case *query.Call:
		return isIndexFunction(e.Name) && property(p, e.Args[0]) && constant(e.Args[1:]...)
	case *query.Path:
		return property(p, e)
	}
	return constant(e)
}

// isIndexFunction reports whether the index can evaluate a function of its first argument.
func isIndexFunction(function string) bool {
	switch function {
	case "STARTSWITH", "ENDSWITH", "CONTAINS", "STRINGEQUALS", "REGEXMATCH", "ARRAY_CONTAINS":
		return true
	}
	return strings.HasPrefix(function, "IS_")
}

// property reports whether an expression is an indexed property of the item. Names that begin with
// an underscore belong to system properties.
func property(p *catalog.IndexingPolicy, e query.Expr) bool {
	path, ok := query.ItemPath(e)
	if !ok || len(path.Steps) == 0 {
		return false
	}
	steps := make([]string, len(path.Steps))
	for i, s := range path.Steps {
		steps[i] = s.Name
		if s.IsIndex {
			steps[i] = "[]"
		}
	}
	return p.Covers(steps)
}

// constant reports whether all expressions are literals or parameters.
func constant(list ...query.Expr) bool {
	for _, e := range list {
		switch e := e.(type) {
		case *query.Literal, *query.Param:
		case *query.Unary:
			if e.Op == "NOT" || !constant(e.X) {
				return false
			}
		case *query.MakeArray:
			if !constant(e.Elems...) {
				return false
			}
		default:
			return false
		}
	}
	return true
}
