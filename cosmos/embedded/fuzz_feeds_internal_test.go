package embedded

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"testing"

	"inkfeed/cosmos/embedded/internal/catalog"
)

// mustFeeds opens an engine with 40 items under two keys in three ranges. Every third item was
// written twice.
func mustFeeds(f *testing.F) *Engine {
	e, _ := mustEngine(
		f,
		Options{Ranges: 3},
		`{"id":"c","partitionKey":{"paths":["/pk"]},"indexingPolicy":{"compositeIndexes":[[{"path":"/g"},`+
			`{"path":"/n"}]]}}`,
	)
	for i := range 40 {
		key := string("ab"[i%2])
		for range 1 + (i%3)/2 {
			send(f, e, "POST", docs, fmt.Sprintf(`{"id":"%s","pk":"%s","n":%d,"g":%d}`, number(i), key, i, i%5),
				append(pk(key), "X-Ms-Documentdb-Is-Upsert", "True")...)
		}
	}
	return e
}

// feedPage is a page of a feed.
type feedPage struct {
	Documents []struct {
		ID  string
		PK  string
		LSN int64 `json:"_lsn"`
	}
	Count int `json:"_count"`
}

func readPage(t *testing.T, a answer) (p feedPage) {
	t.Helper()
	if err := json.Unmarshal([]byte(a.body), &p); err != nil || p.Count != len(p.Documents) {
		t.Fatalf("%s: %v", a.body, err)
	}
	return p
}

// FuzzContinuation continues from any token, for queries of every kind. With an accepted token no
// item occurs twice, all items belong to the query, and the pages end.
func FuzzContinuation(f *testing.F) {
	queries := []string{"SELECT * FROM c", "SELECT * FROM c ORDER BY c.n DESC", "SELECT * FROM c ORDER BY c.g, c.n",
		"SELECT TOP 7 * FROM c ORDER BY c.n",
		"SELECT * FROM c WHERE c.n > 9 ORDER BY c.n OFFSET 3 LIMIT 8", "SELECT DISTINCT c.g FROM c",
		"SELECT * FROM c WHERE LENGTH(c.id) = 6"}
	e := mustFeeds(f)
	ask := func(t testing.TB, kind uint8, token string) answer {
		q := sql(queries[int(kind)%len(queries)], "")
		return send(t, e, q.method, q.path, q.body, append(q.headers, "X-Ms-Max-Item-Count", "3", "X-Ms-Continuation",
			token)...)
	}
	for kind := range queries {
		token := ""
		for range 3 {
			f.Add(uint8(kind), token)
			f.Add(uint8(kind)+1, token)
			token = ask(f, uint8(kind), token).want(f, 200).header.Get("X-Ms-Continuation")
		}
	}
	for _, token := range []string{"1.1.0.5.0.811c9dc5", "2.1.1.-1.0.0", "{}", "2.1.811c9dc5.99999999999999999999.0.0",
		"2.1.0.0.0.0.", "......", "2.1.0.0.9223372036854775807.9223372036854775807"} {
		f.Add(uint8(0), token)
	}
	f.Fuzz(func(t *testing.T, kind uint8, token string) {
		a := ask(t, kind, token)
		expect(t, a, 200, 400)
		seen := make(map[string]bool)
		for pages := 0; a.status == 200; pages++ {
			page := readPage(t, a)
			for _, d := range page.Documents {
				if d.ID != "" && (seen[d.ID] || d.PK != "a") {
					t.Fatalf("after %q the item %s of %s is returned twice or does not belong to the query", token,
						d.ID, d.PK)
				}
				seen[d.ID] = true
			}
			if len(page.Documents) > 3 || pages > 10 {
				t.Fatalf("%d items on page %d", len(page.Documents), pages)
			}
			next := a.header.Get("X-Ms-Continuation")
			if next == "" {
				break
			}
			a = ask(t, kind, next).want(t, 200)
		}
	})
}

// FuzzChangeFeed reads the feed of a range from any position. The items were written after the LSN
// of the etag and are in order. The etag of the response is the end position.
func FuzzChangeFeed(f *testing.F) {
	e := mustFeeds(f)
	c := e.catalog.Load().Databases["d"].Containers["c"]
	for _, etag := range []string{"", `"0"`, `"5"`, "5", `"999"`, "*", `"-1"`, `""`, "x", `"9223372036854775808"`,
		`""3""`, "+4"} {
		for i, since := range []string{"", "Fri, 15 Jan 2027 08:00:00 UTC", "Fri, 15 Jan 2027 08:00:01 GMT", "x UTC"} {
			f.Add(etag, since, []string{"", "3A5381E1114EB8D3FCC90795045B49B7", "00"}[i%3],
				[]string{"", "FF", "2A"}[i%3], []string{"-1", "3", "0", "x"}[i], strconv.Itoa(i))
		}
	}
	f.Fuzz(func(t *testing.T, etag, since, lower, upper, size, rng string) {
		headers := []string{"A-Im", "Incremental Feed"}
		for i, v := range []string{etag, since, lower, upper, size, rng} {
			if v != "" {
				headers = append(headers, []string{"If-None-Match", "If-Modified-Since", "X-Ms-Start-Epk",
					"X-Ms-End-Epk", "X-Ms-Max-Item-Count", rangeHeader}[i], v)
			}
		}
		a := send(t, e, "GET", docs, "", headers...)
		expect(t, a, 200, 304, 400, 410)
		if a.status >= 400 {
			return
		}
		i := slices.IndexFunc(c.Ranges, func(r *catalog.FeedRange) bool {
			return a.header.Get("X-Ms-Documentdb-Partitionkeyrangeid") == strconv.Itoa(r.ID)
		})
		end, err := strconv.ParseInt(strings.Trim(a.header.Get("Etag"), `"`), 10, 64)
		if i < 0 || err != nil || end < 0 || end > c.Ranges[i].LSN.Load() || a.header.Get("X-Ms-Continuation") != "" {
			t.Fatalf("headers %v", a.header)
		}
		if a.status == 304 {
			if a.body != "" || end != c.Ranges[i].LSN.Load() {
				t.Errorf("no more changes before %d: %v", end, a)
			}
			return
		}
		from, _ := strconv.ParseInt(strings.Trim(etag, `"`), 10, 64)
		seen := make(map[string]bool)
		for _, d := range readPage(t, a).Documents {
			if seen[d.ID] || d.LSN <= from || d.LSN > end {
				t.Fatalf("after %s, to %d: %s", etag, end, a.body)
			}
			from, seen[d.ID] = d.LSN-1, true
		}
		if len(seen) == 0 {
			t.Error("an empty page is no 304")
		}
	})
}

// FuzzQueryBody sends arbitrary request bodies as queries.
func FuzzQueryBody(f *testing.F) {
	for _, seed := range []string{`{"query":"SELECT * FROM c"}`,
		`{"query":"SELECT * FROM c WHERE c.n = @n","parameters":[{"name":"@n","value":3}]}`,
		`{"query":"SELECT VALUE @x FROM c","parameters":[{"name":"@x","value":{"y":[1e999]}}]}`,
		`{"query":"SELECT TOP @n * FROM c ORDER BY c.g, c.n","parameters":[{"name":"@n","value":-1}]}`,
		`{"query":"SELECT * FROM c WHERE c.id IN (@a, @b)","parameters":[{"name":"@a"},{"name":"@b",` +
			`"value":"000004"}]}`, `{"parameters":[]}`, `[]`, `{"query":null}`,
		`{"query":"SELECT * FROM c OFFSET @o LIMIT 9223372036854775807","parameters":[{"name":"@o",` +
			`"value":9223372036854775807}]}`, `{"query":"SELECT * FROM c","parameters":[{"name":"@a"},` +
			`{"name":"@a"}]}`} {
		f.Add(seed, true)
		f.Add(seed, false)
	}
	e := mustFeeds(f)
	f.Fuzz(func(t *testing.T, body string, single bool) {
		headers := []string{"X-Ms-Documentdb-Query", "True", "X-Ms-Documentdb-Query-Enablecrosspartition", "True",
			"X-Ms-Max-Item-Count", "7"}
		if single {
			headers = append(headers, pk("a")...)
		}
		a := send(t, e, "POST", docs, body, headers...)
		expect(t, a, 200, 400)
		if a.status == 200 && !json.Valid([]byte(body)) {
			t.Errorf("the query was served: %s", a.body)
		}
	})
}
