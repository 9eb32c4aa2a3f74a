package embedded

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"inkfeed/cosmos/embedded/internal/execution"
)

var idPattern = regexp.MustCompile(`"id":"([^"]*)"`)

// TestOrderedPagesAfterDeletes deletes the items of each page before it requests the next.
func TestOrderedPagesAfterDeletes(t *testing.T) {
	const container = `{"id":"c","partitionKey":{"paths":["/pk"]},
		"indexingPolicy":{"includedPaths":[{"path":"/*"},{"path":"/s/?"}],
		"compositeIndexes":[[{"path":"/a"},{"path":"/b","order":"descending"}],[{"path":"/a"},{"path":"/id"}]]}}`
	long := strings.Repeat("x", 5000)
	items := []string{`{"id":"0","pk":"a","a":1,"b":2,"s":"x"}`, `{"id":"1","pk":"a"}`, `{"id":"2","pk":"a","a":1}`,
		`{"id":"3","pk":"a","a":"t","b":1.5,"s":null}`,
		`{"id":"4","pk":"a","a":1,"b":2,"s":"x"}`, `{"id":"5","pk":"a","b":3}`,
		`{"id":"6","pk":"a","a":1,"b":2,"s":"y"}`, `{"id":"7","pk":"a","a":null,"b":2}`}
	for _, sql := range []string{
		"SELECT * FROM c ORDER BY c.a", "SELECT * FROM c ORDER BY c.a DESC", "SELECT * FROM c ORDER BY c.s",
		"SELECT * FROM c ORDER BY c.s DESC",
		"SELECT * FROM c ORDER BY c.a, c.b DESC", "SELECT * FROM c ORDER BY c.a DESC, c.b",
		"SELECT * FROM c ORDER BY c.a, c.id", "SELECT * FROM c ORDER BY c.a DESC, c.id DESC",
		"SELECT * FROM c ORDER BY c._ts DESC", "SELECT * FROM c ORDER BY c.id DESC", "SELECT * FROM c ORDER BY c.none",
		"SELECT TOP 7 * FROM c", "SELECT TOP 7 * FROM c ORDER BY c.a",
		"SELECT VALUE {id: c.id} FROM c WHERE LENGTH(c.pk) = 1 ORDER BY c.a DESC",
	} {
		for _, deleting := range []bool{false, true} {
			t.Run(fmt.Sprintf("%s, deleting %v", sql, deleting), func(t *testing.T) {
				e, _ := mustEngine(t, Options{}, container)
				for _, item := range items {
					create(t, e, item).want(t, 201)
				}
				ask := func(size, token string) (ids []string, next string) {
					a := send(t, e, "POST", docs, fmt.Sprintf(`{"query":%q}`, sql), append(pk("a"), "Content-Type",
						"application/query+json",
						"X-Ms-Max-Item-Count", size, "X-Ms-Continuation", token)...).want(t, 200)
					for _, m := range idPattern.FindAllStringSubmatch(a.body, -1) {
						ids = append(ids, m[1])
					}
					return ids, a.header.Get("X-Ms-Continuation")
				}
				want, _ := ask("-1", "")
				var got []string
				for token, pages := "", 0; pages == 0 || token != "" && pages < 20; pages++ {
					var ids []string
					ids, token = ask("2", token)
					got = append(got, ids...)
					for _, id := range ids {
						if deleting {
							send(t, e, "DELETE", docs+"/"+id, "", pk("a")...).want(t, 204)
						}
					}
				}
				if fmt.Sprint(got) != fmt.Sprint(want) || len(got) < 7 {
					t.Errorf("got %v, want %v", got, want)
				}
			})
		}
	}
	for _, deleting := range []bool{false, true} {
		t.Run(fmt.Sprintf("sort keys too long for a token, deleting %v", deleting), func(t *testing.T) {
			e, _ := mustEngine(t, Options{}, container)
			for i := range 9 {
				create(t, e, fmt.Sprintf(`{"id":"%d","pk":"a","s":"%s%d"}`, i, long, i)).want(t, 201)
			}
			var got []string
			for token, pages := "", 0; pages == 0 || token != "" && pages < 20; pages++ {
				a := send(t, e, "POST", docs, `{"query":"SELECT c.id FROM c ORDER BY c.s"}`,
					append(pk("a"), "Content-Type", "application/query+json",
						"X-Ms-Max-Item-Count", "2", "X-Ms-Continuation", token)...).want(t, 200)
				if token = a.header.Get("X-Ms-Continuation"); len(token) > 4096 {
					t.Errorf("the continuation has %d bytes", len(token))
				}
				for _, m := range idPattern.FindAllStringSubmatch(a.body, -1) {
					got = append(got, m[1])
				}
				if deleting && pages == 0 { // an item of the first page, but not its last
					send(t, e, "DELETE", docs+"/0", "", pk("a")...).want(t, 204)
				}
				if deleting &&
					pages == 2 { // the page's last item: the next page counts rows and skips as many as were deleted
					send(t, e, "DELETE", docs+"/5", "", pk("a")...).want(t, 204)
				}
			}
			want := "[0 1 2 3 4 5 6 7 8]"
			if deleting {
				want = "[0 1 2 3 4 5 8]"
			}
			if fmt.Sprint(got) != want {
				t.Errorf("got %v, want %s", got, want)
			}
		})
	}
}

// TestContinuationWithADigestOfNoKeys sends a digest without an order. A digest replaces sort keys,
// which only an order has.
func TestContinuationWithADigestOfNoKeys(t *testing.T) {
	for _, sql := range []string{"SELECT TOP 5 * FROM c", "SELECT * FROM c OFFSET 0 LIMIT 5",
		"SELECT DISTINCT c.id FROM c", "SELECT * FROM c"} {
		e, _ := mustEngine(t, Options{}, plainContainer)
		for i := range 4 {
			create(t, e, fmt.Sprintf(`{"id":"%d","pk":"a"}`, i)).want(t, 201)
		}
		ask := func(token string) answer {
			return send(t, e, "POST", docs, fmt.Sprintf(`{"query":%q}`, sql), append(pk("a"), "Content-Type",
				"application/query+json",
				"X-Ms-Max-Item-Count", "2", "X-Ms-Continuation", token)...)
		}
		fields := strings.Split(ask("").want(t, 200).header.Get("X-Ms-Continuation"), ".")
		fields[4] = "2"
		ask(strings.Join(append(fields, execution.DigestMark+"abc"), ".")).want(t, 400)
	}
}
