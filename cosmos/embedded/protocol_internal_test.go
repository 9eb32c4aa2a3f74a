package embedded

import (
	"encoding/base64"
	"fmt"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"inkfeed/cosmos/embedded/internal/epk"
	"inkfeed/cosmos/embedded/internal/storage"
	"inkfeed/cosmos/embedded/internal/value"
)

func TestSignature(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	create(t, e, `{"id":"1","pk":"a"}`).want(t, 201)

	t.Run("equals the documented example", func(t *testing.T) {
		e,
			err := Open(t.TempDir(),
			Options{Key: "dsZQi3KtZmCv1ljt3VNWNm7sQUF1y5rJfC6kv5JiwvW0EndXdDku/dkKBp8/ufDToSxLzR4y+O/0H/t4bQtVNw=="})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		got := base64.StdEncoding.EncodeToString(
			sign(e.macs[0], "GET", "dbs", "dbs/ToDoList", "Thu, 27 Apr 2017 00:51:12 GMT"))
		if want := "c09PEVJrgp2uQRkr934kFbTqhByc7TVr3OHyqlu+c+c="; got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	})
	for name, tt := range map[string]struct {
		kind, link string
		at         time.Time
		want       int
	}{
		"for another item":           {"docs", "dbs/d/colls/c/docs/2", time.Now(), 401},
		"for a name in another case": {"docs", "dbs/D/colls/c/docs/1", time.Now(), 401},
		"for an old date":            {"docs", "dbs/d/colls/c/docs/1", time.Now().Add(-time.Hour), 403},
		"for the request":            {"docs", "dbs/d/colls/c/docs/1", time.Now(), 200},
		"for a future date":          {"docs", "dbs/d/colls/c/docs/1", time.Now().Add(time.Hour), 403},
	} {
		t.Run(name, func(t *testing.T) {
			r := httptest.NewRequest("GET", docs+"/1", nil)
			r.Header.Set(keyHeader, `["a"]`)
			signAs(e, r, tt.kind, tt.link, tt.at)
			serve(e, r).want(t, tt.want)
		})
	}
	t.Run("by either of two account keys is accepted, and by no other", func(t *testing.T) {
		keys := []string{"Zmlyc3QgYWNjb3VudCBrZXk=", "c2Vjb25kIGFjY291bnQga2V5", "dGhpcmQgYWNjb3VudCBrZXk="}
		e, err := Open(t.TempDir(), Options{Key: keys[0], SecondaryKey: keys[1]})
		if err != nil {
			t.Fatal(err)
		}
		defer e.Close()
		for i, want := range []int{200, 200, 401} {
			client := new(Engine) // signs only
			if client.macs, err = keyedHashes(keys[i]); err != nil {
				t.Fatal(err)
			}
			r := httptest.NewRequest("GET", "/dbs", nil)
			signAs(client, r, "dbs", "", time.Now())
			serve(e, r).want(t, want)
		}
	})
	t.Run("is required", func(t *testing.T) {
		a := serve(e, httptest.NewRequest("GET", docs+"/1", nil)).want(t, 401)
		if !strings.Contains(a.body, `"code":"Unauthorized"`) {
			t.Errorf("body %s", a.body)
		}
	})
	t.Run("with a path that collapses does not delete the container", func(t *testing.T) {
		r := httptest.NewRequest("DELETE", "/dbs/d/colls/c", nil)
		signAs(e, r, "docs", "dbs/d/colls/c/docs/..", time.Now())
		serve(e, r).want(t, 401)
	})
}

func TestProtocol(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	etag := create(t, e, `{"id":"1","pk":"a"}`).want(t, 201).header.Get("Etag")

	t.Run("a conditional read returns 304", func(t *testing.T) {
		a := send(t, e, "GET", docs+"/1", "", append(pk("a"), "If-None-Match", etag)...).want(t, 304)
		if a.body != "" || a.header.Get("Etag") != etag || a.header.Get("X-Ms-Session-Token") == "" {
			t.Errorf("%v", a)
		}
	})
	t.Run("doubled slashes are ignored", func(t *testing.T) {
		send(t, e, "GET", "//dbs/d//colls/c/docs/1", "", pk("a")...).want(t, 200)
	})
	t.Run("a missing key is rejected", func(t *testing.T) {
		a := send(t, e, "GET", docs+"/1", "").want(t, 400)
		if a.header.Get("X-Ms-Substatus") != "1001" {
			t.Errorf("%v", a)
		}
	})
	t.Run("an undefined key is not null", func(t *testing.T) {
		send(t, e, "POST", docs, `{"id":"u"}`, keyHeader, "[{}]").want(t, 201)
		send(t, e, "GET", docs+"/u", "", keyHeader, "[{}]").want(t, 200)
		send(t, e, "GET", docs+"/u", "", keyHeader, "[null]").want(t, 404)
	})
	t.Run("a session token ahead of the engine is answered 404", func(t *testing.T) {
		a := send(t, e, "GET", docs+"/1", "", append(pk("a"), "X-Ms-Session-Token", "0:-1#999")...).want(t, 404)
		if a.header.Get("X-Ms-Substatus") != "1002" {
			t.Errorf("%v", a)
		}
		send(t, e, "GET", docs+"/1", "", append(pk("a"), "X-Ms-Session-Token", "0:-1#1")...).want(t, 200)
		send(t, e, "GET", docs+"/1", "", append(pk("a"), "X-Ms-Session-Token", "0:-1#1#5=1#6=1")...).want(t, 200)
		send(t, e, "GET", docs+"/1", "", append(pk("a"), "X-Ms-Session-Token", "nonsense")...).want(t, 400)
	})
	t.Run("stronger consistency is rejected", func(t *testing.T) {
		for _, level := range []string{"Strong", "session"} {
			consistency := []string{"X-Ms-Consistency-Level", level}
			refusal(t, send(t, e, "GET", docs+"/1", "", append(pk("a"), consistency...)...), 400)
			refusal(t, send(t, e, "GET", docs, "", append(consistency, "A-IM", "Incremental feed")...), 400)
			refusal(t, send(t, e, "POST", docs, `[{"operationType":"Read","id":"1","partitionKey":"[\"a\"]"}]`,
				append(consistency, "X-Ms-Cosmos-Is-Batch-Request", "True", "X-Ms-Cosmos-Batch-Atomic", "False")...),
				400)
		}
	})
	t.Run("feed ranges are read until 304", func(t *testing.T) {
		a := send(t, e, "GET", "/dbs/d/colls/c/pkranges", "", "A-IM", "Incremental Feed").want(t, 200)
		send(t, e, "GET", "/dbs/d/colls/c/pkranges", "", "If-None-Match", a.header.Get("Etag")).want(t, 304)
	})
	t.Run("an unknown feed range is gone", func(t *testing.T) {
		a := send(t, e, "GET", docs, "", "A-IM", "Incremental feed", rangeHeader, "7").want(t, 410)
		if a.header.Get("X-Ms-Substatus") != "1002" {
			t.Errorf("%v", a)
		}
	})
	t.Run("the change feed can start now", func(t *testing.T) {
		a := send(t, e, "GET", docs, "", "A-IM", "Incremental feed", rangeHeader, "0", "If-None-Match", "*").want(t,
			304)
		next := a.header.Get("Etag")
		create(t, e, `{"id":"new","pk":"a"}`).want(t, 201)
		a = send(t, e, "GET", docs, "", "A-IM", "Incremental feed", rangeHeader, "0", "If-None-Match", next).want(t,
			200)
		if !strings.Contains(a.body, `"_count":1`) || a.header.Get("X-Ms-Continuation") != "" {
			t.Errorf("%v", a)
		}
	})
	t.Run("the change feed can be limited to a part of a feed range", func(t *testing.T) {
		const hash = "3A5381E1114EB8D3FCC90795045B49B7" // the hash of "a"
		bounds := func(from, to string) []string {
			return []string{"A-IM", "Incremental feed", rangeHeader, "0", "X-Ms-Start-Epk", from, "X-Ms-End-Epk", to}
		}
		send(t, e, "GET", docs, "", bounds("", hash)...)
		send(t, e, "GET", docs, "", bounds(hash, "FF")...).want(t, 200)
		send(t, e, "GET", docs, "", bounds("3B", "FF")...).want(t, 304)
	})
	t.Run("the full-fidelity change feed is refused", func(t *testing.T) {
		send(t, e, "GET", docs, "", "A-IM", "Full-Fidelity Feed", rangeHeader, "0").want(t, 400)
	})
	t.Run("a read feed lists items", func(t *testing.T) {
		a := send(t, e, "GET", docs, "", "X-Ms-Max-Item-Count", "1").want(t, 200)
		if a.header.Get("X-Ms-Continuation") == "" || !strings.Contains(a.body, `"_count":1`) {
			t.Errorf("%v", a)
		}
	})
	t.Run("bulk operations are independent", func(t *testing.T) {
		ops := `[{"operationType":"Create","partitionKey":"[\"b\"]","resourceBody":{"id":"1","pk":"b"}},
			{"operationType":"Create","partitionKey":"[\"a\"]","resourceBody":{"id":"1","pk":"a"}},
			{"operationType":"Read","partitionKey":"[\"b\"]","id":"1"}]`
		a := send(t, e, "POST", docs, ops, "X-Ms-Cosmos-Is-Batch-Request", "True", "X-Ms-Cosmos-Batch-Atomic", "False",
			rangeHeader, "0").want(t, 207)
		for _, want := range []string{`[{"statusCode":201`, `{"statusCode":409`, `{"statusCode":200`} {
			if !strings.Contains(a.body, want) {
				t.Errorf("no %s in %s", want, a.body)
			}
		}
	})
	t.Run("a patch can move a value", func(t *testing.T) {
		create(t, e, `{"id":"m","pk":"a","x":{"y":1}}`).want(t, 201)
		a := send(t, e, "PATCH", docs+"/m", `[{"op":"move","from":"/x/y","path":"/z"}]`, pk("a")...).want(t, 200)
		if !strings.HasPrefix(a.body, `{"id":"m","pk":"a","x":{},"z":1,`) {
			t.Errorf("%s", a.body)
		}
		send(t, e, "PATCH", docs+"/m", `[{"op":"move","from":"/x","path":"/x/y"}]`, pk("a")...).want(t, 400)
	})
	t.Run("unknown paths and verbs have a JSON error", func(t *testing.T) {
		for path, want := range map[string]int{"/nonsense": 400, "/dbs/d/colls/c/sprocs": 501, "/dbs/none": 404,
			"/dbs/d/colls/none": 404} {
			if a := send(t, e, "GET", path, "").want(t, want); !strings.Contains(a.body, `"message":"`) {
				t.Errorf("%s: %s", path, a.body)
			}
		}
		send(t, e, "PUT", "/dbs/d", "{}").want(t, 405)
	})
	t.Run("ids that a gateway cannot address are served", func(t *testing.T) {
		for path, want := range map[string]int{"/a%2Fb": 401, "/a%20": 401, "/a%2541": 401, "/a%0A": 400, "/a%20b": 404,
			"/a%3Fb": 404} {
			send(t, e, "GET", docs+path, "", pk("a")...).want(t, want)
		}
	})
	t.Run("a body over two megabytes is rejected", func(t *testing.T) {
		create(t, e, `{"id":"1","pk":"a","x":"`+strings.Repeat("x", 2<<20)+`"}`).want(t, 413)
	})
}

func TestExpiry(t *testing.T) {
	e, clock := mustEngine(t, Options{}, `{"id":"c","partitionKey":{"paths":["/pk"]},"defaultTtl":100}`)
	create(t, e, `{"id":"default","pk":"a"}`).want(t, 201)
	create(t, e, `{"id":"short","pk":"a","ttl":10}`).want(t, 201)
	create(t, e, `{"id":"never","pk":"a","ttl":-1}`).want(t, 201)
	create(t, e, `{"id":"bad","pk":"a","ttl":0}`).want(t, 400)

	clock.at = clock.at.Add(11 * time.Second)
	t.Run("an expired item is not found", func(t *testing.T) {
		send(t, e, "GET", docs+"/short", "", pk("a")...).want(t, 404)
		send(t, e, "DELETE", docs+"/short", "", pk("a")...).want(t, 404)
		a := send(t, e, "POST", docs, `{"query":"SELECT VALUE c.id FROM c"}`, append(pk("a"), "Content-Type",
			"application/query+json")...).want(t, 200)
		if !strings.Contains(a.body, `["default","never"]`) {
			t.Errorf("%s", a.body)
		}
		a = send(t, e, "GET", docs, "", "A-IM", "Incremental feed").want(t, 200)
		if !strings.Contains(a.body, `"_count":2`) {
			t.Errorf("%s", a.body)
		}
	})
	t.Run("the id of an expired item is free", func(t *testing.T) {
		create(t, e, `{"id":"short","pk":"a","ttl":10}`).want(t, 201)
		create(t, e, `{"id":"short","pk":"a","ttl":10}`).want(t, 409)
	})
	t.Run("expired items are purged without appearing in the change feed", func(t *testing.T) {
		clock.at = clock.at.Add(200 * time.Second)
		lsn := e.catalog.Load().Databases["d"].Containers["c"].Ranges[0].LSN.Load()
		e.purge()
		row,
			err := e.store.Writer.One("SELECT count(*) FROM " +
			e.catalog.Load().Databases["d"].Containers["c"].Table.Name)
		if err != nil || storage.AsInt(row[0]) != 1 {
			t.Errorf("%v rows remain, %v", row, err)
		}
		send(t, e, "GET", docs, "", "A-IM", "Incremental feed", "If-None-Match", fmt.Sprintf(`"%d"`, lsn)).want(t, 304)
	})
	t.Run("nothing expires when expiry is turned off", func(t *testing.T) {
		create(t, e, `{"id":"kept","pk":"a","ttl":10}`).want(t, 201)
		send(t, e, "PUT", "/dbs/d/colls/c", plainContainer).want(t, 200)
		clock.at = clock.at.Add(time.Hour)
		send(t, e, "GET", docs+"/kept", "", pk("a")...).want(t, 200)
	})
}

func TestThrottling(t *testing.T) {
	e, _ := mustEngine(t, Options{Throughput: 20, EnforceThroughput: true}, plainContainer)
	refused := false
	for i := range 50 {
		a := create(t, e, fmt.Sprintf(`{"id":"%d","pk":"a"}`, i))
		if refused = a.status == 429; refused {
			if a.header.Get("X-Ms-Retry-After-Ms") == "" || a.header.Get("X-Ms-Substatus") != "3200" {
				t.Errorf("%v", a)
			}
			break
		}
	}
	if !refused {
		t.Error("none of 50 writes in a second was refused")
	}
}

func TestKeyEncoding(t *testing.T) {
	keys := [][]value.Value{
		{value.OfString("")}, {value.OfString("a\x00b")}, {value.OfString("a\x00")},
		{value.OfString("a"), value.OfInt(1)},
		{value.Value{}}, {value.NullValue()}, {value.OfBool(true), value.OfFloat(1.5), value.OfString("x")},
	}
	for _, key := range keys {
		enc := epk.Encode(key)
		if got := epk.Encode(epk.Decode(enc)); string(got) != string(enc) || len(epk.Decode(enc)) != len(key) {
			t.Errorf("%v: %x becomes %x", key, enc, got)
		}
	}
}

// TestDefinitionsAndPlansHaveNoSessionToken follows a test of @azure/cosmos 3.2.0, session.spec.ts: the tokens of a
// client are those of the feed ranges that it has used.
func TestDefinitionsAndPlansHaveNoSessionToken(t *testing.T) {
	e, _ := mustEngine(t, Options{Ranges: 3}, plainContainer)
	const definition = `{"id":"new","partitionKey":{"paths":["/pk"]}}`
	for name, a := range map[string]answer{
		"a new container": send(t, e, "POST", "/dbs/d/colls", definition).want(t, 201),
		"a container":     send(t, e, "GET", "/dbs/d/colls/c", "").want(t, 200),
		"a plan":          askPlan(t, e, `{"query":"SELECT * FROM c WHERE c.pk = 'a'"}`).want(t, 200),
	} {
		if token := a.header.Get("X-Ms-Session-Token"); token != "" {
			t.Errorf("%s has the token %s", name, token)
		}
	}
}
