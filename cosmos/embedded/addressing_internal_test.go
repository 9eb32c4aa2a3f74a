package embedded

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"
)

// sendByRID sends a request whose signature covers the last rid of the path in lower case.
func sendByRID(t testing.TB, e *Engine, method, path, body string, headers ...string) answer {
	t.Helper()
	r := mustRequest(t, method, path, body)
	for i := 0; i < len(headers); i += 2 {
		r.Header.Set(headers[i], headers[i+1])
	}
	segs := splitPath(r.URL)
	kind, _ := signedResource(segs)
	signAs(e, r, kind, strings.ToLower(signedRID(segs)), time.Now())
	return serve(e, r)
}

// self returns the _self of the resource in a response, as a path.
func self(t testing.TB, a answer) string {
	t.Helper()
	var resource struct {
		Self string `json:"_self"`
	}
	if err := json.Unmarshal([]byte(a.body), &resource); err != nil || resource.Self == "" {
		t.Fatalf("%v: %s", err, a.body)
	}
	return "/" + resource.Self
}

func TestAddressingByRID(t *testing.T) {
	e, _ := mustEngine(t, Options{Ranges: 3}, plainContainer)
	database := self(t, send(t, e, "GET", "/dbs/d", ""))
	container := self(t, send(t, e, "GET", "/dbs/d/colls/c", ""))
	one := create(t, e, `{"id":"1","pk":"a","n":1}`).want(t, 201)
	query := []string{"Content-Type", "application/query+json", "X-Ms-Documentdb-Query-Enablecrosspartition", "True"}

	t.Run("a database is read, listed and gets containers", func(t *testing.T) {
		a := sendByRID(t, e, "GET", database, "").want(t, 200)
		if self(t, a) != database {
			t.Errorf("got another database: %s", a.body)
		}
		sendByRID(t, e, "POST", database+"colls/", `{"id":"second","partitionKey":{"paths":["/pk"]}}`).want(t, 201)
		a = sendByRID(t, e, "GET", database+"colls/", "").want(t, 200)
		if !strings.Contains(a.body, `"id":"c"`) || !strings.Contains(a.body, `"id":"second"`) {
			t.Errorf("the list is %s", a.body)
		}
		sendByRID(t, e, "POST", database+"colls/", `{"query":"SELECT * FROM c"}`, query...).want(t, 200)
		sendByRID(t, e, "DELETE", self(t, send(t, e, "GET", "/dbs/d/colls/second", "")), "").want(t, 204)
		send(t, e, "GET", "/dbs/d/colls/second", "").want(t, 404)
	})
	t.Run("a container is read and replaced, and shows its ranges and conflicts", func(t *testing.T) {
		if a := sendByRID(t, e, "GET", container, "").want(t, 200); self(t, a) != container {
			t.Errorf("got another container: %s", a.body)
		}
		sendByRID(t, e, "PUT", container, `{"id":"c","partitionKey":{"paths":["/pk"]},"defaultTtl":-1}`).want(t, 200)
		sendByRID(t, e, "GET", container+"pkranges/", "").want(t, 200)
		sendByRID(t, e, "GET", container+"conflicts/", "").want(t, 200)
	})
	t.Run("items are created, read, patched, replaced, queried and deleted", func(t *testing.T) {
		two := self(t, sendByRID(t, e, "POST", container+"docs/", `{"id":"2","pk":"b","n":1}`, pk("b")...).want(t, 201))
		sendByRID(t, e, "PATCH", two, `{"operations":[{"op":"incr","path":"/n","value":1}]}`, pk("b")...).want(t, 200)
		if a := sendByRID(t, e, "GET", two, "", pk("b")...).want(t, 200); !strings.Contains(a.body, `"n":2`) {
			t.Errorf("got %s", a.body)
		}
		sendByRID(t, e, "PUT", two, `{"id":"2","pk":"b","n":3}`, pk("b")...).want(t, 200)
		a := sendByRID(
			t,
			e,
			"POST",
			container+"docs/",
			`{"query":"SELECT VALUE c.n FROM c WHERE c.id = '2'"}`,
			query...).want(t, 200)
		if !strings.Contains(a.body, `"Documents":[3]`) {
			t.Errorf("got %s", a.body)
		}
		sendByRID(t, e, "GET", container+"docs/", "").want(t, 200)
		sendByRID(t, e, "GET", container+"docs/", "", "A-IM", "Incremental feed").want(t, 200)
		sendByRID(t, e, "DELETE", two, "", pk("b")...).want(t, 204)
		sendByRID(t, e, "GET", two, "", pk("b")...).want(t, 404)
	})
	t.Run("an offer is read by its link", func(t *testing.T) {
		id := offerOf(t, e, "/dbs/d/colls/c").ID
		sendByRID(t, e, "GET", "/offers/"+id+"/", "").want(t, 200)
	})
	t.Run("the rid of an item in another partition is not found", func(t *testing.T) {
		send(t, e, "POST", docs, `{"id":"1","pk":"b"}`, pk("b")...).want(t, 201)
		for _, method := range []string{"GET", "DELETE"} {
			sendByRID(t, e, method, self(t, one), "", pk("b")...).want(t, 404)
		}
		sendByRID(t, e, "PUT", self(t, one), `{"id":"1","pk":"b"}`, pk("b")...).want(t, 404)
		sendByRID(t, e, "GET", self(t, one), "", pk("a")...).want(t, 200)
	})
	t.Run("the rid of an item that was created again under its id is not found", func(t *testing.T) {
		old := self(t, create(t, e, `{"id":"again","pk":"a"}`).want(t, 201))
		send(t, e, "DELETE", docs+"/again", "", pk("a")...).want(t, 204)
		create(t, e, `{"id":"again","pk":"a"}`).want(t, 201)
		sendByRID(t, e, "GET", old, "", pk("a")...).want(t, 404)
	})
	t.Run("absent rids are 404, with substatus 1003 if the owner is absent", func(t *testing.T) {
		const absent = "AAAAAQ=="
		for path, substatus := range map[string]string{
			"/dbs/" + absent: "", "/dbs/" + absent + "/colls": "1003", database + "colls/" + absent: "",
			database + "colls/" + absent + "/docs": "1003", container + "docs/" + absent: "",
			container + "docs/none": "",
		} {
			a := sendByRID(t, e, "GET", path, "", pk("a")...)
			if refusal(t, a, 404); a.header.Get("X-Ms-Substatus") != substatus {
				t.Errorf("%s: substatus %s, want %s", path, a.header.Get("X-Ms-Substatus"), substatus)
			}
		}
	})
	t.Run("a database named like a rid keeps its name", func(t *testing.T) {
		name := strings.Split(database, "/")[2]
		send(t, e, "POST", "/dbs", `{"id":"`+name+`"}`).want(t, 201)
		if a := send(t, e, "GET", "/dbs/"+name, "").want(t, 200); self(t, a) == database {
			t.Error("a signed name found a rid")
		}
		if a := sendByRID(t, e, "GET", "/dbs/"+name, "").want(t, 200); self(t, a) != database {
			t.Error("a signed rid found a name")
		}
		send(t, e, "DELETE", "/dbs/"+name, "").want(t, 204)
	})
	t.Run("a signature over another rid is refused", func(t *testing.T) {
		r := mustRequest(t, "GET", container, "")
		signAs(e, r, "colls", strings.ToLower(signedRID(strings.Split(strings.Trim(database, "/"), "/"))), time.Now())
		refusal(t, serve(e, r), http.StatusUnauthorized)
		r = mustRequest(t, "GET", container, "")
		signAs(e, r, "colls", signedRID(strings.Split(strings.Trim(container, "/"), "/")), time.Now())
		refusal(t, serve(e, r), http.StatusUnauthorized)
	})
	t.Run("with a token a path is read as ids first, then as rids", func(t *testing.T) {
		sendToken(e, token(nil), "GET", database, "").want(t, 200)
		sendToken(e, token(nil), "GET", container, "").want(t, 200)
		sendToken(e, token(nil), "GET", self(t, one), "", pk("a")...).want(t, 200)
		sendToken(e, token(nil), "GET", "/dbs/d", "").want(t, 200)
	})
	t.Run("a database is deleted", func(t *testing.T) {
		sendByRID(t, e, "DELETE", database, "").want(t, 204)
		sendByRID(t, e, "GET", database, "").want(t, 404)
	})
}
