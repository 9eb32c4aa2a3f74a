package locale

// decimal is a number with a fixed number of decimals.
type decimal struct {
	value  float64
	places int
}

// Decimal returns a number with this many decimals, as the language writes it.
func Decimal(value float64, places int) Message {
	return Message{verbatim, []any{"text", decimal{value, places}}}
}
