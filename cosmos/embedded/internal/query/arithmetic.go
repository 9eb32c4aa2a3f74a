package query

import (
	"math"

	"inkfeed/cosmos/embedded/internal/value"
)

// compare applies a comparison operator. Any comparison with undefined is undefined. Values of
// different types are unequal and not ordered: <, <=, > and >= are undefined for them, as they are
// for arrays and objects.
//
// The table in Microsoft's documentation calls equality across types undefined too. Microsoft's
// reference interpreter does not (PerformBinaryEquality of ScalarExpressionEvaluator, in the tests
// of azure-cosmos-dotnet-v3), and nor do the suites of EF Core and of @zeit/cosmosdb-query.
func compare(op string, a, b value.Value) value.Value {
	if !a.Defined() || !b.Defined() {
		return value.Value{}
	}
	c := value.Compare(a, b)
	switch op {
	case "=":
		return value.OfBool(c == 0)
	case "!=":
		return value.OfBool(c != 0)
	}
	if a.Kind() != b.Kind() || a.Kind() >= value.Array {
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

func unary(op string, v value.Value) value.Value {
	switch op {
	case "NOT":
		return not(v)
	case "~":
		if i, ok := int32Of(v); ok {
			return value.OfInt(int64(^i))
		}
		return value.Value{}
	}
	return negate(op, v)
}

// int32Of converts an operand of a bitwise operator: it drops the fraction and takes the lowest 32
// bits (DoubleToInt32Bitwise of Microsoft's ScalarExpressionEvaluator).
func int32Of(v value.Value) (int32, bool) {
	if i, ok := v.Int(); ok {
		return int32(i), true
	}
	return int32(int64(math.Mod(math.Trunc(v.Float()), 1<<32))), v.Kind() == value.Number
}

// bitwise works on integers of 32 bits, as JavaScript does. Only >>> has an unsigned result.
func bitwise(op string, a, b value.Value) value.Value {
	x, okX := int32Of(a)
	y, okY := int32Of(b)
	if !okX || !okY {
		return value.Value{}
	}
	switch op {
	case "&":
		x &= y
	case "|":
		x |= y
	case "^":
		x ^= y
	case "<<":
		x <<= uint32(y) & 31
	case ">>":
		x >>= uint32(y) & 31
	case ">>>":
		return value.OfInt(int64(uint32(x) >> (uint32(y) & 31)))
	}
	return value.OfInt(int64(x))
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

// arithmetic is exact if both are integers and the result fits.
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
