package value

import (
	"math"
	"slices"
	"strconv"
	"unicode/utf8"
)

// AppendJSON appends the canonical text of v: without white space, with members in their order and
// only the escapes that JSON requires. Undefined is written as null, as in an array constructor. A
// member with an undefined value is omitted.
func (v Value) AppendJSON(dst []byte) []byte {
	switch v.kind {
	case Bool:
		return strconv.AppendBool(dst, v.bits == 1)
	case Number:
		return v.appendNumber(dst)
	case String:
		return AppendString(dst, v.str)
	case Array:
		dst = append(dst, '[')
		for i, e := range v.elems {
			if i > 0 {
				dst = append(dst, ',')
			}
			dst = e.AppendJSON(dst)
		}
		return append(dst, ']')
	case Object:
		dst = append(dst, '{')
		first := true
		for i := range v.members {
			m := &v.members[i]
			if m.Value.kind == Undefined {
				continue
			}
			if !first {
				dst = append(dst, ',')
			}
			first = false
			dst = AppendString(dst, m.Name)
			dst = append(dst, ':')
			dst = m.Value.AppendJSON(dst)
		}
		return append(dst, '}')
	}
	return append(dst, "null"...)
}

// JSON returns the canonical text of v.
func (v Value) JSON() string { return string(v.AppendJSON(nil)) }

// appendNumber formats integers exactly and other numbers in their shortest form. It uses an
// exponent where the service does.
func (v Value) appendNumber(dst []byte) []byte {
	if v.isInt {
		return strconv.AppendInt(dst, int64(v.bits), 10)
	}
	f := math.Float64frombits(v.bits)
	if abs := math.Abs(f); abs >= 1e15 || abs < 1e-5 {
		return strconv.AppendFloat(dst, f, 'e', -1, 64)
	}
	return strconv.AppendFloat(dst, f, 'f', -1, 64)
}

const hexDigits = "0123456789abcdef"

// AppendString appends s as a JSON string.
func AppendString(dst []byte, s string) []byte {
	if !utf8.ValidString(s) {
		s = string([]rune(s)) // each invalid byte becomes U+FFFD
	}
	dst = append(slices.Grow(dst, len(s)+2), '"')
	for start := 0; ; {
		end := plainEnd(s, start)
		dst = append(dst, s[start:end]...)
		if end == len(s) {
			return append(dst, '"')
		}
		switch c := s[end]; c {
		case '"', '\\':
			dst = append(dst, '\\', c)
		case '\n':
			dst = append(dst, '\\', 'n')
		case '\r':
			dst = append(dst, '\\', 'r')
		case '\t':
			dst = append(dst, '\\', 't')
		default:
			dst = append(dst, '\\', 'u', '0', '0', hexDigits[c>>4], hexDigits[c&15])
		}
		start = end + 1
	}
}
