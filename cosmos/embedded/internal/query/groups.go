package query

import "inkfeed/cosmos/embedded/internal/value"

// maxGroupBytes bounds what the groups of one statement take of memory, about.
const maxGroupBytes = 64 << 20

// Groups gathers the rows of a grouped statement. Without GROUP BY there is one group,
// even of no rows.
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

// groupBytes is what a group takes besides its keys.
const groupBytes = 200

// NewGroups returns the groups of no rows.
func NewGroups(s *Statement) *Groups {
	g := &Groups{stmt: s, byKey: make(map[string]*group)}
	if len(s.GroupBy) == 0 {
		g.list = []*group{{accumulators: make([]accumulator, len(s.aggregates))}}
	}
	return g
}

// Add takes in the row that env has bound.
func (g *Groups) Add(env *Env) {
	of := g.find(env)
	if of == nil {
		return
	}
	for i, a := range g.stmt.aggregates {
		of.accumulators[i].add(a.Name, env.eval(a.Arg))
	}
}

// Count takes in n rows of a statement that does nothing but count them.
func (g *Groups) Count(n int64) {
	for i := range g.list[0].accumulators {
		g.list[0].accumulators[i].count += n
	}
}

// OnlyCounts tells whether all that the statement asks of its rows is how many they are.
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

// find returns the group of the row that env has bound, nil if there is no room for it.
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
		n := len(buf) - length // a length before each key keeps apart those that begin alike
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

// Each projects the groups, in the order in which each first came, until yield returns
// false.
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
