package query

import "inkfeed/cosmos/embedded/internal/value"

// eval evaluates an expression for the current row.
func (e *Env) eval(x Expr) value.Value {
	switch x := x.(type) {
	case *Literal:
		return x.Value
	case *Param:
		return e.params[x.Name]
	case *Path:
		if x.slot >= len(e.vars) {
			return value.Value{}
		}
		return e.follow(e.vars[x.slot], x.Steps)
	case *Index:
		return e.index(x)
	case *Unary:
		return unary(x.Op, e.eval(x.X))
	case *Binary:
		return e.binary(x)
	case *In:
		return e.in(x)
	case *Between:
		v := e.eval(x.X)
		defer e.release(e.held)
		e.hold(x.X, v)
		return and(e.compare(">=", v, e.eval(x.Lo)), e.compare("<=", v, e.eval(x.Hi)))
	case *Like:
		return e.like(x)
	case *Cond:
		if e.eval(x.If).IsTrue() {
			return e.eval(x.Then)
		}
		return e.eval(x.Else)
	case *Call:
		return e.call(x)
	case *Concat:
		return e.concat(x)
	case *MakeArray:
		return e.makeArray(x)
	case *MakeObject:
		return e.makeObject(x)
	case *Subquery:
		return e.subquery(x)
	case *Aggregate:
		if e.group != nil {
			return e.group.accumulators[x.index].result(x.Name)
		}
	case *groupKey:
		if e.group != nil {
			return e.group.keys[x.index]
		}
	}
	return value.Value{}
}

// follow follows the steps of a path. Searching among many members takes steps.
func (e *Env) follow(v value.Value, steps []Step) value.Value {
	for _, s := range steps {
		if n := len(v.Members()); n > 64 {
			e.spend(n / 64)
		}
		if s.IsIndex {
			v = v.Elem(s.Index)
		} else {
			v = v.Member(s.Name)
		}
	}
	return v
}

// index returns the member with a name or the element with an index.
func (e *Env) index(x *Index) value.Value {
	v := e.eval(x.X)
	defer e.release(e.held)
	e.hold(x.X, v)
	key := e.eval(x.Key)
	if n := len(v.Members()); n > 64 && !e.spend(n/64) {
		return value.Value{}
	}
	if key.Kind() == value.String {
		return v.Member(key.Str())
	}
	if i, ok := key.Int(); ok && i >= 0 && i < int64(len(v.Elems())) {
		return v.Elem(int(i))
	}
	return value.Value{}
}

// call applies a function. Long arguments take steps.
func (e *Env) call(x *Call) value.Value {
	args := make([]value.Value, len(x.Args))
	size := 1
	defer e.release(e.held)
	for i, a := range x.Args {
		if args[i] = e.eval(a); !e.hold(a, args[i]) {
			return value.Value{}
		}
		size += weight(args[i])
	}
	if x.fn.run != nil {
		return x.fn.run(e, args)
	}
	if x.fn.steps != nil {
		size = x.fn.steps(args)
	}
	if size > 32 && !e.spend(size/8) {
		return value.Value{}
	}
	return x.fn.apply(args)
}

// weight returns the approximate cost of reading a value, in eighths of a step.
func weight(v value.Value) int { return len(v.Str())/64 + 4*(len(v.Elems())+len(v.Members())) }

// in reports whether a value equals one of a list. Undefined values in the list match nothing
// (Visit(SqlInScalarExpression) of Microsoft's ScalarExpressionEvaluator).
func (e *Env) in(x *In) value.Value {
	v := e.eval(x.X)
	if !v.Defined() {
		return v
	}
	defer e.release(e.held)
	e.hold(x.X, v)
	for _, candidate := range x.List {
		if e.compare("=", v, e.eval(candidate)).IsTrue() {
			return value.OfBool(true)
		}
	}
	return value.OfBool(false)
}

func (e *Env) binary(x *Binary) value.Value {
	left := e.eval(x.L)
	switch x.Op {
	case "AND":
		if left.IsFalse() {
			return left
		}
		return and(left, e.eval(x.R))
	case "OR":
		if left.IsTrue() {
			return left
		}
		return not(and(not(left), not(e.eval(x.R))))
	case "??":
		if left.Defined() {
			return left
		}
		return e.eval(x.R)
	}
	if left.Kind() >= value.Array {
		defer e.release(e.held)
		e.hold(x.L, left)
	}
	right := e.eval(x.R)
	switch x.Op {
	case "+", "-", "*", "/", "%":
		return arithmetic(x.Op, left, right)
	case "&", "|", "^", "<<", ">>", ">>>":
		return bitwise(x.Op, left, right)
	}
	return e.compare(x.Op, left, right)
}

// compare is like the function compare. Comparing arrays and objects takes steps.
func (e *Env) compare(op string, a, b value.Value) value.Value {
	if a.Kind() >= value.Array && a.Kind() == b.Kind() {
		const most = 1 << 24
		if !e.spend(1 + (2*most-a.Spend(most)-b.Spend(most))/8) {
			return value.Value{}
		}
	}
	return compare(op, a, b)
}
