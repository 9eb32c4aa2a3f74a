package embedded

import (
	"fmt"
	"strings"
	"testing"

	"inkfeed/cosmos/embedded/internal/value"
)

// mustRanges opens an engine whose container has two feed ranges and 20 partition keys with one
// item each. It returns the keys of each range.
func mustRanges(t *testing.T) (*Engine, [2][]string) {
	t.Helper()
	e, _ := mustEngine(t, Options{Ranges: 2}, plainContainer)
	var keys [2][]string
	for i := range 20 {
		key := fmt.Sprintf("k%d", i)
		a := send(t, e, "POST", docs, fmt.Sprintf(`{"id":"1","pk":%q,"n":%d}`, key, i), pk(key)...).want(t, 201)
		n := 0
		if a.header.Get(rangeHeader) == "1" {
			n = 1
		}
		keys[n] = append(keys[n], key)
	}
	if len(keys[0]) == 0 || len(keys[1]) == 0 {
		t.Fatal("one range has all keys")
	}
	return e, keys
}

func TestChangeFeedBounds(t *testing.T) {
	e, keys := mustRanges(t)
	middle := e.catalog.Load().Databases["d"].Containers["c"].Ranges[1].Min
	feed := func(headers ...string) answer {
		return send(t, e, "GET", docs, "", append([]string{"A-IM", "Incremental feed"}, headers...)...)
	}
	bounds := func(from, to string, more ...string) answer {
		return feed(append([]string{"X-Ms-Start-Epk", from, "X-Ms-End-Epk", to}, more...)...)
	}
	gone := func(t *testing.T, a answer) {
		t.Helper()
		if a.want(t, 410).header.Get("X-Ms-Substatus") != "1002" {
			t.Errorf("%v", a.header)
		}
	}
	count := func(t *testing.T, a answer, want int) {
		t.Helper()
		if !strings.Contains(a.want(t, 200).body, fmt.Sprintf(`"_count":%d}`, want)) {
			t.Errorf("not %d items: %s", want, a.body)
		}
	}
	t.Run("across both ranges is gone", func(t *testing.T) { gone(t, bounds("", "FF")) })
	t.Run("across the middle is gone", func(t *testing.T) { gone(t, bounds("10", "30")) })
	t.Run("without an end is gone", func(t *testing.T) { gone(t, bounds("10", "")) })
	t.Run("past the end of the named range is gone", func(t *testing.T) { gone(t, bounds("", "FF", rangeHeader, "0")) })
	t.Run("before the named range is gone", func(t *testing.T) { gone(t, bounds("", "FF", rangeHeader, "1")) })
	t.Run("of another range than the named one is gone",
		func(t *testing.T) { gone(t, bounds("", "10", rangeHeader, "1")) })
	t.Run("of exactly the first range", func(t *testing.T) { count(t, bounds("", middle), len(keys[0])) })
	t.Run("of exactly the last range", func(t *testing.T) { count(t, bounds(middle, "FF"), len(keys[1])) })
	t.Run("to an end above all hashes", func(t *testing.T) { count(t, bounds(middle, "FFFF"), len(keys[1])) })
	t.Run("of everything, for one key", func(t *testing.T) { count(t, bounds("", "FF", pk(keys[1][0])...), 1) })
}

func TestChangeFeedOfASnapshot(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	create(t, e, `{"id":"1","pk":"a"}`).want(t, 201)
	create(t, e, `{"id":"2","pk":"a"}`).want(t, 201)
	// The state between the commit of the second item and the update of its LSN.
	c := e.catalog.Load().Databases["d"].Containers["c"]
	c.Ranges[0].LSN.Store(1)
	a := send(t, e, "GET", docs, "", "A-IM", "Incremental feed").want(t, 200)
	if !strings.Contains(a.body, `"_count":1}`) || a.header.Get("Etag") != `"1"` {
		t.Errorf("the change feed is ahead of its LSN: %s, etag %s", a.body, a.header.Get("Etag"))
	}
	c.Ranges[0].LSN.Store(2)
	a = send(t, e, "GET", docs, "", "A-IM", "Incremental feed", "If-None-Match", `"1"`).want(t, 200)
	if !strings.Contains(a.body, `"id":"2"`) || !strings.Contains(a.body, `"_count":1}`) {
		t.Errorf("the later change is missing: %s", a.body)
	}
}

func TestQueryOfARangeAndAKey(t *testing.T) {
	e, keys := mustRanges(t)
	ask := func(sql string, headers ...string) string {
		body := fmt.Sprintf(`{"query":%q}`, sql)
		return send(t, e, "POST", docs, body, append(headers, "Content-Type", "application/query+json")...).want(t,
			200).body
	}
	for own, keys := range keys {
		for n := range 2 {
			want := 0
			if n == own {
				want = 1
			}
			id := fmt.Sprint(n)
			where := fmt.Sprintf(" FROM c WHERE c.pk = '%s'", keys[0])
			if got := ask("SELECT VALUE COUNT(1)"+where, rangeHeader, id); !strings.Contains(got,
				fmt.Sprintf(`"Documents":[%d]`, want)) {
				t.Errorf("key of range %d, count in range %d: %s", own, n, got)
			}
			for _, sql := range []string{"SELECT *" + where, "SELECT *" + where + " ORDER BY c.n",
				"SELECT DISTINCT c.id" + where, "SELECT TOP 5 *" + where} {
				if got := ask(sql, rangeHeader, id); !strings.Contains(got, fmt.Sprintf(`"_count":%d}`, want)) {
					t.Errorf("key of range %d, in range %d, %s: %s", own, n, sql, got)
				}
			}
		}
	}
}

func TestQueryOfARangeAndAKeyPrefix(t *testing.T) {
	e, _ := mustEngine(t, Options{Ranges: 2}, `{"id":"c","partitionKey":{"paths":["/a","/b"],"kind":"MultiHash"}}`)
	in := [2]int{}
	for i := range 20 {
		key := fmt.Sprintf(`["x","%d"]`, i)
		a := send(t, e, "POST", docs, fmt.Sprintf(`{"id":"1","a":"x","b":"%d"}`, i), keyHeader, key).want(t, 201)
		if a.header.Get(rangeHeader) == "1" {
			in[1]++
		} else {
			in[0]++
		}
	}
	for n, want := range in {
		for _, headers := range [][]string{{}, {keyHeader, `["x"]`}} {
			headers = append(headers, rangeHeader, fmt.Sprint(n), "Content-Type", "application/query+json")
			a := send(t, e, "POST", docs, `{"query":"SELECT VALUE COUNT(1) FROM c WHERE c.a = 'x'"}`,
				headers...).want(t, 200)
			if !strings.Contains(a.body, fmt.Sprintf(`"Documents":[%d]`, want)) {
				t.Errorf("range %d: got %s, want %d", n, a.body, want)
			}
		}
	}
}

func TestQueryOfAKeyPrefixIsServedWithinOneRange(t *testing.T) {
	e, _ := mustEngine(t, Options{Ranges: 2}, `{"id":"c","partitionKey":{"paths":["/a","/b"],"kind":"MultiHash"}}`)
	for i := range 3 {
		item := fmt.Sprintf(`{"id":"1","a":"x","b":"%d","n":%[1]d}`, i)
		for _, a := range []string{"x", "y"} {
			send(t, e, "POST", docs, strings.Replace(item, "x", a, 1), keyHeader,
				fmt.Sprintf(`["%s","%d"]`, a, i)).want(t, 201)
		}
	}
	queries := map[string]string{
		"SELECT VALUE COUNT(1) FROM c":               "[3]",
		"SELECT VALUE c.n FROM c ORDER BY c.n DESC":  "[2,1,0]",
		"SELECT TOP 1 VALUE c.n FROM c ORDER BY c.n": "[0]",
		"SELECT DISTINCT VALUE c.a FROM c":           `["x"]`,
	}
	ask := func(query string, headers ...string) answer {
		return send(t, e, "POST", docs, fmt.Sprintf(`{"query":%q}`, query), append(headers,
			"Content-Type", "application/query+json", "X-Ms-Documentdb-Query-Enablecrosspartition", "True")...)
	}
	where := func(query string) string { return strings.Replace(query, "FROM c", "FROM c WHERE c.a = 'x'", 1) }
	for query, want := range queries {
		for _, a := range []answer{ask(query, keyHeader, `["x"]`), ask(where(query))} {
			if !strings.Contains(a.want(t, 200).body, `"Documents":`+want) {
				t.Errorf("%s: got %s, want %s", query, a.body, want)
			}
		}
	}
	c := e.catalog.Load().Databases["d"].Containers["c"]
	prefix := c.HashKey([]value.Value{value.OfString("x")})
	send(t, e, "POST", "/dbs/d/colls/c/pkranges", fmt.Sprintf(`{"range":"%d","at":"%X20"}`, c.RangeOf(prefix).ID,
		prefix)).want(t, 201)
	for query := range queries {
		refusal(t, ask(query, keyHeader, `["x"]`), 400)
		refusal(t, ask(where(query)), 400)
	}
}
