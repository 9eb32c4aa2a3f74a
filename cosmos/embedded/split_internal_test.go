package embedded

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

const ranges = "/dbs/d/colls/c/pkranges"

// listed is a feed range as a client sees it.
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

// splitModel is what an engine must have, whatever was split.
type splitModel struct {
	t     *testing.T
	e     *Engine
	dir   string
	clock *clock
	rng   *rand.Rand
	keyOf func(i int) (header, members, pk string)
	now   int            // counts writes
	items map[string]fed // by pk and id; N is when it was last written
	marks []mark         // how far readers were
}

// mark is the end of a range's change feed at a time.
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

// check reads everything there is in every way, and goes on from every mark.
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
					m.t.Fatalf("after mark %+v, %s comes twice", mark, name)
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
	for _, sql := range []string{"SELECT * FROM c", "SELECT * FROM c ORDER BY c.n DESC", "SELECT DISTINCT VALUE c FROM c"} {
		total := 0
		for _, r := range list {
			items := m.query(sql, rangeHeader, r.ID, "X-Ms-Max-Item-Count", "5")
			for _, item := range items {
				if !m.in(item, r) || m.items[item.PK+"/"+item.ID].N != item.N {
					m.t.Fatalf("%s: range %+v has %+v", sql, r, item)
				}
			}
			if sorted := slices.IsSortedFunc(items, func(a, b fed) int { return b.N - a.N }); strings.Contains(sql, "ORDER") && !sorted {
				m.t.Fatalf("%s: %+v", sql, items)
			}
			total += len(items)
		}
		if total != len(m.items) {
			m.t.Fatalf("%s: %d items in all ranges, want %d", sql, total, len(m.items))
		}
	}
	if items := m.query("SELECT * FROM c", "X-Ms-Documentdb-Query-Enablecrosspartition", "True", "X-Ms-Max-Item-Count", "3"); len(items) != len(m.items) {
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
	c := m.e.catalog.Load().databases["d"].containers["c"]
	for i := range 40 {
		if header, _, pk := m.keyOf(i); pk == item.PK {
			key, err := parseKeyHeader(header)
			if err != nil {
				m.t.Fatal(err)
			}
			bounds, err := newRange(0, r.Min, r.Max, nil)
			if err != nil {
				m.t.Fatal(err)
			}
			return bounds.has(c.hashKey(key))
		}
	}
	return false
}

func (m *splitModel) query(sql string, headers ...string) (items []fed) {
	m.t.Helper()
	headers = append(headers, "Content-Type", "application/query+json")
	next := ""
	for {
		a := send(m.t, m.e, "POST", docs, fmt.Sprintf(`{"query":%q}`, sql), append(headers, "X-Ms-Continuation", next)...).want(m.t, 200)
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

// hierarchicalKey has few first components, so that splits go through them.
func hierarchicalKey(i int) (header, members, pk string) {
	pk = fmt.Sprintf("k%d", i)
	return fmt.Sprintf(`["t%d",%q]`, i%2, pk), fmt.Sprintf(`"tenant":"t%d","pk":%q`, i%2, pk), pk
}

func TestSplitsChangeNothingButTheRanges(t *testing.T) {
	for name, tt := range map[string]struct {
		definition string
		keyOf      func(int) (string, string, string)
	}{
		"a plain key":        {plainContainer, plainKey},
		"a hierarchical key": {`{"id":"c","partitionKey":{"paths":["/tenant","/pk"],"kind":"MultiHash"}}`, hierarchicalKey},
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

func TestSplitIsSeenByClients(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	for i := range 30 {
		send(t, e, "POST", docs, fmt.Sprintf(`{"id":"1","pk":"k%d"}`, i), pk(fmt.Sprint("k", i))...).want(t, 201)
	}
	before := send(t, e, "GET", ranges, "", "A-IM", "Incremental Feed").want(t, 200)
	made := mustSplit(t, e, "0")

	t.Run("two ranges that go on from the parent", func(t *testing.T) {
		if len(made) != 2 || made[0].ID != "1" || made[1].ID != "2" || made[0].Min != "" || made[1].Max != "FF" || made[0].Max != made[1].Min ||
			made[0].LSN != 30 || made[1].LSN != 30 || fmt.Sprint(made[0].Parents) != "[0]" {
			t.Errorf("%+v", made)
		}
	})
	t.Run("a range of many items is split in their middle", func(t *testing.T) {
		one, _ := drain(t, e, "1", "")
		two, _ := drain(t, e, "2", "")
		if len(one) != 15 || len(two) != 15 {
			t.Errorf("%d and %d items", len(one), len(two))
		}
	})
	t.Run("the etag of the list has changed", func(t *testing.T) {
		a := send(t, e, "GET", ranges, "", "If-None-Match", before.header.Get("Etag")).want(t, 200)
		if len(listOf(t, a)) != 2 || a.header.Get("Etag") == before.header.Get("Etag") {
			t.Errorf("%v", a)
		}
		send(t, e, "GET", ranges, "", "If-None-Match", a.header.Get("Etag")).want(t, 304)
	})
	t.Run("a grandchild names all its parents, to a client that missed its parent", func(t *testing.T) {
		mustSplit(t, e, "2")
		a := send(t, e, "GET", ranges, "", "A-IM", "Incremental Feed", "If-None-Match", before.header.Get("Etag")).want(t, 200)
		if list := listOf(t, a); len(list) != 3 || fmt.Sprint(list[1].Parents) != "[0 2]" {
			t.Errorf("%+v", list)
		}
		a = send(t, e, "GET", ranges, "", "A-IM", "Incremental Feed", "If-None-Match", strings.ReplaceAll(before.header.Get("Etag"), "-0", "-2"))
		if list := listOf(t, a); len(list) != 2 || list[0].ID != "3" {
			t.Errorf("not just what is new: %+v", list)
		}
	})
	t.Run("an etag that is none has all", func(t *testing.T) {
		for _, etag := range []string{`"x"`, `"1-99"`, `"2-0"`, `"1-"`} {
			if list := listOf(t, send(t, e, "GET", ranges, "", "A-IM", "Incremental Feed", "If-None-Match", etag).want(t, 200)); len(list) != 3 {
				t.Errorf("%s: %+v", etag, list)
			}
		}
	})
	t.Run("the parent is gone", func(t *testing.T) {
		for _, a := range []answer{
			send(t, e, "GET", docs, "", "A-IM", "Incremental feed", rangeHeader, "0"),
			send(t, e, "POST", docs, `{"query":"SELECT * FROM c"}`, rangeHeader, "0", "Content-Type", "application/query+json"),
			send(t, e, "POST", docs, `[{"operationType":"Read","partitionKey":"[\"k1\"]","id":"1"}]`, rangeHeader, "0",
				"X-Ms-Cosmos-Is-Batch-Request", "True", "X-Ms-Cosmos-Batch-Atomic", "False"),
			send(t, e, "POST", ranges, `{"range":"0"}`),
		} {
			if a.want(t, 410).header.Get("X-Ms-Substatus") != "1002" {
				t.Errorf("%v", a)
			}
		}
	})
	t.Run("its session tokens are kept", func(t *testing.T) {
		read := func(token string) answer {
			return send(t, e, "GET", docs+"/1", "", append(pk("k1"), "X-Ms-Session-Token", token)...)
		}
		read("0:-1#30").want(t, 200)
		read("0:-1#30,1:-1#30,2:-1#30").want(t, 200)
		for _, ahead := range []string{"0:-1#31", "1:-1#99", "9:-1#1"} {
			if a := read(ahead).want(t, 404); a.header.Get("X-Ms-Substatus") != "1002" {
				t.Errorf("%s: %v", ahead, a)
			}
		}
		read("x:-1#1").want(t, 400)
	})
}

func TestSplitRefused(t *testing.T) {
	e, _ := mustEngine(t, Options{Ranges: 2}, plainContainer)
	middle := "20000000000000000000000000000000"
	for name, tt := range map[string]struct {
		body string
		want int
	}{
		"of no range":               {`{"range":"7"}`, 410},
		"of what is no id":          {`{"range":7}`, 400},
		"at what is no hash":        {`{"range":"0","at":"xyz"}`, 400},
		"at half a byte":            {`{"range":"0","at":"1"}`, 400},
		"at the end of the range":   {`{"range":"0","at":"` + middle + `"}`, 400},
		"at the begin of the range": {`{"range":"1","at":"` + middle + `"}`, 400},
		"at zero":                   {`{"range":"0","at":"00"}`, 400},
		"outside the range":         {`{"range":"0","at":"30"}`, 400},
		"beyond all hashes":         {`{"range":"1","at":"40"}`, 400},
		"finer than a hash":         {`{"range":"1","at":"` + strings.Repeat("21", 17) + `"}`, 400},
		"by what is no object":      {`[]`, 400},
		"by nothing":                {``, 400},
	} {
		t.Run(name, func(t *testing.T) { send(t, e, "POST", ranges, tt.body).want(t, tt.want) })
	}
	t.Run("in no container", func(t *testing.T) {
		send(t, e, "POST", "/dbs/d/colls/none/pkranges", `{}`).want(t, 404)
	})
	t.Run("without a signature", func(t *testing.T) {
		a := serve(e, mustRequest(t, "POST", ranges, `{}`))
		a.want(t, 401)
	})
	if list := listOf(t, send(t, e, "GET", ranges, "")); len(list) != 2 {
		t.Errorf("%+v", list)
	}
	t.Run("of so many ranges", func(t *testing.T) {
		e, _ := mustEngine(t, Options{Ranges: MaxRanges}, plainContainer)
		send(t, e, "POST", ranges, `{}`).want(t, 400)
	})
	t.Run("of a range of a few hashes", func(t *testing.T) {
		send(t, e, "POST", ranges, `{"range":"1","at":"20000000000000000000000000000001"}`).want(t, 201)
		send(t, e, "POST", ranges, `{"range":"2"}`).want(t, 400)
	})
}

func TestWriteThatWaitedThroughASplit(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	create(t, e, `{"id":"old","pk":"a"}`).want(t, 201)
	release := hold(t, e, nothing)
	wait := enqueue(e,
		func() answer { return answer{status: statusOf(e.Split(context.Background(), "d", "c", "0"))} },
		creation(t, e, "new", ""),
		func() answer { return send(t, e, "PUT", docs+"/old", `{"id":"old","pk":"a","x":1}`, pk("a")...) },
		func() answer {
			return send(t, e, "POST", docs, `[{"operationType":"Create","resourceBody":{"id":"b","pk":"a"}}]`,
				atomicBatch("a")...)
		},
		func() answer {
			return send(t, e, "POST", docs, `[{"operationType":"Create","partitionKey":"[\"a\"]","resourceBody":{"id":"c","pk":"a"}}]`,
				"X-Ms-Cosmos-Is-Batch-Request", "True", "X-Ms-Cosmos-Batch-Atomic", "False")
		})
	release()
	answers := wait()
	for i, want := range []int{0, 201, 200, 200, 200} {
		if answers[i].status != want {
			t.Errorf("write %d was answered %d: %s", i, answers[i].status, answers[i].body)
		}
	}
	for i, want := range []string{"", "2:-1#2", "2:-1#3", "2:-1#4"} { // 3A53… is in the upper half
		if got := answers[i].header.Get("X-Ms-Session-Token"); got != want {
			t.Errorf("write %d has the session token %s, want %s", i, got, want)
		}
	}
	items, etag := drain(t, e, "2", `"1"`)
	if len(items) != 4 || etag != `"5"` {
		t.Errorf("%+v, %s", items, etag)
	}
	if items, _ := drain(t, e, "1", ""); len(items) != 0 {
		t.Errorf("%+v", items)
	}
}

func TestSessionOfBulkThatWaitedThroughASplit(t *testing.T) {
	for name, headers := range map[string][]string{"to a range": {rangeHeader, "0"}, "to any": nil} {
		t.Run(name, func(t *testing.T) {
			e, _ := mustEngine(t, Options{}, plainContainer)
			create(t, e, `{"id":"old","pk":"a"}`).want(t, 201)
			release := hold(t, e, nothing)
			wait := enqueue(e,
				func() answer { return answer{status: statusOf(e.Split(context.Background(), "d", "c", "0"))} },
				func() answer {
					return send(t, e, "POST", docs, `[{"operationType":"Create","partitionKey":"[\"a\"]","resourceBody":{"id":"c","pk":"a"}}]`,
						append(headers, "X-Ms-Cosmos-Is-Batch-Request", "True", "X-Ms-Cosmos-Batch-Atomic", "False")...)
				})
			release()
			a := wait()[1].want(t, 200)
			if got := a.header.Get("X-Ms-Session-Token"); got != "1:-1#1,2:-1#2" { // the key is in the upper half
				t.Errorf("the session token is %s", got)
			}
		})
	}
}

func statusOf(err error) int {
	if err == nil {
		return 0
	}
	e, _ := asAPIError(err)
	return e.status
}

// A query whose rows moved on between the catalog and the rows that it read.
func TestQueryThatASplitOvertakes(t *testing.T) {
	e, keys := mustRanges(t)
	c := e.catalog.Load().databases["d"].containers["c"]
	target := &target{ranges: c.ranges}
	if target.outdated() {
		t.Fatal("before any split")
	}
	mustSplit(t, e, "0")
	for _, key := range keys[0] {
		send(t, e, "PUT", docs+"/1", fmt.Sprintf(`{"id":"1","pk":%q}`, key), pk(key)...).want(t, 200)
	}
	if !target.outdated() {
		t.Error("the rows that it would miss have moved")
	}
}

func TestQueryContinuationsGoOnThroughSplits(t *testing.T) {
	ask := func(t *testing.T, e *Engine, sql, next string, headers ...string) answer {
		return send(t, e, "POST", docs, fmt.Sprintf(`{"query":%q}`, sql), append(headers, "X-Ms-Continuation", next, "X-Ms-Max-Item-Count", "2",
			"X-Ms-Documentdb-Query-Enablecrosspartition", "True", "Content-Type", "application/query+json")...)
	}
	pages := func(t *testing.T, e *Engine, sql, next string, headers ...string) (n int) {
		for {
			a := ask(t, e, sql, next, headers...).want(t, 200)
			n += strings.Count(a.body, `"id":`)
			if next = a.header.Get("X-Ms-Continuation"); next == "" {
				return n
			}
		}
	}
	const all = "SELECT c.id, c.pk FROM c"
	t.Run("of everything", func(t *testing.T) {
		for _, which := range []string{"0", "1"} {
			e, _ := mustRanges(t)
			next := ask(t, e, all, "").want(t, 200).header.Get("X-Ms-Continuation")
			for range 3 {
				next = ask(t, e, all, next).want(t, 200).header.Get("X-Ms-Continuation")
			}
			mustSplit(t, e, which)
			mustSplit(t, e, "2")
			if n := pages(t, e, all, next); n != 12 {
				t.Errorf("split %s: %d of the 12 rows left", which, n)
			}
		}
	})
	t.Run("of a range, which its halves go on from", func(t *testing.T) {
		e, keys := mustRanges(t)
		next := ask(t, e, all, "", rangeHeader, "0").want(t, 200).header.Get("X-Ms-Continuation")
		mustSplit(t, e, "0")
		n := pages(t, e, all, next, rangeHeader, "2") + pages(t, e, all, next, rangeHeader, "3")
		if n != len(keys[0])-2 {
			t.Errorf("%d of the %d rows left", n, len(keys[0])-2)
		}
		ask(t, e, all, next, rangeHeader, "1").want(t, 400)
	})
	t.Run("of an order, which its halves go on from", func(t *testing.T) {
		const ordered = all + " ORDER BY c.n"
		e, keys := mustRanges(t)
		next := ask(t, e, ordered, "", rangeHeader, "0").want(t, 200).header.Get("X-Ms-Continuation")
		mustSplit(t, e, "0")
		n := pages(t, e, ordered, next, rangeHeader, "2") + pages(t, e, ordered, next, rangeHeader, "3")
		if n != len(keys[0])-2 {
			t.Errorf("%d of the %d rows left", n, len(keys[0])-2)
		}
	})
	t.Run("of counted rows is refused", func(t *testing.T) {
		const counted = "SELECT DISTINCT c.id, c.pk FROM c"
		e, _ := mustRanges(t)
		next := ask(t, e, counted, "", rangeHeader, "1").want(t, 200).header.Get("X-Ms-Continuation")
		ask(t, e, counted, next, rangeHeader, "1").want(t, 200)
		mustSplit(t, e, "1")
		ask(t, e, counted, next, rangeHeader, "2").want(t, 400)
	})
	t.Run("of one key", func(t *testing.T) {
		for _, sql := range []string{all, all + " ORDER BY c.n", "SELECT DISTINCT c.id, c.pk FROM c"} {
			e, _ := mustEngine(t, Options{}, plainContainer)
			for i := range 9 {
				create(t, e, fmt.Sprintf(`{"id":"%d","pk":"a","n":%d}`, i, i)).want(t, 201)
			}
			next := ask(t, e, sql, "", pk("a")...).want(t, 200).header.Get("X-Ms-Continuation")
			mustSplit(t, e, "0")
			if n := pages(t, e, sql, next, pk("a")...); n != 7 {
				t.Errorf("%s: %d of the 7 rows left", sql, n)
			}
		}
	})
	t.Run("of a range that has never been", func(t *testing.T) {
		e, _ := mustRanges(t)
		next := ask(t, e, all, "").want(t, 200).header.Get("X-Ms-Continuation")
		fields := strings.Split(next, ".")
		fields[3] = "77"
		ask(t, e, all, strings.Join(fields, ".")).want(t, 400)
	})
}

// Pages of a scan are no snapshot. An item that is written keeps its place, in the range
// that it moves to as well; one that is deleted and created again is another, at the end.
func TestScanOfItemsThatAreWrittenAfterASplit(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	for i := range 6 {
		send(t, e, "POST", docs, fmt.Sprintf(`{"id":"%d","pk":"k%d"}`, i, i), pk(fmt.Sprint("k", i))...).want(t, 201)
	}
	rids := map[string]bool{}
	next := ""
	page := func(size string) (ids []string) {
		a := send(t, e, "POST", docs, `{"query":"SELECT c.id, c._rid FROM c"}`, "Content-Type", "application/query+json",
			"X-Ms-Documentdb-Query-Enablecrosspartition", "True", "X-Ms-Max-Item-Count", size, "X-Ms-Continuation", next).want(t, 200)
		next = a.header.Get("X-Ms-Continuation")
		var body struct {
			Documents []struct {
				ID  string `json:"id"`
				RID string `json:"_rid"`
			}
		}
		if err := json.Unmarshal([]byte(a.body), &body); err != nil {
			t.Fatal(err)
		}
		for _, d := range body.Documents {
			if rids[d.RID] {
				t.Errorf("%s comes twice as %s", d.ID, d.RID)
			}
			rids[d.RID] = true
			ids = append(ids, d.ID)
		}
		return ids
	}
	if ids := page("3"); fmt.Sprint(ids) != "[0 1 2]" {
		t.Fatal(ids)
	}
	mustSplit(t, e, "0")
	for _, id := range []string{"0", "1", "4"} {
		send(t, e, "PUT", docs+"/"+id, fmt.Sprintf(`{"id":%q,"pk":"k%s"}`, id, id), pk("k"+id)...).want(t, 200)
	}
	for _, id := range []string{"1", "3"} {
		send(t, e, "DELETE", docs+"/"+id, "", pk("k"+id)...).want(t, 204)
		send(t, e, "POST", docs, fmt.Sprintf(`{"id":%q,"pk":"k%s"}`, id, id), pk("k"+id)...).want(t, 201)
	}
	if ids := append(page("2"), page("9")...); fmt.Sprint(ids) != "[4 5 1 3]" || next != "" {
		t.Errorf("%v, %q", ids, next)
	}
}

// What does not commit leaves no trace of the split, here and after a restart.
func TestSplitThatDoesNotCommit(t *testing.T) {
	for name, fail := range map[string]func(*txn) error{
		"refused":  func(*txn) error { return errPrecondition() },
		"an error": func(*txn) error { return errors.New("the disk failed") },
		"a panic":  func(*txn) error { panic("lost") },
		"SQLite gives way": func(tx *txn) error {
			_, err := tx.exec("ROLLBACK")
			return errors.Join(errors.New("the disk failed"), err)
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir, clock := t.TempDir(), &clock{at: time.Unix(1_800_000_000, 0)}
			e, err := open(dir, Options{}, clock.now)
			if err != nil {
				t.Fatal(err)
			}
			send(t, e, "POST", "/dbs", `{"id":"d"}`).want(t, 201)
			send(t, e, "POST", "/dbs/d/colls", plainContainer).want(t, 201)
			create(t, e, `{"id":"1","pk":"a"}`).want(t, 201)
			err = e.change(context.Background(), func(tx *txn, cat *catalog) (*catalog, error) {
				c := cat.databases["d"].containers["c"]
				next, _, err := tx.split(c, c.ranges[0], []byte{0x20})
				if err != nil {
					return nil, err
				}
				return cat.with(next), fail(tx)
			})
			if err == nil {
				t.Fatal("no error")
			}
			for range 2 {
				list := listOf(t, send(t, e, "GET", ranges, "").want(t, 200))
				items, _ := drain(t, e, "0", "")
				if len(list) != 1 || list[0].ID != "0" || len(items) != 1 {
					t.Errorf("%+v, %+v", list, items)
				}
				if err := e.Close(); err != nil {
					t.Fatal(err)
				}
				if e, err = open(dir, Options{}, clock.now); err != nil {
					t.Fatal(err)
				}
			}
			if err := e.Close(); err != nil {
				t.Fatal(err)
			}
		})
	}
}

func TestOpenRefusesRangesThatDoNotAgree(t *testing.T) {
	for sql, want := range map[string]string{
		"DELETE FROM ranges WHERE id = 0":                      "feed range 1 of container c was split off from 0, which is missing",
		"DELETE FROM ranges WHERE id = 2":                      "container c: the feed ranges end at",
		"UPDATE ranges SET max = '30' WHERE id = 1":            "container c: feed range 2 begins at",
		"UPDATE ranges SET max = 'x' WHERE id = 1":             "container c: the bounds of feed range 1",
		"UPDATE ranges SET lsn = 0 WHERE id = 2":               "feed range 2 of container c is behind",
		"UPDATE ranges SET parents = 'none' WHERE id = 2":      "feed range 2 of container c was split off from none",
		"UPDATE offers SET content = '{' WHERE resource != ''": "offer of ",
	} {
		t.Run(sql, func(t *testing.T) {
			dir := t.TempDir()
			e, err := Open(dir, Options{})
			if err != nil {
				t.Fatal(err)
			}
			send(t, e, "POST", "/dbs", `{"id":"d"}`).want(t, 201)
			send(t, e, "POST", "/dbs/d/colls", plainContainer, "X-Ms-Offer-Throughput", "400").want(t, 201)
			create(t, e, `{"id":"1","pk":"a"}`).want(t, 201)
			mustSplit(t, e, "0")
			if err := e.Close(); err != nil {
				t.Fatal(err)
			}
			c, err := openConn(newDriver(), filepath.Join(dir, databaseFile), false)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := c.exec(sql); err != nil {
				t.Fatal(err)
			}
			if err := c.close(); err != nil {
				t.Fatal(err)
			}
			e, err = Open(dir, Options{})
			if err == nil {
				e.Close()
				t.Fatal("opened")
			}
			if !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %s", err, want)
			}
		})
	}
}
