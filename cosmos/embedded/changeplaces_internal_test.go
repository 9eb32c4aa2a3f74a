package embedded

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"inkfeed/cosmos/embedded/internal/value"
)

// allChanges reads the change feed of all ranges to its end. It returns the ids and the last etag.
func allChanges(t *testing.T, e *Engine, etag string, headers ...string) (ids []string, last string) {
	t.Helper()
	for range 100 {
		headers := append([]string{"A-IM", "Incremental feed", "X-Ms-Max-Item-Count", "2"}, headers...)
		if etag != "" {
			headers = append(headers, "If-None-Match", etag)
		}
		a := send(t, e, "GET", docs, "", headers...)
		etag = a.header.Get("Etag")
		if a.status == http.StatusNotModified {
			slices.Sort(ids)
			return ids, etag
		}
		var page struct {
			Documents []struct {
				ID  string `json:"id"`
				LSN int    `json:"_lsn"`
			}
		}
		if err := json.Unmarshal([]byte(a.want(t, 200).body), &page); err != nil {
			t.Fatal(err)
		}
		for _, d := range page.Documents {
			if d.LSN == 0 {
				t.Errorf("no LSN in %s", a.body)
			}
			ids = append(ids, d.ID)
		}
	}
	t.Fatal("the feed does not end")
	return nil, ""
}

func TestChangeFeedOfAllRanges(t *testing.T) {
	fill := func(t *testing.T, e *Engine, from, to int) (ids []string) {
		t.Helper()
		for i := from; i < to; i++ {
			body := fmt.Sprintf(`{"id":"%03d","pk":"k%d"}`, i, i)
			send(t, e, "POST", docs, body, pk(fmt.Sprint("k", i))...).want(t, 201)
			ids = append(ids, fmt.Sprintf("%03d", i))
		}
		return ids
	}
	want := func(t *testing.T, got, want []string) {
		t.Helper()
		if !slices.Equal(got, want) {
			t.Errorf("got %v, want %v", got, want)
		}
	}
	t.Run("each change occurs once over all feed ranges", func(t *testing.T) {
		e, _ := mustEngine(t, Options{Ranges: 3}, plainContainer)
		first := fill(t, e, 0, 20)
		got, etag := allChanges(t, e, "")
		want(t, got, first)
		next := fill(t, e, 20, 30)
		got, etag = allChanges(t, e, etag)
		want(t, got, next)
		got, _ = allChanges(t, e, etag)
		want(t, got, nil)
	})
	t.Run("it can start now", func(t *testing.T) {
		e, _ := mustEngine(t, Options{Ranges: 3}, plainContainer)
		fill(t, e, 0, 20)
		got, etag := allChanges(t, e, "*")
		want(t, got, nil)
		next := fill(t, e, 20, 30)
		got, _ = allChanges(t, e, etag)
		want(t, got, next)
	})
	t.Run("it can start at a time, also in feed ranges that are read later", func(t *testing.T) {
		e, clock := mustEngine(t, Options{Ranges: 3}, plainContainer)
		fill(t, e, 0, 20)
		clock.at = clock.at.Add(time.Hour)
		next := fill(t, e, 20, 40)
		got, _ := allChanges(t, e, "", "If-Modified-Since", clock.at.UTC().Format(http.TimeFormat))
		want(t, got, next)
	})
	t.Run("it continues across splits", func(t *testing.T) {
		e, _ := mustEngine(t, Options{}, plainContainer)
		first := fill(t, e, 0, 20)
		got, etag := allChanges(t, e, "")
		want(t, got, first)
		mustSplit(t, e, "0")
		next := fill(t, e, 20, 30)
		got, etag = allChanges(t, e, etag)
		want(t, got, next)
		mustSplit(t, e, "1")
		next = fill(t, e, 30, 40)
		got, etag = allChanges(t, e, etag)
		want(t, got, next)
		next = fill(t, e, 40, 50)
		mustSplit(t, e, "2")
		got, _ = allChanges(t, e, etag)
		want(t, got, next)
		if got, _ = allChanges(t, e, ""); len(got) != 50 {
			t.Errorf("from the beginning: %v", got)
		}
	})
	for name, split := range map[string]bool{
		"a busy feed range does not delay the others":          false,
		"a feed range that is split does not delay the others": true,
	} {
		t.Run(name, func(t *testing.T) {
			e, _ := mustEngine(t, Options{Ranges: 3}, plainContainer)
			fill(t, e, 0, 20)
			c := e.catalog.Load().Databases["d"].Containers["c"]
			_, etag := allChanges(t, e, "")
			if split {
				mustSplit(t, e, "0")
			}
			next := fill(t, e, 20, 40) // in all ranges
			read := make(map[string]bool)
			for range 2 * len(c.Ranges) { // the busy range has changes before each request
				for i := range 20 {
					key := fmt.Sprint("k", i)
					if c.Ranges[0].Has(c.HashKey([]value.Value{value.OfString(key)})) {
						send(t, e, "POST", docs, fmt.Sprintf(`{"id":"%03d","pk":%q}`, i, key),
							append(pk(key), "X-Ms-Documentdb-Is-Upsert", "True")...).want(t, 200)
					}
				}
				a := send(t, e, "GET", docs, "", "A-IM", "Incremental feed", "If-None-Match", etag).want(t, 200)
				etag = a.header.Get("Etag")
				for _, id := range next {
					read[id] = read[id] || strings.Contains(a.body, `"id":"`+id+`"`)
				}
			}
			for _, id := range next {
				if !read[id] {
					t.Errorf("the change of %s was not read", id)
				}
			}
		})
	}
	t.Run("a continuation for all feed ranges is valid for one of them", func(t *testing.T) {
		e, _ := mustEngine(t, Options{Ranges: 3}, plainContainer)
		fill(t, e, 0, 20)
		_, etag := allChanges(t, e, "")
		for _, id := range []string{"0", "1", "2"} {
			send(t, e, "GET", docs, "", "A-IM", "Incremental feed", rangeHeader, id, "If-None-Match", etag).want(t, 304)
		}
	})
	t.Run("an invalid continuation is refused", func(t *testing.T) {
		e, _ := mustEngine(t, Options{Ranges: 3}, plainContainer)
		for _, etag := range []string{"x", `"0:x"`, `"x:1"`, `"0:1,"`, `"-1"`, `"0:-1"`, `"0:1@x"`, `"0:1@"`, `","`,
			`""`} {
			refusal(t, send(t, e, "GET", docs, "", "A-IM", "Incremental feed", "If-None-Match", etag), 400)
		}
	})
}
