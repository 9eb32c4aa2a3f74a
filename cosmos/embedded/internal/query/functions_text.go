package query

import (
	"slices"
	"strings"
	"unicode/utf16"

	"inkfeed/cosmos/embedded/internal/value"
)

// textFunctions are functions of strings. Positions and lengths are in UTF-16 code units, as in the
// service.
var textFunctions = map[string]function{
	"STARTSWITH":   {min: 2, max: 3, apply: textTest(strings.HasPrefix)},
	"ENDSWITH":     {min: 2, max: 3, apply: textTest(strings.HasSuffix)},
	"CONTAINS":     {min: 2, max: 3, apply: textTest(strings.Contains)},
	"STRINGEQUALS": {min: 2, max: 3, apply: textTest(func(a, b string) bool { return a == b })},
	"LOWER":        {min: 1, max: 1, apply: textMap(strings.ToLower), steps: eachChar},
	"UPPER":        {min: 1, max: 1, apply: textMap(strings.ToUpper), steps: eachChar},
	"TRIM":         {min: 1, max: 2, apply: trim(strings.TrimSpace, strings.TrimFunc), steps: eachChar},
	"LTRIM":        {min: 1, max: 2, apply: trim(trimLeft, strings.TrimLeftFunc), steps: eachChar},
	"RTRIM":        {min: 1, max: 2, apply: trim(trimRight, strings.TrimRightFunc), steps: eachChar},
	"REVERSE":      {min: 1, max: 1, apply: textMap(reverse), steps: eachChar},
	"LENGTH":       {min: 1, max: 1, apply: length},
	"CONCAT":       {min: 2, max: 200}, // parsed as Concat
	"SUBSTRING":    {min: 3, max: 3, apply: substring},
	"LEFT":         {min: 2, max: 2, apply: left},
	"RIGHT":        {min: 2, max: 2, apply: right},
	"INDEX_OF":     {min: 2, max: 3, apply: indexOf},
	"REPLACE":      {min: 3, max: 3, apply: replaceText},
	"REPLICATE":    {min: 2, max: 2, apply: replicate},
	"STRINGJOIN":   {min: 2, max: 2, apply: join2},
	"STRINGSPLIT":  {min: 2, max: 2, apply: split},
	"REGEXMATCH":   {min: 2, max: 3, run: regexMatch},
}

// textTest compares two strings, without regard to case if the third argument is true.
func textTest(test func(a, b string) bool) body {
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

func textMap(apply func(string) string) body {
	return func(args []value.Value) value.Value {
		if args[0].Kind() != value.String {
			return value.Value{}
		}
		return value.OfString(apply(args[0].Str()))
	}
}

// length returns the number of UTF-16 code units, as the service does.
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

// strs returns the arguments as strings, and whether all of them are.
func strs(args []value.Value) ([]string, bool) {
	list := make([]string, len(args))
	for i, a := range args {
		if a.Kind() != value.String {
			return nil, false
		}
		list[i] = a.Str()
	}
	return list, true
}

// trim removes white space, or the characters in the second argument.
func trim(space func(string) string, set func(text string, in func(rune) bool) string) body {
	return func(args []value.Value) value.Value {
		s, ok := strs(args)
		switch {
		case !ok:
			return value.Value{}
		case len(s) == 2:
			if len(s[1]) < 32 {
				return value.OfString(set(s[0], func(r rune) bool { return strings.ContainsRune(s[1], r) }))
			}
			in := make(map[rune]bool)
			for _, r := range s[1] {
				in[r] = true
			}
			return value.OfString(set(s[0], func(r rune) bool { return in[r] }))
		}
		return value.OfString(space(s[0]))
	}
}

// eachChar returns the cost of a function that reads each character.
func eachChar(args []value.Value) int {
	n := 1
	for _, a := range args {
		n += len(a.Str()) / 4
	}
	return n
}

const whiteSpace = " \t\n\v\f\r\u0085\u00A0"

func trimLeft(s string) string  { return strings.TrimLeft(s, whiteSpace) }
func trimRight(s string) string { return strings.TrimRight(s, whiteSpace) }

func reverse(s string) string {
	runes := []rune(s)
	slices.Reverse(runes)
	return string(runes)
}

// slice returns the characters of s from one position to below another, as far as they exist.
func slice(s string, from, to int64) value.Value {
	if isASCII(s) {
		n := int64(len(s))
		from, to = min(max(from, 0), n), min(max(to, 0), n)
		if from >= to {
			return value.OfString("")
		}
		return value.OfString(s[from:to])
	}
	units := utf16.Encode([]rune(s))
	n := int64(len(units))
	from, to = min(max(from, 0), n), min(max(to, 0), n)
	if from >= to {
		return value.OfString("")
	}
	return value.OfString(string(utf16.Decode(units[from:to])))
}

func isASCII(s string) bool {
	for i := range len(s) {
		if s[i] >= 0x80 {
			return false
		}
	}
	return true
}

func substring(args []value.Value) value.Value {
	from, ok1 := args[1].Int()
	count, ok2 := args[2].Int()
	if args[0].Kind() != value.String || !ok1 || !ok2 {
		return value.Value{}
	}
	from = max(from, 0)
	return slice(args[0].Str(), from, from+min(max(count, 0), 1<<40))
}

func left(args []value.Value) value.Value {
	n, ok := args[1].Int()
	if args[0].Kind() != value.String || !ok {
		return value.Value{}
	}
	return slice(args[0].Str(), 0, n)
}

func right(args []value.Value) value.Value {
	n, ok := args[1].Int()
	all, isText := length(args).Int()
	if !isText || !ok {
		return value.Value{}
	}
	return slice(args[0].Str(), all-min(max(n, 0), all), all)
}

// indexOf returns the first position at or after the third argument; -1 if there is none.
func indexOf(args []value.Value) value.Value {
	s, ok := strs(args[:2])
	if !ok {
		return value.Value{}
	}
	var from int64
	if len(args) == 3 {
		if from, ok = args[2].Int(); !ok {
			return value.Value{}
		}
	}
	text := s[0]
	if from > 0 {
		text = slice(text, from, 1<<40).Str()
	} else {
		from = 0
	}
	i := strings.Index(text, s[1])
	if i < 0 {
		return value.OfInt(-1)
	}
	before, _ := length([]value.Value{value.OfString(text[:i])}).Int()
	return value.OfInt(from + before)
}

func replaceText(args []value.Value) value.Value {
	s, ok := strs(args)
	if !ok || s[1] == "" {
		return value.Value{}
	}
	n := strings.Count(s[0], s[1])
	if len(s[0])+n*len(s[2]) > maxString {
		return value.Value{}
	}
	return value.OfString(strings.ReplaceAll(s[0], s[1], s[2]))
}

// replicate returns at most 10,000 characters, as the service does.
func replicate(args []value.Value) value.Value {
	const most = 10_000
	n, ok := args[1].Int()
	size, isText := length(args).Int()
	if !isText || !ok || n < 0 || n > most || n*size > most {
		return value.Value{}
	}
	return value.OfString(strings.Repeat(args[0].Str(), int(n)))
}

func join2(args []value.Value) value.Value {
	parts, ok := strs(args[0].Elems())
	if !ok || args[0].Kind() != value.Array || args[1].Kind() != value.String {
		return value.Value{}
	}
	size := 0
	for _, p := range parts {
		if size += len(p) + len(args[1].Str()); size > maxString {
			return value.Value{}
		}
	}
	return value.OfString(strings.Join(parts, args[1].Str()))
}

func split(args []value.Value) value.Value {
	s, ok := strs(args)
	if !ok || s[1] == "" {
		return value.Value{}
	}
	parts := strings.Split(s[0], s[1])
	elems := make([]value.Value, len(parts))
	for i, p := range parts {
		elems[i] = value.OfString(p)
	}
	return value.OfArray(elems)
}
