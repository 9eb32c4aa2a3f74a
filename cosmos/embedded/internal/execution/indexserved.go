package execution

import (
	"strings"

	"inkfeed/cosmos/embedded/internal/catalog"
	"inkfeed/cosmos/embedded/internal/query"
)

// indexServes tells whether the service's index would find the rows of a condition, so that
// it loads no others. The index has every path that the policy covers; a column of ours
// is only made for those that it names. What this engine finds by reading all items is
// therefore charged as if it had been looked up, where the service looks it up.
//
// The index decides comparisons, ranges, and functions that ask about one property and
// constants, joined by AND, OR and NOT. It does not compute.
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
		return looksUp(e.Name) && property(p, e.Args[0]) && constant(e.Args[1:]...)
	case *query.Path:
		return property(p, e)
	}
	return constant(e)
}

// looksUp names the functions that ask an index about their first argument.
func looksUp(function string) bool {
	switch function {
	case "STARTSWITH", "ENDSWITH", "CONTAINS", "STRINGEQUALS", "REGEXMATCH", "ARRAY_CONTAINS":
		return true
	}
	return strings.HasPrefix(function, "IS_")
}

// property tells whether an expression is a property that the index has. What begins
// with an underscore is the system's.
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

// constant tells whether expressions are literals or parameters.
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
