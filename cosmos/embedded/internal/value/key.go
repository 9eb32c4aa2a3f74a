package value

import (
	"cmp"
	"encoding/binary"
	"math"
	"slices"
	"strings"
)

// Tags at the beginning of a sort key, in the order of the types.
const (
	tagNull   = 0x01
	tagFalse  = 0x02
	tagTrue   = 0x03
	tagNumber = 0x05
	tagString = 0x06
	tagArray  = 0x07
	tagObject = 0x08
)

// AppendKey appends the sort key of v: bytes that compare like the values, first by type and then
// by value. Equal keys mean equal values. Undefined has no key; it is stored as SQL NULL, which
// sorts first.
//
// A number is encoded as its float64 in an order-preserving form, rounded down. An integer beyond
// 2^53 that a float64 cannot represent is followed by the difference. A string is encoded as its
// bytes. Arrays and objects only have to be comparable for equality, so they are encoded as their
// canonical text with sorted members.
func (v Value) AppendKey(dst []byte) []byte {
	switch v.kind {
	case Null:
		return append(dst, tagNull)
	case Bool:
		return append(dst, tagFalse+byte(v.bits))
	case Number:
		return v.appendNumberKey(append(dst, tagNumber))
	case String:
		return append(append(dst, tagString), v.str...)
	case Array:
		return v.sorted().AppendJSON(append(dst, tagArray))
	case Object:
		return v.sorted().AppendJSON(append(dst, tagObject))
	}
	return dst
}

// Key returns the sort key of v; nil if v is undefined.
func (v Value) Key() []byte {
	if v.kind == Undefined {
		return nil
	}
	return v.AppendKey(make([]byte, 0, 9+len(v.str)))
}

// KeyRange returns bounds of the sort keys of v's type. All keys are at least from and below to.
// Undefined has no bounds.
func (v Value) KeyRange() (from, to []byte) {
	switch v.kind {
	case Null:
		return []byte{tagNull}, []byte{tagNull + 1}
	case Bool:
		return []byte{tagFalse}, []byte{tagTrue + 1}
	case Number:
		return []byte{tagNumber}, []byte{tagNumber + 1}
	case String:
		return []byte{tagString}, []byte{tagString + 1}
	case Array:
		return []byte{tagArray}, []byte{tagArray + 1}
	case Object:
		return []byte{tagObject}, []byte{tagObject + 1}
	}
	return nil, nil
}

func (v Value) appendNumberKey(dst []byte) []byte {
	f := v.Float()
	var lost uint64
	if i := int64(v.bits); v.isInt && (i >= 1<<53 || i <= -1<<53) {
		if f >= 1<<63 || int64(f) > i {
			f = math.Nextafter(f, math.Inf(-1))
		}
		lost = uint64(i) - uint64(int64(f))
	}
	dst = binary.BigEndian.AppendUint64(dst, orderedFloat(f))
	if lost != 0 {
		dst = binary.BigEndian.AppendUint16(dst, uint16(lost))
	}
	return dst
}

// orderedFloat maps a float to an integer with the same order.
func orderedFloat(f float64) uint64 {
	bits := math.Float64bits(f + 0) // normalizes -0 to 0
	if bits>>63 == 1 {
		return ^bits
	}
	return bits | 1<<63
}

// sorted returns v with the members of all objects sorted, for comparison.
func (v Value) sorted() Value {
	switch v.kind {
	case Array:
		elems := make([]Value, len(v.elems))
		for i, e := range v.elems {
			elems[i] = e.sorted()
		}
		return OfArray(elems)
	case Object:
		members := make([]Member, len(v.members))
		for i, m := range v.members {
			members[i] = Member{m.Name, m.Value.sorted()}
		}
		slices.SortFunc(members, func(a, b Member) int { return strings.Compare(a.Name, b.Name) })
		return OfObject(members)
	}
	return v
}

// Compare orders two values as ORDER BY does: by type, then by value.
func Compare(a, b Value) int {
	if a.kind != b.kind {
		return cmp.Compare(a.kind, b.kind)
	}
	switch a.kind {
	case Bool:
		return cmp.Compare(a.bits, b.bits)
	case Number:
		if a.isInt && b.isInt {
			return cmp.Compare(int64(a.bits), int64(b.bits))
		}
		return slices.Compare(a.appendNumberKey(nil), b.appendNumberKey(nil))
	case String:
		return strings.Compare(a.str, b.str)
	case Array, Object:
		return slices.Compare(a.Key(), b.Key())
	}
	return 0
}

// Equal reports whether two values are equal, including their types. It takes no longer than the
// smaller value needs.
func Equal(a, b Value) bool {
	if a.kind != b.kind {
		return false
	}
	switch a.kind {
	case Array:
		return slices.EqualFunc(a.elems, b.elems, Equal)
	case Object:
		if len(a.members) != len(b.members) {
			return false
		}
		byName := func(a, b Member) int { return strings.Compare(a.Name, b.Name) }
		same := func(a, b Member) bool { return a.Name == b.Name && Equal(a.Value, b.Value) }
		if slices.EqualFunc(a.members, b.members, func(a, b Member) bool { return a.Name == b.Name }) {
			return slices.EqualFunc(a.members, b.members, same)
		}
		x, y := slices.Clone(a.members), slices.Clone(b.members)
		slices.SortStableFunc(x, byName)
		slices.SortStableFunc(y, byName)
		return slices.EqualFunc(x, y, same)
	}
	return Compare(a, b) == 0
}
