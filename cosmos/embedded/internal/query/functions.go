package query

import (
	"math"

	"inkfeed/cosmos/embedded/internal/value"
)

// function is a built-in function of evaluated arguments. An argument of the wrong type makes the
// result undefined.
type function struct {
	min, max int // number of arguments
	apply    body
	// steps returns the cost of the call in eighths of a step; nil means the weight of the
	// arguments.
	steps func(args []value.Value) int
	// run replaces apply for functions that count their steps themselves.
	run      func(e *Env, args []value.Value) value.Value
	volatile bool // results for the same arguments can differ
}

type body = func(args []value.Value) value.Value

// functions maps the names of the built-in functions, in upper case.
var functions = func() map[string]*function {
	all := make(map[string]*function)
	for _, family := range []map[string]function{
		typeFunctions, textFunctions, mathFunctions, integerFunctions, arrayFunctions, dateFunctions, fullTextFunctions,
	} {
		for name, f := range family {
			all[name] = &f
		}
	}
	return all
}()

// typeFunctions test types, choose between values and convert values.
var typeFunctions = map[string]function{
	"IS_DEFINED": {min: 1, max: 1,
		apply: func(a []value.Value) value.Value { return value.OfBool(a[0].Defined()) }},
	"IS_NULL":          {min: 1, max: 1, apply: isKind(value.Null)},
	"IS_BOOL":          {min: 1, max: 1, apply: isKind(value.Bool)},
	"IS_NUMBER":        {min: 1, max: 1, apply: isKind(value.Number)},
	"IS_FINITE_NUMBER": {min: 1, max: 1, apply: isKind(value.Number)}, // JSON has no other numbers
	"IS_INTEGER":       {min: 1, max: 1, apply: isInteger},
	"IS_STRING":        {min: 1, max: 1, apply: isKind(value.String)},
	"IS_ARRAY":         {min: 1, max: 1, apply: isKind(value.Array)},
	"IS_OBJECT":        {min: 1, max: 1, apply: isKind(value.Object)},
	"IS_PRIMITIVE":     {min: 1, max: 1, apply: isKind(value.Null, value.Bool, value.Number, value.String)},

	"IIF":    {min: 3, max: 3, apply: choose},
	"CHOOSE": {min: 2, max: 200, apply: chooseNth},

	"TOSTRING":        {min: 1, max: 1, apply: toString, steps: textSteps},
	"STRINGTONUMBER":  {min: 1, max: 1, apply: parseAs(value.Number), steps: eachChar},
	"STRINGTOBOOLEAN": {min: 1, max: 1, apply: parseAs(value.Bool), steps: eachChar},
	"STRINGTONULL":    {min: 1, max: 1, apply: parseAs(value.Null), steps: eachChar},
	"STRINGTOARRAY":   {min: 1, max: 1, apply: parseAs(value.Array), steps: eachChar},
	"STRINGTOOBJECT":  {min: 1, max: 1, apply: parseAs(value.Object), steps: eachChar},
}

func isInteger(args []value.Value) value.Value {
	_, ok := args[0].Int()
	return value.OfBool(ok || args[0].Kind() == value.Number && args[0].Float() == math.Trunc(args[0].Float()))
}

func choose(args []value.Value) value.Value {
	if args[0].IsTrue() {
		return args[1]
	}
	return args[2]
}

// chooseNth returns the n-th argument, counting from 1.
func chooseNth(args []value.Value) value.Value {
	if n, ok := args[0].Int(); ok && n > 0 && n < int64(len(args)) {
		return args[n]
	}
	return value.Value{}
}

// toString returns a string unchanged and any other value as JSON.
func toString(args []value.Value) value.Value {
	switch args[0].Kind() {
	case value.Undefined, value.String:
		return args[0]
	}
	if args[0].LongerThan(maxString) {
		return value.Value{}
	}
	return value.OfString(args[0].JSON())
}

// textSteps returns the cost of writing a value as text.
func textSteps(args []value.Value) int {
	const most = 1 << 24
	return (most - args[0].Spend(most)) / 8
}

// parseAs parses a string that is the JSON of a value of one kind.
func parseAs(kind value.Kind) body {
	return func(args []value.Value) value.Value {
		if args[0].Kind() != value.String {
			return value.Value{}
		}
		v, err := value.Parse(args[0].Str())
		if err != nil || v.Kind() != kind {
			return value.Value{}
		}
		return v
	}
}

func isKind(kinds ...value.Kind) body {
	return func(args []value.Value) value.Value {
		for _, k := range kinds {
			if args[0].Kind() == k {
				return value.OfBool(true)
			}
		}
		return value.OfBool(false)
	}
}
