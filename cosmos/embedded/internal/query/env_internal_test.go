package query

import (
	"context"
	"errors"
	"strings"
	"testing"

	"inkfeed/cosmos/embedded/internal/value"
)

// TestWorkIsBounded evaluates expressions that would take forever, with a smaller limit than usual.
func TestWorkIsBounded(t *testing.T) {
	list := "[" + strings.TrimSuffix(strings.Repeat("1,", 2000), ",") + "]"
	item, err := value.Parse(`{"l":` + list + `,"s":"` + strings.Repeat("a", 100_000) + `"}`)
	if err != nil {
		t.Fatal(err)
	}
	joins := "FROM a IN c.l JOIN b IN c.l JOIN d IN c.l JOIN e IN c.l"
	for _, expression := range []string{
		"EXISTS(SELECT 1 " + joins + " WHERE a = 2)",
		"(SELECT VALUE COUNT(1) " + joins + ")",
		"ARRAY(SELECT VALUE a " + joins + ")",
		"ARRAY(SELECT DISTINCT VALUE a " + joins + ")",
		"(SELECT VALUE COUNT(1) FROM a IN c.l WHERE EXISTS(SELECT 1 FROM b IN c.l WHERE EXISTS(SELECT 1 FROM d IN " +
			"c.l WHERE d = 2)))",
		"(SELECT VALUE COUNT(1) FROM a IN c.l JOIN b IN c.l WHERE ARRAY_CONTAINS(c.l, 2))",
		"(SELECT VALUE COUNT(1) FROM a IN c.l JOIN b IN c.l WHERE c.l != c.l)",
		"(SELECT VALUE COUNT(1) FROM a IN c.l JOIN b IN c.l WHERE LENGTH(SetUnion(c.l, c.l)) = 1)",
		"(SELECT VALUE COUNT(1) FROM a IN c.l JOIN b IN c.l WHERE RegexMatch(c.s, '(a|b|ab)*c'))",
		"(SELECT VALUE COUNT(1) FROM a IN c.l JOIN b IN c.l WHERE c.s LIKE '%b%a%b')",
		"(SELECT VALUE COUNT(1) FROM a IN c.l JOIN b IN c.l WHERE StringToArray(ToString(c.l)) = 1)",
		"(SELECT VALUE COUNT(1) FROM a IN c.l JOIN b IN c.l WHERE IS_DEFINED([c.l, c.l]))",
		"(SELECT VALUE COUNT(1) FROM a IN c.l JOIN b IN c.l WHERE LENGTH(c.s || c.s) = 0)",
		"(SELECT VALUE COUNT(1) FROM a IN c.l JOIN b IN c.l WHERE FullTextContains(c.s, 'b'))",
	} {
		stmt, err := Parse("SELECT VALUE " + expression + " FROM c")
		if err != nil {
			t.Fatal(err)
		}
		env := NewEnv(context.Background(), stmt, nil)
		env.limit = 50_000
		env.Bind(item)
		env.Project(stmt)
		if env.Err() == nil {
			t.Errorf("%s: was evaluated completely", expression)
		}
		if env.Spent() > 1_000_000 {
			t.Errorf("%s: took %d steps", expression, env.Spent())
		}
	}
}

func TestEvaluationEndsWithItsContext(t *testing.T) {
	stmt, err := Parse("SELECT VALUE (SELECT VALUE COUNT(1) FROM a IN c.l JOIN b IN c.l) FROM c")
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	env := NewEnv(ctx, stmt, nil)
	env.Bind(value.OfObject([]value.Member{{Name: "l", Value: value.OfArray(make([]value.Value, 1000))}}))
	if env.Project(stmt); !errors.Is(env.Err(), context.Canceled) {
		t.Error(env.Err())
	}
}
