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

// TestChargeOfManyCountedItems counts more items than SQLite samples for the charge. Their mean size
// is charged, so items of one size are charged exactly as if they were loaded.
func TestChargeOfManyCountedItems(t *testing.T) {
	e, _ := mustEngine(t, Options{}, `{"id":"c","partitionKey":{"paths":["/pk"]},"defaultTtl":-1,
		"indexingPolicy":{"includedPaths":[{"path":"/*"},{"path":"/n/?"}]}}`)
	for i := range 100 {
		for key, size := range map[string]int{"a": 2000, "b": 40 * (i % 50)} {
			item := fmt.Sprintf(`{"id":"%d","pk":%q,"n":%d,"s":%q}`, i, key, 100+i, strings.Repeat("x", size))
			create(t, e, item, keyHeader, `["`+key+`"]`).want(t, 201)
		}
	}
	charge := func(t *testing.T, text, key string) float64 {
		q := sql(text, "")
		q.headers = []string{"Content-Type", "application/query+json", keyHeader, key}
		a := q.send(t, e).want(t, 200)
		if !strings.Contains(a.body, `"Documents":[90]`) {
			t.Errorf("%s: %s", text, a.body)
		}
		return a.charge(t)
	}
	const counted = "SELECT VALUE COUNT(1) FROM c WHERE c.n >= 110"
	const loaded = "SELECT VALUE COUNT(c.id) FROM c WHERE c.n >= 110"
	t.Run("items of one size cost as much as if they were loaded", func(t *testing.T) {
		wantCharge(t, charge(t, counted, `["a"]`), charge(t, loaded, `["a"]`), 0)
	})
	t.Run("items of different sizes cost nearly as much", func(t *testing.T) {
		wantCharge(t, charge(t, counted, `["b"]`), charge(t, loaded, `["b"]`), 0.1)
	})
	t.Run("the same count costs the same again", func(t *testing.T) {
		wantCharge(t, charge(t, counted, `["b"]`), charge(t, counted, `["b"]`), 0)
	})
}

// TestCountsAcceptLongLists counts the items of a list of 11,000 ids. SQLite cannot bind so many values
// once for each part of a count.
func TestCountsAcceptLongLists(t *testing.T) {
	e, _ := mustEngine(t, Options{}, `{"id":"c","partitionKey":{"paths":["/pk"]},"defaultTtl":-1}`)
	for _, id := range []string{"1", "10999", "11000"} {
		create(t, e, `{"id":"`+id+`","pk":"a"}`).want(t, 201)
	}
	ids := list(11_000, func(i int) string { return fmt.Sprintf("'%d'", i) })
	a := sql("SELECT VALUE COUNT(1) FROM c WHERE c.id IN ("+ids+")", "").send(t, e).want(t, 200)
	if !strings.Contains(a.body, `"Documents":[2]`) {
		t.Errorf("answered %s", a.body)
	}
}

// BenchmarkCount counts 5,000 comments of 1 KB, beside as many likes.
func BenchmarkCount(b *testing.B) {
	e, _ := mustEngine(b, Options{}, `{"id":"c","partitionKey":{"paths":["/postId"]},"defaultTtl":-1,
		"indexingPolicy":{"includedPaths":[{"path":"/userId/?"}],"excludedPaths":[{"path":"/*"}],
		"compositeIndexes":[[{"path":"/type"},{"path":"/place"}]]}}`)
	const comments, each = 5000, 50
	for i := range comments / each {
		var ops []string
		for k := range each {
			for _, kind := range []string{"comment", "like"} {
				n := i*each + k
				ops = append(ops, fmt.Sprintf(`{"operationType":"Create","resourceBody":{"id":"%s%d","postId":"p",`+
					`"type":%q,"place":"%06d","text":%q}}`, kind, n, kind, n, strings.Repeat("x", 1000)))
			}
		}
		send(b, e, "POST", docs, "["+strings.Join(ops, ",")+"]", atomicBatch("p")...).want(b, 200)
	}
	q := sql("SELECT VALUE COUNT(1) FROM c WHERE c.postId = 'p' AND c.type = 'comment' AND c.place < '1'", "")
	q.headers = []string{"Content-Type", "application/query+json", keyHeader, `["p"]`}
	for b.Loop() {
		if a := q.send(b, e).want(b, 200); !strings.Contains(a.body, "[5000]") {
			b.Fatal(a.body)
		}
	}
}
