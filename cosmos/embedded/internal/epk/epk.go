// Package epk turns partition keys into effective partition keys, the hashes by
// which a container's feed ranges divide its items. The result must equal what the
// SDKs compute, for they name ranges by it.
package epk

import (
	"encoding/binary"
	"math"
	"slices"

	"inkfeed/cosmos/embedded/internal/value"
)

// The markers that begin a component in the hashed bytes.
const (
	markUndefined = 0x00
	markNull      = 0x01
	markFalse     = 0x02
	markTrue      = 0x03
	markNumber    = 0x05
	markString    = 0x08
	stringEnd     = 0xFF
)

// Size is the number of bytes of a hash.
const Size = 16

// End is above the first byte of all hashes.
const End = 0x40

// Hash returns the effective partition key of a key in a container of kind Hash,
// version 2.
func Hash(components []value.Value) []byte {
	var buf []byte
	for _, c := range components {
		buf = appendComponent(buf, c)
	}
	return hash(buf)
}

// MultiHash returns the effective partition key of a hierarchical key, or the common
// beginning of all those that a prefix of a key covers.
func MultiHash(components []value.Value) []byte {
	out := make([]byte, 0, Size*len(components))
	for _, c := range components {
		out = append(out, hash(appendComponent(nil, c))...)
	}
	return out
}

func hash(data []byte) []byte {
	low, high := murmur3(data)
	out := make([]byte, Size)
	binary.LittleEndian.PutUint64(out, low)
	binary.LittleEndian.PutUint64(out[8:], high)
	slices.Reverse(out)
	out[0] &= End - 1
	return out
}

func appendComponent(buf []byte, v value.Value) []byte {
	switch v.Kind() {
	case value.Null:
		return append(buf, markNull)
	case value.Bool:
		if v.IsTrue() {
			return append(buf, markTrue)
		}
		return append(buf, markFalse)
	case value.Number:
		return binary.LittleEndian.AppendUint64(append(buf, markNumber), math.Float64bits(v.Float()))
	case value.String:
		buf = append(append(buf, markString), v.Str()...)
		return append(buf, stringEnd)
	}
	return append(buf, markUndefined)
}
