package query

import "inkfeed/cosmos/embedded/internal/value"

// What an expression may make. A result beyond is undefined: a short query could
// otherwise make more of one item than there is memory.
const (
	maxString = 2 << 20 // bytes
	// maxBuilt is for arrays and objects, whose parts are shared until they are written.
	maxBuilt = 4 << 20
)

// joinStrings concatenates strings; it is undefined if one is none, or if they are too long.
func joinStrings(parts ...value.Value) value.Value {
	length := 0
	for _, p := range parts {
		if length += len(p.Str()); p.Kind() != value.String || length > maxString {
			return value.Value{}
		}
	}
	text := make([]byte, 0, length)
	for _, p := range parts {
		text = append(text, p.Str()...)
	}
	return value.OfString(string(text))
}

func built(v value.Value) value.Value {
	if v.LongerThan(maxBuilt) {
		return value.Value{}
	}
	return v
}
