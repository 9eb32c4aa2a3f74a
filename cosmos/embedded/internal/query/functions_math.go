package query

import (
	"math"
	"math/rand/v2"

	"inkfeed/cosmos/embedded/internal/value"
)

// mathFunctions are functions of numbers. They compute with floats unless integers give the exact
// result.
var mathFunctions = map[string]function{
	"ABS":       {min: 1, max: 1, apply: numberMap(math.Abs)},
	"CEILING":   {min: 1, max: 1, apply: numberMap(math.Ceil)},
	"FLOOR":     {min: 1, max: 1, apply: numberMap(math.Floor)},
	"ROUND":     {min: 1, max: 2, apply: round},
	"TRUNC":     {min: 1, max: 1, apply: numberMap(math.Trunc)},
	"SIGN":      {min: 1, max: 1, apply: numberMap(sign)},
	"SQRT":      {min: 1, max: 1, apply: numberMap(math.Sqrt)},
	"SQUARE":    {min: 1, max: 1, apply: numberMap(func(x float64) float64 { return x * x })},
	"EXP":       {min: 1, max: 1, apply: numberMap(math.Exp)},
	"LOG":       {min: 1, max: 2, apply: logarithm},
	"LOG10":     {min: 1, max: 1, apply: numberMap(math.Log10)},
	"POWER":     {min: 2, max: 2, apply: numberMap2(math.Pow)},
	"SIN":       {min: 1, max: 1, apply: numberMap(func(x float64) float64 { return sine(x, 0) })},
	"COS":       {min: 1, max: 1, apply: numberMap(func(x float64) float64 { return sine(x, 1) })},
	"TAN":       {min: 1, max: 1, apply: numberMap(tan)},
	"COT":       {min: 1, max: 1, apply: numberMap(func(x float64) float64 { return 1 / tan(x) })},
	"ASIN":      {min: 1, max: 1, apply: numberMap(math.Asin)},
	"ACOS":      {min: 1, max: 1, apply: numberMap(math.Acos)},
	"ATAN":      {min: 1, max: 1, apply: numberMap(math.Atan)},
	"ATN2":      {min: 2, max: 2, apply: numberMap2(math.Atan2)},
	"DEGREES":   {min: 1, max: 1, apply: numberMap(func(x float64) float64 { return x * 180 / math.Pi })},
	"RADIANS":   {min: 1, max: 1, apply: numberMap(func(x float64) float64 { return x * math.Pi / 180 })},
	"NUMBERBIN": {min: 1, max: 2, apply: numberBin},
	"PI":        {min: 0, max: 0, apply: func([]value.Value) value.Value { return value.OfFloat(math.Pi) }},
	"RAND": {min: 0, max: 0, apply: func([]value.Value) value.Value { return value.OfFloat(rand.Float64()) },
		volatile: true},
}

func numberMap(apply func(float64) float64) body {
	return func(args []value.Value) value.Value {
		if args[0].Kind() != value.Number {
			return value.Value{}
		}
		return value.OfFloat(apply(args[0].Float()))
	}
}

func numberMap2(apply func(x, y float64) float64) body {
	return func(args []value.Value) value.Value {
		if args[0].Kind() != value.Number || args[1].Kind() != value.Number {
			return value.Value{}
		}
		return value.OfFloat(apply(args[0].Float(), args[1].Float()))
	}
}

// reduce returns x less the nearest multiple of π/2, and that multiple modulo 4. It uses 160 bits of π/2. Package
// math uses fewer and so loses digits near multiples of π/2, which the service does not.
func reduce(x float64) (rest float64, quadrant int) {
	if math.Abs(x) > 1<<30 {
		return x, 0
	}
	n := math.Round(x / (math.Pi / 2))
	for _, part := range [...]float64{math.Pi / 2, 6.123233995736766e-17, -1.4973849048591833e-33} {
		x = math.FMA(-n, part, x)
	}
	return x, int(n) & 3
}

// sine returns the sine of x plus a number of quarter turns.
func sine(x float64, turns int) float64 {
	rest, quadrant := reduce(x)
	switch (quadrant + turns) % 4 {
	case 0:
		return math.Sin(rest)
	case 1:
		return math.Cos(rest)
	case 2:
		return -math.Sin(rest)
	}
	return -math.Cos(rest)
}

func tan(x float64) float64 {
	rest, quadrant := reduce(x)
	if quadrant%2 == 1 {
		return -1 / math.Tan(rest)
	}
	return math.Tan(rest)
}

func sign(x float64) float64 {
	switch {
	case x > 0:
		return 1
	case x < 0:
		return -1
	}
	return 0
}

// round rounds half away from zero, to an integer or to a number of digits.
func round(args []value.Value) value.Value {
	if args[0].Kind() != value.Number {
		return value.Value{}
	}
	x := args[0].Float()
	if len(args) == 1 {
		return value.OfFloat(math.Round(x))
	}
	digits, ok := args[1].Int()
	if !ok || digits < -300 || digits > 300 {
		return value.Value{}
	}
	if digits < 0 {
		scale := math.Pow10(int(-digits))
		return value.OfFloat(math.Round(x/scale) * scale)
	}
	scale := math.Pow10(int(digits))
	if scaled := x * scale; !math.IsInf(scaled, 0) && math.Abs(scaled) < 1<<53 {
		x = math.Round(scaled) / scale
	}
	return value.OfFloat(x)
}

// logarithm returns the natural logarithm, or the logarithm to the base in the second argument.
func logarithm(args []value.Value) value.Value {
	if len(args) == 2 {
		return numberMap2(func(x, base float64) float64 { return math.Log(x) / math.Log(base) })(args)
	}
	return numberMap(math.Log)(args)
}

// numberBin rounds down to a multiple of the second argument, or of 1.
func numberBin(args []value.Value) value.Value {
	if len(args) == 1 {
		return numberMap(math.Floor)(args)
	}
	if args[1].Float() <= 0 {
		return value.Value{}
	}
	return numberMap2(func(x, size float64) float64 { return math.Floor(x/size) * size })(args)
}

// integerFunctions are functions of 64-bit integers with overflow by wrapping around.
var integerFunctions = map[string]function{
	"INTADD":           integer2(func(x, y int64) (int64, bool) { return x + y, true }),
	"INTSUB":           integer2(func(x, y int64) (int64, bool) { return x - y, true }),
	"INTMUL":           integer2(func(x, y int64) (int64, bool) { return x * y, true }),
	"INTDIV":           integer2(func(x, y int64) (int64, bool) { return quotient(x, y), y != 0 }),
	"INTMOD":           integer2(func(x, y int64) (int64, bool) { return remainder(x, y), y != 0 }),
	"INTBITAND":        integer2(func(x, y int64) (int64, bool) { return x & y, true }),
	"INTBITOR":         integer2(func(x, y int64) (int64, bool) { return x | y, true }),
	"INTBITXOR":        integer2(func(x, y int64) (int64, bool) { return x ^ y, true }),
	"INTBITLEFTSHIFT":  integer2(func(x, y int64) (int64, bool) { return x << (uint64(y) & 63), y >= 0 }),
	"INTBITRIGHTSHIFT": integer2(func(x, y int64) (int64, bool) { return x >> (uint64(y) & 63), y >= 0 }),
	"INTBITNOT": {min: 1, max: 1, apply: func(args []value.Value) value.Value {
		if x, ok := args[0].Int(); ok {
			return value.OfInt(^x)
		}
		return value.Value{}
	}},
}

func integer2(apply func(x, y int64) (int64, bool)) function {
	return function{min: 2, max: 2, apply: func(args []value.Value) value.Value {
		x, okX := args[0].Int()
		y, okY := args[1].Int()
		if !okX || !okY {
			return value.Value{}
		}
		z, ok := apply(x, y)
		if !ok {
			return value.Value{}
		}
		return value.OfInt(z)
	}}
}

func quotient(x, y int64) int64 {
	if y == 0 {
		return 0
	}
	return x / y
}

func remainder(x, y int64) int64 {
	if y == 0 {
		return 0
	}
	return x % y
}
