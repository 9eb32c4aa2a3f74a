package query

import "inkfeed/cosmos/embedded/internal/value"

// maxGroupBytes limits the approximate memory of the groups of a statement, in bytes.
const maxGroupBytes = 64 << 20

// Groups aggregates the rows of a grouped statement. Without GROUP BY there is one group, even if
// there are no rows.
type Groups struct {
	stmt  *Statement
	list  []*group
	byKey map[string]*group
	size  int
}

type group struct {
	keys         []value.Value
	accumulators []accumulator
}

// groupBytes is the approximate memory of a group without its keys.
const groupBytes = 200

// NewGroups returns empty groups.
func NewGroups(s *Statement) *Groups {
	g := &Groups{stmt: s, byKey: make(map[string]*group)}
	if len(s.GroupBy) == 0 {
		g.list = []*group{{accumulators: make([]accumulator, len(s.aggregates))}}
	}
	return g
}

// Add adds the current row of env to its group.
func (g *Groups) Add(env *Env) {
	of := g.find(env)
	if of == nil {
		return
	}
	for i, a := range g.stmt.aggregates {
		of.accumulators[i].add(a.Name, env.eval(a.Arg))
	}
}

// Count adds n rows of a statement for which OnlyCounts is true.
func (g *Groups) Count(n int64) {
	for i := range g.list[0].accumulators {
		g.list[0].accumulators[i].count += n
	}
}

// OnlyCounts reports whether the statement asks only for the number of rows.
func (s *Statement) OnlyCounts() bool {
	if len(s.aggregates) == 0 || len(s.GroupBy) > 0 || s.Joined() {
		return false
	}
	for _, a := range s.aggregates {
		switch arg := a.Arg.(type) {
		case *Literal:
			if a.Name != "COUNT" || !arg.Value.Defined() {
				return false
			}
		case *Path:
			if a.Name != "COUNT" || arg.slot != 0 || len(arg.Steps) > 0 {
				return false
			}
		default:
			return false
		}
	}
	return true
}

// find returns the group of the current row; nil if the memory is exhausted.
func (g *Groups) find(env *Env) *group {
	if len(g.stmt.GroupBy) == 0 {
		return g.list[0]
	}
	keys := make([]value.Value, len(g.stmt.GroupBy))
	var buf []byte
	for i, e := range g.stmt.GroupBy {
		keys[i] = env.eval(e)
		length := len(buf)
		buf = keys[i].AppendKey(append(buf, 0, 0, 0, 0))
		n := len(buf) - length // a length before each key separates keys with a common prefix
		buf[length], buf[length+1], buf[length+2], buf[length+3] = byte(n>>24), byte(n>>16), byte(n>>8), byte(n)
	}
	of := g.byKey[string(buf)]
	if of == nil {
		if g.size += groupBytes + 2*len(buf); g.size > maxGroupBytes {
			env.fail(tooMuch("GROUP BY makes more groups than there is room for"))
			return nil
		}
		of = &group{keys: keys, accumulators: make([]accumulator, len(g.stmt.aggregates))}
		g.byKey[string(buf)] = of
		g.list = append(g.list, of)
	}
	return of
}

// Each projects the groups in the order of their first rows, until yield returns false.
func (g *Groups) Each(env *Env, yield func(value.Value) bool) {
	outer := env.group
	defer func() { env.group = outer }()
	for _, of := range g.list {
		env.group = of
		if !yield(env.Project(g.stmt)) {
			return
		}
	}
}

// aggregates maps the names of aggregate functions to their names in query plans.
var aggregates = map[string]string{
	"COUNT": "Count", "SUM": "Sum", "MIN": "Min", "MAX": "Max", "AVG": "Average", "COUNTIF": "CountIf",
}

// accumulator aggregates the argument of an aggregate function over the rows of a group.
type accumulator struct {
	count   int64
	sum     value.Value
	extreme value.Value
	spoiled bool // a value of the wrong type makes the aggregate undefined
}

// add adds a value. It ignores undefined.
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

// result returns the aggregate; undefined if there are no values.
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

// PartialAggregate reports whether the statement is SELECT VALUE of one aggregate over all rows
// whose partial results can be combined.
func (s *Statement) PartialAggregate() bool {
	a := s.ValueAggregate()
	if a == nil || len(s.GroupBy) > 0 || len(s.OrderBy) > 0 || s.Distinct || s.Top != nil || s.Offset != nil ||
		s.Constant() {
		return false
	}
	return a.Name != "AVG" // an average cannot be computed from partial averages
}
