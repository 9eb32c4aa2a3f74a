package query_test

import (
	"runtime/debug"
	"strings"
	"testing"

	"inkfeed/cosmos/embedded/internal/pushdown"
	"inkfeed/cosmos/embedded/internal/query"
	"inkfeed/cosmos/embedded/internal/value"
)

// TestLongQueries runs with a small stack. Accepted queries must not need more.
func TestLongQueries(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(64 << 20))
	long := func(operator string, n int) string { return "c.a" + strings.Repeat(operator+"c.a", n) }
	parens := strings.Repeat("(", 50) + "c.a" + strings.Repeat(strings.Repeat("+1", 4000)+")", 50)
	item, err := value.Parse(`{"a":1}`)
	if err != nil {
		t.Fatal(err)
	}
	for _, tt := range []struct {
		name, expression string
		accepted         bool
	}{
		{"a sum of 262,000", "1" + strings.Repeat("+1", 262_000-100), false},
		{"comparisons of comparisons", long("=", 100_000), false},
		{"membership of membership", "c.a" + strings.Repeat(" IN (1)", 60_000), false},
		{"sums spread over parentheses", parens, false},
		{"a sum of 1,000", long("+", 1000), true},
		{"2,000 times AND", long(" AND ", 2000), true},
		{"2,000 times OR", long(" OR ", 2000), true},
		{"?? without end", long("??", 80_000), true},
		{"|| without end", long("||", 80_000), true},
		{"items named one by one", "(c.id = 'i' AND c.pk = 'p')" + strings.Repeat(" OR (c.id = 'i' AND c.pk = 'p')",
			1999), true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, text := range []string{"SELECT VALUE " + tt.expression + " FROM c",
				"SELECT * FROM c WHERE " + tt.expression} {
				stmt, err := query.Parse(text)
				if accepted := err == nil; accepted != tt.accepted {
					t.Fatalf("accepted: %v (%.100v)", accepted, err)
				}
				if err != nil {
					continue
				}
				f := pushdown.Compile(stmt, &pushdown.Schema{KeyPaths: []string{"/pk"}, KeyColumn: "pk",
					EncodeKey: func([]value.Value) []byte { return nil }}, nil)
				if f.Residual != nil {
					query.Eval(f.Residual, item, nil)
				}
				for _, i := range stmt.Items {
					query.Eval(i.Expr, item, nil)
				}
			}
		})
	}
}

func TestLongChainsKeepTheirMeaning(t *testing.T) {
	item, err := value.Parse(`{"t":true,"f":false,"s":"b"}`)
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"c.t AND c.t AND c.t AND c.f AND c.x":   "false",
		"c.t AND c.t AND c.x AND c.t":           "",
		"c.f OR c.x OR c.f OR c.t OR c.x":       "true",
		"c.x ?? c.y ?? c.s ?? c.t ?? 1":         `"b"`,
		"'a' || c.s || 'c' || 'd' || 'e'":       `"abcde"`,
		"'a' || c.s || 'c' || 1 || 'e'":         "",
		"100 - 1 - 2 - 3":                       "94",
		"c.f OR c.t AND c.t AND c.f OR NOT c.f": "true",
	} {
		stmt, err := query.Parse("SELECT VALUE " + text + " FROM c")
		if err != nil {
			t.Fatal(err)
		}
		got := ""
		if v := query.Eval(stmt.Items[0].Expr, item, nil); v.Defined() {
			got = v.JSON()
		}
		if got != want {
			t.Errorf("%s: got %q, want %q", text, got, want)
		}
	}
}
