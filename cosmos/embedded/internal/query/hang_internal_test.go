package query

import (
	"context"
	"errors"
	"runtime"
	"strconv"
	"strings"
	"testing"

	"inkfeed/cosmos/embedded/internal/value"
)

// departingClient is the context of a client that disconnects. It is canceled from the given check
// on. Evaluation checks its context after every checkSteps steps, so the number of steps is bounded
// on a machine of any speed.
type departingClient struct {
	context.Context
	departure, looks int
}

func (c *departingClient) Err() error {
	if c.looks++; c.looks >= c.departure {
		return context.Canceled
	}
	return nil
}

// departure is the check at which the clients of most tests disconnect.
const departure = 10

// outcome is how an evaluation ends.
type outcome string

const (
	completed outcome = "completed"
	canceled  outcome = "canceled" // because the client disconnected
	refused   outcome = "refused"  // for too much work or memory
)

// evaluate computes an expression over an item for a client that disconnects at the given check.
// The evaluation must end as wanted, charge at least the given steps for unavoidable work, and stop
// as soon as the client has disconnected.
func evaluate(
	t *testing.T, departure int, expression string, params Params, item value.Value, want outcome, least int,
) value.Value {
	t.Helper()
	stmt, err := Parse("SELECT VALUE " + expression + " FROM c")
	if err != nil {
		t.Fatal(err)
	}
	client := &departingClient{Context: t.Context(), departure: departure}
	env := NewEnv(client, stmt, params)
	env.Bind(item)
	v := env.Project(stmt)
	got := completed
	if failure := new(Error); errors.As(env.Err(), &failure) {
		got = refused
	} else if env.Err() != nil {
		got = canceled
	}
	if got != want {
		t.Errorf("the evaluation is %s, want %s: %v", got, want, env.Err())
	}
	if env.Spent() < least {
		t.Errorf("%d steps are charged, want %d or more", env.Spent(), least)
	}
	if client.looks > departure {
		t.Errorf("the evaluation continues after the client has disconnected: %d checks", client.looks)
	}
	return v
}

func object(name string, v value.Value, more ...value.Member) value.Value {
	return value.OfObject(append([]value.Member{{Name: name, Value: v}}, more...))
}

// TestHugePatterns matches patterns and texts that are as long as a query and an item may
// be. An evaluation completes after the charged steps, or stops when the client disconnects.
func TestHugePatterns(t *testing.T) {
	text := value.OfString(strings.Repeat("a", 2<<20))
	brackets := strings.Repeat("[", MaxText/2)
	const parsing = MaxText / charSteps // the steps of reading a pattern once
	for name, tt := range map[string]struct {
		text    value.Value
		pattern string
		want    outcome
	}{
		"unterminated sets":           {value.OfString(""), strings.Repeat("[", MaxText), completed},
		"unterminated negated sets":   {text, strings.Repeat("[^", MaxText/2), completed},
		"unterminated sets of ranges": {text, strings.Repeat("[a-", MaxText/3), completed},
		"a terminator in the middle":  {text, brackets + "]" + brackets, completed},
		"a long text after any text":  {text, "%" + strings.Repeat("a", MaxText-2) + "b", canceled},
		"a set as long as a query":    {text, "%[" + strings.Repeat("b", MaxText-4) + "]b", canceled},
		"many sets after any text": {text, "%" + strings.Repeat("[ba]", MaxText/4-1) + "b",
			canceled},
		"a long pattern that differs at its beginning": {text, "b" + strings.Repeat("a", MaxText-1), completed},
	} {
		t.Run(name, func(t *testing.T) {
			params, item := Params{"@p": value.OfString(tt.pattern)}, object("s", tt.text)
			v := evaluate(t, departure, "c.s LIKE @p", params, item, tt.want, parsing)
			if tt.want == completed && !v.IsFalse() {
				t.Errorf("%s", v.JSON())
			}
		})
	}
	t.Run("many rows of a huge pattern", func(t *testing.T) {
		const rows = 100_000
		l := value.OfArray(make([]value.Value, rows))
		for i := range l.Elems() {
			l.Elems()[i] = value.OfString("")
		}
		v := evaluate(t, departure, "(SELECT VALUE COUNT(1) FROM t IN c.l WHERE t LIKE @p)",
			Params{"@p": value.OfString(strings.Repeat("%", MaxText-1) + "b")}, object("l", l), completed, rows+parsing)
		if n, _ := v.Int(); n != 0 {
			t.Errorf("%s", v.JSON())
		}
	})
	// A program of 400 times as many instructions is only compiled, not matched. Matching it
	// nests calls so deeply that the race detector needs gigabytes.
	for _, tt := range []struct {
		pattern   string
		departure int
	}{
		{strings.Repeat("(a?){1000}", 400) + "b", 1}, // while the pattern is compiled
		{strings.Repeat("(a?){1000}", 4) + "b", departure},
		{"(((a{0,10}){0,10}){0,10})*b", departure},
		{strings.Repeat("(a|b|ab)*", 400) + "c", departure},
	} {
		t.Run("regular expression "+tt.pattern[:10], func(t *testing.T) {
			evaluate(t, tt.departure, "RegexMatch(c.s, @p)", Params{"@p": value.OfString(tt.pattern)},
				object("s", text), canceled, tt.departure*checkSteps)
		})
	}
}

// numbers returns an array of n numbers, or an object of n members.
func numbers(n int, isObject bool) value.Value {
	members, elems := make([]value.Member, n), make([]value.Value, n)
	for i := range n {
		elems[i] = value.OfInt(int64(i))
		members[i] = value.Member{Name: "member" + strconv.Itoa(i), Value: elems[i]}
	}
	if isObject {
		return value.OfObject(members)
	}
	return value.OfArray(elems)
}

// TestHugeItems evaluates expressions over items of the greatest size whose work grows with
// the square of that size, or which need much memory. An evaluation completes after the charged
// steps, stops when the client disconnects, or is refused before it allocates much.
func TestHugeItems(t *testing.T) {
	const objects, texts = 200_000, 100_000
	empties, names := make([]value.Value, objects), make([]value.Value, texts)
	for i := range empties {
		empties[i] = value.OfObject(nil)
	}
	for i := range names {
		names[i] = value.OfString("member1")
	}
	wide := numbers(100_000, true)
	item := value.OfObject([]value.Member{
		{Name: "empties", Value: value.OfArray(empties)},
		{Name: "lists",
			Value: value.OfArray([]value.Value{wide, value.OfObject([]value.Member{{Name: "a", Value: wide}})})},
		{Name: "texts", Value: value.OfArray(names)},
		{Name: "wide", Value: wide},
		{Name: "commas", Value: value.OfString(strings.Repeat(",", 1<<20))},
		{Name: "cut", Value: value.OfString(strings.Repeat("é", 1<<20))},
	})
	for _, tt := range []struct {
		expression string
		want       outcome
		least      int // steps
	}{
		{"ARRAY_CONTAINS(c.empties, c)", completed, objects},
		{"ARRAY_CONTAINS(c.empties, {a: c.wide}, true)", refused, maxSteps},
		{"ARRAY_CONTAINS(c.lists, c.wide, true)", completed, 100_000},
		{"ARRAY_CONTAINS(c.lists, {a: c.wide}, true)", completed, 100_000},
		{"(SELECT VALUE COUNT(c.wide[t]) FROM t IN c.texts)", canceled, departure * checkSteps},
		{"ARRAY_LENGTH(ARRAY(SELECT VALUE UPPER(c.cut) FROM t IN c.texts))", canceled, departure * checkSteps},
		{"TRIM(c.cut, '" + strings.Repeat("ab", MaxText/2-200) + "é')", completed, MaxText / charSteps},
		{"ARRAY_LENGTH(ARRAY(SELECT VALUE STRINGSPLIT(c.commas, ',') FROM t IN c.texts))", refused, 0},
		{"ARRAY_LENGTH(ARRAY_CONCAT([]" + strings.Repeat(", STRINGSPLIT(c.commas, ',')", 199) + "))", refused, 0},
		{strings.Repeat("ARRAY_CONCAT(STRINGSPLIT(c.commas, ','), ", 150) + "[]" + strings.Repeat(")", 150), refused,
			0},
		{strings.Repeat("[STRINGSPLIT(c.commas, ','), ", 150) + "[]" + strings.Repeat("]", 150), refused, 0},
	} {
		t.Run(tt.expression[:min(len(tt.expression), 40)], func(t *testing.T) {
			var before, after runtime.MemStats
			runtime.ReadMemStats(&before)
			evaluate(t, departure, tt.expression, nil, item, tt.want, tt.least)
			runtime.ReadMemStats(&after)
			// The value that does not fit is built before it is counted.
			if got, most := after.TotalAlloc-before.TotalAlloc, uint64(2*maxHeld); got > most {
				t.Errorf("%d MB are allocated, want at most %d MB", got>>20, most>>20)
			}
		})
	}
}
