package query

import (
	"context"

	"inkfeed/cosmos/embedded/internal/value"
)

// Params are the values of a query's parameters by name, the @ included.
type Params map[string]value.Value

// Env is what a query is evaluated in: its parameters, the row at hand, and how much
// work it may yet do. It is used by one goroutine.
type Env struct {
	ctx    context.Context
	params Params
	vars   []value.Value // by slot; the first is the item
	group  *group        // whose row is projected, if one is
	spent  int           // steps, see spend
	limit  int
	err    error // the first failure; all is undefined from there on

	held    int          // see hold
	pattern *likePattern // of the last LIKE
	regex   *regex       // of the last RegexMatch
}

// The steps that evaluation may take. A step is about a third of a microsecond.
const (
	// SliceSteps is after how many a page that can be continued should end.
	SliceSteps = 2_000_000
	// maxSteps is how many one request may take at most.
	maxSteps = 40_000_000
	// checkSteps is how often the context is looked at.
	checkSteps = 1 << 14
)

// NewEnv returns the environment for evaluating the statement within a request.
func NewEnv(ctx context.Context, s *Statement, params Params) *Env {
	return &Env{ctx: ctx, params: params, vars: make([]value.Value, max(s.slots, 1)), limit: maxSteps}
}

// NewLimitedEnv is NewEnv with another limit on the steps.
func NewLimitedEnv(ctx context.Context, s *Statement, params Params, steps int) *Env {
	e := NewEnv(ctx, s, params)
	e.limit = steps
	return e
}

// Bind sets the item.
func (e *Env) Bind(item value.Value) { e.vars[0] = item }

// Err is why evaluation has failed, if it has: results are worth nothing then.
func (e *Env) Err() error { return e.err }

// Spent is how many steps were taken.
func (e *Env) Spent() int { return e.spent }

func (e *Env) fail(err error) {
	if e.err == nil {
		e.err = err
	}
}

// spend takes steps and tells whether evaluation may go on.
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

// maxHeld bounds the memory of what one row is made of at a time. Built over an item of
// 2 MB, arrays take fifty times as much.
const maxHeld = 256 << 20

// hold counts a value that is kept while others are computed, unless it is a part of the
// item, and tells whether there is room for it.
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

// take counts a value that is kept.
func (e *Env) take(v value.Value) bool {
	size := maxHeld - v.Footprint(maxHeld)
	if e.held += size; e.held > maxHeld {
		e.fail(tooMuch("The query makes more of an item than there is room for"))
	}
	return size < 1<<12 || e.spend(size>>12)
}

// release gives back what was held since.
func (e *Env) release(held int) { e.held = held }

// tooMuch is for what the service would not hold either, or would take for ever over.
func tooMuch(what string) error {
	return &Error{Code: "SC3006", Message: what + "."}
}

// Eval computes an expression over an item on its own.
func Eval(e Expr, item value.Value, params Params) value.Value {
	env := Env{ctx: context.Background(), params: params, vars: []value.Value{item}, limit: maxSteps}
	return env.eval(e)
}

// Eval computes an expression over the row at hand.
func (e *Env) Eval(x Expr) value.Value { return e.eval(x) }

// bind sets what a slot stands for.
func (e *Env) bind(slot int, v value.Value) {
	for slot >= len(e.vars) {
		e.vars = append(e.vars, value.Value{})
	}
	e.vars[slot] = v
}

// Position says how far the rows of one item have come: the index of the current element
// of each source.
type Position []int

// Rows binds each row that the sources make of the item, beginning at from if that is
// not nil, and calls yield with its position, which is the callee's to copy. It stops
// when yield returns false, or evaluation fails.
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

// values are what a source has for the row at hand.
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

// Passes tells whether the row at hand passes a condition.
func (e *Env) Passes(condition Expr) bool { return condition == nil || e.eval(condition).IsTrue() }

// Project computes the SELECT clause for the row at hand.
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
