package embedded

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"inkfeed/cosmos/embedded/internal/apierror"
	"inkfeed/cosmos/embedded/internal/items"
)

// refusal fails unless an answer is an error of the service: with its status, a JSON body with code
// and message, and the headers that SDKs require.
func refusal(t testing.TB, a answer, status int) {
	t.Helper()
	a.want(t, status)
	var e struct{ Code, Message string }
	if err := json.Unmarshal([]byte(a.body), &e); err != nil || e.Code != apierror.Codes[status] || e.Message == "" {
		t.Errorf("the body is %q (%v)", a.body, err)
	}
	if a.header.Get("X-Ms-Activity-Id") == "" || a.header.Get("Content-Type") != "application/json" {
		t.Errorf("headers %v", a.header)
	}
}

// list returns n comma-separated entries, each made from its index.
func list(n int, entry func(i int) string) string {
	entries := make([]string, n)
	for i := range entries {
		entries[i] = entry(i)
	}
	return strings.Join(entries, ",")
}

// repeat returns the same entry for every index.
func repeat(text string) func(int) string { return func(int) string { return text } }

// nest wraps a value in n arrays.
func nest(n int, inner string) string {
	return strings.Repeat("[", n) + inner + strings.Repeat("]", n)
}

// fill returns an item of exactly n bytes.
func fill(n int) string {
	const empty = `{"id":"1","pk":"a","x":""}`
	return empty[:len(empty)-2] + strings.Repeat("x", n-len(empty)) + `"}`
}

// call is a request of a test.
type call struct {
	method, path, body string
	headers            []string
}

func (c call) send(t testing.TB, e *Engine) answer {
	t.Helper()
	return send(t, e, c.method, c.path, c.body, c.headers...)
}

func post(item string) call { return call{"POST", docs, item, pk("a")} }

func containerWith(members string) call {
	return call{"POST", "/dbs/d/colls", `{"id":"new","partitionKey":{"paths":["/pk"]},` + members + `}`, nil}
}

func sql(text, parameters string) call {
	body, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	return call{"POST", docs, `{"query":` + string(body) + `,"parameters":[` + parameters + `]}`,
		append(pk("a"), "Content-Type", "application/query+json")}
}

func batch(ops string) call {
	return call{"POST", docs, "[" + ops + "]", atomicBatch("a")}
}

// TestLimits tests each limit and one above it. A request within the limit succeeds. A request
// above it fails without any effect.
func TestLimits(t *testing.T) {
	byLevels := func(n int) string { // nesting depth including the item itself
		return `{"id":"1","pk":"a","x":` + nest(n-1, "1") + `}`
	}
	for _, tt := range []struct {
		name    string
		at      int // the limit: the maximum that is accepted
		done    int // status at the limit
		refused int // status above the limit
		call    func(n int) call
	}{
		{"bytes of an item", items.MaxBody, 201, 413, func(n int) call { return post(fill(n)) }},
		{"bytes of a body, of which the item is a part", items.MaxBody, 201, 413, func(n int) call {
			return post(fill(100) + strings.Repeat(" ", n-100))
		}},
		{"bytes of an item that grows as it is written", items.MaxBody, 201, 413, func(n int) call {
			// Each 1e9 is stored with ten digits.
			item := fmt.Sprintf(`{"id":"1","pk":"a","n":[%s],"x":""}`, list(100_000, repeat("1e9")))
			text := strings.Repeat("x", n-len(item)-100_000*len("1000000000")+100_000*len("1e9"))
			return post(item[:len(item)-2] + text + `"}`)
		}},
		{"bytes of a batch", items.MaxBody, 200, 413, func(n int) call {
			const entry = `{"operationType":"Create","resourceBody":}`
			return batch(`{"operationType":"Create","resourceBody":` + fill(n-len(entry)-2) + `}`)
		}},
		{"bytes of an id", 1023, 201, 400,
			func(n int) call { return post(`{"pk":"a","id":"` + strings.Repeat("x", n) + `"}`) }},
		{"bytes of an id, in UTF-8", 1023, 201, 400, func(n int) call {
			return post(`{"pk":"a","id":"` + strings.Repeat("é", 511) + strings.Repeat("x", n-1022) + `"}`)
		}},
		{"bytes of a partition key", 2048, 201, 400, func(n int) call {
			key := strings.Repeat("k", n)
			return call{"POST", docs, `{"id":"1","pk":"` + key + `"}`, pk(key)}
		}},
		{"bytes of a partition key, in UTF-8", 2048, 201, 400, func(n int) call {
			key := strings.Repeat(`\u00e9`, 1000) + strings.Repeat("k", n-2000)
			return call{"POST", docs, `{"id":"1","pk":"` + key + `"}`, pk(key)}
		}},
		{"levels of an item", 128, 201, 400, func(n int) call { return post(byLevels(n)) }},
		{"levels of an item of a batch", 128, 200, 207, func(n int) call {
			return batch(`{"operationType":"Create","resourceBody":` + byLevels(n) + `}`)
		}},
		{"levels that a patch adds", 128, 200, 400, func(n int) call {
			return call{"PATCH", docs + "/old", `[{"op":"add","path":"/x","value":` + nest(n-1, "1") + `}]`, pk("a")}
		}},
		{"levels that a patch adds below others", 128, 200, 400, func(n int) call {
			return call{"PATCH", docs + "/deep", `[{"op":"add","path":"/x/0/0/0/-","value":` + nest(n-5, "1") + `}]`,
				pk("a")}
		}},
		{"levels that patches in a batch add", 128, 200, 207, func(n int) call {
			return batch(
				`{"operationType":"Patch","id":"deep","resourceBody":{"operations":[{"op":"set",` +
					`"path":"/x/0/0/0/0","value":` +
					nest(n-5, "1") + `}]}}`)
		}},
		{"operations of a batch", 100, 200, 400, func(n int) call {
			return batch(list(n, func(i int) string {
				return fmt.Sprintf(`{"operationType":"Create","resourceBody":{"id":"n%d","pk":"a"}}`, i)
			}))
		}},
		{"operations of a bulk request", 100, 200, 400, func(n int) call {
			c := batch(list(n, func(i int) string {
				return fmt.Sprintf(
					`{"operationType":"Create","partitionKey":"[\"a\"]","resourceBody":{"id":"n%d","pk":"a"}}`, i)
			}))
			c.headers = []string{"X-Ms-Cosmos-Is-Batch-Request", "True", "X-Ms-Cosmos-Batch-Atomic", "False"}
			return c
		}},
		{"operations of a patch", 10, 200, 400, func(n int) call {
			return call{"PATCH", docs + "/old", "[" + list(n, repeat(`{"op":"incr","path":"/n","value":1}`)) + "]",
				pk("a")}
		}},
		{"operations of a patch in a batch", 10, 200, 207, func(n int) call {
			return batch(`{"operationType":"Patch","id":"old","resourceBody":{"operations":[` + list(n,
				repeat(`{"op":"incr","path":"/n","value":1}`)) + `]}}`)
		}},
		{"bytes that patches grow an item to", items.MaxBody, 200, 413, func(n int) call {
			const grown = `{"id":"big","pk":"a","x":"","y":""}`
			return call{"PATCH", docs + "/big", `[{"op":"set","path":"/y","value":"` + strings.Repeat("y",
				n-len(grown)-1<<20) + `"}]`, pk("a")}
		}},
		{"the name of a database", 255, 201, 400, func(n int) call {
			return call{"POST", "/dbs", `{"id":"` + strings.Repeat("x", n) + `"}`, nil}
		}},
		{"the name of a container", 255, 201, 400, func(n int) call {
			return call{"POST", "/dbs/d/colls", `{"id":"` + strings.Repeat("x", n) +
				`","partitionKey":{"paths":["/pk"]}}`, nil}
		}},
		{"unique keys", 10, 201, 400, func(n int) call {
			return containerWith(`"uniqueKeyPolicy":{"uniqueKeys":[` + list(n,
				func(i int) string { return fmt.Sprintf(`{"paths":["/u%d"]}`, i) }) + `]}`)
		}},
		{"paths of a unique key", 16, 201, 400, func(n int) call {
			return containerWith(`"uniqueKeyPolicy":{"uniqueKeys":[{"paths":[` + list(n,
				func(i int) string { return fmt.Sprintf(`"/u%d"`, i) }) + `]}]}`)
		}},
		{"bytes of the paths of a unique key", 60, 201, 400, func(n int) call {
			return containerWith(`"uniqueKeyPolicy":{"uniqueKeys":[{"paths":["/u","/` + strings.Repeat("x", n-3) +
				`"]},{"paths":["/other"]}]}`)
		}},
		{"paths of a composite index", 8, 201, 400, func(n int) call {
			return containerWith(`"indexingPolicy":{"compositeIndexes":[[` + list(n,
				func(i int) string { return fmt.Sprintf(`{"path":"/p%d"}`, i) }) + `]]}`)
		}},
		{"composite indexes", 100, 201, 400, func(n int) call {
			return containerWith(`"indexingPolicy":{"compositeIndexes":[` +
				list(n, func(i int) string { return fmt.Sprintf(`[{"path":"/p%d"},{"path":"/q"}]`, i) }) + `]}`)
		}},
		{"paths of a partition key", 3, 201, 400, func(n int) call {
			return call{"POST", "/dbs/d/colls", `{"id":"new","partitionKey":{"kind":"MultiHash","version":2,"paths":[` +
				list(n, func(i int) string { return fmt.Sprintf(`"/k%d"`, i) }) + `]}}`, nil}
		}},
		{"seconds to live of a container", 1<<31 - 1, 201, 400,
			func(n int) call { return containerWith(fmt.Sprintf(`"defaultTtl":%d`, n)) }},
		{"seconds to live of an item", 1<<31 - 1, 201, 400, func(n int) call {
			return call{"POST", "/dbs/d/colls/ttl/docs", fmt.Sprintf(`{"id":"1","pk":"a","ttl":%d}`, n), pk("a")}
		}},
		{"AND operators of a query", 2000, 200, 400, func(n int) call {
			return sql("SELECT * FROM c WHERE c.n = 0"+strings.Repeat(" AND c.n = 0", n), "")
		}},
		{"OR operators of a query, of which a subquery is a part", 2000, 200, 400, func(n int) call {
			half := strings.Repeat(" OR c.n = 0", n/2)
			return sql("SELECT * FROM c WHERE c.n = 0"+half+" AND (SELECT VALUE c.n = 0"+half+
				strings.Repeat(" OR c.n = 0", n%2)+")", "")
		}},
		{"entries of an IN list", 16_000, 200, 400, func(n int) call {
			return sql("SELECT * FROM c WHERE c.n IN ("+list(n, repeat("0"))+")", "")
		}},
		{"bytes of a query", 512 << 10, 200, 400, func(n int) call {
			const text = "SELECT * FROM c --"
			return sql(text+strings.Repeat("x", n-len(text)), "")
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e, _ := mustEngine(t, Options{}, plainContainer)
			send(t, e, "POST", "/dbs/d/colls", `{"id":"ttl","partitionKey":{"paths":["/pk"]},"defaultTtl":-1}`).want(t,
				201)
			create(t, e, `{"id":"old","pk":"a","n":0}`).want(t, 201)
			create(t, e, `{"id":"deep","pk":"a","x":[[[[0]]]]}`).want(t, 201)
			create(t, e, `{"id":"big","pk":"a","x":"`+strings.Repeat("x", 1<<20)+`"}`).want(t, 201)
			everything := func() string {
				return send(t, e, "GET", docs, "", "X-Ms-Max-Item-Count", "-1").want(t, 200).body + send(t, e, "GET",
					"/dbs/d/colls", "").body
			}
			before, lsn := everything(), rangeLSN(e)
			a := tt.call(tt.at+1).send(t, e)
			if a.want(t, tt.refused); tt.refused != 207 {
				refusal(t, a, tt.refused)
			}
			if everything() != before || rangeLSN(e) != lsn {
				t.Fatal("a refused request changed the data")
			}
			tt.call(tt.at).send(t, e).want(t, tt.done)
		})
	}
}

// rangeLSN returns the LSN of the container's only range.
func rangeLSN(e *Engine) int64 {
	return e.catalog.Load().Databases["d"].Containers["c"].Ranges[0].LSN.Load()
}

func TestRowLongerThanAPageIsRefused(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	create(t, e, `{"id":"1","pk":"a","x":"`+strings.Repeat("x", 1<<20)+`"}`).want(t, 201)
	ask := func(n int) answer {
		sql := "SELECT 1"
		for i := range n {
			sql += fmt.Sprintf(", c.x AS x%d", i)
		}
		return send(t, e, "POST", docs, `{"query":"`+sql+` FROM c"}`, append(pk("a"), "Content-Type",
			"application/query+json")...)
	}
	ask(3).want(t, 200)
	ask(5).want(t, 400)
}
