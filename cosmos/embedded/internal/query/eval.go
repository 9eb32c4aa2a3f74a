package query

import (
	"math"
	"strings"

	"inkfeed/cosmos/embedded/internal/value"
)

// Params are the values of a query's parameters by name, the @ included.
type Params map[string]value.Value

// Eval computes an expression over an item. An aggregate is not evaluated here and
// gives undefined.
func Eval(e Expr, item value.Value, params Params) value.Value {
	switch e := e.(type) {
	case *Literal:
		return e.Value
	case *Param:
		return params[e.Name]
	case *Path:
		return follow(item, e.Steps)
	case *Unary:
		x := Eval(e.X, item, params)
		if e.Op == "NOT" {
			return not(x)
		}
		return negate(e.Op, x)
	case *Binary:
		return evalBinary(e, item, params)
	case *In:
		x := Eval(e.X, item, params)
		result := value.OfBool(false)
		for _, candidate := range e.List {
			eq := compare("=", x, Eval(candidate, item, params))
			if eq.IsTrue() {
				return eq
			}
			if !eq.Defined() {
				result = eq
			}
		}
		return result
	case *Between:
		x := Eval(e.X, item, params)
		return and(compare(">=", x, Eval(e.Lo, item, params)), compare("<=", x, Eval(e.Hi, item, params)))
	case *Like:
		escape := value.OfString("")
		if e.Escape != nil {
			escape = Eval(e.Escape, item, params)
		}
		return like(Eval(e.X, item, params), Eval(e.Pattern, item, params), escape)
	case *Cond:
		if Eval(e.If, item, params).IsTrue() {
			return Eval(e.Then, item, params)
		}
		return Eval(e.Else, item, params)
	case *Call:
		args := make([]value.Value, len(e.Args))
		for i, a := range e.Args {
			args[i] = Eval(a, item, params)
		}
		return e.fn(args)
	case *Concat:
		return e.eval(item, params)
	case *MakeArray:
		return e.eval(item, params)
	case *MakeObject:
		return e.eval(item, params)
	}
	return value.Value{}
}

func follow(v value.Value, steps []Step) value.Value {
	for _, s := range steps {
		if s.IsIndex {
			v = v.Elem(s.Index)
		} else {
			v = v.Member(s.Name)
		}
	}
	return v
}

func evalBinary(e *Binary, item value.Value, params Params) value.Value {
	left := Eval(e.L, item, params)
	switch e.Op {
	case "AND":
		if left.IsFalse() {
			return left
		}
		return and(left, Eval(e.R, item, params))
	case "OR":
		if left.IsTrue() {
			return left
		}
		return not(and(not(left), not(Eval(e.R, item, params))))
	case "??":
		if left.Defined() {
			return left
		}
		return Eval(e.R, item, params)
	}
	right := Eval(e.R, item, params)
	switch e.Op {
	case "+", "-", "*", "/", "%":
		return arithmetic(e.Op, left, right)
	}
	return compare(e.Op, left, right)
}

// compare applies a comparison. Values of different types do not compare: the result
// is undefined. Arrays and objects are equal or not, but in no order.
func compare(op string, a, b value.Value) value.Value {
	if a.Kind() != b.Kind() || !a.Defined() {
		return value.Value{}
	}
	c := value.Compare(a, b)
	switch op {
	case "=":
		return value.OfBool(c == 0)
	case "!=":
		return value.OfBool(c != 0)
	}
	if a.Kind() >= value.Array {
		return value.Value{}
	}
	switch op {
	case "<":
		return value.OfBool(c < 0)
	case "<=":
		return value.OfBool(c <= 0)
	case ">":
		return value.OfBool(c > 0)
	case ">=":
		return value.OfBool(c >= 0)
	}
	return value.Value{}
}

// not is true for false and false for true; all else is undefined.
func not(v value.Value) value.Value {
	if v.Kind() != value.Bool {
		return value.Value{}
	}
	return value.OfBool(!v.IsTrue())
}

// and is false if either side is, whatever the other.
func and(a, b value.Value) value.Value {
	switch {
	case a.IsFalse() || b.IsFalse():
		return value.OfBool(false)
	case a.IsTrue() && b.IsTrue():
		return a
	}
	return value.Value{}
}

func negate(op string, v value.Value) value.Value {
	if v.Kind() != value.Number {
		return value.Value{}
	}
	if op == "+" {
		return v
	}
	if i, ok := v.Int(); ok && i != math.MinInt64 {
		return value.OfInt(-i)
	}
	return value.OfFloat(-v.Float())
}

// Add returns the sum of two numbers, exact if both are integers and it fits.
func Add(a, b value.Value) value.Value { return arithmetic("+", a, b) }

func arithmetic(op string, a, b value.Value) value.Value {
	if a.Kind() != value.Number || b.Kind() != value.Number {
		return value.Value{}
	}
	if x, ok := a.Int(); ok {
		if y, ok := b.Int(); ok {
			if sum := x + y; op == "+" && (sum > x) == (y > 0) {
				return value.OfInt(sum)
			}
			if diff := x - y; op == "-" && (diff < x) == (y > 0) {
				return value.OfInt(diff)
			}
			if op == "%" && y != 0 {
				return value.OfInt(x % y)
			}
		}
	}
	x, y := a.Float(), b.Float()
	switch op {
	case "+":
		return value.OfFloat(x + y)
	case "-":
		return value.OfFloat(x - y)
	case "*":
		return value.OfFloat(x * y)
	case "/":
		return value.OfFloat(x / y)
	}
	return value.OfFloat(math.Mod(x, y))
}

// like matches % (any text), _ (any character) and [abc], [^a-z] (a set).
func like(text, pattern, escape value.Value) value.Value {
	if text.Kind() != value.String || pattern.Kind() != value.String || escape.Kind() != value.String {
		return value.Value{}
	}
	return value.OfBool(likeMatch([]rune(text.Str()), likePattern(pattern.Str(), escape.Str())))
}

type likeAtom struct {
	any    bool // any text, of any length
	negate bool
	ranges [][2]rune // of one character; nil: every character
}

func likePattern(pattern, escape string) []likeAtom {
	var atoms []likeAtom
	runes := []rune(pattern)
	for i := 0; i < len(runes); i++ {
		switch r := runes[i]; {
		case escape != "" && strings.HasPrefix(escape, string(r)) && i+1 < len(runes):
			i++
			atoms = append(atoms, likeAtom{ranges: [][2]rune{{runes[i], runes[i]}}})
		case r == '%':
			if len(atoms) == 0 || !atoms[len(atoms)-1].any {
				atoms = append(atoms, likeAtom{any: true})
			}
		case r == '_':
			atoms = append(atoms, likeAtom{})
		case r == '[':
			atom, end := likeSet(runes, i)
			if end < 0 {
				atom, end = likeAtom{ranges: [][2]rune{{r, r}}}, i
			}
			atoms = append(atoms, atom)
			i = end
		default:
			atoms = append(atoms, likeAtom{ranges: [][2]rune{{r, r}}})
		}
	}
	return atoms
}

// likeSet reads the set that begins at i and returns where it ends, -1 if nowhere.
func likeSet(runes []rune, i int) (likeAtom, int) {
	atom := likeAtom{ranges: [][2]rune{}}
	i++
	if i < len(runes) && runes[i] == '^' {
		atom.negate = true
		i++
	}
	for ; i < len(runes); i++ {
		switch {
		case runes[i] == ']':
			return atom, i
		case i+2 < len(runes) && runes[i+1] == '-' && runes[i+2] != ']':
			atom.ranges = append(atom.ranges, [2]rune{runes[i], runes[i+2]})
			i += 2
		default:
			atom.ranges = append(atom.ranges, [2]rune{runes[i], runes[i]})
		}
	}
	return atom, -1
}

func (a likeAtom) matches(r rune) bool {
	if a.ranges == nil {
		return true
	}
	for _, bounds := range a.ranges {
		if r >= bounds[0] && r <= bounds[1] {
			return !a.negate
		}
	}
	return a.negate
}

// likeMatch backtracks only to the last %, so its time is the product of the lengths
// at worst.
func likeMatch(text []rune, atoms []likeAtom) bool {
	t, a := 0, 0
	star, mark := -1, 0
	for t < len(text) {
		switch {
		case a < len(atoms) && atoms[a].any:
			star, mark = a, t
			a++
		case a < len(atoms) && atoms[a].matches(text[t]):
			t++
			a++
		case star >= 0:
			mark++
			t, a = mark, star+1
		default:
			return false
		}
	}
	for a < len(atoms) && atoms[a].any {
		a++
	}
	return a == len(atoms)
}
