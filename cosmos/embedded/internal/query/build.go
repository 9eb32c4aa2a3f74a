package query

import (
	"strings"

	"inkfeed/cosmos/embedded/internal/value"
)

// What an expression may make. A result beyond is undefined: a short query could
// otherwise make more of one item than there is memory. So they stop at once.
const (
	maxString = 2 << 20 // bytes
	// maxBuilt is for arrays and objects, whose parts are shared until they are written.
	maxBuilt = 4 << 20
)

func (e *Concat) eval(item value.Value, params Params) value.Value {
	parts := make([]string, len(e.Parts))
	length := 0
	for i, p := range e.Parts {
		v := Eval(p, item, params)
		if length += len(v.Str()); v.Kind() != value.String || length > maxString {
			return value.Value{}
		}
		parts[i] = v.Str()
	}
	return value.OfString(strings.Join(parts, ""))
}

func (e *MakeArray) eval(item value.Value, params Params) value.Value {
	elems := make([]value.Value, len(e.Elems))
	left := maxBuilt
	for i, x := range e.Elems {
		if elems[i] = Eval(x, item, params); !elems[i].Defined() {
			elems[i] = value.NullValue()
		}
		if left = elems[i].Spend(left); left < 0 {
			return value.Value{}
		}
	}
	return value.OfArray(elems)
}

func (e *MakeObject) eval(item value.Value, params Params) value.Value {
	var members []value.Member
	left := maxBuilt
	for i, x := range e.Values {
		v := Eval(x, item, params)
		if !v.Defined() {
			continue
		}
		if left = v.Spend(left - len(e.Names[i])); left < 0 {
			return value.Value{}
		}
		members = append(members, value.Member{Name: e.Names[i], Value: v})
	}
	return value.OfObject(members)
}
