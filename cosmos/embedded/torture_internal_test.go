package embedded

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
)

// acknowledged records the successful responses to the writers of TestConcurrentWriters.
type acknowledged struct {
	mu       sync.Mutex
	lsns     map[string]map[string]bool // by range
	writes   map[string]int             // by range
	sums     map[string]int             // sums of increments by partition key
	counts   map[string]map[string]bool // counts returned by increments, by partition key
	replaces map[string]int
	creates  map[string]int // creates minus deletes of one item
	logged   map[string]bool
}

// write records a successful write.
func (k *acknowledged) write(t *testing.T, a answer) {
	rng, lsn := a.header.Get("X-Ms-Documentdb-Partitionkeyrangeid"), a.header.Get("Lsn")
	if k.lsns[rng] == nil {
		k.lsns[rng] = make(map[string]bool)
	}
	if k.lsns[rng][lsn] {
		t.Errorf("two transactions of the range %s have the LSN %s", rng, lsn)
	}
	k.lsns[rng][lsn] = true
	k.writes[rng]++
}

// increment records the count that an increment returned.
func (k *acknowledged) increment(t *testing.T, key, body string) {
	var item struct{ N json.Number }
	json.Unmarshal([]byte(body), &item)
	if item.N == "" || k.counts[key][item.N.String()] {
		t.Errorf("two increments of %s returned %q", key, item.N)
	}
	if k.counts[key] == nil {
		k.counts[key] = make(map[string]bool)
	}
	k.counts[key][item.N.String()] = true
	k.sums[key]++
}

// TestConcurrentWriters runs concurrent writers on a few items and compares the result with their
// responses.
func TestConcurrentWriters(t *testing.T) {
	const writers, each = 6, 60
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	e, _ := mustEngine(t, Options{Ranges: 2}, plainContainer)
	keys := []string{"a", "b", "c"}
	for _, key := range keys {
		send(t, e, "POST", docs, `{"id":"n","pk":"`+key+`","n":0,"r":0}`, pk(key)...).want(t, 201)
	}
	before := make(map[string]int64)
	for _, rng := range e.catalog.Load().Databases["d"].Containers["c"].Ranges {
		before[fmt.Sprint(rng.ID)] = rng.LSN.Load()
	}
	k := &acknowledged{lsns: make(map[string]map[string]bool), writes: make(map[string]int), sums: make(map[string]int),
		counts: make(map[string]map[string]bool), replaces: make(map[string]int), creates: make(map[string]int),
		logged: make(map[string]bool)}
	const increment = `{"operations":[{"op":"incr","path":"/n","value":1}]}`
	var wg sync.WaitGroup
	for w := range writers {
		wg.Go(func() {
			random := rand.New(rand.NewPCG(seed, uint64(w)))
			for i := range each {
				key := keys[random.IntN(len(keys))]
				noted := func(a answer, and func()) {
					k.mu.Lock()
					defer k.mu.Unlock()
					if a.status < 400 && a.status != 207 {
						k.write(t, a)
						and()
					}
				}
				switch random.IntN(5) {
				case 0:
					a := send(t, e, "PATCH", docs+"/n", increment, pk(key)...).want(t, 200)
					noted(a, func() { k.increment(t, key, a.body) })
				case 1: // increments r, unless another write came first
					old := send(t, e, "GET", docs+"/n", "", pk(key)...).want(t, 200)
					var item struct{ N, R int }
					if err := json.Unmarshal([]byte(old.body), &item); err != nil {
						t.Error(err)
					}
					a := send(t, e, "PUT", docs+"/n", fmt.Sprintf(`{"id":"n","pk":"%s","n":%d,"r":%d}`, key, item.N,
						item.R+1),
						append(pk(key), "If-Match", old.header.Get("Etag"))...)
					if a.status != 200 && a.status != 412 {
						t.Errorf("replace: %v", a)
					}
					noted(a, func() { k.replaces[key]++ })
				case 2:
					a := send(t, e, "POST", docs, `{"id":"x","pk":"`+key+`"}`, pk(key)...)
					if a.status != 201 && a.status != 409 {
						t.Errorf("create: %v", a)
					}
					noted(a, func() { k.creates[key]++ })
				case 3:
					a := send(t, e, "DELETE", docs+"/x", "", pk(key)...)
					if a.status != 204 && a.status != 404 {
						t.Errorf("delete: %v", a)
					}
					noted(a, func() { k.creates[key]-- })
				case 4: // fails if x exists, and must then not count
					b := batch(fmt.Sprintf(`{"operationType":"Patch","id":"n","resourceBody":%s},
						{"operationType":"Create","resourceBody":{"id":"log-%d-%d","pk":"%s"}},
						{"operationType":"Create","resourceBody":{"id":"x","pk":"%[4]s"}},
						{"operationType":"Delete","id":"x"}`, increment, w, i, key))
					a := send(t, e, b.method, b.path, b.body, append(b.headers[2:], pk(key)...)...)
					if a.status != 200 && a.status != 207 {
						t.Errorf("batch: %v", a)
					}
					noted(a, func() {
						var results []struct{ ResourceBody json.RawMessage }
						if err := json.Unmarshal([]byte(a.body), &results); err != nil {
							t.Error(err)
						}
						k.increment(t, key, string(results[0].ResourceBody))
						k.logged[fmt.Sprintf("log-%d-%d", w, i)] = true
					})
				}
			}
		})
	}
	wg.Wait()
	for _, key := range keys {
		a := send(t, e, "GET", docs+"/n", "", pk(key)...).want(t, 200)
		if want := fmt.Sprintf(`{"id":"n","pk":"%s","n":%d,"r":%d,"_rid":`, key, k.sums[key],
			k.replaces[key]); !strings.HasPrefix(a.body, want) {
			t.Errorf("got %s, want %s", a.body, want)
		}
		want := map[int]int{0: 404, 1: 200}[k.creates[key]]
		send(t, e, "GET", docs+"/x", "", pk(key)...).want(t, want)
	}
	rest := send(t, e, "GET", docs, "", "X-Ms-Max-Item-Count", "-1").want(t, 200).body
	for id := range k.logged {
		if !strings.Contains(rest, `"id":"`+id+`"`) {
			t.Errorf("%s is lost", id)
		}
	}
	if n := strings.Count(rest, `"id":"log-`); n != len(k.logged) {
		t.Errorf("%d batches were applied, %d were acknowledged", n, len(k.logged))
	}
	for _, rng := range e.catalog.Load().Databases["d"].Containers["c"].Ranges {
		id := fmt.Sprint(rng.ID)
		if moved := rng.LSN.Load() - before[id]; moved != int64(k.writes[id]) {
			t.Errorf("%d writes moved the LSN of the range %s by %d", k.writes[id], id, moved)
		}
	}
}
