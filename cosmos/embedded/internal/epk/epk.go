// Package epk encodes partition keys and computes effective partition keys: the hashes by which the
// feed ranges of a container divide its items. The hashes must equal those of the SDKs, which
// address feed ranges by them.
package epk

import (
	"encoding/binary"
	"math"
	"slices"

	"inkfeed/cosmos/embedded/internal/value"
)

// Markers at the beginning of each component in the hashed bytes.
const (
	markUndefined = 0x00
	markNull      = 0x01
	markFalse     = 0x02
	markTrue      = 0x03
	markNumber    = 0x05
	markString    = 0x08
	stringEnd     = 0xFF
)

// Size is the length of a hash in bytes.
const Size = 16

// End is greater than the first byte of every hash.
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

// MultiHash returns the effective partition key of a hierarchical key. For a prefix of a key, it
// returns the common prefix of the hashes of all keys with that prefix.
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
