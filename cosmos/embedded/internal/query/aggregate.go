package query

import "inkfeed/cosmos/embedded/internal/value"

// aggregates are the functions over the rows of a group, with what query plans call them.
var aggregates = map[string]string{
	"COUNT": "Count", "SUM": "Sum", "MIN": "Min", "MAX": "Max", "AVG": "Average", "COUNTIF": "CountIf",
}

// accumulator gathers the argument of an aggregate over the rows of a group.
type accumulator struct {
	count   int64
	sum     value.Value
	extreme value.Value
	spoiled bool // a value of the wrong type makes the aggregate undefined
}

// add takes one value in. Undefined is not counted.
func (a *accumulator) add(name string, v value.Value) {
	if !v.Defined() || name == "COUNTIF" && !v.IsTrue() {
		return
	}
	a.count++
	switch name {
	case "SUM", "AVG":
		if a.count == 1 {
			a.sum = value.OfInt(0)
		}
		if a.sum = arithmetic("+", a.sum, v); !a.sum.Defined() {
			a.spoiled = true
		}
	case "MIN", "MAX":
		order := value.Compare(v, a.extreme)
		if a.count == 1 || order != 0 && (order < 0) == (name == "MIN") {
			a.extreme = v
		}
		a.spoiled = a.spoiled || v.Kind() >= value.Array
	}
}

// result returns the aggregate of what was added; undefined if there is none.
func (a *accumulator) result(name string) value.Value {
	switch {
	case name == "COUNT" || name == "COUNTIF":
		return value.OfInt(a.count)
	case a.spoiled:
		return value.Value{}
	case name == "SUM" && a.count == 0:
		return value.OfInt(0)
	case name == "SUM":
		return a.sum
	case name == "AVG" && a.count > 0:
		return value.OfFloat(a.sum.Float() / float64(a.count))
	case name == "MIN" || name == "MAX":
		return a.extreme
	}
	return value.Value{}
}
