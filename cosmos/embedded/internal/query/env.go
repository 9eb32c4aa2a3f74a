package query

import (
	"context"

	"inkfeed/cosmos/embedded/internal/value"
)

// Params maps the names of a query's parameters, including @, to their values.
type Params map[string]value.Value

// Env is the environment of an evaluation: the parameters, the current row, and the remaining
// steps. It must be used by one goroutine.
type Env struct {
	ctx    context.Context
	params Params
	vars   []value.Value // values by slot; the first is the item
	group  *group        // group whose row is being projected, if any
	spent  int           // steps taken, see spend
	limit  int
	err    error // first error; all later values are undefined

	held    int          // see hold
	pattern *likePattern // pattern of the last LIKE
	regex   *regex       // expression of the last RegexMatch
}

// Limits of the steps of an evaluation. A step takes about a third of a microsecond.
const (
	// SliceSteps is the number of steps after which a page should end if it can be continued.
	SliceSteps = 2_000_000
	// maxSteps is the maximum number of steps of a request.
	maxSteps = 40_000_000
	// checkSteps is the number of steps between two checks of the context.
	checkSteps = 1 << 14
)

// NewEnv returns the environment to evaluate a statement within a request.
func NewEnv(ctx context.Context, s *Statement, params Params) *Env {
	return &Env{ctx: ctx, params: params, vars: make([]value.Value, max(s.slots, 1)), limit: maxSteps}
}

// NewLimitedEnv is NewEnv with another limit on steps.
func NewLimitedEnv(ctx context.Context, s *Statement, params Params, steps int) *Env {
	e := NewEnv(ctx, s, params)
	e.limit = steps
	return e
}

// Bind sets the current item.
func (e *Env) Bind(item value.Value) { e.vars[0] = item }

// Err returns the first error of the evaluation. After an error, results are meaningless.
func (e *Env) Err() error { return e.err }

// Spent returns the number of steps taken.
func (e *Env) Spent() int { return e.spent }

func (e *Env) fail(err error) {
	if e.err == nil {
		e.err = err
	}
}

// spend takes steps and reports whether evaluation may continue.
func (e *Env) spend(steps int) bool {
	before := e.spent
	if e.spent += steps; e.spent/checkSteps != before/checkSteps {
		if e.spent > e.limit {
			e.fail(tooMuch("The query takes more work than one request may"))
		} else if err := e.ctx.Err(); err != nil {
			e.fail(err)
		}
	}
	return e.err == nil
}

// maxHeld limits the memory of the values held for one row, in bytes. Arrays constructed from an
// item of 2 MB take fifty times as much memory as the item.
const maxHeld = 256 << 20

// hold accounts for a value that is held while others are computed, unless it is a part of the
// item. It reports whether there is memory left.
func (e *Env) hold(x Expr, v value.Value) bool {
	if v.Kind() < value.Array && len(v.Str()) < 1<<10 {
		return true
	}
	switch x.(type) {
	case *Path, *Literal, *Param:
		return true
	}
	return e.take(v)
}

// take accounts for a value that is held.
func (e *Env) take(v value.Value) bool {
	size := maxHeld - v.Footprint(maxHeld)
	if e.held += size; e.held > maxHeld {
		e.fail(tooMuch("The query makes more of an item than there is room for"))
	}
	return size < 1<<12 || e.spend(size>>12)
}

// release resets the accounted memory to an earlier level.
func (e *Env) release(held int) { e.held = held }

// tooMuch returns the error of a query that needs too much memory or time.
func tooMuch(what string) error {
	return &Error{Code: "SC3006", Message: what + "."}
}

// Eval evaluates an expression for a single item.
func Eval(e Expr, item value.Value, params Params) value.Value {
	env := Env{ctx: context.Background(), params: params, vars: []value.Value{item}, limit: maxSteps}
	return env.eval(e)
}

// Eval evaluates an expression for the current row.
func (e *Env) Eval(x Expr) value.Value { return e.eval(x) }

// bind sets the value of a slot.
func (e *Env) bind(slot int, v value.Value) {
	for slot >= len(e.vars) {
		e.vars = append(e.vars, value.Value{})
	}
	e.vars[slot] = v
}

// Position is a position among the rows of one item: the index of the current element of each
// source.
type Position []int

// Rows binds each row of the current item and calls yield with its position. It starts at from, if
// that is not nil. The callee must copy the position to keep it. Rows stops when yield returns
// false or evaluation fails.
func (e *Env) Rows(s *Statement, from Position, yield func(Position) bool) {
	if len(from) != len(s.From) {
		from = nil
	}
	e.join(s.From, from, make(Position, 0, len(s.From)), yield)
}

func (e *Env) join(sources []*Source, from, at Position, yield func(Position) bool) bool {
	if len(sources) == 0 {
		return yield(at)
	}
	source, rest := sources[0], sources[1:]
	start := 0
	if len(from) > 0 {
		start, from = from[0], from[1:]
	}
	defer e.release(e.held)
	values := e.values(source)
	for i := start; i < len(values); i++ {
		if !e.spend(1) {
			return false
		}
		if i > start {
			from = nil
		}
		e.bind(source.slot, values[i])
		if !e.join(rest, from, append(at, i), yield) {
			return false
		}
	}
	return e.err == nil
}

// values returns the values of a source for the current row.
func (e *Env) values(s *Source) []value.Value {
	switch {
	case s.Sub != nil && s.Elements:
		var elems []value.Value
		for _, row := range e.collect(s.Sub) {
			elems = append(elems, row.Elems()...)
		}
		return elems
	case s.Sub != nil:
		return e.collect(s.Sub)
	case s.Elements:
		return e.eval(s.Path).Elems()
	}
	v := e.eval(s.Path)
	if !v.Defined() {
		return nil
	}
	return []value.Value{v}
}

// Passes reports whether the current row meets a condition.
func (e *Env) Passes(condition Expr) bool { return condition == nil || e.eval(condition).IsTrue() }

// Project evaluates the SELECT clause for the current row.
func (e *Env) Project(s *Statement) value.Value {
	switch {
	case s.Star:
		return e.vars[s.From[0].slot]
	case s.Value:
		return e.eval(s.Items[0].Expr)
	}
	members := make([]value.Member, 0, len(s.Items))
	left := maxBuilt
	defer e.release(e.held)
	for _, item := range s.Items {
		v := e.eval(item.Expr)
		if !v.Defined() {
			continue
		}
		if left = v.Spend(left - len(item.Label)); left < 0 {
			e.fail(&Error{Code: "SC3007", Message: "A row of the result is longer than a page may be."})
			return value.Value{}
		}
		if !e.hold(item.Expr, v) {
			return value.Value{}
		}
		members = append(members, value.Member{Name: item.Label, Value: v})
	}
	return value.OfObject(members)
}
