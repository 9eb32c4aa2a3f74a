package embedded

import (
	"context"
	"fmt"
	"io"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"
)

func TestZZFullMidGroup(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	create(t, e, `{"id":"0","pk":"a"}`).want(t, 201)
	row, _ := e.store.writer.one("PRAGMA page_count")
	pages := asInt(row[0])
	c := e.catalog.Load().databases["d"].containers["c"]
	t.Log("lsn before", c.ranges[0].lsn.Load(), "pages", pages)
	hold := make(chan struct{})
	started := make(chan struct{})
	go e.submit(&write{ctx: context.Background(), rows: 1, alone: true, apply: func(t *txn) error { close(started); <-hold; return nil }})
	<-started
	var wg sync.WaitGroup
	out := make([]answer, 3)
	bodies := []string{`{"id":"A","pk":"a"}`, `{"id":"B","pk":"a","x":"` + strings.Repeat("x", 1<<20) + `"}`, `{"id":"C","pk":"a"}`}
	for i, b := range bodies {
		wg.Add(1)
		go func() { defer wg.Done(); out[i] = create(t, e, b) }()
		time.Sleep(50 * time.Millisecond)
	}
	e.store.writer.exec(fmt.Sprintf("PRAGMA max_page_count = %d", pages+20))
	close(hold)
	wg.Wait()
	e.store.writer.exec("PRAGMA max_page_count = 1000000")
	for i := range out {
		t.Log(bodies[i][:15], out[i].status, out[i].body)
	}
	t.Log("mem lsn", c.ranges[0].lsn.Load())
	r, _ := e.store.writer.one("SELECT lsn FROM ranges")
	t.Log("disk lsn", r[0])
	for _, id := range []string{"A", "B", "C"} {
		t.Log("read", id, send(t, e, "GET", docs+"/"+id, "", pk("a")...).status)
	}
	create(t, e, `{"id":"D","pk":"a"}`).want(t, 201)
	f := send(t, e, "GET", docs, "", "A-IM", "Incremental feed")
	t.Log(f.status, f.header.Get("Etag"), f.body)
}

func TestZZUniqueExpired(t *testing.T) {
	e, clk := mustEngine(t, Options{}, `{"id":"c","partitionKey":{"paths":["/pk"]},"defaultTtl":-1,"uniqueKeyPolicy":{"uniqueKeys":[{"paths":["/u"]}]}}`)
	create(t, e, `{"id":"1","pk":"a","u":"x","ttl":5}`).want(t, 201)
	create(t, e, `{"id":"2","pk":"a","u":"y"}`).want(t, 201)
	clk.at = clk.at.Add(time.Minute)
	t.Log("create with u=x of the expired:", send(t, e, "GET", docs+"/1", "", pk("a")...).status)
	t.Log("replace:", send(t, e, "PUT", docs+"/2", `{"id":"2","pk":"a","u":"x"}`, pk("a")...).status)
	t.Log("patch:", send(t, e, "PATCH", docs+"/2", `[{"op":"set","path":"/u","value":"x"}]`, pk("a")...).status)
}

func TestZZResurrect(t *testing.T) {
	e, clk := mustEngine(t, Options{}, `{"id":"c","partitionKey":{"paths":["/pk"]},"defaultTtl":5}`)
	create(t, e, `{"id":"1","pk":"a","u":"x"}`).want(t, 201)
	clk.at = clk.at.Add(time.Minute)
	send(t, e, "GET", docs+"/1", "", pk("a")...).want(t, 404)
	send(t, e, "PUT", "/dbs/d/colls/c", `{"id":"c","partitionKey":{"paths":["/pk"]},"defaultTtl":500}`).want(t, 200)
	t.Log("after raising ttl:", send(t, e, "GET", docs+"/1", "", pk("a")...).status)
}

func TestZZWideEPK(t *testing.T) {
	e, _ := mustEngine(t, Options{Ranges: 2}, plainContainer)
	for i := range 10 {
		k := fmt.Sprint("k", i)
		send(t, e, "POST", docs, `{"id":"1","pk":"`+k+`"}`, pk(k)...).want(t, 201)
	}
	a := send(t, e, "GET", docs, "", "A-IM", "Incremental feed", "X-Ms-Start-Epk", "", "X-Ms-End-Epk", "FF", "X-Ms-Read-Key-Type", "EffectivePartitionKeyRange")
	t.Log(a.status, strings.Count(a.body, `"id"`), "of 10", a.header.Get("Etag"))
}

func TestZZRangeIDAndKey(t *testing.T) {
	e, _ := mustEngine(t, Options{Ranges: 2}, plainContainer)
	send(t, e, "POST", docs, `{"id":"1","pk":"x"}`, pk("x")...).want(t, 201)
	for _, q := range []string{`SELECT VALUE COUNT(1) FROM c WHERE c.pk = 'x'`, `SELECT * FROM c WHERE c.pk='x' ORDER BY c.id`, `SELECT VALUE c.id FROM c WHERE c.pk='x'`} {
		for _, id := range []string{"0", "1"} {
			a := send(t, e, "POST", docs, `{"query":"`+q+`"}`, "X-Ms-Documentdb-Query", "True", rangeHeader, id)
			t.Log(q, "range", id, a.status, a.header.Get("X-Ms-Item-Count"), a.body[:min(90,len(a.body))])
		}
	}
}

func TestZZOrderedPaging(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	for i := range 6 {
		create(t, e, fmt.Sprintf(`{"id":"%d","pk":"a","n":%d}`, i, i)).want(t, 201)
	}
	q := `{"query":"SELECT VALUE c.n FROM c ORDER BY c.n"}`
	h := append(pk("a"), "X-Ms-Documentdb-Query", "True", "X-Ms-Max-Item-Count", "2")
	a := send(t, e, "POST", docs, q, h...)
	tok := a.header.Get("X-Ms-Continuation")
	send(t, e, "DELETE", docs+"/0", "", pk("a")...).want(t, 204)
	b := send(t, e, "POST", docs, q, append(h, "X-Ms-Continuation", tok)...)
	t.Log(a.body, b.body)
}

func TestZZPolicyPanic(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	for _, p := range []string{
		`"includedPaths":[{"path":"/*"},{"path":"/?"}]`,
		`"includedPaths":[{"path":"/*"}],"compositeIndexes":[[{"path":"/"},{"path":"/a"}]]`,
		`"includedPaths":[{"path":"/*"},{"path":"/a\u0000b/?"}]`,
		`"includedPaths":[{"path":"/*"},{"path":"/a'b\"c]/?"}]`,
		`"includedPaths":[{"path":"/*"},{"path":"/a;drop table ranges/?"}]`,
	} {
		a := send(t, e, "POST", "/dbs/d/colls", `{"id":"x`+fmt.Sprint(len(p))+`","partitionKey":{"paths":["/pk"]},"indexingPolicy":{`+p+`}}`)
		t.Log(p, a.status, a.body[:min(80, len(a.body))])
	}
	var many []string
	for i := range 2100 {
		many = append(many, fmt.Sprintf(`{"path":"/p%d/?"}`, i))
	}
	a := send(t, e, "POST", "/dbs/d/colls", `{"id":"many","partitionKey":{"paths":["/pk"]},"indexingPolicy":{"includedPaths":[{"path":"/*"},`+strings.Join(many, ",")+`]}}`)
	t.Log("many", a.status, a.body[:min(80, len(a.body))])
	a = send(t, e, "POST", docs, `{"query":"SELECT * FROM c ORDER BY c[\"a\\u0000b\"]"}`, append(pk("a"), "X-Ms-Documentdb-Query", "True")...)
	t.Log("nul order", a.status, a.body)
	for _, d := range []string{`{"id":"y","partitionKey":{"paths":["/pk","/pk"],"kind":"MultiHash"}}`, `{"id":"z","partitionKey":{"paths":["/a/b/*"]}}`,
		`{"id":"w","partitionKey":{"paths":["/pk"]},"uniqueKeyPolicy":{"uniqueKeys":[{"paths":["/a\"b"]},{"paths":["/ab"]}]}}`} {
		a := send(t, e, "POST", "/dbs/d/colls", d)
		t.Log(d, a.status)
	}
	// unique key w: the second is enforced?
	w := "/dbs/d/colls/w/docs"
	t.Log(send(t, e, "POST", w, `{"id":"1","pk":"a","ab":1,"a\"b":1}`, pk("a")...).status, send(t, e, "POST", w, `{"id":"2","pk":"a","ab":1,"a\"b":2}`, pk("a")...).status)
}

func TestZZCloseStalled(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	pr, pw := io.Pipe()
	r := httptest.NewRequest("POST", "https://localhost"+docs, pr)
	r.Header.Set(keyHeader, `["a"]`)
	u, _ := url.Parse("https://localhost" + docs)
	segs, _ := splitPath(u)
	kind, link := signedResource(segs)
	signAs(e, r, kind, link, time.Now())
	go serve(e, r)
	time.Sleep(50 * time.Millisecond)
	closed := make(chan struct{})
	go func() { e.Close(); close(closed) }()
	time.Sleep(50 * time.Millisecond)
	got := make(chan int)
	go func() { got <- send(t, e, "GET", docs+"/1", "", pk("a")...).status }()
	select {
	case s := <-got:
		t.Log("read answered", s)
	case <-time.After(2 * time.Second):
		t.Log("a read during Close hangs")
	}
	select {
	case <-closed:
	default:
		t.Log("Close hangs on the stalled body")
	}
	pw.Close()
	<-closed
}

func TestZZDropWhileReading(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	stop := make(chan struct{})
	var wg sync.WaitGroup
	var mu sync.Mutex
	seen := map[string]int{}
	for range 4 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for {
				select {
				case <-stop:
					return
				default:
				}
				a := send(t, e, "GET", docs+"/1", "", pk("a")...)
				mu.Lock()
				seen[fmt.Sprint(a.status, a.header.Get("X-Ms-Substatus"))]++
				mu.Unlock()
			}
		}()
	}
	for range 300 {
		send(t, e, "DELETE", "/dbs/d/colls/c", "")
		send(t, e, "POST", "/dbs/d/colls", plainContainer)
	}
	close(stop)
	wg.Wait()
	t.Log(seen)
}

func TestZZCancel(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	for i := range 200 {
		create(t, e, fmt.Sprintf(`{"id":"%d","pk":"a","n":%d}`, i, i)).want(t, 201)
	}
	var wg sync.WaitGroup
	var mu sync.Mutex
	seen := map[int]int{}
	for g := range 6 {
		wg.Add(1)
		go func() {
			defer wg.Done()
			for i := range 300 {
				r := httptest.NewRequest("POST", "https://localhost"+docs, strings.NewReader(`{"query":"SELECT * FROM c ORDER BY c.n"}`))
				r.Header.Set(keyHeader, `["a"]`)
				r.Header.Set("X-Ms-Documentdb-Query", "True")
				signAs(e, r, "docs", "dbs/d/colls/c", time.Now())
				if g%2 == 0 {
					ctx, cancel := context.WithTimeout(context.Background(), time.Duration(i*20)*time.Microsecond)
					resp, err := e.Do(r.WithContext(ctx))
					cancel()
					if err == nil && resp.StatusCode != 200 {
						t.Log("cancelled got", resp.StatusCode)
					}
					continue
				}
				ctx, cancel := context.WithCancel(context.Background())
				resp, err := e.Do(r.WithContext(ctx))
				cancel()
				mu.Lock()
				if err != nil {
					seen[-1]++
				} else {
					seen[resp.StatusCode]++
				}
				mu.Unlock()
			}
		}()
	}
	wg.Wait()
	t.Log(seen)
}

func TestZZBulkThrottle(t *testing.T) {
	e, _ := mustEngine(t, Options{Throughput: 1}, plainContainer)
	n := map[int]int{}
	for i := range 20 {
		a := send(t, e, "POST", docs, fmt.Sprintf(`[{"operationType":"Create","partitionKey":"[\"a\"]","resourceBody":{"id":"%d","pk":"a"}}]`, i), "X-Ms-Cosmos-Is-Batch-Request", "True", "X-Ms-Cosmos-Batch-Atomic", "False", rangeHeader, "0")
		n[a.status]++
	}
	t.Log(n)
	began := time.Now()
	var ops []string
	for i := range 100 {
		ops = append(ops, fmt.Sprintf(`{"operationType":"Create","partitionKey":"[\"a\"]","resourceBody":{"id":"b%d","pk":"a"}}`, i))
	}
	send(t, e, "POST", docs, "["+strings.Join(ops, ",")+"]", "X-Ms-Cosmos-Is-Batch-Request", "True", "X-Ms-Cosmos-Batch-Atomic", "False", rangeHeader, "0")
	t.Log("100 bulk", time.Since(began))
}
