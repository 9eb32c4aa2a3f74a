package embedded

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"
)

// readPlan is a query plan as parsed by clients.
type readPlan struct {
	Version int `json:"partitionedQueryExecutionInfoVersion"`
	Info    struct {
		DistinctType string             `json:"distinctType"`
		Top          *int               `json:"top"`
		Offset       *int               `json:"offset"`
		Limit        *int               `json:"limit"`
		OrderBy      []string           `json:"orderBy"`
		OrderExprs   []string           `json:"orderByExpressions"`
		GroupExprs   []string           `json:"groupByExpressions"`
		Aliases      []string           `json:"groupByAliases"`
		Aggregates   []string           `json:"aggregates"`
		Types        map[string]*string `json:"groupByAliasToAggregateType"`
		Rewritten    string             `json:"rewrittenQuery"`
		HasValue     bool               `json:"hasSelectValue"`
	} `json:"queryInfo"`
	Ranges []struct {
		Min          string `json:"min"`
		Max          string `json:"max"`
		MinInclusive bool   `json:"isMinInclusive"`
		MaxInclusive bool   `json:"isMaxInclusive"`
	} `json:"queryRanges"`
}

// String returns the plan without empty parts.
func (p readPlan) String() string {
	var b strings.Builder
	add := func(name string, v any, is bool) {
		if is {
			fmt.Fprintf(&b, "%s=%v ", name, v)
		}
	}
	number := func(name string, n *int) {
		if n != nil {
			add(name, *n, true)
		}
	}
	i := p.Info
	add("distinct", i.DistinctType, i.DistinctType != "None")
	number("top", i.Top)
	number("offset", i.Offset)
	number("limit", i.Limit)
	add("order", i.OrderBy, len(i.OrderBy) > 0)
	add("by", i.OrderExprs, len(i.OrderExprs) > 0)
	add("group", i.GroupExprs, len(i.GroupExprs) > 0)
	add("aggregates", i.Aggregates, len(i.Aggregates) > 0)
	for _, alias := range i.Aliases {
		kind := "null"
		if t := i.Types[alias]; t != nil {
			kind = *t
		}
		add(alias, kind, true)
	}
	add("value", true, i.HasValue)
	return strings.TrimSpace(b.String())
}

func askPlan(t *testing.T, e *Engine, body string, headers ...string) answer {
	t.Helper()
	return send(t, e, "POST", docs, body,
		append([]string{"Content-Type", "application/query+json", "X-Ms-Cosmos-Is-Query-Plan-Request", "True"},
			headers...)...)
}

// TestClientPlans compares plans with those of the service, as recorded in the tests of Microsoft's
// .NET SDK (QueryPlanBaselineTests).
func TestClientPlans(t *testing.T) {
	e, _ := mustEngine(
		t,
		Options{Ranges: 3},
		`{"id":"c","partitionKey":{"paths":["/key"]},"indexingPolicy":{"includedPaths":[{"path":"/*"}],
		"compositeIndexes":[[{"path":"/a"},{"path":"/b","order":"descending"}]]}}`,
	)
	for _, tt := range []struct{ sql, plan, rewritten string }{
		{"SELECT * FROM c", "", ""},
		{"SELECT * FROM Root r ORDER BY r.blah", "order=[Ascending] by=[r.blah]",
			`SELECT r._rid, [{"item": r.blah}] AS orderByItems, r AS payload;FROM Root AS r;WHERE ` +
				`({documentdb-formattableorderbyquery-filter});ORDER BY r.blah ASC`},
		{"SELECT TOP 10 * FROM Root r ORDER BY r.key DESC", "top=10 order=[Descending] by=[r.key]",
			`SELECT TOP 10 r._rid, [{"item": r.key}] AS orderByItems, r AS payload;FROM Root AS r;WHERE ` +
				`({documentdb-formattableorderbyquery-filter});ORDER BY r.key DESC`},
		{"SELECT c.blah, c.blah2 FROM Root c ORDER BY c.key", "order=[Ascending] by=[c.key]",
			`SELECT c._rid, [{"item": c.key}] AS orderByItems, {"blah": c.blah, "blah2": c.blah2} AS payload;FROM ` +
				`Root AS c;WHERE ({documentdb-formattableorderbyquery-filter});ORDER BY c.key ASC`},
		{"SELECT VALUE c.blah FROM Root c ORDER BY c.key", "order=[Ascending] by=[c.key] value=true",
			`SELECT c._rid, [{"item": c.key}] AS orderByItems, c.blah AS payload;FROM Root AS c;WHERE ` +
				`(({documentdb-formattableorderbyquery-filter}) AND IS_DEFINED(c.blah));ORDER BY c.key ASC`},
		{"SELECT * FROM Root r WHERE r.n IN (1, 2) ORDER BY r.a, r.b DESC", "order=[Ascending Descending] by=[r.a r.b]",
			`SELECT r._rid, [{"item": r.a}, {"item": r.b}] AS orderByItems, r AS payload;FROM Root AS r;WHERE ` +
				`((r.n IN (1, 2)) AND ({documentdb-formattableorderbyquery-filter}));ORDER BY r.a ASC, r.b DESC`},
		{"SELECT TOP 50 r[0] FROM r ORDER BY r.key", "top=50 order=[Ascending] by=[r.key]",
			`SELECT TOP 50 r._rid, [{"item": r.key}] AS orderByItems, {"$1": r[0]} AS payload;FROM r;WHERE ` +
				`({documentdb-formattableorderbyquery-filter});ORDER BY r.key ASC`},
		{"SELECT * FROM Root r WHERE r.key = 'key' ORDER BY r.key", "", ""},
		{"SELECT TOP @n * FROM c", "top=42", ""},
		{"SELECT * FROM c OFFSET 1 LIMIT 2", "offset=1 limit=2", "SELECT *;FROM c;OFFSET 0 LIMIT 3"},
		{"SELECT * FROM c WHERE c.blah = 5 OFFSET @n LIMIT 2", "offset=42 limit=2",
			"SELECT *;FROM c;WHERE (c.blah = 5);OFFSET 0 LIMIT 44"},
		{"SELECT * FROM c WHERE c.key = 5 OFFSET 1 LIMIT 2", "", ""},
		{"SELECT * FROM c ORDER BY c.n OFFSET 1 LIMIT 2", "offset=1 limit=2 order=[Ascending] by=[c.n]",
			`SELECT c._rid, [{"item": c.n}] AS orderByItems, c AS payload;FROM c;WHERE ` +
				`({documentdb-formattableorderbyquery-filter});ORDER BY c.n ASC;OFFSET 0 LIMIT 3`},
		{"SELECT DISTINCT c.blah FROM c", "distinct=Unordered", ""},
		{"SELECT DISTINCT VALUE c.blah FROM c ORDER BY c.blah",
			"distinct=Ordered order=[Ascending] by=[c.blah] value=true",
			`SELECT c._rid, [{"item": c.blah}] AS orderByItems, c.blah AS payload;FROM c;WHERE ` +
				`(({documentdb-formattableorderbyquery-filter}) AND IS_DEFINED(c.blah));ORDER BY c.blah ASC`},
		{"SELECT DISTINCT TOP 5 VALUE c.name FROM c", "distinct=Unordered top=5 value=true",
			"SELECT DISTINCT VALUE c.name;FROM c"},
		{"SELECT DISTINCT * FROM c WHERE c.key = 5 OFFSET 1 LIMIT 2", "distinct=Unordered offset=1 limit=2",
			"SELECT DISTINCT *;FROM c;WHERE (c.key = 5)"},
		{"SELECT VALUE COUNT(1) FROM c", "aggregates=[Count] value=true", `SELECT VALUE [{"item": COUNT(1)}];FROM c`},
		{"SELECT VALUE SUM(c.blah) FROM c", "aggregates=[Sum] value=true",
			`SELECT VALUE [{"item": SUM(c.blah)}];FROM c`},
		{"SELECT TOP 5 VALUE AVG(c.name) FROM c", "top=5 aggregates=[Average] value=true",
			`SELECT VALUE [{"item": {"sum": SUM(c.name), "count": COUNT(c.name)}}];FROM c`},
		{"SELECT VALUE MIN(c.blah + 1) FROM c WHERE c.key > 1", "aggregates=[Min] value=true",
			`SELECT VALUE [{"item": MIN((c.blah + 1)), "item2": {"min": MIN((c.blah + 1)), "count": COUNT((c.blah ` +
				`+ 1))}}];FROM c;WHERE (c.key > 1)`},
		{"SELECT VALUE COUNT(1) FROM c WHERE c.key = 5 OFFSET 1 LIMIT 2",
			"offset=1 limit=2 aggregates=[Count] value=true",
			`SELECT VALUE [{"item": COUNT(1)}];FROM c;WHERE (c.key = 5)`},
		{"SELECT SUM(c.blah) FROM c", "$1=Sum", `SELECT {"$1": {"item": SUM(c.blah)}} AS payload;FROM c`},
		{"SELECT AVG(c.blah) AS mean, MAX(c.blah) AS most FROM c", "mean=Average most=Max",
			`SELECT {"mean": {"item": {"sum": SUM(c.blah), "count": COUNT(c.blah)}}, "most": {"item": MAX(c.blah),` +
				` "item2": {"max": MAX(c.blah), "count": COUNT(c.blah)}}} AS payload;FROM c`},
		{"SELECT c.name FROM c WHERE c.key = 5 GROUP BY c.name OFFSET 1 LIMIT 2",
			"offset=1 limit=2 group=[c.name] name=null",
			`SELECT [{"item": c.name}] AS groupByItems, {"name": c.name} AS payload;FROM c;WHERE (c.key = ` +
				`5);GROUP BY c.name`},
		{"SELECT TOP 5 VALUE c.name FROM c GROUP BY c.name", "top=5 group=[c.name] value=true",
			`SELECT [{"item": c.name}] AS groupByItems, c.name AS payload;FROM c;GROUP BY c.name`},
		{"SELECT c.team, COUNT(1) AS n FROM c GROUP BY c.team, c['a b']", `group=[c.team c["a b"]] team=null n=Count`,
			`SELECT [{"item": c.team}, {"item": c["a b"]}] AS groupByItems, {"team": c.team, "n": {"item": ` +
				`COUNT(1)}} AS payload;FROM c;GROUP BY c.team, c["a b"]`},
		{"SELECT VALUE AVG(c.age) FROM c GROUP BY c.name", "group=[c.name] aggregates=[Average] value=true",
			`SELECT [{"item": c.name}] AS groupByItems, [{"item": {"sum": SUM(c.age), "count": COUNT(c.age)}}] AS ` +
				`payload;FROM c;GROUP BY c.name`},
		{"SELECT VALUE COUNTIF(c.valid) FROM c", "aggregates=[CountIf] value=true",
			`SELECT VALUE [{"item": COUNTIF(c.valid)}];FROM c`},
	} {
		t.Run(tt.sql, func(t *testing.T) {
			body,
				_ := json.Marshal(map[string]any{"query": tt.sql,
				"parameters": []any{map[string]any{"name": "@n", "value": 42}}})
			a := askPlan(t, e, string(body)).want(t, 200)
			var p readPlan
			if err := json.Unmarshal([]byte(a.body), &p); err != nil {
				t.Fatal(err)
			}
			if p.Version != 2 || p.String() != tt.plan {
				t.Errorf("got  %s\nwant %s", p, tt.plan)
			}
			want := strings.ReplaceAll(tt.rewritten, ";", "\n")
			if p.Info.Rewritten != want {
				t.Errorf("got  %s\nwant %s", p.Info.Rewritten, want)
			}
			if p.Info.Rewritten == "" {
				return
			}
			sent,
				_ := json.Marshal(map[string]string{"query": strings.ReplaceAll(p.Info.Rewritten,
				"{documentdb-formattableorderbyquery-filter}", "true")})
			for _, rng := range []string{"0", "1", "2"} {
				send(t, e, "POST", docs, string(sent), "Content-Type", "application/query+json", rangeHeader,
					rng).want(t, 200)
			}
		})
	}
}

func TestClientPlanRanges(t *testing.T) {
	one, _ := mustEngine(t, Options{}, plainContainer)
	two, _ := mustEngine(t, Options{}, `{"id":"c","partitionKey":{"paths":["/a","/b"],"kind":"MultiHash","version":2}}`)
	const hashA, hashAnd1 = "3A5381E1114EB8D3FCC90795045B49B7", "20CD98B339BA78A5D0CF6953B87070B0"
	for _, tt := range []struct {
		name   string
		engine *Engine
		sql    string
		header []string
		want   string
	}{
		{"everything", one, "SELECT * FROM c", nil, "[ FF)"},
		{"a key in WHERE", one, "SELECT * FROM c WHERE c.pk = 'a' AND c.x > 1", nil, "[" + hashA + " " + hashA + "]"},
		{"a key in the header", one, "SELECT * FROM c", pk("a"), "[" + hashA + " " + hashA + "]"},
		{"keys listed, in the order of their hashes", one, "SELECT * FROM c WHERE c.pk IN ('a', 12, '', 'a', [1])", nil,
			"[19FD5D8D0EE06FCB7FA8BDD69193DFC3 19FD5D8D0EE06FCB7FA8BDD69193DFC3] " +
				"[32E9366E637A71B4E710384B2F4970A0 32E9366E637A71B4E710384B2F4970A0] [" + hashA + " " + hashA + "]"},
		{"a key among others", one, "SELECT * FROM c WHERE c.pk = 'a' OR c.x = 1", nil, "[ FF)"},
		{"an object is no key", one, "SELECT * FROM c WHERE c.pk = {}", nil, "[ FF)"},
		{"null", one, "SELECT * FROM c WHERE c.pk = null", nil,
			"[378867E4430E67857ACE5C908374FE16 378867E4430E67857ACE5C908374FE16]"},
		{"the beginning of a key", two, "SELECT * FROM c WHERE c.a = 'a'", nil, "[" + hashA + " " + hashA + "FF)"},
		{"a whole key of two", two, "SELECT * FROM c WHERE c.b = 1 AND c.a = 'a'", nil, "[" + hashA + hashAnd1 + " " +
			hashA + hashAnd1 + "]"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			a := askPlan(t, tt.engine, fmt.Sprintf(`{"query":%q}`, tt.sql), tt.header...).want(t, 200)
			var p readPlan
			if err := json.Unmarshal([]byte(a.body), &p); err != nil {
				t.Fatal(err)
			}
			var got []string
			for _, r := range p.Ranges {
				end := ")"
				if r.MaxInclusive {
					end = "]"
				}
				got = append(got, "["+r.Min+" "+r.Max+end)
			}
			if strings.Join(got, " ") != tt.want {
				t.Errorf("got  %s\nwant %s", strings.Join(got, " "), tt.want)
			}
		})
	}
}

func TestClientPlanRefused(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	for sql, says := range map[string]string{
		"SELECT c.name, ABS(AVG(c.age)) AS mean FROM c GROUP BY " +
			"c.name": "Compositions of aggregates and other expressions are not allowed.",
		"SELECT VALUE {sum: SUM(c.a)} FROM c": "Compositions of aggregates and other expressions are " +
			"not allowed.",
		"SELECT * FROM c ORDER BY c.a, c.b":               "composite index",
		"SELECT c.name FROM c OFFSET -1 LIMIT 10":         "SC1001",
		"SELECT c.name FROM c OFFSET 4294967296 LIMIT 10": "SC2060",
		"SELECT TOP @none c.name FROM c":                  "SC2060",
		"SELECT * FROM":                                   "SC1001",
	} {
		a := askPlan(t, e, fmt.Sprintf(`{"query":%q}`, sql)).want(t, 400)
		if !strings.Contains(a.body, says) {
			t.Errorf("%s: %s", sql, a.body)
		}
	}
	t.Run("for a client that cannot merge the results", func(t *testing.T) {
		a := askPlan(t, e, `{"query":"SELECT c.x, COUNT(1) AS n FROM c GROUP BY c.x"}`,
			"X-Ms-Cosmos-Supported-Query-Features", "Aggregate, OrderBy, Top").want(t, 400)
		if !strings.Contains(a.body, "GroupBy") {
			t.Error(a.body)
		}
	})
}

// TestRefusedQueriesCarryTheirPlan checks the plan in the error, which some clients wait for.
func TestRefusedQueriesCarryTheirPlan(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	a := send(t, e, "POST", docs, `{"query":"SELECT * FROM c ORDER BY c.n"}`, "Content-Type", "application/query+json",
		"X-Ms-Documentdb-Query-Enablecrosspartition", "True").want(t, 400)
	var body struct{ AdditionalErrorInfo string }
	var p readPlan
	if err := json.Unmarshal([]byte(a.body), &body); err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal([]byte(body.AdditionalErrorInfo), &p); err != nil {
		t.Fatal(err)
	}
	if a.header.Get("X-Ms-Substatus") != "1004" || p.String() != "order=[Ascending] by=[c.n]" ||
		!strings.HasPrefix(p.Info.Rewritten, "SELECT c._rid, ") {
		t.Errorf("substatus %s, plan %s", a.header.Get("X-Ms-Substatus"), p)
	}
}
