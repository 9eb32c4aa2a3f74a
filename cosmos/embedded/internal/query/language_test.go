package query_test

import (
	"strings"
	"testing"

	"inkfeed/cosmos/embedded/internal/query"
	"inkfeed/cosmos/embedded/internal/value"
)

// TestExpressions evaluates single expressions; "" is undefined.
func TestExpressions(t *testing.T) {
	for expression, want := range map[string]string{
		// >>> shifts zeros in; its operands are integers of 32 bits, its result is unsigned.
		"16 >>> 2":            "4",
		"-1 >>> 0":            "4294967295",
		"-16 >>> 28":          "15",
		"-16 >> 2":            "-4",
		"1 >>> 33":            "0",
		"2 >>> 33":            "1",
		"16 >>> 1 + 1":        "4",
		"0 >>> '1'":           "",
		"5.5 & 1":             "1",
		"-5.9 | 0":            "-5",
		"4294967297 & 3":      "1",
		"1e300 | 0":           "0",
		"6442450944.5 | 0":    "-2147483648",
		"~1.5":                "-2",
		"ToString(NaN)":       `"NaN"`,
		"ToString(Infinity)":  `"Infinity"`,
		"ToString(-Infinity)": `"-Infinity"`,
		"tostring(-(-NaN))":   `"NaN"`,
		"IS_DEFINED(NaN)":     "false",
		"Infinity + 1":        "",
		// Hexadecimal constants, from the documentation's page on constants.
		"0x1F":                   "31",
		"0X0a + 1":               "11",
		"-0xff":                  "-255",
		"0xFFFFFFFFFFFFFFFF":     "1.8446744073709552e+19",
		"0777777777777777777777": "7.777777777777778e+20",
		// NOT binds tighter than comparisons, looser than a dot.
		"NOT 1 = 2":             "",
		"NOT (1 = 2)":           "true",
		"not true = false":      "true",
		"NOT 'x' IN (1)":        "",
		"NOT IS_DEFINED(1)":     "false",
		"NOT NOT true AND true": "true",
		"NOT {a: false}.a":      "true",
		// A scalar subquery without FROM has one row, or none if its condition does not hold.
		"(SELECT VALUE 1 WHERE 1 = 1)":           "1",
		"(SELECT VALUE 1 WHERE 1 = 2)":           "",
		"(SELECT 'x' AS name WHERE true).name":   `"x"`,
		"EXISTS(SELECT 1 WHERE 1 = 2)":           "false",
		"ARRAY(SELECT VALUE 2 WHERE 2 > 1)":      "[2]",
		"(SELECT VALUE COUNT(1) WHERE false)":    "0",
		"[undefined, 1, {a: undefined}]":         "[1,{}]",
		"[1, undefined] = [1]":                   "true",
		"ARRAY_CONTAINS([1], 1, 'x')":            "",
		"ARRAY_CONTAINS([{a: 1}], {a: 1}, true)": "true",
		"REPLACE('abc', '', 'x')":                "",
		"LEFT('abc', 2) || RIGHT('abc', 1)":      `"abc"`,
		"{'value': 1}['value']":                  "1",
		"{'order': 1, 'top': 2}['order']":        "1",
	} {
		t.Run(expression, func(t *testing.T) {
			if got := evaluate(t, expression); got != want {
				t.Errorf("got %q, want %q", got, want)
			}
		})
	}
}

// TestLabels tests the names that projected expressions get without AS.
func TestLabels(t *testing.T) {
	item, err := value.Parse(`{"a":{"b":1},"s":"x"}`)
	if err != nil {
		t.Fatal(err)
	}
	for list, want := range map[string]string{
		"c.a.b":                              `{"b":1}`,
		"c['a']['b']":                        `{"b":1}`,
		"{a: 1}.a":                           `{"a":1}`,
		"(SELECT c.s WHERE c.a.b = 1).s":     `{"s":"x"}`,
		"(SELECT c.s WHERE c.a.b = 2).s, 7":  `{"$1":7}`,
		"[1][0], 2":                          `{"$1":1,"$2":2}`,
		"c.s AS first, c.s last, c.s AS all": `{"first":"x","last":"x","all":"x"}`,
	} {
		t.Run(list, func(t *testing.T) {
			stmt, err := query.Parse("SELECT " + list + " FROM c")
			if err != nil {
				t.Fatal(err)
			}
			env := query.NewEnv(t.Context(), stmt, nil)
			env.Bind(item)
			if got := env.Project(stmt).JSON(); got != want {
				t.Errorf("got %s, want %s", got, want)
			}
		})
	}
}

// TestRefusedQueries tests queries that the service refuses. The reserved words are the keywords of
// Microsoft's grammar (sql.g4 in azure-cosmos-dotnet-v3) that its rule for identifiers leaves out.
func TestRefusedQueries(t *testing.T) {
	type refused struct{ sql, code, message string }
	tests := []refused{
		{"SELECT udf.F(c.a) FROM c", "SC2005", "'F'"},
		{"SELECT VALUE 1 FROM c WHERE udf.isGood(c.a, 1) = true", "SC2005", "'isGood'"},
		{"SELECT * FROM udf", "SC1001", "'udf'"},
		{"SELECT c.a AS 'a b' FROM c", "SC1001", "'a b'"},
		{"SELECT c.naïve FROM c", "SC1010", "ï"},
		{"SELECT VALUE é FROM é", "SC1010", "é"},
		{"SELECT VALUE 1 WHERE 1 = 1", "SC2001", "FROM"},
		{"SELECT VALUE {value: c.a} FROM c", "SC1001", "'value'"},
		{"SELECT * FROM\u00A0c", "SC1010", "\u00A0"},
		{"SELECT VALUE 'a\nb'", "SC1010", "'a"},
		{"SELECT ABS()", "SC2050", "The ABS function requires 1 argument(s)"},
		{"SELECT 0x FROM c", "SC1010", "0x"},
		{"SELECT * FROM c WHERE c.a = NULL", "SC2001", "'NULL'"},
		{"SELECT * FROM c WHERE c.a = True", "SC2001", "'True'"},
		{"SELECT VALUE Undefined FROM c", "SC2001", "'Undefined'"},
		{"SELECT * FROM c WHERE c.a LIKE 'x' ESCAPE @e", "SC1001", "'@e'"},
		{"SELECT *", "SC2001", "'SELECT *' is not valid if FROM clause is omitted."},
		{"SELECT * FROM c JOIN d IN c.l", "SC2040", "'SELECT *' is only valid with a single input set."},
	}
	for _, word := range strings.Fields("and array as asc between by desc distinct escape exists false from group " +
		"in join left like limit not " +
		"null offset or order rank right select top true udf undefined value where VALUE Order") {
		tests = append(tests,
			refused{"SELECT c." + word + " FROM c", "SC1001", "'" + word + "'"},
			refused{"SELECT * FROM c WHERE c.a." + word + " = 1", "SC1001", "'" + word + "'"},
			refused{"SELECT * FROM c ORDER BY c." + word, "SC1001", "'" + word + "'"},
			refused{"SELECT * FROM x IN c." + word, "SC1001", "'" + word + "'"},
			refused{"SELECT c.a AS " + word + " FROM c", "SC1001", "'" + word + "'"},
			refused{"SELECT 1 FROM c AS " + word, "SC1001", "'" + word + "'"},
		)
	}
	for _, tt := range tests {
		t.Run(tt.sql, func(t *testing.T) {
			_, err := query.Parse(tt.sql)
			if err == nil {
				t.Fatal("the query is accepted")
			}
			refusal, ok := err.(*query.Error)
			if !ok || refusal.Code != tt.code || !strings.Contains(refusal.Message, tt.message) {
				t.Errorf("got %v, want %s with %q", err, tt.code, tt.message)
			}
		})
	}
	for _, sql := range []string{
		"SELECT c['value'], c[\"order\"] FROM c WHERE c.a['top'] = 1 ORDER BY c['group']",
		"SELECT c.all, c.first AS last, c.True FROM c", "SELECT c['naïve'] FROM c",
		"SELECT VALUE {'a b': c.a, 'value': 1, all: 2} FROM c",
	} {
		t.Run(sql+" is accepted", func(t *testing.T) {
			if _, err := query.Parse(sql); err != nil {
				t.Error(err)
			}
		})
	}
}

// TestOrderedAggregates tests that ORDER BY is accepted for the single row of an aggregate, as by
// the service. The tests of Microsoft's JavaScript and Python SDKs use it ("SELECT VALUE %s(r.%s)
// FROM r WHERE %s ORDER BY r.%s"). With GROUP BY the service refuses it.
func TestOrderedAggregates(t *testing.T) {
	stmt, err := query.Parse("SELECT VALUE COUNT(r.key) FROM r WHERE r.key > 1 ORDER BY r.key")
	if err != nil {
		t.Fatal(err)
	}
	t.Run("its plan has no order for clients to merge by", func(t *testing.T) {
		plan, err := stmt.Plan(nil, false)
		if err != nil {
			t.Fatal(err)
		}
		const rewritten = "SELECT VALUE [{\"item\": COUNT(r.key)}]\nFROM r\nWHERE (r.key > 1)"
		if len(plan.Order) != 0 || plan.Rewritten != rewritten {
			t.Errorf("%v, %q", plan.Order, plan.Rewritten)
		}
	})
	t.Run("with GROUP BY it is refused", func(t *testing.T) {
		if _, err := query.Parse("SELECT COUNT(1) AS n, c.a FROM c GROUP BY c.a ORDER BY c.a"); err == nil {
			t.Error("the query is accepted")
		}
	})
}
