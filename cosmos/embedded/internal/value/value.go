// Package value implements JSON values with the semantics of Cosmos DB: objects preserve the order
// of their members, integers are exact, a missing value (undefined) differs from null, and all
// values have one total order.
//
// A Value is immutable by convention: functions that change one return a new Value that shares the
// unchanged parts.
package value

import "math"

// Kind is the type of a value. The constants are in Cosmos DB's type order, which
// ORDER BY follows.
type Kind uint8

// The kinds, in ascending order.
const (
	Undefined Kind = iota
	Null
	Bool
	Number
	String
	Array
	Object
)

// Value is one JSON value, or undefined. The zero Value is undefined.
type Value struct {
	kind    Kind
	isInt   bool   // Number: bits is an int64, otherwise a float64
	bits    uint64 // Bool and Number
	str     string
	elems   []Value
	members []Member
}

// Member is a name and value of an object.
type Member struct {
	Name  string
	Value Value
}

// NullValue returns null.
func NullValue() Value { return Value{kind: Null} }

// OfBool returns true or false.
func OfBool(b bool) Value {
	if b {
		return Value{kind: Bool, bits: 1}
	}
	return Value{kind: Bool}
}

// OfInt returns an exact integer.
func OfInt(i int64) Value { return Value{kind: Number, isInt: true, bits: uint64(i)} }

// OfFloat returns a number. A float without a fraction becomes an integer, as in its text. A float
// that JSON cannot represent becomes undefined.
func OfFloat(f float64) Value {
	if f == math.Trunc(f) && math.Abs(f) < 1<<53 {
		return OfInt(int64(f))
	}
	if math.IsNaN(f) || math.IsInf(f, 0) {
		return Value{}
	}
	return Value{kind: Number, bits: math.Float64bits(f)}
}

// OfString returns a string.
func OfString(s string) Value { return Value{kind: String, str: s} }

// OfArray returns an array. It takes ownership of elems.
func OfArray(elems []Value) Value { return Value{kind: Array, elems: elems} }

// OfObject returns an object. It takes ownership of members.
func OfObject(members []Member) Value { return Value{kind: Object, members: members} }

// Kind returns the type of v.
func (v Value) Kind() Kind { return v.kind }

// Defined reports whether v is not undefined.
func (v Value) Defined() bool { return v.kind != Undefined }

// IsTrue reports whether v is the boolean true. No other value counts as true.
func (v Value) IsTrue() bool { return v.kind == Bool && v.bits == 1 }

// IsFalse reports whether v is the boolean false.
func (v Value) IsFalse() bool { return v.kind == Bool && v.bits == 0 }

// Str returns the text of a string, and "" for any other value.
func (v Value) Str() string { return v.str }

// Int returns the value of an integer, and whether v is one.
func (v Value) Int() (int64, bool) { return int64(v.bits), v.kind == Number && v.isInt }

// Float returns the value of a number, rounded if it is a large integer.
func (v Value) Float() float64 {
	if v.isInt {
		return float64(int64(v.bits))
	}
	return math.Float64frombits(v.bits)
}

// Elems returns the elements of an array. The caller must not change them.
func (v Value) Elems() []Value { return v.elems }

// Members returns the members of an object. The caller must not change them.
func (v Value) Members() []Member { return v.members }

// Member returns the member with a name. It is undefined if there is none or v is not an object. If
// a name occurs twice, the last member counts.
func (v Value) Member(name string) Value {
	for i := len(v.members) - 1; i >= 0; i-- {
		if v.members[i].Name == name {
			return v.members[i].Value
		}
	}
	return Value{}
}

// Elem returns the element at an index; undefined outside of the array.
func (v Value) Elem(i int) Value {
	if i < 0 || i >= len(v.elems) {
		return Value{}
	}
	return v.elems[i]
}

// At follows a path of member names. It is undefined if a member is missing.
func (v Value) At(path ...string) Value {
	for _, name := range path {
		v = v.Member(name)
	}
	return v
}

// With returns the object with one member set, at its old position or at the end.
func (v Value) With(name string, to Value) Value {
	members := make([]Member, len(v.members), len(v.members)+1)
	copy(members, v.members)
	for i := range members {
		if members[i].Name == name {
			members[i].Value = to
			return OfObject(members)
		}
	}
	return OfObject(append(members, Member{name, to}))
}

// Without returns the object without the members for which drop returns true.
func (v Value) Without(drop func(name string) bool) Value {
	n := 0
	for _, m := range v.members {
		if drop(m.Name) {
			n++
		}
	}
	if n == 0 {
		return v
	}
	members := make([]Member, 0, len(v.members)-n)
	for _, m := range v.members {
		if !drop(m.Name) {
			members = append(members, m)
		}
	}
	return OfObject(members)
}
