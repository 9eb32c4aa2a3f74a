package query

import (
	"strings"

	"inkfeed/cosmos/embedded/internal/value"
)

// Limits of the values that an expression can construct. A larger value is undefined and evaluation
// stops, because a short query could otherwise construct values that exceed the memory.
const (
	maxString = 2 << 20 // bytes
	// maxBuilt limits arrays and objects, in bytes of text. Their parts are shared until they are
	// written.
	maxBuilt = 4 << 20
)

func (e *Env) concat(x *Concat) value.Value {
	parts := make([]string, len(x.Parts))
	length := 0
	for i, p := range x.Parts {
		v := e.eval(p)
		if length += len(v.Str()); v.Kind() != value.String || length > maxString {
			return value.Value{}
		}
		parts[i] = v.Str()
	}
	if length > 1<<12 && !e.spend(length>>10) {
		return value.Value{}
	}
	return value.OfString(strings.Join(parts, ""))
}

// makeArray omits undefined elements, as makeObject omits undefined members
// (Visit(SqlArrayCreateScalarExpression) of Microsoft's ScalarExpressionEvaluator).
func (e *Env) makeArray(x *MakeArray) value.Value {
	elems := make([]value.Value, 0, len(x.Elems))
	left := maxBuilt
	defer e.release(e.held)
	for _, elem := range x.Elems {
		v := e.eval(elem)
		if !v.Defined() {
			continue
		}
		if left = v.Spend(left); left < 0 || !e.hold(elem, v) {
			return value.Value{}
		}
		elems = append(elems, v)
	}
	if !e.spend((maxBuilt - left) >> 6) {
		return value.Value{}
	}
	return value.OfArray(elems)
}

func (e *Env) makeObject(x *MakeObject) value.Value {
	var members []value.Member
	left := maxBuilt
	defer e.release(e.held)
	for i, member := range x.Values {
		v := e.eval(member)
		if !v.Defined() {
			continue
		}
		if left = v.Spend(left - len(x.Names[i])); left < 0 || !e.hold(member, v) {
			return value.Value{}
		}
		members = append(members, value.Member{Name: x.Names[i], Value: v})
	}
	if !e.spend((maxBuilt - left) >> 6) {
		return value.Value{}
	}
	return value.OfObject(members)
}
