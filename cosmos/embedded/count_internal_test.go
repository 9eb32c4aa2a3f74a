package embedded

import (
	"fmt"
	"strings"
	"testing"
)

// TestCountsLoadNoItems counts items in SQLite, and one by one with a condition that SQLite cannot
// decide. Counts and charges are equal.
func TestCountsLoadNoItems(t *testing.T) {
	for _, ranges := range []int{1, 3} {
		e, c := mustEngine(
			t,
			Options{Ranges: ranges, Permissive: true},
			`{"id":"c","partitionKey":{"paths":["/pk"]},"defaultTtl":-1,
			"indexingPolicy":{"includedPaths":[{"path":"/*"},{"path":"/n/?"}]}}`,
		)
		for i := range 30 {
			key := fmt.Sprintf("k%d", i%5)
			item := fmt.Sprintf(`{"id":"%d","pk":%q,"n":%d,"s":"%sé"}`, i, key, i, strings.Repeat("x", 100*i))
			if i%6 == 0 {
				item = strings.TrimSuffix(item, "}") + `,"ttl":10}`
			}
			create(t, e, item, keyHeader, `["`+key+`"]`).want(t, 201)
		}
		c.at = c.at.Add(11e9)
		for _, tt := range []struct{ sql, want string }{
			{"SELECT VALUE COUNT(1) FROM c", "[25]"},
			{"SELECT VALUE COUNT(c) FROM c WHERE c.n >= 12", "[15]"},
			{"SELECT VALUE COUNT(1) FROM c WHERE c.n < 0", "[0]"},
			{"SELECT COUNT(1) AS a, COUNT('x') AS b FROM c WHERE c.pk = 'k1'", `[{"a":5,"b":5}]`},
			{"SELECT VALUE {n: COUNT(null)} FROM c WHERE c.pk IN ('k1', 'k2')", `[{"n":10}]`},
			{"SELECT VALUE COUNT(undefined) FROM c", "[0]"},
			{"SELECT VALUE COUNT(1) + COUNT(c.none) FROM c", "[25]"},
			{"SELECT VALUE COUNTIF(1) FROM c", "[0]"},
			{"SELECT VALUE COUNT(1) FROM c OFFSET 1 LIMIT 1", "[]"},
		} {
			body := func(text string) call {
				q := sql(text, "")
				q.headers = []string{"Content-Type", "application/query+json",
					"X-Ms-Documentdb-Query-Enablecrosspartition", "True"}
				return q
			}
			a := body(tt.sql).send(t, e).want(t, 200)
			if !strings.Contains(a.body, `"Documents":`+tt.want) {
				t.Errorf("%d ranges: %s: %s", ranges, tt.sql, a.body)
			}
			one := strings.NewReplacer("COUNT(1)", "COUNT(c.id)", "COUNT(c)", "COUNT(c.id)", "COUNT('x')",
				"COUNT(c.id)", "COUNT(null)", "COUNT(c.id)").Replace(tt.sql)
			b := body(one).send(t, e).want(t, 200)
			if x, y := a.header.Get("X-Ms-Request-Charge"), b.header.Get("X-Ms-Request-Charge"); x != y ||
				a.body != b.body {
				t.Errorf("%d ranges: %s costs %s, %s costs %s: %s", ranges, tt.sql, x, one, y, b.body)
			}
		}
	}
}
