package query

import (
	"context"
	"strings"
	"testing"
	"time"

	"inkfeed/cosmos/embedded/internal/value"
)

// evaluate computes an expression over c.s and c.l, with a deadline that stands for the
// client that goes away.
func evaluate(t *testing.T, expression string, params Params, item value.Value) (value.Value, error) {
	t.Helper()
	stmt, err := Parse("SELECT VALUE " + expression + " FROM c")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), 200*time.Millisecond)
	defer cancel()
	env := NewEnv(ctx, stmt, params)
	env.Bind(item)
	began := time.Now()
	v := env.Project(stmt)
	if took := time.Since(began); took > 5*time.Second {
		t.Errorf("%s took %v", expression, took)
	}
	return v, env.Err()
}

func object(name string, v value.Value, more ...value.Member) value.Value {
	return value.OfObject(append([]value.Member{{Name: name, Value: v}}, more...))
}

// TestHugePatterns matches patterns and texts that are as long as a query and an item may
// be. It comes to an end, be it that of the client's patience.
func TestHugePatterns(t *testing.T) {
	text := value.OfString(strings.Repeat("a", 2<<20))
	for name, tt := range map[string]struct {
		text    value.Value
		pattern string
	}{
		"sets that do not end":           {value.OfString(""), strings.Repeat("[", MaxText)},
		"sets that do not end, negated":  {text, strings.Repeat("[^", MaxText/2)},
		"sets of ranges that do not end": {text, strings.Repeat("[a-", MaxText/3)},
		"an end in the midst":            {text, strings.Repeat("[", MaxText/2) + "]" + strings.Repeat("[", MaxText/2)},
		"much after any text":            {text, "%" + strings.Repeat("a", MaxText-2) + "b"},
		"a set as long as a query":       {text, "%[" + strings.Repeat("b", MaxText-4) + "]b"},
		"many sets after any text":       {text, "%" + strings.Repeat("[ba]", MaxText/4-1) + "b"},
		"much that differs at its begin": {text, "b" + strings.Repeat("a", MaxText-1)},
	} {
		t.Run(name, func(t *testing.T) {
			v, err := evaluate(t, "c.s LIKE @p", Params{"@p": value.OfString(tt.pattern)}, object("s", tt.text))
			if err == nil && !v.IsFalse() {
				t.Errorf("%s", v.JSON())
			}
		})
	}
	t.Run("many rows of a huge pattern", func(t *testing.T) {
		l := value.OfArray(make([]value.Value, 100_000))
		for i := range l.Elems() {
			l.Elems()[i] = value.OfString("")
		}
		v, err := evaluate(t, "(SELECT VALUE COUNT(1) FROM t IN c.l WHERE t LIKE @p)",
			Params{"@p": value.OfString(strings.Repeat("%", MaxText-1) + "b")}, object("l", l))
		if n, _ := v.Int(); err == nil && n != 0 {
			t.Errorf("%s", v.JSON())
		}
	})
	for _, pattern := range []string{strings.Repeat("(a?){1000}", 400) + "b", "(((a{0,10}){0,10}){0,10})*b", strings.Repeat("(a|b|ab)*", 400) + "c"} {
		t.Run("regular expression "+pattern[:10], func(t *testing.T) {
			v, err := evaluate(t, "RegexMatch(c.s, @p)", Params{"@p": value.OfString(pattern)}, object("s", text))
			if err == nil && !v.IsFalse() {
				t.Errorf("%s", v.JSON())
			}
		})
	}
}
