package query

import (
	"math"
	"strings"
	"unicode/utf16"

	"inkfeed/cosmos/embedded/internal/value"
)

// function is a built-in over evaluated arguments. A value of the wrong type makes
// the result undefined.
type function func(args []value.Value) value.Value

// functions are the built-ins by their names in upper case, with the number of
// arguments that each takes.
var functions = map[string]struct {
	min, max int
	apply    function
}{
	"IS_DEFINED":   {1, 1, func(a []value.Value) value.Value { return value.OfBool(a[0].Defined()) }},
	"IS_NULL":      {1, 1, isKind(value.Null)},
	"IS_BOOL":      {1, 1, isKind(value.Bool)},
	"IS_NUMBER":    {1, 1, isKind(value.Number)},
	"IS_STRING":    {1, 1, isKind(value.String)},
	"IS_ARRAY":     {1, 1, isKind(value.Array)},
	"IS_OBJECT":    {1, 1, isKind(value.Object)},
	"IS_PRIMITIVE": {1, 1, isKind(value.Null, value.Bool, value.Number, value.String)},

	"STARTSWITH":   {2, 3, textTest(strings.HasPrefix)},
	"ENDSWITH":     {2, 3, textTest(strings.HasSuffix)},
	"CONTAINS":     {2, 3, textTest(strings.Contains)},
	"STRINGEQUALS": {2, 3, textTest(func(a, b string) bool { return a == b })},
	"LOWER":        {1, 1, textMap(strings.ToLower)},
	"UPPER":        {1, 1, textMap(strings.ToUpper)},
	"TRIM":         {1, 1, textMap(strings.TrimSpace)},
	"LENGTH":       {1, 1, length},
	"CONCAT":       {2, 200, nil}, // becomes a Concat

	"ABS":     {1, 1, numberMap(math.Abs)},
	"CEILING": {1, 1, numberMap(math.Ceil)},
	"FLOOR":   {1, 1, numberMap(math.Floor)},
	"ROUND":   {1, 1, numberMap(math.Round)},

	"ARRAY_CONTAINS": {2, 3, arrayContains},
	"ARRAY_LENGTH":   {1, 1, arrayLength},
}

func isKind(kinds ...value.Kind) function {
	return func(args []value.Value) value.Value {
		for _, k := range kinds {
			if args[0].Kind() == k {
				return value.OfBool(true)
			}
		}
		return value.OfBool(false)
	}
}

// textTest compares two strings, ignoring case if a third argument is true.
func textTest(test func(a, b string) bool) function {
	return func(args []value.Value) value.Value {
		if args[0].Kind() != value.String || args[1].Kind() != value.String {
			return value.Value{}
		}
		a, b := args[0].Str(), args[1].Str()
		if len(args) == 3 {
			switch {
			case args[2].Kind() != value.Bool:
				return value.Value{}
			case args[2].IsTrue():
				a, b = strings.ToLower(a), strings.ToLower(b)
			}
		}
		return value.OfBool(test(a, b))
	}
}

func textMap(apply func(string) string) function {
	return func(args []value.Value) value.Value {
		if args[0].Kind() != value.String {
			return value.Value{}
		}
		return value.OfString(apply(args[0].Str()))
	}
}

func numberMap(apply func(float64) float64) function {
	return func(args []value.Value) value.Value {
		if args[0].Kind() != value.Number {
			return value.Value{}
		}
		return value.OfFloat(apply(args[0].Float()))
	}
}

// length counts UTF-16 units, as the service does.
func length(args []value.Value) value.Value {
	if args[0].Kind() != value.String {
		return value.Value{}
	}
	n := 0
	for _, r := range args[0].Str() {
		n += utf16.RuneLen(r)
	}
	return value.OfInt(int64(n))
}

func arrayLength(args []value.Value) value.Value {
	if args[0].Kind() != value.Array {
		return value.Value{}
	}
	return value.OfInt(int64(len(args[0].Elems())))
}

// arrayContains looks for a value among the elements, or, if its third argument is
// true, for an element that has all members of an object.
func arrayContains(args []value.Value) value.Value {
	if args[0].Kind() != value.Array || !args[1].Defined() {
		return value.Value{}
	}
	partial := len(args) == 3 && args[2].IsTrue()
	for _, e := range args[0].Elems() {
		if value.Equal(e, args[1]) || partial && includes(e, args[1]) {
			return value.OfBool(true)
		}
	}
	return value.OfBool(false)
}

func includes(whole, part value.Value) bool {
	if whole.Kind() != value.Object || part.Kind() != value.Object {
		return value.Equal(whole, part)
	}
	for _, m := range part.Members() {
		if !includes(whole.Member(m.Name), m.Value) {
			return false
		}
	}
	return true
}
