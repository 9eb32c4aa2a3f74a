package embedded

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"inkfeed/cosmos/embedded/internal/items"
	"inkfeed/cosmos/embedded/internal/value"
)

// TestTrapsOnTheWire tests the pitfalls that are visible only on the wire, or that affect SDKs
// other than Go's; see TestTraps.
func TestTrapsOnTheWire(t *testing.T) {
	const plain = plainContainer
	changeFeed := func(t *testing.T, e *Engine, headers ...string) answer {
		t.Helper()
		return send(t, e, "GET", docs, "", append([]string{"A-IM", "Incremental Feed", rangeHeader, "0"},
			headers...)...)
	}

	t.Run("01 a query is recognised by any of its headers", func(t *testing.T) {
		e, _ := mustEngine(t, Options{}, plain)
		create(t, e, `{"id":"1","pk":"a"}`).want(t, 201)
		const text = `{"query":"SELECT VALUE c.id FROM c","id":"query","pk":"a"}`
		for _, mark := range [][]string{
			{"Content-Type", "application/query+json"}, {"Content-Type", "Application/Query+JSON; charset=utf-8"},
			{"X-Ms-Documentdb-Query", "True"}, {"X-Ms-Documentdb-Query", "true"}, {"X-Ms-Documentdb-Isquery", "True"},
			{"X-Ms-Documentdb-Isquery", "TRUE"},
		} {
			a := send(t, e, "POST", docs, text, append(pk("a"), mark...)...).want(t, 200)
			if !strings.Contains(a.body, `["1"]`) {
				t.Errorf("%v: %s", mark, a.body)
			}
		}
		send(t, e, "POST", docs, text, append(pk("a"), "X-Ms-Documentdb-Isquery", "False")...).want(t, 201)
	})
	t.Run("02 a partition key has its version", func(t *testing.T) {
		e, _ := mustEngine(t, Options{}, plain)
		for _, a := range []answer{send(t, e, "GET", "/dbs/d/colls/c", ""), send(t, e, "GET", "/dbs/d/colls", ""),
			send(t, e, "PUT", "/dbs/d/colls/c", plain)} {
			if !strings.Contains(a.want(t, 200).body, `"version":2`) {
				t.Errorf("no version: %s", a.body)
			}
		}
	})
	t.Run("03 ranges that are known are answered 304", func(t *testing.T) {
		e, _ := mustEngine(t, Options{Ranges: 2}, plain)
		etag := send(t, e, "GET", "/dbs/d/colls/c/pkranges", "").want(t, 200).header.Get("Etag")
		a := send(t, e, "GET", "/dbs/d/colls/c/pkranges", "", "A-IM", "Incremental Feed", "If-None-Match", etag).want(t,
			304)
		if a.header.Get("Etag") != etag || a.body != "" {
			t.Errorf("%v", a)
		}
		send(t, e, "GET", "/dbs/d/colls/c/pkranges", "", "If-None-Match", `"other"`).want(t, 200)
	})
	t.Run("04 the account document names the host that was asked", func(t *testing.T) {
		e, _ := mustEngine(t, Options{}, plain)
		r := httptest.NewRequest("GET", "/", nil)
		r.Host = "cosmos.example:8443"
		signAs(e, r, "", "", time.Now())
		var account struct {
			WritableLocations, ReadableLocations []struct{ DatabaseAccountEndpoint string }
		}
		if err := json.Unmarshal([]byte(serve(e, r).want(t, 200).body), &account); err != nil {
			t.Fatal(err)
		}
		for _, l := range slices.Concat(account.WritableLocations, account.ReadableLocations) {
			if l.DatabaseAccountEndpoint != "https://cosmos.example:8443/" {
				t.Errorf("it names %s", l.DatabaseAccountEndpoint)
			}
		}
		if len(account.WritableLocations) != 1 || len(account.ReadableLocations) != 1 {
			t.Errorf("%+v", account)
		}
	})
	t.Run("05 a time in any form other than HTTP's is discarded", func(t *testing.T) {
		e, clock := mustEngine(t, Options{}, plain)
		create(t, e, `{"id":"old","pk":"a"}`).want(t, 201)
		clock.at = clock.at.Add(time.Minute)
		create(t, e, `{"id":"new","pk":"a"}`).want(t, 201)
		at := clock.at.UTC()
		a := changeFeed(t, e, "If-Modified-Since", at.Format(http.TimeFormat)).want(t, 200)
		if !strings.Contains(a.body, `"_count":1}`) || !strings.Contains(a.body, `{"id":"new"`) {
			t.Errorf("since HTTP's form: %s", a.body)
		}
		a = changeFeed(t, e, "If-Modified-Since", at.Add(-time.Hour).Format(http.TimeFormat)).want(t, 200)
		if !strings.Contains(a.body, `"_count":2}`) {
			t.Errorf("since an hour ago: %s", a.body)
		}
		changeFeed(t, e, "If-Modified-Since", at.Add(time.Hour).Format(http.TimeFormat)).want(t, 304)
		for _, text := range []string{at.Format(time.RFC1123), at.Format(time.RFC1123Z), at.Format(time.RFC3339Nano),
			at.Format(time.RFC850),
			at.Format(time.ANSIC), "yesterday", "Sat, 32 Nov 2026 07:55:12 GMT", "Sat, 21 Nov 2026 07:55:12"} {
			a := changeFeed(t, e, "If-Modified-Since", text).want(t, 200)
			if !strings.Contains(a.body, `"_count":2}`) {
				t.Errorf("since %s: %s", text, a.body)
			}
		}
	})
	t.Run("06 keys may have the escapes of JSON, not those of Go", func(t *testing.T) {
		e, _ := mustEngine(t, Options{}, plain)
		for header, body := range map[string]string{
			`["\u0007"]`: `\u0007`, `["\u007f"]`: `\u007f`, `["\ud83d\ude00"]`: `😀`, `["\uD842\udfb7\u91ce"]`: `𠮷野`,
			`["\u00e9"]`: `é`, `["\/"]`: `/`, `["\b\f\n\r\t\\\""]`: `\b\f\n\r\t\\\"`, ` [ "\u0042" ] `: `B`,
		} {
			send(t, e, "POST", docs, `{"id":"1","pk":"`+body+`"}`, keyHeader, header).want(t, 201)
			send(t, e, "GET", docs+"/1", "", keyHeader, header).want(t, 200)
		}
		for _, header := range []string{`["\a"]`, `["\v"]`, `["\x00"]`, `["\x41"]`, `["\U0001f600"]`, `["é"]`,
			"[\"\x7f\"]", `["\'"]`} {
			refusal(t, send(t, e, "GET", docs+"/1", "", keyHeader, header), 400)
		}
	})
	t.Run("07 paths are taken as they are, neither cleaned nor redirected", func(t *testing.T) {
		e, _ := mustEngine(t, Options{}, plain)
		s := mustServe(t, e)
		signed := func(method, path, kind, link string) answer {
			r := httptest.NewRequest(method, "/", nil)
			signAs(e, r, kind, link, time.Now())
			conn := mustDial(t, s,
				fmt.Sprintf(
					"%s %s HTTP/1.1\r\nHost: localhost\r\nX-Ms-Date: %s\r\nAuthorization: %s\r\n%s: [\"a\"]\r\n\r\n",
					method, path, r.Header.Get("X-Ms-Date"), r.Header.Get("Authorization"), keyHeader))
			return readAnswer(t, conn)
		}
		signed("GET", "//dbs//d", "dbs", "dbs/d").want(t, 200)
		signed("GET", "/dbs/d/colls/c/docs/..", "docs", "dbs/d/colls/c/docs/..").want(t, 404) // an item with that id
		signed("DELETE", "/dbs/d/colls/c/docs/..", "docs", "dbs/d/colls/c/docs/..").want(t, 404)
		refusal(t, signed("DELETE", "/dbs/d/colls/c", "docs", "dbs/d/colls/c/docs/.."), 401) // as azcosmos sends it
		refusal(t, signed("GET", "/dbs/d/colls/c/docs", "docs", "dbs/d/colls/c/docs/."), 401)
		send(t, e, "GET", "/dbs/d/colls/c", "").want(t, 200)
		send(t, e, "POST", "/dbs", `{"id":"colls"}`).want(t, 201)
		send(t, e, "POST", "/dbs/colls/colls", `{"id":"docs","partitionKey":{"paths":["/pk"]}}`).want(t, 201)
		send(t, e, "GET", "/dbs/colls/colls/docs", "").want(t, 200)
	})
	t.Run("08 a patch operation without a value means null", func(t *testing.T) {
		e, _ := mustEngine(t, Options{}, plain)
		create(t, e, `{"id":"1","pk":"a","n":1}`).want(t, 201)
		a := send(t, e, "PATCH", docs+"/1", `{"operations":[{"op":"set","path":"/n"},{"op":"add","path":"/m"}]}`,
			pk("a")...).want(t, 200)
		if !strings.HasPrefix(a.body, `{"id":"1","pk":"a","n":null,"m":null,`) {
			t.Errorf("%s", a.body)
		}
	})
	t.Run("09 a key that Go does not escape is refused", func(t *testing.T) {
		e, _ := mustEngine(t, Options{}, plain)
		create(t, e, `{"id":"1","pk":"a"}`).want(t, 201)
		refusal(t, batch(`{"operationType":"Delete","id":"1"},{"operationType":"Delete","id":"say "x""}`).send(t, e),
			400)
		refusal(t, send(t, e, "PATCH", docs+"/1",
			`{"condition":"from c where c.s = "x"","operations":[{"op":"set","path":"/s","value":1}]}`, pk("a")...),
			400)
		if rangeLSN(e) != 1 {
			t.Error("a refused request changed the data")
		}
	})
	t.Run("10 a refusal of 403 has no substatus that Go retries", func(t *testing.T) {
		e, _ := mustEngine(t, Options{}, plain)
		r := httptest.NewRequest("GET", "/dbs/d", nil)
		signAs(e, r, "dbs", "dbs/d", time.Now().Add(-time.Hour))
		unique := `{"id":"c","partitionKey":{"paths":["/pk"]},"uniqueKeyPolicy":{"uniqueKeys":[{"paths":["/u"]}]}}`
		for _, a := range []answer{serve(e, r), send(t, e, "PUT", "/dbs/d/colls/c", unique)} {
			if refusal(t, a, 403); a.header.Get("X-Ms-Substatus") != "" {
				t.Errorf("%v", a.header)
			}
		}
	})
	t.Run("12 an answer with return=minimal has no body", func(t *testing.T) {
		e, _ := mustEngine(t, Options{}, plain)
		minimal := []string{"Prefer", "return=minimal"}
		a := create(t, e, `{"id":"1","pk":"a"}`, minimal...).want(t, 201)
		b := batch(`{"operationType":"Upsert","resourceBody":{"id":"1","pk":"a"}}`)
		b.headers = append(b.headers, minimal...)
		results := b.send(t, e).want(t, 200).body
		if a.body != "" || a.header.Get("Etag") == "" || !strings.Contains(results, `"eTag":"\"`) ||
			strings.Contains(results, "resourceBody") {
			t.Errorf("%v, %s", a, results)
		}
	})
	t.Run("13 the status is 207 only after a failure, in bulk too", func(t *testing.T) {
		e, _ := mustEngine(t, Options{}, plain)
		bulk(t, e, 200, []string{bulkCreate("a"), bulkCreate("b")})
		results := bulk(t, e, 207, []string{bulkCreate("a"), bulkCreate("c")})
		if results[0].StatusCode != 409 || results[1].StatusCode != 201 {
			t.Errorf("%+v", results)
		}
		const again = `{"operationType":"Create","resourceBody":{"id":"1","pk":"a"}}`
		a := batch(`{"operationType":"Create","resourceBody":{"id":"2","pk":"a"}},`+again+
			`,{"operationType":"Read","id":"1"}`).send(t, e).want(t, 207)
		var statuses []struct{ StatusCode int }
		if err := json.Unmarshal([]byte(a.body), &statuses); err != nil ||
			fmt.Sprint(statuses) != "[{424} {409} {424}]" {
			t.Errorf("%s, %v", a.body, err)
		}
	})
	t.Run("14 the change feed's etag is the LSN of the range, and items have _lsn", func(t *testing.T) {
		e, _ := mustEngine(t, Options{}, plain)
		create(t, e, `{"id":"1","pk":"a"}`).want(t, 201)
		create(t, e, `{"id":"2","pk":"a"}`).want(t, 201)
		send(t, e, "DELETE", docs+"/2", "", pk("a")...).want(t, 204)
		a := changeFeed(t, e).want(t, 200)
		if a.header.Get("Etag") != `"3"` || !strings.HasSuffix(a.body, `,"_lsn":1}],"_count":1}`) {
			t.Errorf("%s: %s", a.header.Get("Etag"), a.body)
		}
		a = changeFeed(t, e, "If-None-Match", `"3"`).want(t, 304)
		if a.header.Get("Etag") != `"3"` {
			t.Errorf("%v", a.header)
		}
		create(t, e, `{"id":"3","pk":"a"}`).want(t, 201)
		if a := changeFeed(t, e, "X-Ms-Max-Item-Count", "1").want(t, 200); a.header.Get("Etag") != `"1"` {
			t.Errorf("a page that does not drain the range ends at %s", a.header.Get("Etag"))
		}
	})
	t.Run("14 an etag of a split range is valid for its children", func(t *testing.T) {
		e, _ := mustEngine(t, Options{}, plain)
		write := func(id string) {
			for i := range 20 {
				key := number(i)
				send(t, e, "POST", docs, fmt.Sprintf(`{"id":"%s","pk":"%s"}`, id, key), pk(key)...).want(t, 201)
			}
		}
		write("before")
		etag := changeFeed(t, e).want(t, 200).header.Get("Etag")
		if err := e.Split(t.Context(), "d", "c", "0"); err != nil {
			t.Fatal(err)
		}
		refusal(t, changeFeed(t, e, "If-None-Match", etag), 410)
		changed := func() (bodies string, all int) {
			for _, rng := range e.catalog.Load().Databases["d"].Containers["c"].Ranges {
				a := changeFeed(t, e, rangeHeader, fmt.Sprint(rng.ID), "If-None-Match", etag)
				bodies += a.body
				all += strings.Count(a.body, `"_lsn":`)
			}
			return bodies, all
		}
		if bodies, n := changed(); n != 0 {
			t.Errorf("changes were returned twice: %s", bodies)
		}
		write("after")
		if bodies, n := changed(); n != 20 || strings.Contains(bodies, "before") {
			t.Errorf("%d changes: %s", n, bodies)
		}
	})
	t.Run("15 a transaction is one LSN and one page", func(t *testing.T) {
		e, _ := mustEngine(t, Options{}, plain)
		batch(list(5, func(i int) string {
			return fmt.Sprintf(`{"operationType":"Create","resourceBody":{"id":"%d","pk":"a"}}`, i)
		})).send(t, e).want(t, 200)
		create(t, e, `{"id":"9","pk":"a"}`).want(t, 201)
		a := changeFeed(t, e, "X-Ms-Max-Item-Count", "2").want(t, 200)
		if strings.Count(a.body, `"_lsn":1}`) != 5 || !strings.Contains(a.body, `"_count":5}`) ||
			a.header.Get("Etag") != `"1"` {
			t.Errorf("%s: %s", a.header.Get("Etag"), a.body)
		}
	})
	t.Run("17 metrics are returned on request", func(t *testing.T) {
		e, _ := mustEngine(t, Options{}, plain)
		for header, metrics := range map[string]string{
			"X-Ms-Documentdb-Populatequerymetrics": "X-Ms-Documentdb-Query-Metrics",
			"X-Ms-Cosmos-Populateindexmetrics":     "X-Ms-Cosmos-Index-Utilization",
		} {
			for _, ask := range []string{"True", "true", "False"} {
				q := sql("SELECT * FROM c", "")
				q.headers = append(q.headers, header, ask)
				if got := q.send(t, e).want(t, 200).header.Get(metrics); (got != "") != (ask != "False") {
					t.Errorf("%s %s: %q", header, ask, got)
				}
			}
		}
	})
	t.Run("18 the offers of a container without throughput are an empty list", func(t *testing.T) {
		e, _ := mustEngine(t, Options{}, plain)
		a := send(t, e, "POST", "/offers", `{"query":"SELECT * FROM c WHERE c.offerResourceId = 'none'"}`,
			"X-Ms-Documentdb-Query", "True").want(t, 200)
		if !strings.Contains(a.body, `"Offers":[]`) || !strings.Contains(a.body, `"_count":0`) {
			t.Errorf("%s", a.body)
		}
	})
	t.Run("19 ids and parents of ranges are text", func(t *testing.T) {
		e, _ := mustEngine(t, Options{Ranges: 3}, plain)
		var feed struct {
			PartitionKeyRanges []struct {
				ID                      *string
				Parents                 []string
				OwnedArchivalPKRangeIds []string
			}
		}
		a := send(t, e, "GET", "/dbs/d/colls/c/pkranges", "").want(t, 200)
		if err := json.Unmarshal([]byte(a.body), &feed); err != nil || len(feed.PartitionKeyRanges) != 3 {
			t.Fatal(a.body, err)
		}
		for _, r := range feed.PartitionKeyRanges {
			if r.ID == nil || r.Parents == nil || r.OwnedArchivalPKRangeIds == nil {
				t.Errorf("%+v in %s", r, a.body)
			}
		}
	})
	t.Run("20 a recreated container has another rid, with the right bytes", func(t *testing.T) {
		e, _ := mustEngine(t, Options{}, plain)
		seen := make(map[string]bool)
		for range 5 {
			a := send(t, e, "GET", "/dbs/d/colls/c", "").want(t, 200)
			var c struct {
				RID string `json:"_rid"`
			}
			if err := json.Unmarshal([]byte(a.body), &c); err != nil {
				t.Fatal(err)
			}
			b, err := base64.StdEncoding.DecodeString(strings.ReplaceAll(c.RID, "-", "/"))
			if err != nil || len(b) != 8 || b[4]&0x80 == 0 || seen[c.RID] {
				t.Errorf("%s is %x, %v", c.RID, b, err)
			}
			if got := a.header.Get("X-Ms-Content-Path"); got != c.RID {
				t.Errorf("the content path is %s", got)
			}
			seen[c.RID] = true
			send(t, e, "DELETE", "/dbs/d/colls/c", "").want(t, 204)
			send(t, e, "POST", "/dbs/d/colls", plain).want(t, 201)
		}
	})
	t.Run("21 hashes only go up to 3F", func(t *testing.T) {
		e, _ := mustEngine(t, Options{Ranges: 7}, plain)
		c := e.catalog.Load().Databases["d"].Containers["c"]
		owned := make(map[int]int)
		for i := range 1000 {
			hash := c.HashKey([]value.Value{value.OfString(number(i))})
			if len(hash) != 16 || hash[0] > 0x3F {
				t.Fatalf("%x", hash)
			}
			owned[c.RangeOf(hash).ID]++
		}
		for _, r := range c.Ranges {
			if r.Min >= "40" || owned[r.ID] < 1000/7/2 {
				t.Errorf("the range from %q to %q owns %d of 1000 keys", r.Min, r.Max, owned[r.ID])
			}
		}
	})
	t.Run("22 a missing key is not null", func(t *testing.T) {
		e, _ := mustEngine(t, Options{}, plain)
		send(t, e, "POST", docs, `{"id":"1"}`, keyHeader, "[{}]").want(t, 201)
		send(t, e, "POST", docs, `{"id":"1","pk":null}`, keyHeader, "[null]").want(t, 201)
		for header, want := range map[string]string{"[{}]": `{"id":"1","_rid":`,
			"[null]": `{"id":"1","pk":null,"_rid":`} {
			if a := send(t, e, "GET", docs+"/1", "", keyHeader, header).want(t, 200); !strings.HasPrefix(a.body, want) {
				t.Errorf("%s: %s", header, a.body)
			}
		}
		for header, item := range map[string]string{"[{}]": `{"id":"2","pk":null}`, "[null]": `{"id":"2"}`} {
			a := send(t, e, "POST", docs, item, keyHeader, header)
			if refusal(t, a, 400); a.header.Get("X-Ms-Substatus") != "1001" {
				t.Errorf("%v", a.header)
			}
		}
	})
	t.Run("23 an error has a body", func(t *testing.T) {
		e, _ := mustEngine(t, Options{}, plain)
		create(t, e, `{"id":"1","pk":"a"}`).want(t, 201)
		old := httptest.NewRequest("GET", "/", nil)
		signAs(e, old, "", "", time.Now().Add(-time.Hour))
		for want, a := range map[int]answer{
			400: send(t, e, "POST", docs, "nonsense", pk("a")...),
			401: serve(e, httptest.NewRequest("GET", "/", nil)),
			403: serve(e, old),
			404: send(t, e, "GET", docs+"/2", "", pk("a")...),
			405: send(t, e, "PUT", "/dbs", ""),
			409: create(t, e, `{"id":"1","pk":"a"}`),
			410: changeFeed(t, e, rangeHeader, "9"),
			412: send(t, e, "DELETE", docs+"/1", "", append(pk("a"), "If-Match", "x")...),
			413: create(t, e, fill(items.MaxBody+1)),
			501: send(t, e, "GET", "/dbs/d/colls/c/sprocs", ""),
		} {
			refusal(t, a, want)
		}
		throttled, _ := mustEngine(t, Options{Throughput: 1, EnforceThroughput: true}, plain)
		var last answer
		for range 100 { // each costs more than a second's share
			if last = create(t, throttled, `{"id":"1","pk":"a"}`); last.status == 429 {
				break
			}
		}
		refusal(t, last, 429)
		e.Close()
		refusal(t, send(t, e, "GET", "/dbs/d", ""), 503)
	})
	t.Run("26 LSNs grow even if the clock is set back", func(t *testing.T) {
		e, clock := mustEngine(t, Options{}, plain)
		for i := range 5 {
			create(t, e, fmt.Sprintf(`{"id":"%d","pk":"a"}`, i)).want(t, 201)
			clock.at = clock.at.Add(-time.Hour)
		}
		rest := changeFeed(t, e).want(t, 200).body
		for i := range 5 {
			_, after, found := strings.Cut(rest, fmt.Sprintf(`{"id":"%d"`, i))
			if !found {
				t.Fatalf("item %d is out of order", i)
			}
			rest = after
		}
	})
	t.Run("27 a slash may end the path of an offer", func(t *testing.T) {
		e, _ := mustEngine(t, Options{}, plain)
		send(t, e, "POST", "/dbs/d/colls", `{"id":"o","partitionKey":{"paths":["/pk"]}}`, "X-Ms-Offer-Throughput",
			"400").want(t, 201)
		_, id, _ := strings.Cut(send(t, e, "GET", "/offers", "").want(t, 200).body, `"_self":"offers/`)
		id, _, _ = strings.Cut(id, `/"`)
		send(t, e, "GET", "/offers/"+id+"/", "").want(t, 200)
		send(t, e, "GET", "/offers/"+id, "").want(t, 200)
		// The same holds for other resources. Python's SDK ends every path with a slash, which the
		// service accepts, unlike Microsoft's emulator in Rust.
		for _, path := range []string{"/dbs/", "/dbs/d/", "/dbs/d/colls/c/", docs + "/"} {
			send(t, e, "GET", path, "").want(t, 200)
		}
	})
	t.Run("28 paths with two slashes, ranges signed as their container, binary batches", func(t *testing.T) {
		e, _ := mustEngine(t, Options{}, plain)
		r := httptest.NewRequest("GET", "https://localhost//dbs/d/colls/c/pkranges", nil)
		signAs(e, r, "pkranges", "dbs/d/colls/c", time.Now())
		serve(e, r).want(t, 200)
		binary := batch("")
		binary.body = "\x81\xff\xff\xff\x7f\x0a\x00\x00\x00\x00"
		refusal(t, binary.send(t, e), 400)
	})
	t.Run("29 If-None-Match makes reads conditional, creates not", func(t *testing.T) {
		e, _ := mustEngine(t, Options{}, plain)
		a := create(t, e, `{"id":"1","pk":"a"}`, "If-None-Match", "*").want(t, 201)
		create(t, e, `{"id":"1","pk":"a"}`, "If-None-Match", "*").want(t, 409)
		create(t, e, `{"id":"1","pk":"a"}`, "If-None-Match", `"0"`).want(t, 409)
		for etag, want := range map[string]int{"*": 304, a.header.Get("Etag"): 304, strings.Trim(a.header.Get("Etag"),
			`"`): 200, `"0"`: 200} {
			send(t, e, "GET", docs+"/1", "", append(pk("a"), "If-None-Match", etag)...).want(t, want)
		}
	})
	t.Run("30 an answer without a body has no length, and the connection stays open", func(t *testing.T) {
		e, _ := mustEngine(t, Options{}, plain)
		etag := create(t, e, `{"id":"1","pk":"a"}`).want(t, 201).header.Get("Etag")
		for _, a := range []answer{
			send(t, e, "GET", docs+"/1", "", append(pk("a"), "If-None-Match", etag)...).want(t, 304),
			changeFeed(t, e, "If-None-Match", "*").want(t, 304),
			batch(`{"operationType":"Create","resourceBody":{"id":"2","pk":"a"}}`).send(t, e).want(t, 200),
			send(t, e, "DELETE", docs+"/2", "", pk("a")...).want(t, 204),
		} {
			// net/http would drop some of these by itself.
			_, announced := a.header["Content-Length"]
			_, typed := a.header["Content-Type"]
			if has := a.body != ""; announced != has || typed != has || has != (a.status == 200) {
				t.Errorf("%d: %v, %q", a.status, a.header, a.body)
			}
		}
		s := mustServe(t, e)
		request := func(method, extra string) string {
			r := httptest.NewRequest(method, docs+"/1", nil)
			signAs(e, r, "docs", "dbs/d/colls/c/docs/1", time.Now())
			return fmt.Sprintf(
				"%s %s/1 HTTP/1.1\r\nHost: localhost\r\nX-Ms-Date: %s\r\nAuthorization: %s\r\n%s: [\"a\"]\r\n%s\r\n",
				method, docs, r.Header.Get("X-Ms-Date"), r.Header.Get("Authorization"), keyHeader, extra)
		}
		conn := mustDial(t, s, request("GET", "If-None-Match: "+etag+"\r\n")+request("DELETE", "")+request("GET", ""))
		in := bufio.NewReader(conn)
		for _, want := range []int{304, 204, 404} {
			resp, err := http.ReadResponse(in, nil)
			if err != nil {
				t.Fatal(err)
			}
			body, err := io.ReadAll(resp.Body)
			if err != nil || resp.StatusCode != want || bytes.HasPrefix(body, []byte("{")) != (want == 404) {
				t.Errorf("%d %q, %v", resp.StatusCode, body, err)
			}
			if _, announced := resp.Header["Content-Length"]; announced && want != 404 {
				t.Errorf("%d announces a body: %v", want, resp.Header)
			}
		}
	})
}
