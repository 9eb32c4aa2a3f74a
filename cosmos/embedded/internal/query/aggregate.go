package query

import "inkfeed/cosmos/embedded/internal/value"

// Accumulator gathers the argument of an aggregate over the items.
type Accumulator struct {
	name    string
	count   int64
	sum     value.Value
	extreme value.Value
	spoiled bool // a value of the wrong type makes SUM and AVG undefined
}

// NewAccumulator returns an accumulator that has seen nothing.
func NewAccumulator(a *Aggregate) *Accumulator {
	return &Accumulator{name: a.Name, sum: value.OfInt(0)}
}

// Add takes one value in. Undefined is not counted.
func (a *Accumulator) Add(v value.Value) {
	if !v.Defined() {
		return
	}
	a.count++
	switch a.name {
	case "SUM", "AVG":
		if a.sum = Add(a.sum, v); !a.sum.Defined() {
			a.spoiled = true
		}
	case "MIN":
		if a.count == 1 || value.Compare(v, a.extreme) < 0 {
			a.extreme = v
		}
	case "MAX":
		if a.count == 1 || value.Compare(v, a.extreme) > 0 {
			a.extreme = v
		}
	}
}

// Result returns the aggregate of what was added; undefined if there is none.
func (a *Accumulator) Result() value.Value {
	switch {
	case a.name == "COUNT":
		return value.OfInt(a.count)
	case a.spoiled:
		return value.Value{}
	case a.name == "SUM":
		return a.sum
	case a.name == "AVG" && a.count > 0:
		return value.OfFloat(a.sum.Float() / float64(a.count))
	case a.name == "MIN" || a.name == "MAX":
		if a.extreme.Kind() >= value.Array {
			return value.Value{}
		}
		return a.extreme
	}
	return value.Value{}
}

// hasAggregate tells whether an aggregate occurs in e.
func hasAggregate(e Expr) bool {
	found := false
	walk(e, func(e Expr) {
		if _, ok := e.(*Aggregate); ok {
			found = true
		}
	})
	return found
}

// walk visits e and all its parts.
func walk(e Expr, visit func(Expr)) {
	visit(e)
	each := func(list ...Expr) {
		for _, x := range list {
			if x != nil {
				walk(x, visit)
			}
		}
	}
	switch e := e.(type) {
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
	}
}
