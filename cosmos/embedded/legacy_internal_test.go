package embedded

import (
	"fmt"
	"strings"
	"testing"
)

// oldVersion returns the headers of a client that supports containers without a partition key.
func oldVersion(headers ...string) []string {
	return append([]string{"X-Ms-Version", "2018-09-17"}, headers...)
}

func TestContainersWithoutPartitionKey(t *testing.T) {
	e, _ := mustEngine(t, Options{Ranges: 3}, plainContainer)
	const path, items = "/dbs/d/colls/old", "/dbs/d/colls/old/docs"
	const emptyKey = `[]`
	query := []string{"Content-Type", "application/query+json"}

	t.Run("current API versions cannot create one", func(t *testing.T) {
		refusal(t, send(t, e, "POST", "/dbs/d/colls", `{"id":"old"}`), 400)
		refusal(t, send(t, e, "POST", "/dbs/d/colls", `{"id":"old"}`, "X-Ms-Version", "2018-12-31"), 400)
		refusal(t, send(t, e, "POST", "/dbs/d/colls", `{"id":"old","partitionKey":`+systemKey+`}`), 400)
	})
	t.Run("older API versions create one, of a single range, and see no partition key", func(t *testing.T) {
		a := send(t, e, "POST", "/dbs/d/colls", `{"id":"old"}`, oldVersion()...).want(t, 201)
		if strings.Contains(a.body, "partitionKey") {
			t.Errorf("got %s", a.body)
		}
		for _, a := range []answer{send(t, e, "GET", path, "", oldVersion()...), send(t, e, "GET", "/dbs/d/colls", "",
			oldVersion()...)} {
			if strings.Contains(a.want(t, 200).body, "_partitionKey") {
				t.Errorf("got %s", a.body)
			}
		}
		if n := len(listOf(t, send(t, e, "GET", path+"/pkranges", "").want(t, 200))); n != 1 {
			t.Errorf("%d ranges", n)
		}
	})
	t.Run("it has at most 10,000 RU/s", func(t *testing.T) {
		const throughput = "X-Ms-Offer-Throughput"
		refusal(t, send(t, e, "POST", "/dbs/d/colls", `{"id":"large"}`, oldVersion(throughput, "10100")...), 400)
		send(t, e, "POST", "/dbs/d/colls", `{"id":"large"}`, oldVersion(throughput, "10000")...).want(t, 201)
	})
	t.Run("current API versions see the system's key", func(t *testing.T) {
		if a := send(t, e, "GET", path, "").want(t, 200); !strings.Contains(a.body, `"partitionKey":`+systemKey) {
			t.Errorf("got %s", a.body)
		}
	})
	t.Run("older API versions address items without a key", func(t *testing.T) {
		send(t, e, "POST", items, `{"id":"1","n":1}`, oldVersion()...).want(t, 201)
		send(t, e, "POST", items, `{"id":"1"}`, oldVersion()...).want(t, 409)
		send(t, e, "POST", items, `{"id":"1","n":2}`, oldVersion("X-Ms-Documentdb-Is-Upsert", "True")...).want(t, 200)
		send(t, e, "PUT", items+"/1", `{"id":"1","n":3}`, oldVersion()...).want(t, 200)
		if a := send(t, e, "GET", items+"/1", "", oldVersion()...).want(t, 200); !strings.Contains(a.body, `"n":3`) {
			t.Errorf("got %s", a.body)
		}
		send(t, e, "POST", items, `{"id":"2","n":1}`, oldVersion()...).want(t, 201)
		send(t, e, "DELETE", items+"/2", "", oldVersion()...).want(t, 204)
		send(t, e, "GET", items+"/2", "", oldVersion()...).want(t, 404)
	})
	t.Run("older API versions query without a key and across partitions", func(t *testing.T) {
		for sql, want := range map[string]string{
			"SELECT VALUE c.n FROM c ORDER BY c.n": "[3]", "SELECT COUNT(1) AS n FROM c": `[{"n":1}]`,
			"SELECT VALUE c.id FROM c": `["1"]`,
		} {
			a := send(t, e, "POST", items, fmt.Sprintf(`{"query":%q}`, sql), oldVersion(query...)...).want(t, 200)
			if !strings.Contains(a.body, `"Documents":`+want) {
				t.Errorf("%s: %s", sql, a.body)
			}
		}
	})
	t.Run("current API versions address the same items by the empty key", func(t *testing.T) {
		send(t, e, "GET", items+"/1", "", keyHeader, emptyKey).want(t, 200)
		send(t, e, "POST", items, `{"id":"3"}`, keyHeader, emptyKey).want(t, 201)
		send(t, e, "GET", items+"/3", "", oldVersion()...).want(t, 200)
		a := send(
			t,
			e,
			"POST",
			items,
			`{"query":"SELECT VALUE COUNT(1) FROM c"}`,
			append(query, keyHeader, emptyKey)...).want(t, 200)
		if !strings.Contains(a.body, `"Documents":[2]`) {
			t.Errorf("got %s", a.body)
		}
		for _, headers := range [][]string{nil, {keyHeader, "[{}]"}, {keyHeader, `["a"]`}} {
			refusal(t, send(t, e, "POST", items, `{"id":"4"}`, headers...), 400)
		}
	})
	t.Run("current API versions may give new items a key", func(t *testing.T) {
		send(t, e, "POST", items, `{"id":"1","_partitionKey":"a"}`, pk("a")...).want(t, 201)
		send(t, e, "GET", items+"/1", "", pk("a")...).want(t, 200)
		refusal(t, send(t, e, "POST", items, `{"id":"5","_partitionKey":"a"}`, keyHeader, emptyKey), 400)
		a := send(
			t,
			e,
			"POST",
			items,
			`{"query":"SELECT VALUE COUNT(1) FROM c"}`,
			append(query, keyHeader, emptyKey)...).want(t, 200)
		if !strings.Contains(a.body, `"Documents":[2]`) {
			t.Errorf("got %s", a.body)
		}
	})
	t.Run("current and older API versions replace it and keep its key", func(t *testing.T) {
		send(t, e, "PUT", path, `{"id":"old","defaultTtl":60}`, oldVersion()...).want(t, 200)
		send(t, e, "PUT", path, `{"id":"old","partitionKey":`+systemKey+`}`).want(t, 200)
		refusal(t, send(t, e, "PUT", path, `{"id":"old","partitionKey":{"paths":["/pk"]}}`), 400)
		refusal(t, send(t, e, "PUT", "/dbs/d/colls/c", `{"id":"c"}`, oldVersion()...), 400)
	})
	t.Run("it keeps its single feed range", func(t *testing.T) {
		refusal(t, send(t, e, "PUT", "/offers/"+offerOf(t, e, path).ID, `{"content":{"offerThroughput":30000}}`), 400)
		c := e.catalog.Load().Databases["d"].Containers["old"]
		if _, _, err := e.split(t.Context(), c, "", ""); err == nil {
			t.Error("a split was not refused")
		}
		if n := len(listOf(t, send(t, e, "GET", path+"/pkranges", "").want(t, 200))); n != 1 {
			t.Errorf("%d ranges", n)
		}
	})
	t.Run("older API versions name the key of other containers", func(t *testing.T) {
		refusal(t, send(t, e, "POST", docs, `{"id":"1","pk":"a"}`, oldVersion()...), 400)
		send(t, e, "POST", docs, `{"id":"1","pk":"a"}`, oldVersion(pk("a")...)...).want(t, 201)
	})
}

func TestContainersWithoutPartitionKeyAfterARestart(t *testing.T) {
	dir := t.TempDir()
	e := reopen(t, dir)
	send(t, e, "POST", "/dbs", `{"id":"d"}`).want(t, 201)
	send(t, e, "POST", "/dbs/d/colls", `{"id":"c"}`, oldVersion()...).want(t, 201)
	send(t, e, "POST", docs, `{"id":"1"}`, oldVersion()...).want(t, 201)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	e = reopen(t, dir)
	send(t, e, "GET", docs+"/1", "", oldVersion()...).want(t, 200)
	send(t, e, "GET", docs+"/1", "", keyHeader, "[]").want(t, 200)
}

// TestOldAPIVersionsAggregateByValueOnly follows a test of azure-cosmos 3.1 (Python), aggregate_tests.py.
func TestOldAPIVersionsAggregateByValueOnly(t *testing.T) {
	e, _ := mustEngine(t, Options{Ranges: 3}, plainContainer)
	create(t, e, `{"id":"1","pk":"a","n":1}`).want(t, 201)
	ask := func(query string, headers ...string) answer {
		return send(t, e, "POST", docs, `{"query":"`+query+`"}`, append(headers,
			"Content-Type", "application/query+json", "X-Ms-Documentdb-Query-Enablecrosspartition", "True")...)
	}
	const plain, byValue = "SELECT SUM(c.n) FROM c WHERE c.pk = 'a'", "SELECT VALUE SUM(c.n) FROM c WHERE c.pk = 'a'"
	refusal(t, ask(plain, oldVersion()...), 400)
	ask(byValue, oldVersion()...).want(t, 200)
	ask(plain, oldVersion(pk("a")...)...).want(t, 200)
	ask(plain).want(t, 200)
}
