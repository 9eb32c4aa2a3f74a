package embedded

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestHeaderNamesOnTheWire: the older SDKs for JavaScript (3.2.0) and Python (3.1) store headers in
// case-sensitive maps.
func TestHeaderNamesOnTheWire(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	s := mustServe(t, e)
	text := fmt.Sprintf(`{"id":"1","pk":"a","x":%q}`, strings.Repeat("x", 100))
	conn := mustDial(t, s,
		signedHead(e)+fmt.Sprintf("Connection: close\r\nContent-Length: %d\r\n\r\n%s", len(text), text))
	raw, err := io.ReadAll(conn)
	if err != nil {
		t.Fatal(err)
	}
	head, _, _ := strings.Cut(string(raw), "\r\n\r\n")
	for _, name := range []string{"x-ms-request-charge", "x-ms-session-token", "x-ms-activity-id", "etag", "lsn",
		"Content-Type", "Content-Length"} {
		if !strings.Contains(head, "\r\n"+name+": ") {
			t.Errorf("no %s in\n%s", name, head)
		}
	}
}

func TestHeaderNamesInProcess(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	r := mustRequest(t, "GET", "/dbs/d", "")
	signAs(e, r, "dbs", "dbs/d", time.Now())
	resp, err := e.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"x-ms-request-charge", "etag", "content-type"} {
		if resp.Header.Get(name) == "" {
			t.Errorf("no %s in %v", name, resp.Header)
		}
	}
}

func TestParallelQueriesWaitForThePlan(t *testing.T) {
	const parallel, cross = "X-Ms-Documentdb-Query-Parallelizecrosspartitionquery",
		"X-Ms-Documentdb-Query-Enablecrosspartition"
	query := func(headers ...string) []string {
		return append([]string{"Content-Type", "application/query+json", cross, "True"}, headers...)
	}
	const text = `{"query":"SELECT * FROM c"}`
	for _, ranges := range []int{1, 3} {
		e, _ := mustEngine(t, Options{Ranges: ranges}, plainContainer)
		create(t, e, `{"id":"1","pk":"a"}`).want(t, 201)
		a := send(t, e, "POST", docs, text, query(parallel, "true")...)
		if refusal(t, a, 400); a.header.Get("X-Ms-Substatus") != "1004" {
			t.Errorf("substatus %s", a.header.Get("X-Ms-Substatus"))
		}
		var body struct{ AdditionalErrorInfo string }
		var plan struct{ QueryRanges []struct{ Min, Max string } }
		if err := json.Unmarshal([]byte(a.body), &body); err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal([]byte(body.AdditionalErrorInfo), &plan); err != nil || len(plan.QueryRanges) != 1 ||
			plan.QueryRanges[0].Max != "FF" {
			t.Errorf("the plan is %s, %v", body.AdditionalErrorInfo, err)
		}
		send(t, e, "POST", docs, text, query(parallel, "false")...).want(t, 200)
		send(t, e, "POST", docs, text, query(parallel, "true", rangeHeader, "0")...).want(t, 200)
		send(t, e, "POST", docs, text, query(append(pk("a"), parallel, "true")...)...).want(t, 200)
	}
	e, _ := mustEngine(t, Options{Ranges: 3, Permissive: true}, plainContainer)
	send(t, e, "POST", docs, text, query(parallel, "true")...).want(t, 200)
}

func TestIndexingPolicyExcludesTheETag(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	const etag = `/"_etag"/?`
	for policy, want := range map[string][2][]string{
		`{}`:                                {{"/*"}, {etag}},
		`{"indexingMode":"lazy"}`:           {{"/*"}, {etag}},
		`{"includedPaths":[{"path":"/*"}]}`: {{"/*"}, {etag}},
		`{"includedPaths":[{"path":"/"}]}`:  {{"/"}, {etag}},
		`{"excludedPaths":[{"path":"/*"}]}`: {nil, {"/*", etag}},
		`{"excludedPaths":[{"path":"/_etag/?"}],"includedPaths":[{"path":"/*"}]}`: {{"/*"}, {"/_etag/?"}},
		`{"includedPaths":[{"path":"/*"},{"path":"/\"_etag\"/?"}]}`:               {{"/*", etag}, nil},
		`{"includedPaths":[{"path":"/*"}],"excludedPaths":[{"path":"/\"systemMetadata\"/*"}]}`: {{"/*"},
			{`/"systemMetadata"/*`, etag}},
		`{"indexingMode":"none","automatic":false}`: {nil, nil},
	} {
		var got struct {
			IndexingPolicy struct{ IncludedPaths, ExcludedPaths []struct{ Path string } }
		}
		a := send(t, e, "PUT", "/dbs/d/colls/c",
			`{"id":"c","partitionKey":{"paths":["/pk"]},"indexingPolicy":`+policy+`}`).want(t, 200)
		if err := json.Unmarshal([]byte(a.body), &got); err != nil {
			t.Fatal(err)
		}
		for i, list := range [][]struct{ Path string }{got.IndexingPolicy.IncludedPaths,
			got.IndexingPolicy.ExcludedPaths} {
			var paths []string
			for _, entry := range list {
				paths = append(paths, entry.Path)
			}
			if !slices.Equal(paths, want[i]) {
				t.Errorf("%s has %s paths %q, want %q", policy, []string{"included", "excluded"}[i], paths, want[i])
			}
		}
	}
}

func TestDefaultOffers(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	t.Run("a container without a throughput has 400 RU/s", func(t *testing.T) {
		if o := offerOf(t, e, "/dbs/d/colls/c"); o.Content.OfferThroughput != 400 {
			t.Errorf("%+v", o)
		}
		if a := send(t, e, "GET", "/offers", ""); !strings.Contains(a.body,
			`"offerMinimumThroughputParameters":{"maxThroughputEverProvisioned":400`) {
			t.Errorf("got %s", a.body)
		}
	})
	t.Run("it can be replaced", func(t *testing.T) {
		setThroughput(t, e, "/dbs/d/colls/c", `{"offerThroughput":11000}`).want(t, 200)
		if o := offerOf(t, e, "/dbs/d/colls/c"); o.Content.OfferThroughput != 11000 {
			t.Errorf("%+v", o)
		}
	})
	t.Run("a container that shares its database's throughput has none", func(t *testing.T) {
		send(t, e, "POST", "/dbs", `{"id":"shared"}`, "X-Ms-Offer-Throughput", "400").want(t, 201)
		send(t, e, "POST", "/dbs/shared/colls", plainContainer).want(t, 201)
		a := send(t, e, "GET", "/offers", "").want(t, 200)
		if !strings.Contains(a.body, `"_count":2}`) { // the container's offer and the database's
			t.Errorf("got %s", a.body)
		}
	})
	t.Run("an offer with an invalid rid is refused", func(t *testing.T) {
		id := offerOf(t, e, "/dbs/d/colls/c").ID
		refusal(t, send(t, e, "GET", "/offers/"+id+"x", ""), 400)
		refusal(t, send(t, e, "PUT", "/offers/"+id+"x", `{"content":{"offerThroughput":500}}`), 400)
		refusal(t, send(t, e, "GET", "/offers/zzzz", ""), 404)
	})
	t.Run("an offer with another _rid in its body is refused", func(t *testing.T) {
		o := offerOf(t, e, "/dbs/d/colls/c")
		for rid, want := range map[string]int{o.ID: 200, "NotAllowed": 400, "": 400} {
			body := fmt.Sprintf(`{"_rid":%q,"content":{"offerThroughput":500}}`, rid)
			send(t, e, "PUT", "/offers/"+o.ID, body).want(t, want)
		}
		send(t, e, "PUT", "/offers/"+o.ID, `{"_rid":null,"content":{"offerThroughput":500}}`).want(t, 400)
	})
}

func TestPartitionKeyValuesThatAreObjects(t *testing.T) {
	e, _ := mustEngine(t, Options{}, `{"id":"c","partitionKey":{"paths":["/address"]}}`)
	const item = `{"id":"1","address":{"state":"WA"}}`
	send(t, e, "POST", docs, item, keyHeader, "[{}]").want(t, 201)
	send(t, e, "GET", docs+"/1", "", keyHeader, "[{}]").want(t, 200)
	refusal(t, send(t, e, "POST", docs, item, keyHeader, `["WA"]`), 400)
	refusal(t, send(t, e, "POST", docs, `{"id":"2","address":["WA"]}`, keyHeader, "[{}]"), 400)
	send(t, e, "POST", docs, `{"id":"3"}`, keyHeader, "[{}]").want(t, 201)
	send(t, e, "POST", docs, `{"id":"4","address":"x"}`, keyHeader, `["x"]`).want(t, 201)
	query := []string{"Content-Type", "application/query+json", "X-Ms-Documentdb-Query-Enablecrosspartition", "True"}
	for sql, want := range map[string]string{
		"SELECT VALUE c.id FROM c WHERE c.address.state = 'WA'":             `["1"]`,
		"SELECT VALUE c.id FROM c WHERE c.address = 'WA'":                   `[]`,
		"SELECT VALUE c.id FROM c WHERE IS_OBJECT(c.address)":               `["1"]`,
		"SELECT VALUE c.id FROM c WHERE IS_DEFINED(c.address)":              `["1","4"]`,
		"SELECT VALUE c.id FROM c WHERE NOT IS_DEFINED(c.address)":          `["3"]`,
		"SELECT VALUE c.id FROM c WHERE c.address IN ({'state':'WA'})":      `["1"]`,
		"SELECT VALUE c.id FROM c WHERE c.address IN ({'state':'WA'}, 'x')": `["1","4"]`,
		"SELECT VALUE c.id FROM c WHERE c.address NOT IN ({'state':'WA'})":  `["4"]`,
		"SELECT VALUE c.id FROM c WHERE c.address = {'state':'WA'}":         `["1"]`,
	} {
		a := send(t, e, "POST", docs, fmt.Sprintf(`{"query":%q}`, sql), query...).want(t, 200)
		if !strings.Contains(a.body, `"Documents":`+want) {
			t.Errorf("%s: %s", sql, a.body)
		}
	}
}

func TestQuotedPartitionKeyPaths(t *testing.T) {
	for path, item := range map[string]string{
		`/\"level' 1*()\"/\"le/vel2\"`:  `{"id":"1","level' 1*()":{"le/vel2":"a"}}`,
		`/'level\" 1*()'/'le/vel2'`:     `{"id":"1","level\" 1*()":{"le/vel2":"a"}}`,
		`/\"a\\\"b\"/\"c\\\\d\"`:        `{"id":"1","a\"b":{"c\\d":"a"}}`,
		`/plain/\"with \\'apostrophe\"`: `{"id":"1","plain":{"with 'apostrophe":"a"}}`,
	} {
		e, _ := mustEngine(t, Options{}, `{"id":"c","partitionKey":{"paths":["`+path+`"]}}`)
		create(t, e, item).want(t, 201)
		send(t, e, "GET", docs+"/1", "", pk("a")...).want(t, 200)
		refusal(t, create(t, e, `{"id":"2"}`), 400)
	}
	e, _ := mustEngine(t, Options{}, plainContainer)
	for _, path := range []string{`/\"open`, `/'open`, `/\"a\"b`, `/'a'b/c`, `/\"a\\\"`} {
		refusal(t, send(t, e, "POST", "/dbs/d/colls", `{"id":"bad","partitionKey":{"paths":["`+path+`"]}}`), 400)
	}
}

func TestIndexProgressHeaders(t *testing.T) {
	for mode, lazy := range map[string]bool{"consistent": false, "lazy": true, "none": false} {
		e, _ := mustEngine(
			t,
			Options{},
			fmt.Sprintf(
				`{"id":"c","partitionKey":{"paths":["/pk"]},"indexingPolicy":{"indexingMode":%q,"automatic":false}}`,
				mode,
			),
		)
		a := send(t, e, "GET", "/dbs/d/colls/c", "").want(t, 200)
		if got := a.header.Get("x-ms-documentdb-collection-index-transformation-progress"); got != "100" {
			t.Errorf("%s: transformed by %q", mode, got)
		}
		if got := a.header.Get("x-ms-documentdb-collection-lazy-indexing-progress"); (got == "100") != lazy ||
			!lazy && got != "" {
			t.Errorf("%s: indexed by %q", mode, got)
		}
	}
}

func TestUnservedResources(t *testing.T) {
	e, _ := mustEngine(t, Options{Ranges: 2}, plainContainer)
	t.Run("a new container's answer has no session token", func(t *testing.T) {
		a := send(t, e, "POST", "/dbs/d/colls", `{"id":"new","partitionKey":{"paths":["/pk"]}}`).want(t, 201)
		if token, ok := a.header["X-Ms-Session-Token"]; ok {
			t.Errorf("the token %s", token)
		}
	})
	t.Run("conflicts are an empty list", func(t *testing.T) {
		for _, a := range []answer{
			send(t, e, "GET", "/dbs/d/colls/c/conflicts", ""),
			send(t, e, "POST", "/dbs/d/colls/c/conflicts", `{"query":"SELECT * FROM c"}`, "Content-Type",
				"application/query+json"),
		} {
			if !strings.HasSuffix(a.want(t, 200).body, `"Conflicts":[],"_count":0}`) {
				t.Errorf("got %s", a.body)
			}
		}
		for _, method := range []string{"GET", "DELETE"} {
			refusal(t, send(t, e, method, "/dbs/d/colls/c/conflicts/1", "", pk("a")...), 404)
			refusal(t, send(t, e, method, "/dbs/d/colls/c/conflicts/1", ""), 400)
		}
		refusal(t, send(t, e, "GET", "/dbs/d/colls/none/conflicts", ""), 404)
	})
	t.Run("users, permissions and scripts are 501", func(t *testing.T) {
		for _, path := range []string{"/dbs/d/users", "/dbs/d/users/u", "/dbs/d/users/u/permissions",
			"/dbs/d/users/u/permissions/p",
			"/dbs/d/colls/c/sprocs", "/dbs/d/colls/c/udfs/u", "/dbs/d/colls/c/triggers"} {
			refusal(t, send(t, e, "GET", path, ""), 501)
		}
		refusal(t, send(t, e, "GET", "/dbs/d/nonsense", ""), 400)
	})
	t.Run("partition statistics count each range", func(t *testing.T) {
		for i := range 8 {
			body := fmt.Sprintf(`{"id":"%d","pk":"k%d","x":%q}`, i, i/2, strings.Repeat("x", 1000))
			create(t, e, body, pk(fmt.Sprint("k", i/2))...).want(t, 201)
		}
		var got struct {
			Statistics []struct {
				ID                                                        string
				SizeInKB, DocumentCount, SampledDistinctPartitionKeyCount int
			}
		}
		a := send(t, e, "GET", "/dbs/d/colls/c", "", "X-Ms-Documentdb-Populatepartitionstatistics", "True").want(t, 200)
		if err := json.Unmarshal([]byte(a.body), &got); err != nil || len(got.Statistics) != 2 {
			t.Fatalf("%v: %s", err, a.body)
		}
		items, kilobytes, keys := 0, 0, 0
		for i, s := range got.Statistics {
			if s.ID != fmt.Sprint(i) || s.DocumentCount == 0 {
				t.Errorf("range %d: %+v", i, s)
			}
			items, kilobytes, keys = items+s.DocumentCount, kilobytes+s.SizeInKB,
				keys+s.SampledDistinctPartitionKeyCount
		}
		if items != 8 || keys != 4 || kilobytes < 8 || kilobytes > 10 {
			t.Errorf("%d items of %d KB under %d keys", items, kilobytes, keys)
		}
		if a := send(t, e, "GET", "/dbs/d/colls/c", ""); strings.Contains(a.body, "statistics") {
			t.Errorf("statistics without a request for them: %s", a.body)
		}
	})
}
