package embedded

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"inkfeed/cosmos/embedded/internal/query"
	"inkfeed/cosmos/embedded/internal/value"
)

// fuzzItems have values of all types at a path with a column, v, and one without, w.
var fuzzItems = func() []string {
	values := []string{"", "null", "false", "true", "-1.5", "0", "1", "2", "9007199254740993", "1e300", `""`, `"a"`,
		`"ab"`, `"b\u0000c"`, `"é"`, `"ÿ"`, `[]`, `[1,"a"]`, `{"x":1}`, `{"x":[1,{"y":"a"}]}`}
	var items []string
	for i, v := range values {
		item := fmt.Sprintf(`{"id":"%c%d"`, 'a'+i%3, i)
		if v != "" {
			item += `,"v":` + v
		}
		if w := values[i*7%len(values)]; w != "" {
			item += `,"w":` + w
		}
		items = append(items, item)
	}
	return items
}()

const fuzzContainer = `{"id":"c","partitionKey":{"paths":["/pk"]},
		"indexingPolicy":{"includedPaths":[{"path":"/*"},{"path":"/v/?"}],
	"compositeIndexes":[[{"path":"/v"},{"path":"/w","order":"descending"}]]}}`

// fuzzEngine has the items under two keys, and returns their values.
func fuzzEngine(f *testing.F) (*Engine, []value.Value) {
	e, _ := mustEngine(f, Options{Ranges: 2, Permissive: true}, fuzzContainer)
	var items []value.Value
	for i, text := range fuzzItems {
		key, headers := `,"pk":"a"}`, pk("a")
		if i%4 == 0 {
			key, headers = "}", []string{keyHeader, "[{}]"}
		}
		a := send(f, e, "POST", docs, text+key, headers...).want(f, 201)
		item, err := value.Parse(a.body)
		if err != nil {
			f.Fatal(err)
		}
		items = append(items, item)
	}
	return e, items
}

func askAll(t *testing.T, e *Engine, text string, headers ...string) (answer, []string) {
	body,
		_ := json.Marshal(map[string]any{"query": text, "parameters": []any{map[string]any{"name": "@p", "value": "a"},
		map[string]any{"name": "@n", "value": 1}}})
	a := send(t, e, "POST", docs, string(body),
		append([]string{"Content-Type", "application/query+json", "X-Ms-Documentdb-Query-Enablecrosspartition", "True",
			"X-Ms-Max-Item-Count", "-1"}, headers...)...)
	var page struct{ Documents []json.RawMessage }
	if a.status == 200 {
		if err := json.Unmarshal([]byte(a.body), &page); err != nil {
			t.Fatalf("%q: %v", text, err)
		}
	}
	var rows []string
	for _, d := range page.Documents {
		rows = append(rows, string(d))
	}
	return a, rows
}

// FuzzFilter compares the results of SQLite and Go together with those of Go alone.
func FuzzFilter(f *testing.F) {
	for _, seed := range []string{
		"c.v = 1", "c.v != 'a'", "NOT (c.v > 0)", "c.v < c.w", "c.v >= 'a' AND c.w <= 2", "c.v BETWEEN 0 AND 'a'",
		"c.v IN (1, 'a', null, true)", "NOT (c.v IN (1)) OR c.w = 2",
		"IS_DEFINED(c.v) = false", "NOT IS_NULL(c.v)", "STARTSWITH(c.v, 'a')", "STARTSWITH(c.id, @p)",
		"c.pk = 'a' AND c.v = @n", "c.pk = undefined OR c.v", "NOT IS_DEFINED(c.pk)",
		"c.id IN ('a0', 'b1') AND c.v = null", "c._ts > 0 AND c.v = [1,'a']", "c.v = {'x': 1}",
		"c.v.x = 1 ? c.w : NOT c.w", "EXISTS(SELECT VALUE 1 FROM x IN c.v WHERE x = 1)",
		"c.v ?? c.w ?? true", "1 < c.v AND 'a' > c.w", "c.v != null AND c.w != 1", "c.v NOT IN (1, undefined)",
		"(SELECT VALUE c.w WHERE c.v != 1) = 2 OR c.v >>> 1 = 1",
		"(c.id = 'a0' AND c.pk = 'a') OR (c.id = 'b1' AND c.pk = 'a')", "c.v LIKE '%a%' AND c.v[0] = 1",
		"c.v = 9007199254740992", "c.id > 'b' AND NOT (c.id <= 'b5')",
	} {
		f.Add(seed)
	}
	e, items := fuzzEngine(f)
	f.Fuzz(func(t *testing.T, where string) { compareFilter(t, e, items, where) })
}

// FuzzFilterTree does the same with valid filters that are generated from choices.
func FuzzFilterTree(f *testing.F) {
	for seed := range uint64(200) {
		random := rand.New(rand.NewPCG(seed, 1))
		choices := make([]byte, 60)
		for i := range choices {
			choices[i] = byte(random.Uint32())
		}
		f.Add(choices)
	}
	e, items := fuzzEngine(f)
	f.Fuzz(func(t *testing.T, choices []byte) {
		g := grower{choices: choices}
		compareFilter(t, e, items, g.condition(0))
	})
}

// grower generates expressions from a list of choices, and the first choice after its end.
type grower struct{ choices []byte }

func (g *grower) pick(options ...string) string { return options[g.choose(len(options))] }

func (g *grower) choose(n int) int {
	if len(g.choices) == 0 {
		return 0
	}
	c := int(g.choices[0])
	g.choices = g.choices[1:]
	return c % n
}

func (g *grower) condition(depth int) string {
	if depth > 4 {
		return g.comparison()
	}
	switch g.choose(8) {
	case 0, 1, 2:
		return g.comparison()
	case 3:
		return "NOT (" + g.condition(depth+1) + ")"
	case 4, 5:
		return "(" + g.condition(depth+1) + " AND " + g.condition(depth+1) + ")"
	case 6:
		return "(" + g.condition(depth+1) + " OR " + g.condition(depth+1) + ")"
	}
	return "(" + g.condition(depth+1) + " ? " + g.condition(depth+1) + " : " + g.path() + ")"
}

func (g *grower) comparison() string {
	switch g.choose(8) {
	case 0, 1, 2:
		return g.path() + " " + g.operator() + " " + g.constant()
	case 3:
		return g.constant() + " " + g.operator() + " " + g.path()
	case 4:
		return g.path() + " " + g.pick("IN", "NOT IN") + " (" + g.constant() + ", " + g.constant() + ", " +
			g.constant() + ")"
	case 5:
		return g.path() + " " + g.pick("BETWEEN", "NOT BETWEEN") + " " + g.constant() + " AND " + g.constant()
	case 6:
		return g.pick("IS_DEFINED", "IS_NULL", "IS_STRING", "IS_ARRAY") + "(" + g.path() + ")"
	}
	return g.pick("STARTSWITH", "CONTAINS", "ENDSWITH") + "(" + g.path() + ", " + g.constant() + g.pick("", "",
		", true") + ")"
}

func (g *grower) operator() string { return g.pick("=", "!=", "<", "<=", ">", ">=") }

func (g *grower) path() string {
	return g.pick("c.v", "c.w", "c.id", "c.pk", "c._ts", "c.v.x", "c['v']", "c.none", "c.v[0]")
}

func (g *grower) constant() string {
	return g.pick("1", "'a'", "null", "true", "false", "undefined", "0", "-1.5", "2", "9007199254740993",
		"9007199254740992", "1e300", "''", "'ab'", `"b\u0000c"`, "'é'", "'ÿ'", "'z'",
		"[]", "[1, 'a']", "{'x': 1}", "@p", "@n", "@none", "1 + 1", "'a' || 'b'", "'a0'", "'b1'", "1.5e-7")
}

// compareFilter runs a filter in both ways: over all keys and over one.
func compareFilter(t *testing.T, e *Engine, items []value.Value, where string) {
	t.Helper()
	upper := strings.ToUpper(where)
	if strings.Contains(upper, "RAND") || strings.Contains(upper, "CURRENT") {
		return
	}
	text := "SELECT VALUE c.id FROM c WHERE " + where
	stmt, err := query.Parse(text)
	if err != nil || stmt.Grouped() || len(stmt.OrderBy) > 0 || stmt.Offset != nil || len(stmt.GroupBy) > 0 {
		return
	}
	params := query.Params{"@p": value.OfString("a"), "@n": value.OfInt(1)}
	for _, headers := range [][]string{nil, pk("a")} {
		var want []string
		for _, item := range items {
			if (headers == nil || item.Member("pk").Str() == "a") && query.Eval(stmt.Where, item, params).IsTrue() {
				want = append(want, item.Member("id").JSON())
			}
		}
		a, got := askAll(t, e, text, headers...)
		if a.status == 400 {
			return // because of its work
		}
		slices.Sort(want)
		slices.Sort(got)
		if a.status != 200 || !slices.Equal(got, want) {
			t.Errorf("%s: status %d, got %v, want %v", where, a.status, got, want)
		}
	}
}

// FuzzQuery searches for queries that fail in the engine, and for plans whose rewritten query the
// engine rejects.
func FuzzQuery(f *testing.F) {
	for _, seed := range []string{
		"SELECT * FROM c ORDER BY c.v", "SELECT TOP 3 c.v, c.w AS x FROM c ORDER BY c.v, c.w DESC",
		"SELECT DISTINCT VALUE c.v FROM c ORDER BY c.v DESC", "SELECT VALUE AVG(c.v) FROM c",
		"SELECT c.v, COUNT(1), MAX(c.w) AS m FROM c GROUP BY c.v OFFSET 1 LIMIT 2",
		"SELECT VALUE [x, y] FROM c JOIN x IN c.v JOIN y IN x.y", "SELECT * FROM x IN c.v WHERE x != 1",
		"SELECT VALUE (SELECT VALUE MIN(x) FROM x IN c.v) FROM c",
		"SELECT VALUE c['v'][@n - 1].x ?? 'none' FROM root c WHERE c.pk = @p OFFSET 0 LIMIT 5",
		"SELECT VALUE DateTimeAdd('mm', 1, '2020-01-31T00:00:00.0000000Z')",
		"SELECT UPPER(c.v) AS u, SUM(c.w) FROM c GROUP BY UPPER(c.v)",
		"SELECT VALUE {'a': c.v, 'b': [~1, 1 << 2, c.w % 2]} FROM c",
		"SELECT VALUE SUBSTRING(REPLACE(c.v, 'a', 'bb'), 1, 2) FROM c WHERE RegexMatch(c.v, '^[a-b]+$', 'i')",
		"SELECT VALUE ARRAY_SLICE(SetUnion(c.v, c.w), -2) FROM c",
		"SELECT VALUE MAX(c.v) FROM c WHERE c.v != null ORDER BY c.v, c.w DESC",
		"SELECT c.id, (SELECT c.v WHERE c.w = null).v FROM c WHERE ToString(-Infinity) != c.v",
	} {
		f.Add(seed)
	}
	e, _ := fuzzEngine(f)
	f.Fuzz(func(t *testing.T, text string) {
		if a, _ := askAll(t, e, text); a.status != 200 && a.status != 400 {
			t.Errorf("%q: status %d: %s", text, a.status, a.body)
		}
		a, _ := askAll(t, e, text, "X-Ms-Cosmos-Is-Query-Plan-Request", "True")
		if a.status != 200 && a.status != 400 {
			t.Errorf("plan of %q: status %d: %s", text, a.status, a.body)
		}
		var p readPlan
		if a.status != 200 || json.Unmarshal([]byte(a.body), &p) != nil || p.Info.Rewritten == "" {
			return
		}
		rewritten := strings.ReplaceAll(p.Info.Rewritten, "{documentdb-formattableorderbyquery-filter}", "true")
		a, _ = askAll(t, e, rewritten, rangeHeader, "1")
		if a.status != 200 && !strings.Contains(a.body, "SC1003") && !strings.Contains(a.body, "SC300") &&
			!strings.Contains(a.body, "longer than a page") && !strings.Contains(a.body, "SC3101") {
			t.Errorf("%q becomes %q: status %d: %s", text, rewritten, a.status, a.body)
		}
	})
}
