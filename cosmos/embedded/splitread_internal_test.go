package embedded

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"inkfeed/cosmos/embedded/internal/execution"
)

// TestQueryOvertakenByASplit runs a query whose rows move to new ranges between reading the
// catalog and reading the rows.
func TestQueryOvertakenByASplit(t *testing.T) {
	e, keys := mustRanges(t)
	c := e.catalog.Load().Databases["d"].Containers["c"]
	target := &execution.Target{Ranges: c.Ranges}
	if target.Outdated() {
		t.Fatal("the query is reported as overtaken before any split")
	}
	mustSplit(t, e, "0")
	for _, key := range keys[0] {
		send(t, e, "PUT", docs+"/1", fmt.Sprintf(`{"id":"1","pk":%q}`, key), pk(key)...).want(t, 200)
	}
	if !target.Outdated() {
		t.Error("the query is not reported as overtaken, so it misses rows")
	}
}

func TestQueryContinuationsAcrossSplits(t *testing.T) {
	ask := func(t *testing.T, e *Engine, sql, next string, headers ...string) answer {
		return send(t, e, "POST", docs, fmt.Sprintf(`{"query":%q}`, sql), append(headers, "X-Ms-Continuation", next,
			"X-Ms-Max-Item-Count", "2",
			"X-Ms-Documentdb-Query-Enablecrosspartition", "True", "Content-Type", "application/query+json")...)
	}
	pages := func(t *testing.T, e *Engine, sql, next string, headers ...string) (n int) {
		for {
			a := ask(t, e, sql, next, headers...).want(t, 200)
			n += strings.Count(a.body, `"id":`)
			if next = a.header.Get("X-Ms-Continuation"); next == "" {
				return n
			}
		}
	}
	const all = "SELECT c.id, c.pk FROM c"
	t.Run("of all feed ranges", func(t *testing.T) {
		for _, which := range []string{"0", "1"} {
			e, _ := mustRanges(t)
			next := ask(t, e, all, "").want(t, 200).header.Get("X-Ms-Continuation")
			for range 3 {
				next = ask(t, e, all, next).want(t, 200).header.Get("X-Ms-Continuation")
			}
			mustSplit(t, e, which)
			mustSplit(t, e, "2")
			if n := pages(t, e, all, next); n != 12 {
				t.Errorf("split %s: the continuation returns %d of the 12 rows", which, n)
			}
		}
	})
	t.Run("of a split feed range are valid for its halves", func(t *testing.T) {
		e, keys := mustRanges(t)
		next := ask(t, e, all, "", rangeHeader, "0").want(t, 200).header.Get("X-Ms-Continuation")
		mustSplit(t, e, "0")
		n := pages(t, e, all, next, rangeHeader, "2") + pages(t, e, all, next, rangeHeader, "3")
		if n != len(keys[0])-2 {
			t.Errorf("the continuations return %d of the %d rows", n, len(keys[0])-2)
		}
		ask(t, e, all, next, rangeHeader, "1").want(t, 400)
	})
	t.Run("of an ordered query are valid for the halves", func(t *testing.T) {
		const ordered = all + " ORDER BY c.n"
		e, keys := mustRanges(t)
		next := ask(t, e, ordered, "", rangeHeader, "0").want(t, 200).header.Get("X-Ms-Continuation")
		mustSplit(t, e, "0")
		n := pages(t, e, ordered, next, rangeHeader, "2") + pages(t, e, ordered, next, rangeHeader, "3")
		if n != len(keys[0])-2 {
			t.Errorf("the continuations return %d of the %d rows", n, len(keys[0])-2)
		}
	})
	t.Run("that count rows are refused", func(t *testing.T) {
		const counted = "SELECT DISTINCT c.id, c.pk FROM c"
		e, _ := mustRanges(t)
		next := ask(t, e, counted, "", rangeHeader, "1").want(t, 200).header.Get("X-Ms-Continuation")
		ask(t, e, counted, next, rangeHeader, "1").want(t, 200)
		mustSplit(t, e, "1")
		ask(t, e, counted, next, rangeHeader, "2").want(t, 400)
	})
	t.Run("of one partition key", func(t *testing.T) {
		for _, sql := range []string{all, all + " ORDER BY c.n", "SELECT DISTINCT c.id, c.pk FROM c"} {
			e, _ := mustEngine(t, Options{}, plainContainer)
			for i := range 9 {
				create(t, e, fmt.Sprintf(`{"id":"%d","pk":"a","n":%d}`, i, i)).want(t, 201)
			}
			next := ask(t, e, sql, "", pk("a")...).want(t, 200).header.Get("X-Ms-Continuation")
			mustSplit(t, e, "0")
			if n := pages(t, e, sql, next, pk("a")...); n != 7 {
				t.Errorf("%s: the continuation returns %d of the 7 rows", sql, n)
			}
		}
	})
	t.Run("of a feed range that never existed", func(t *testing.T) {
		e, _ := mustRanges(t)
		next := ask(t, e, all, "").want(t, 200).header.Get("X-Ms-Continuation")
		fields := strings.Split(next, ".")
		fields[3] = "77"
		ask(t, e, all, strings.Join(fields, ".")).want(t, 400)
	})
}

// TestScanDuringWritesAfterASplit checks that pages of a scan are not a snapshot. An
// updated item keeps its position, also in its new range. An item that is deleted and created again
// is a new item at the end.
func TestScanDuringWritesAfterASplit(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	for i := range 6 {
		send(t, e, "POST", docs, fmt.Sprintf(`{"id":"%d","pk":"k%d"}`, i, i), pk(fmt.Sprint("k", i))...).want(t, 201)
	}
	rids := map[string]bool{}
	next := ""
	page := func(size string) (ids []string) {
		a := send(t, e, "POST", docs, `{"query":"SELECT c.id, c._rid FROM c"}`, "Content-Type",
			"application/query+json",
			"X-Ms-Documentdb-Query-Enablecrosspartition", "True", "X-Ms-Max-Item-Count", size, "X-Ms-Continuation",
			next).want(t, 200)
		next = a.header.Get("X-Ms-Continuation")
		var body struct {
			Documents []struct {
				ID  string `json:"id"`
				RID string `json:"_rid"`
			}
		}
		if err := json.Unmarshal([]byte(a.body), &body); err != nil {
			t.Fatal(err)
		}
		for _, d := range body.Documents {
			if rids[d.RID] {
				t.Errorf("%s was returned twice as %s", d.ID, d.RID)
			}
			rids[d.RID] = true
			ids = append(ids, d.ID)
		}
		return ids
	}
	if ids := page("3"); fmt.Sprint(ids) != "[0 1 2]" {
		t.Fatal(ids)
	}
	mustSplit(t, e, "0")
	for _, id := range []string{"0", "1", "4"} {
		send(t, e, "PUT", docs+"/"+id, fmt.Sprintf(`{"id":%q,"pk":"k%s"}`, id, id), pk("k"+id)...).want(t, 200)
	}
	for _, id := range []string{"1", "3"} {
		send(t, e, "DELETE", docs+"/"+id, "", pk("k"+id)...).want(t, 204)
		send(t, e, "POST", docs, fmt.Sprintf(`{"id":%q,"pk":"k%s"}`, id, id), pk("k"+id)...).want(t, 201)
	}
	if ids := append(page("2"), page("9")...); fmt.Sprint(ids) != "[4 5 1 3]" || next != "" {
		t.Errorf("%v, %q", ids, next)
	}
}
