package query

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"testing"
	"time"

	"inkfeed/cosmos/embedded/internal/value"
)

// evaluate computes an expression over an item, for a client that goes away.
func evaluate(t *testing.T, expression string, params Params, item value.Value, patience time.Duration) (value.Value, error) {
	t.Helper()
	stmt, err := Parse("SELECT VALUE " + expression + " FROM c")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithTimeout(context.Background(), patience)
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
			v, err := evaluate(t, "c.s LIKE @p", Params{"@p": value.OfString(tt.pattern)}, object("s", tt.text), patience)
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
			Params{"@p": value.OfString(strings.Repeat("%", MaxText-1) + "b")}, object("l", l), patience)
		if n, _ := v.Int(); err == nil && n != 0 {
			t.Errorf("%s", v.JSON())
		}
	})
	for _, pattern := range []string{strings.Repeat("(a?){1000}", 400) + "b", "(((a{0,10}){0,10}){0,10})*b", strings.Repeat("(a|b|ab)*", 400) + "c"} {
		t.Run("regular expression "+pattern[:10], func(t *testing.T) {
			v, err := evaluate(t, "RegexMatch(c.s, @p)", Params{"@p": value.OfString(pattern)}, object("s", text), patience)
			if err == nil && !v.IsFalse() {
				t.Errorf("%s", v.JSON())
			}
		})
	}
}

// patience is that of the tests' clients.
const patience = 200 * time.Millisecond

// numbers makes n elements or members.
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

// TestHugeItems evaluates over items as large as there are what needs time by the square
// of that, or memory. It comes to an end.
func TestHugeItems(t *testing.T) {
	empties := make([]value.Value, 200_000)
	texts := make([]value.Value, 100_000)
	for i := range empties {
		empties[i] = value.OfObject(nil)
	}
	for i := range texts {
		texts[i] = value.OfString("member1")
	}
	wide := numbers(100_000, true)
	item := value.OfObject([]value.Member{
		{Name: "empties", Value: value.OfArray(empties)},
		{Name: "lists", Value: value.OfArray([]value.Value{wide, value.OfObject([]value.Member{{Name: "a", Value: wide}})})},
		{Name: "texts", Value: value.OfArray(texts)},
		{Name: "wide", Value: wide},
		{Name: "commas", Value: value.OfString(strings.Repeat(",", 1<<20))},
		{Name: "cut", Value: value.OfString(strings.Repeat("é", 1<<20))},
	})
	for n, expression := range []string{
		"ARRAY_CONTAINS(c.empties, c)",
		"ARRAY_CONTAINS(c.empties, {a: c.wide}, true)",
		"ARRAY_CONTAINS(c.lists, c.wide, true)",
		"ARRAY_CONTAINS(c.lists, {a: c.wide}, true)",
		"(SELECT VALUE COUNT(c.wide[t]) FROM t IN c.texts)",
		"ARRAY_LENGTH(ARRAY(SELECT VALUE UPPER(c.cut) FROM t IN c.texts))",
		"TRIM(c.cut, '" + strings.Repeat("ab", MaxText/2-200) + "é')",
		"ARRAY_LENGTH(ARRAY(SELECT VALUE STRINGSPLIT(c.commas, ',') FROM t IN c.texts))",
		"ARRAY_LENGTH(ARRAY_CONCAT(" + strings.TrimSuffix(strings.Repeat("STRINGSPLIT(c.commas, ','), ", 200), ", ") + "))",
		strings.Repeat("ARRAY_CONCAT(STRINGSPLIT(c.commas, ','), ", 150) + "[]" + strings.Repeat(")", 150),
		strings.Repeat("[STRINGSPLIT(c.commas, ','), ", 150) + "[]" + strings.Repeat("]", 150),
	} {
		t.Run(expression[:min(len(expression), 40)], func(t *testing.T) {
			built := n >= 7
			wait := patience
			if built {
				wait = 20 * time.Second
			}
			_, err := evaluate(t, expression, nil, item, wait)
			if refused := new(Error); built && !errors.As(err, &refused) {
				t.Error(err)
			}
		})
	}
}
