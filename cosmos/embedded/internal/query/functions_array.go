package query

import "inkfeed/cosmos/embedded/internal/value"

// arrayFunctions are functions of arrays, sets and objects.
var arrayFunctions = map[string]function{
	"ARRAY_CONTAINS":     {min: 2, max: 3, apply: arrayContains, steps: containsSteps},
	"ARRAY_CONTAINS_ANY": {min: 2, max: 200, apply: containsSome, steps: setSteps},
	"ARRAY_CONTAINS_ALL": {min: 2, max: 200, apply: containsAll, steps: setSteps},
	"ARRAY_LENGTH":       {min: 1, max: 1, apply: arrayLength, steps: noSteps},
	"ARRAY_SLICE":        {min: 2, max: 3, apply: arraySlice, steps: noSteps},
	"ARRAY_CONCAT":       {min: 2, max: 200, apply: arrayConcat},
	"SETINTERSECT":       {min: 2, max: 2, apply: setIntersect, steps: setSteps},
	"SETUNION":           {min: 2, max: 2, apply: setUnion, steps: setSteps},
	"SETDIFFERENCE":      {min: 2, max: 2, apply: setDifference, steps: setSteps},
	"SETEQUAL":           {min: 2, max: 2, apply: setEqual, steps: setSteps},
	"OBJECTTOARRAY":      {min: 1, max: 3, apply: objectToArray},
}

func noSteps([]value.Value) int { return 0 }

// setSteps returns the cost of reading all arguments.
func setSteps(args []value.Value) int {
	const most = 1 << 24
	n := 0
	for _, a := range args {
		n += most - a.Spend(most)
	}
	return n
}

// containsSteps returns the cost of comparing each wanted member with each element.
func containsSteps(args []value.Value) int {
	n := setSteps(args)
	if len(args) == 3 {
		const most = 1 << 24
		n += len(args[0].Elems()) * ((most - args[1].Spend(most)) / 16)
	}
	return n
}

func arrayLength(args []value.Value) value.Value {
	if args[0].Kind() != value.Array {
		return value.Value{}
	}
	return value.OfInt(int64(len(args[0].Elems())))
}

// arrayContains reports whether an array contains a value. If the third argument is true, it
// searches for an element that has all members of an object. The third argument may be undefined.
func arrayContains(args []value.Value) value.Value {
	if args[0].Kind() != value.Array || !args[1].Defined() {
		return value.Value{}
	}
	if len(args) == 3 && args[2].Defined() && args[2].Kind() != value.Bool {
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
	member := whole.Member
	if len(whole.Members())*len(part.Members()) > 1<<10 {
		byName := make(map[string]value.Value, len(whole.Members()))
		for _, m := range whole.Members() {
			byName[m.Name] = m.Value
		}
		member = func(name string) value.Value { return byName[name] }
	}
	for _, m := range part.Members() {
		if !includes(member(m.Name), m.Value) {
			return false
		}
	}
	return true
}

// keysOf returns the sort keys of an array's elements.
func keysOf(v value.Value) map[string]bool {
	keys := make(map[string]bool, len(v.Elems()))
	for _, e := range v.Elems() {
		keys[string(e.Key())] = true
	}
	return keys
}

// searchArguments returns an array and the values to search in it.
func searchArguments(args []value.Value) (array value.Value, values []value.Value, ok bool) {
	return args[0], args[1:], args[0].Kind() == value.Array
}

func containsSome(args []value.Value) value.Value {
	array, values, ok := searchArguments(args)
	if !ok {
		return value.Value{}
	}
	keys := keysOf(array)
	for _, v := range values {
		if v.Defined() && keys[string(v.Key())] {
			return value.OfBool(true)
		}
	}
	return value.OfBool(false)
}

func containsAll(args []value.Value) value.Value {
	array, values, ok := searchArguments(args)
	if !ok {
		return value.Value{}
	}
	keys := keysOf(array)
	for _, v := range values {
		if !v.Defined() || !keys[string(v.Key())] {
			return value.OfBool(false)
		}
	}
	return value.OfBool(true)
}

// arraySlice returns a part of an array. A negative start counts from the end.
func arraySlice(args []value.Value) value.Value {
	if args[0].Kind() != value.Array {
		return value.Value{}
	}
	elems := args[0].Elems()
	n := int64(len(elems))
	from, ok := args[1].Int()
	if !ok {
		return value.Value{}
	}
	if from < 0 {
		from = max(from+n, 0)
	}
	from = min(from, n)
	to := n
	if len(args) == 3 {
		count, ok := args[2].Int()
		if !ok {
			return value.Value{}
		}
		to = from + min(max(count, 0), n-from)
	}
	return value.OfArray(elems[from:to:to])
}

func arrayConcat(args []value.Value) value.Value {
	var elems []value.Value
	left := maxBuilt
	for _, a := range args {
		if left = a.Spend(left); a.Kind() != value.Array || left < 0 {
			return value.Value{}
		}
		elems = append(elems, a.Elems()...)
	}
	return value.OfArray(elems)
}

// sets reports whether both arguments are arrays.
func sets(args []value.Value) bool {
	return args[0].Kind() == value.Array && args[1].Kind() == value.Array
}

// distinct returns the elements of arrays that pass, without duplicates.
func distinct(pass func(key string) bool, arrays ...value.Value) value.Value {
	var elems []value.Value
	seen := make(map[string]bool)
	for _, a := range arrays {
		for _, e := range a.Elems() {
			key := string(e.Key())
			if !seen[key] && pass(key) {
				elems = append(elems, e)
			}
			seen[key] = true
		}
	}
	return value.OfArray(elems)
}

func setIntersect(args []value.Value) value.Value {
	if !sets(args) {
		return value.Value{}
	}
	other := keysOf(args[1])
	return distinct(func(key string) bool { return other[key] }, args[0])
}

func setUnion(args []value.Value) value.Value {
	if !sets(args) {
		return value.Value{}
	}
	return distinct(func(string) bool { return true }, args...)
}

func setDifference(args []value.Value) value.Value {
	if !sets(args) {
		return value.Value{}
	}
	other := keysOf(args[1])
	return distinct(func(key string) bool { return !other[key] }, args[0])
}

func setEqual(args []value.Value) value.Value {
	if !sets(args) {
		return value.Value{}
	}
	a, b := keysOf(args[0]), keysOf(args[1])
	for key := range a {
		if !b[key] {
			return value.OfBool(false)
		}
	}
	return value.OfBool(len(a) == len(b))
}

// objectToArray returns an object with the members "k" and "v", or with the names in the further
// arguments, for each member.
func objectToArray(args []value.Value) value.Value {
	names := []string{"k", "v"}
	for i, a := range args[1:] {
		if a.Kind() != value.String {
			return value.Value{}
		}
		names[i] = a.Str()
	}
	if args[0].Kind() != value.Object || names[0] == names[1] {
		return value.Value{}
	}
	elems := make([]value.Value, 0, len(args[0].Members()))
	left := maxBuilt
	for _, m := range args[0].Members() {
		pair := value.OfObject([]value.Member{{Name: names[0], Value: value.OfString(m.Name)},
			{Name: names[1], Value: m.Value}})
		if left = pair.Spend(left); left < 0 {
			return value.Value{}
		}
		elems = append(elems, pair)
	}
	return value.OfArray(elems)
}
