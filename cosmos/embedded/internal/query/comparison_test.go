package query_test

import (
	"fmt"
	"testing"

	"inkfeed/cosmos/embedded/internal/query"
	"inkfeed/cosmos/embedded/internal/value"
)

// evaluate computes a constant expression; undefined is "".
func evaluate(t *testing.T, expression string) string {
	t.Helper()
	stmt, err := query.Parse("SELECT VALUE " + expression)
	if err != nil {
		t.Fatalf("%s: %v", expression, err)
	}
	v := query.Eval(stmt.Items[0].Expr, value.Value{}, nil)
	if !v.Defined() {
		return ""
	}
	return v.JSON()
}

// TestComparisonsAcrossTypes compares one value of each type with every other. Equality is
// defined for any two defined values; an order is defined within a type only. The rules are
// those of PerformBinaryEquality and PerformBinaryInequality in Microsoft's
// ScalarExpressionEvaluator (tests of azure-cosmos-dotnet-v3).
func TestComparisonsAcrossTypes(t *testing.T) {
	values := []string{"null", "true", "1", "'1'", "[]", "{}"}
	for i, a := range values {
		for k, b := range values {
			equal := fmt.Sprint(i == k)
			different := fmt.Sprint(i != k)
			for op, want := range map[string]string{"=": equal, "!=": different, "<>": different} {
				t.Run(fmt.Sprintf("%s %s %s is %s", a, op, b, want), func(t *testing.T) {
					if got := evaluate(t, a+" "+op+" "+b); got != want {
						t.Errorf("got %q", got)
					}
				})
			}
			if i == k {
				continue
			}
			for _, op := range []string{"<", "<=", ">", ">="} {
				t.Run(fmt.Sprintf("%s %s %s is undefined", a, op, b), func(t *testing.T) {
					if got := evaluate(t, a+" "+op+" "+b); got != "" {
						t.Errorf("got %q", got)
					}
				})
			}
		}
		for _, op := range []string{"=", "!=", "<", "<=", ">", ">="} {
			t.Run(fmt.Sprintf("%s %s undefined is undefined", a, op), func(t *testing.T) {
				if got := evaluate(t, a+" "+op+" undefined") + evaluate(t, "undefined "+op+" "+a); got != "" {
					t.Errorf("got %q", got)
				}
			})
		}
	}
}

// TestEqualityInsideOtherOperators tests the operators whose results depend on equality.
func TestEqualityInsideOtherOperators(t *testing.T) {
	for expression, want := range map[string]string{
		"NOT ('x' = null)":                            "true",
		"NOT ('x' != null)":                           "false",
		"NOT (undefined = null) = undefined":          "",
		"{a: 1} = {a: '1'}":                           "false",
		"{a: 1, b: 2} = {b: 2, a: 1}":                 "true",
		"[1, '2'] != [1, 2]":                          "true",
		"1 IN ('1', true, 1)":                         "true",
		"1 IN ('1', null)":                            "false",
		"1 NOT IN ('1', null)":                        "true",
		"1 IN (2, undefined)":                         "false",
		"1 NOT IN (2, undefined)":                     "true",
		"undefined IN (1, undefined)":                 "",
		"undefined NOT IN (1, 2)":                     "",
		"1 BETWEEN '0' AND '2'":                       "",
		"1 BETWEEN 2 AND '2'":                         "false",
		"NOT (1 BETWEEN '0' AND '2')":                 "",
		"('x' != null) ? 1 : 2":                       "1",
		"(undefined = undefined) ? 1 : 2":             "2",
		"('x' = null) ?? 3":                           "false",
		"ARRAY_CONTAINS(['1', null], 1)":              "false",
		"ARRAY_CONTAINS([1, {a: '1'}], {a: 1}, true)": "false",
		"SetIntersect([1, null, 'a'], ['1', false])":  "[]",
		"SetUnion([1, '1', true, null], [1, false])":  `[1,"1",true,null,false]`,
	} {
		t.Run(expression, func(t *testing.T) {
			if got := evaluate(t, expression); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}
