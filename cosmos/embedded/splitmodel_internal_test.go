package embedded

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"inkfeed/cosmos/embedded/internal/catalog"
	"inkfeed/cosmos/embedded/internal/epk"
)

const ranges = "/dbs/d/colls/c/pkranges"

// listed is a feed range as seen by clients.
type listed struct {
	ID      string   `json:"id"`
	Min     string   `json:"minInclusive"`
	Max     string   `json:"maxExclusive"`
	Parents []string `json:"parents"`
	LSN     int64    `json:"lsn"`
}

func listOf(t testing.TB, a answer) (list []listed) {
	t.Helper()
	var body struct{ PartitionKeyRanges []listed }
	if err := json.Unmarshal([]byte(a.body), &body); err != nil {
		t.Fatalf("%v: %s", err, a.body)
	}
	return body.PartitionKeyRanges
}

func mustSplit(t testing.TB, e *Engine, id string) []listed {
	t.Helper()
	return listOf(t, send(t, e, "POST", ranges, fmt.Sprintf(`{"range":%q}`, id)).want(t, 201))
}

// fed is an item of a change feed.
type fed struct {
	ID  string `json:"id"`
	PK  string `json:"pk"`
	N   int    `json:"n"`
	LSN int64  `json:"_lsn"`
}

// drain reads the change feed of a range to its end.
func drain(t testing.TB, e *Engine, rng, etag string, headers ...string) (items []fed, next string) {
	t.Helper()
	for {
		a := send(t, e, "GET", docs, "", append([]string{"A-IM", "Incremental feed", rangeHeader, rng,
			"If-None-Match", etag, "X-Ms-Max-Item-Count", "7"}, headers...)...)
		if a.status == http.StatusNotModified {
			return items, a.header.Get("Etag")
		}
		var body struct{ Documents []fed }
		if err := json.Unmarshal([]byte(a.want(t, 200).body), &body); err != nil {
			t.Fatal(err)
		}
		items = append(items, body.Documents...)
		etag = a.header.Get("Etag")
	}
}

// splitModel is the expected state of an engine, independent of splits.
type splitModel struct {
	t     *testing.T
	e     *Engine
	dir   string
	clock *clock
	rng   *rand.Rand
	keyOf func(i int) (header, members, pk string)
	now   int            // number of writes
	items map[string]fed // by partition key and id; N is the time of the last write
	marks []mark         // positions of readers
}

// mark is the end of a range's change feed at some time.
type mark struct {
	listed
	etag string
	at   int
}

func (m *splitModel) write() {
	header, members, pk := m.keyOf(m.rng.IntN(40))
	id := fmt.Sprint(m.rng.IntN(4))
	m.now++
	name := pk + "/" + id
	if _, ok := m.items[name]; ok && m.rng.IntN(4) == 0 {
		send(m.t, m.e, "DELETE", docs+"/"+id, "", keyHeader, header).want(m.t, 204)
		delete(m.items, name)
		return
	}
	body := fmt.Sprintf(`{"id":%q,%s,"n":%d}`, id, members, m.now)
	a := send(m.t, m.e, "POST", docs, body, keyHeader, header, "X-Ms-Documentdb-Is-Upsert", "True")
	if a.status != 200 && a.status != 201 {
		m.t.Fatal(a)
	}
	m.items[name] = fed{ID: id, PK: pk, N: m.now}
}

func (m *splitModel) ranges() []listed { return listOf(m.t, send(m.t, m.e, "GET", ranges, "")) }

func (m *splitModel) split() {
	list := m.ranges()
	mustSplit(m.t, m.e, list[m.rng.IntN(len(list))].ID)
}

func (m *splitModel) reopen() {
	if err := m.e.Close(); err != nil {
		m.t.Fatal(err)
	}
	var err error
	if m.e, err = open(m.dir, Options{}, m.clock.now); err != nil {
		m.t.Fatal(err)
	}
}

func (m *splitModel) mark() {
	for _, r := range m.ranges() {
		_, etag := drain(m.t, m.e, r.ID, "")
		m.marks = append(m.marks, mark{r, etag, m.now})
	}
}

// check reads everything in every way, and continues from every mark.
func (m *splitModel) check() {
	m.t.Helper()
	list := m.ranges()
	bound := ""
	for _, r := range list {
		if r.Min != bound {
			m.t.Fatalf("the ranges do not tile: %+v", list)
		}
		bound = r.Max
	}
	if bound != "FF" {
		m.t.Fatalf("the ranges end at %s", bound)
	}
	marks := append([]mark{{listed: listed{Min: "", Max: "FF"}}}, m.marks...)
	for _, mark := range marks {
		seen := map[string]bool{}
		for _, r := range list {
			if r.Min < mark.Min || (mark.Max != "FF" && (r.Max == "FF" || r.Max > mark.Max)) {
				continue
			}
			items, _ := drain(m.t, m.e, r.ID, mark.etag)
			last, lastLSN := 0, int64(0)
			for _, item := range items {
				name := item.PK + "/" + item.ID
				if want := m.items[name]; want.N != item.N || item.N <= mark.at {
					m.t.Fatalf("after mark %+v, range %+v has %+v, want %+v", mark, r, item, want)
				}
				if seen[name] {
					m.t.Fatalf("after mark %+v, %s was returned twice", mark, name)
				}
				seen[name] = true
				if item.N <= last || item.LSN <= lastLSN {
					m.t.Fatalf("after mark %+v, range %+v: %+v is out of order", mark, r, items)
				}
				last, lastLSN = item.N, item.LSN
			}
			if last := r.LSN; lastLSN > last {
				m.t.Fatalf("range %+v has LSN %d", r, lastLSN)
			}
		}
		for name, item := range m.items {
			own := m.in(item, mark.listed)
			if wanted := item.N > mark.at && own; wanted != seen[name] {
				m.t.Fatalf("after mark %+v, %+v: seen %t, want %t", mark, item, seen[name], wanted)
			}
		}
	}
	for _, sql := range []string{"SELECT * FROM c", "SELECT * FROM c ORDER BY c.n DESC",
		"SELECT DISTINCT VALUE c FROM c"} {
		total := 0
		for _, r := range list {
			items := m.query(sql, rangeHeader, r.ID, "X-Ms-Max-Item-Count", "5")
			for _, item := range items {
				if !m.in(item, r) || m.items[item.PK+"/"+item.ID].N != item.N {
					m.t.Fatalf("%s: range %+v has %+v", sql, r, item)
				}
			}
			if sorted := slices.IsSortedFunc(items, func(a, b fed) int { return b.N - a.N }); strings.Contains(sql,
				"ORDER") && !sorted {
				m.t.Fatalf("%s: %+v", sql, items)
			}
			total += len(items)
		}
		if total != len(m.items) {
			m.t.Fatalf("%s: %d items in all ranges, want %d", sql, total, len(m.items))
		}
	}
	if items := m.query("SELECT * FROM c", "X-Ms-Documentdb-Query-Enablecrosspartition", "True", "X-Ms-Max-Item-Count",
		"3"); len(items) != len(m.items) {
		m.t.Fatalf("%d items, want %d", len(items), len(m.items))
	}
	for i := range 40 {
		header, _, pk := m.keyOf(i)
		want := 0
		for _, item := range m.items {
			if item.PK == pk {
				want++
			}
		}
		if items := m.query("SELECT * FROM c", keyHeader, header); len(items) != want {
			m.t.Fatalf("%d items of key %s, want %d", len(items), pk, want)
		}
		for _, r := range list {
			a := send(m.t, m.e, "GET", docs, "", "A-IM", "Incremental feed", rangeHeader, r.ID, keyHeader, header)
			if a.status == 410 {
				continue
			}
			if got := strings.Count(a.body, `"_lsn":`); got != want {
				m.t.Fatalf("the feed of key %s has %d items, want %d", pk, got, want)
			}
		}
	}
}

func (m *splitModel) in(item fed, r listed) bool {
	c := m.e.catalog.Load().Databases["d"].Containers["c"]
	for i := range 40 {
		if header, _, pk := m.keyOf(i); pk == item.PK {
			key, err := epk.ParseHeader(header)
			if err != nil {
				m.t.Fatal(err)
			}
			bounds, err := catalog.NewRange(0, r.Min, r.Max, nil)
			if err != nil {
				m.t.Fatal(err)
			}
			return bounds.Has(c.HashKey(key))
		}
	}
	return false
}

func (m *splitModel) query(sql string, headers ...string) (items []fed) {
	m.t.Helper()
	headers = append(headers, "Content-Type", "application/query+json")
	next := ""
	for {
		a := send(m.t, m.e, "POST", docs, fmt.Sprintf(`{"query":%q}`, sql), append(headers, "X-Ms-Continuation",
			next)...).want(m.t, 200)
		var body struct{ Documents []fed }
		if err := json.Unmarshal([]byte(a.body), &body); err != nil {
			m.t.Fatal(err)
		}
		items = append(items, body.Documents...)
		if next = a.header.Get("X-Ms-Continuation"); next == "" {
			return items
		}
	}
}

func plainKey(i int) (header, members, pk string) {
	pk = fmt.Sprintf("k%d", i)
	return fmt.Sprintf("[%q]", pk), fmt.Sprintf(`"pk":%q`, pk), pk
}

// hierarchicalKey has few distinct first components, so that splits divide them.
func hierarchicalKey(i int) (header, members, pk string) {
	pk = fmt.Sprintf("k%d", i)
	return fmt.Sprintf(`["t%d",%q]`, i%2, pk), fmt.Sprintf(`"tenant":"t%d","pk":%q`, i%2, pk), pk
}

func TestSplitsChangeNothingButTheRanges(t *testing.T) {
	for name, tt := range map[string]struct {
		definition string
		keyOf      func(int) (string, string, string)
	}{
		"a plain key": {plainContainer, plainKey},
		"a hierarchical key": {`{"id":"c","partitionKey":{"paths":["/tenant","/pk"],"kind":"MultiHash"}}`,
			hierarchicalKey},
	} {
		t.Run(name, func(t *testing.T) {
			seed := rand.Uint64()
			t.Logf("seed %d", seed)
			m := &splitModel{t: t, dir: t.TempDir(), clock: &clock{at: time.Unix(1_800_000_000, 0)},
				rng: rand.New(rand.NewPCG(seed, 1)), keyOf: tt.keyOf, items: map[string]fed{}}
			var err error
			if m.e, err = open(m.dir, Options{}, m.clock.now); err != nil {
				t.Fatal(err)
			}
			t.Cleanup(func() { m.e.Close() })
			send(t, m.e, "POST", "/dbs", `{"id":"d"}`).want(t, 201)
			send(t, m.e, "POST", "/dbs/d/colls", tt.definition).want(t, 201)
			for round := range 8 {
				for range 30 {
					m.write()
				}
				m.mark()
				if round%3 == 2 {
					m.reopen()
				}
				m.split()
				if round%2 == 0 {
					m.split()
				}
				m.check()
			}
		})
	}
}
