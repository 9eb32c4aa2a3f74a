package embedded

import (
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"inkfeed/cosmos/embedded/internal/storage"
)

// crashWorld is the state that the process must have, according to its responses.
type crashWorld struct {
	writers []*crashWriter

	created bool // the database and its containers

	mu           sync.Mutex
	used         map[rangeName]map[int64]bool // LSNs in use
	newest       map[rangeName]int64
	acknowledged int
	unknown      int // writes interrupted by a kill
	completed    int // interrupted writes that were committed
}

// rangeName names a feed range of a container.
type rangeName struct{ container, id string }

// keyName names a logical partition.
type keyName struct{ container, pk string }

// crashItem is an item and the LSN of its last write.
type crashItem struct {
	ID   string `json:"id"`
	PK   string `json:"pk"`
	N    int    `json:"n"`
	Text string `json:"text"`
	LSN  int64  `json:"_lsn,omitempty"`
}

// crashWriter writes to logical partitions of its own, one write at a time.
type crashWriter struct {
	random  *rand.Rand
	number  int
	count   int
	keys    map[keyName]map[string]crashItem
	pending *crashWrite
	// Other writes: created and deleted containers, and splits.
	containers map[string]bool
	splits     int
}

// crashWrite is a write with its effect on a partition.
type crashWrite struct {
	key     keyName
	after   map[string]crashItem
	touched []string // ids of changed items
	refused bool     // the write must be rejected
	made    string   // container to create
	dropped string   // container to delete
	split   bool     // split a feed range

	method, path, body string
	headers            []string
}

const crashWriters = 6

// crashContainers are the containers to write to. The ranges of the last one are split meanwhile.
var crashContainers = []string{"c0", "c1", splitContainer}

const (
	splitContainer = "c2"
	maxSplits      = 12
)

func newCrashWorld(seed uint64) *crashWorld {
	world := &crashWorld{used: make(map[rangeName]map[int64]bool), newest: make(map[rangeName]int64)}
	for i := range crashWriters {
		w := &crashWriter{random: rand.New(rand.NewPCG(seed, uint64(i+1))), number: i,
			keys: make(map[keyName]map[string]crashItem), containers: make(map[string]bool)}
		for k := range 6 {
			w.keys[keyName{crashContainers[k%3], fmt.Sprintf("w%d-%d", i, k)}] = make(map[string]crashItem)
		}
		world.writers = append(world.writers, w)
	}
	return world
}

func (world *crashWorld) items() (n int) {
	for _, w := range world.writers {
		for _, items := range w.keys {
			n += len(items)
		}
	}
	return n
}

// step makes one write. It returns false after the process has ended or given a wrong response.
func (w *crashWriter) step(t *testing.T, world *crashWorld, l *life) bool {
	op := w.plan()
	world.mu.Lock()
	floor := maps.Clone(world.newest)
	world.mu.Unlock()
	a, err := l.send(op.method, op.path, op.body, op.headers...)
	switch {
	case err != nil:
		w.pending = op
		return false
	case a.status == 503 && strings.Contains(a.body, "closed"):
		return false // and writes nothing
	case op.refused:
		if a.status != 207 {
			t.Errorf("a batch with a conflict is answered %d: %s", a.status, a.body)
		}
		return a.status == 207
	case a.status >= 300 || a.status == 207:
		t.Errorf("%s %s %s: %d: %s", op.method, op.path, storage.Abbreviate(op.body), a.status, a.body)
		return false
	}
	world.mu.Lock()
	defer world.mu.Unlock()
	world.acknowledged++
	if op.key.pk == "" {
		w.apply(op, 0)
		return true
	}
	id, lsnText, ok := strings.Cut(a.header.Get("X-Ms-Session-Token"), ":-1#")
	lsn, err := strconv.ParseInt(lsnText, 10, 64)
	if !ok || err != nil {
		t.Errorf("the session token is %q", a.header.Get("X-Ms-Session-Token"))
		return false
	}
	name := rangeName{op.key.container, id}
	for _, item := range w.keys[op.key] { // in this range or its parent
		floor[name] = max(floor[name], item.LSN)
	}
	if lsn <= floor[name] {
		t.Errorf("feed range %v: the LSN is %d, although %d was acknowledged before", name, lsn, floor[name])
	}
	world.use(t, name, lsn)
	w.apply(op, lsn)
	return true
}

// use records the LSN of a write. No other write may have it.
func (world *crashWorld) use(t *testing.T, name rangeName, lsn int64) {
	t.Helper()
	if world.used[name] == nil {
		world.used[name] = make(map[int64]bool)
	}
	if world.used[name][lsn] {
		t.Errorf("feed range %v: two writes have the LSN %d", name, lsn)
	}
	world.used[name][lsn] = true
	world.newest[name] = max(world.newest[name], lsn)
}

func (w *crashWriter) apply(op *crashWrite, lsn int64) {
	switch {
	case op.made != "":
		w.containers[op.made] = true
		return
	case op.dropped != "":
		delete(w.containers, op.dropped)
		return
	case op.split:
		w.splits++
		return
	}
	for _, id := range op.touched {
		if item, ok := op.after[id]; ok {
			item.LSN = lsn
			op.after[id] = item
		}
	}
	w.keys[op.key] = op.after
}

// plan chooses a write.
func (w *crashWriter) plan() *crashWrite {
	w.count++
	if w.number == 0 && w.random.IntN(25) == 0 {
		return w.planContainer()
	}
	if w.number == 1 && w.splits < maxSplits && w.random.IntN(40) == 0 {
		return &crashWrite{split: true, method: "POST", path: "/dbs/d/colls/" + splitContainer + "/pkranges",
			body: "{}"}
	}
	names := slices.SortedFunc(maps.Keys(w.keys), func(a, b keyName) int { return strings.Compare(a.pk, b.pk) })
	op := &crashWrite{key: names[w.random.IntN(len(names))]}
	op.after = maps.Clone(w.keys[op.key])
	op.path = "/dbs/d/colls/" + op.key.container + "/docs"
	op.headers = pk(op.key.pk)
	if w.random.IntN(4) == 0 {
		w.single(op)
		return op
	}
	var parts []string
	for range 2 + w.random.IntN(5) {
		parts = append(parts, w.change(op).inBatch())
	}
	if w.random.IntN(10) == 0 {
		conflict := change{kind: "Create", body: w.keep(op, w.newItem(op))}
		op.refused = true
		parts = append(parts, conflict.inBatch(), conflict.inBatch())
	}
	op.method, op.body = "POST", "["+strings.Join(parts, ",")+"]"
	op.headers = append(op.headers, "X-Ms-Cosmos-Is-Batch-Request", "True", "X-Ms-Cosmos-Batch-Atomic", "True")
	return op
}

func (w *crashWriter) planContainer() *crashWrite {
	if len(w.containers) < 3 || w.random.IntN(2) == 0 && len(w.containers) < 8 {
		name := fmt.Sprintf("extra%d", w.count)
		return &crashWrite{made: name, method: "POST", path: "/dbs/d/colls", body: crashDefinition(name)}
	}
	name := slices.Sorted(maps.Keys(w.containers))[0]
	return &crashWrite{dropped: name, method: "DELETE", path: "/dbs/d/colls/" + name}
}

func crashDefinition(name string) string {
	return fmt.Sprintf(`{"id":%q,"partitionKey":{"paths":["/pk"],"kind":"Hash","version":2},
		"indexingPolicy":{"includedPaths":[{"path":"/n/?"}],"excludedPaths":[{"path":"/*"}]}}`, name)
}

// change is an operation, in a batch or alone.
type change struct{ kind, id, body string }

func (c change) inBatch() string {
	switch c.kind {
	case "Create", "Upsert":
		return fmt.Sprintf(`{"operationType":%q,"resourceBody":%s}`, c.kind, c.body)
	case "Delete":
		return fmt.Sprintf(`{"operationType":"Delete","id":%q}`, c.id)
	}
	return fmt.Sprintf(`{"operationType":%q,"id":%q,"resourceBody":%s}`, c.kind, c.id, c.body)
}

// single makes op a write of one item outside of a batch.
func (w *crashWriter) single(op *crashWrite) {
	c := w.change(op)
	op.method, op.body = "POST", c.body
	switch c.kind {
	case "Upsert":
		op.headers = append(op.headers, "X-Ms-Documentdb-Is-Upsert", "True")
	case "Replace":
		op.method = "PUT"
	case "Patch":
		op.method = "PATCH"
	case "Delete":
		op.method = "DELETE"
	}
	if c.id != "" {
		op.path += "/" + url.PathEscape(c.id)
	}
}

const crashItems = 8 // maximum number of items per logical partition

// change chooses an operation and applies it to the expected result of op.
func (w *crashWriter) change(op *crashWrite) change {
	ids := slices.Sorted(maps.Keys(op.after))
	kind := w.random.IntN(10)
	if len(ids) == 0 || kind < 3 && len(ids) < crashItems {
		kind := []string{"Create", "Upsert"}[w.random.IntN(2)]
		return change{kind: kind, body: w.keep(op, w.newItem(op))}
	}
	item := op.after[ids[w.random.IntN(len(ids))]]
	item.LSN = 0
	switch {
	case kind < 5:
		by := w.random.IntN(1000)
		item.N += by
		w.keep(op, item)
		return change{"Patch", item.ID, fmt.Sprintf(`{"operations":[{"op":"incr","path":"/n","value":%d}]}`, by)}
	case kind < 7:
		item.N, item.Text = w.random.IntN(1000), w.text()
		return change{kind: "Upsert", body: w.keep(op, item)}
	case kind < 9:
		item.N, item.Text = w.random.IntN(1000), w.text()
		return change{"Replace", item.ID, w.keep(op, item)}
	}
	delete(op.after, item.ID)
	op.touched = append(op.touched, item.ID)
	return change{kind: "Delete", id: item.ID}
}

func (w *crashWriter) newItem(op *crashWrite) crashItem {
	return crashItem{ID: fmt.Sprintf("i%d-%d", w.count, len(op.touched)), PK: op.key.pk, N: w.random.IntN(1000),
		Text: w.text()}
}

// text returns a text that is sometimes longer than a page of the database.
func (w *crashWriter) text() string {
	return strings.Repeat(strconv.Itoa(w.random.IntN(10)), w.random.IntN(2000)*(1+w.random.IntN(4)))
}

// keep adds the item to the expected result of op and returns its JSON.
func (w *crashWriter) keep(op *crashWrite, item crashItem) string {
	op.after[item.ID] = item
	op.touched = append(op.touched, item.ID)
	text, err := json.Marshal(item)
	if err != nil {
		panic(err)
	}
	return string(text)
}

// check compares the state of a newly started process with the world. Interrupted writes are
// complete or absent, which check records in the world.
func (world *crashWorld) check(t *testing.T, l *life) {
	t.Helper()
	if !world.created {
		world.created = true
		l.must(t, 201, "POST", "/dbs", `{"id":"d"}`)
		for _, c := range crashContainers {
			l.must(t, 201, "POST", "/dbs/d/colls", crashDefinition(c))
		}
		return
	}
	world.checkContainers(t, l)
	world.checkSplits(t, l)
	found, counters := make(map[keyName]map[string]crashItem), make(map[rangeName]int64)
	ranges := make(map[keyName]rangeName)
	for _, c := range crashContainers {
		for _, id := range rangesOf(t, l, c) {
			name := rangeName{c, id}
			items, counter := drainFeed(t, l.asker(t), name)
			counters[name] = counter
			for _, item := range items {
				key := keyName{c, item.PK}
				if found[key] == nil {
					found[key] = make(map[string]crashItem)
				}
				if _, twice := found[key][item.ID]; twice {
					t.Errorf("%v has %s twice in its change feeds", key, item.ID)
				}
				found[key][item.ID] = item
				ranges[key] = name
			}
		}
		if got, want := len(readFeed(t, l, c)), countItems(found, c); got != want {
			t.Errorf("container %s has %d items, its change feeds have %d", c, got, want)
		}
	}
	vanished := make(map[string]int) // by container: writes that only the counter shows
	perhaps := make(map[string]int)  // by container: writes that may have been committed
	for _, w := range world.writers {
		for key, want := range w.keys {
			op := w.pending
			if op == nil || op.key != key {
				w.compare(t, key, found[key], want)
				continue
			}
			world.unknown++
			lsn, whole := op.committed(want, found[key])
			if op.refused || !whole {
				w.compare(t, key, found[key], want)
				continue
			}
			if lsn == 0 && maps.Equal(op.after, want) { // it has no net effect
				w.compare(t, key, found[key], want)
				perhaps[key.container]++
				continue
			}
			world.completed++
			w.apply(op, lsn)
			w.compare(t, key, found[key], op.after)
			if lsn > 0 {
				world.use(t, ranges[key], lsn)
			} else {
				vanished[key.container]++
			}
		}
		w.pending = nil
	}
	world.checkCounters(t, counters, vanished, perhaps)
}

// committed reports whether a partition that held before now holds the result of the write. It
// returns the LSN of the items that it wrote; 0 if it left none. A write that changes nothing, such
// as an increment by 0, is visible only in the LSN.
func (op *crashWrite) committed(before, found map[string]crashItem) (lsn int64, whole bool) {
	var last int64
	for _, id := range op.touched {
		last = max(last, before[id].LSN)
		if item, ok := found[id]; ok {
			lsn = max(lsn, item.LSN)
		}
	}
	for id, item := range op.after {
		if slices.Contains(op.touched, id) {
			item.LSN = lsn
		}
		if found[id] != item {
			return 0, false
		}
	}
	return lsn, len(found) == len(op.after) && (lsn == 0 || lsn > last)
}

func TestCrashWriteThatChangesNothing(t *testing.T) {
	before := map[string]crashItem{"a": {ID: "a", N: 1, LSN: 13}}
	op := &crashWrite{after: map[string]crashItem{"a": {ID: "a", N: 1}}, touched: []string{"a"}}
	if _, whole := op.committed(before, before); whole {
		t.Error("an item with its former LSN counts as written again")
	}
	written := map[string]crashItem{"a": {ID: "a", N: 1, LSN: 14}}
	if lsn, whole := op.committed(before, written); lsn != 14 || !whole {
		t.Errorf("an item with a new LSN: got LSN %d, committed %v", lsn, whole)
	}
}

func (w *crashWriter) compare(t *testing.T, key keyName, got, want map[string]crashItem) {
	t.Helper()
	if len(got) == len(want) && maps.Equal(got, want) {
		return
	}
	t.Errorf("%v differs from its acknowledged state:\ngot  %s\nwant %s", key, describe(got), describe(want))
	if w.pending != nil && w.pending.key == key {
		t.Errorf("and from the state after the interrupted write:\nor   %s", describe(w.pending.after))
	}
}

func describe(items map[string]crashItem) string {
	var b strings.Builder
	for _, id := range slices.Sorted(maps.Keys(items)) {
		fmt.Fprintf(&b, "%s{n %d, %d bytes, LSN %d} ", id, items[id].N, len(items[id].Text), items[id].LSN)
	}
	return b.String()
}

// checkCounters checks that each range has counted every write and nothing else. A write that only
// deleted items belongs to one of the ranges of its container. So does a committed write that
// deletes what it creates.
func (world *crashWorld) checkCounters(t *testing.T, counters map[rangeName]int64, vanished, perhaps map[string]int) {
	t.Helper()
	missing := make(map[string]int)
	for name, counter := range counters {
		if newest := world.newest[name]; newest > counter {
			t.Errorf("feed range %v is at LSN %d, although %d was acknowledged", name, counter, newest)
		}
		if name.container == splitContainer {
			continue // whose LSNs are from before the split
		}
		for lsn := int64(1); lsn <= counter; lsn++ {
			if !world.used[name][lsn] {
				missing[name.container]++
				world.use(t, name, lsn)
			}
		}
	}
	for _, c := range crashContainers {
		if c != splitContainer && (missing[c] < vanished[c] || missing[c] > vanished[c]+perhaps[c]) {
			t.Errorf("container %s has %d LSNs without a write, want from %d to %d", c, missing[c], vanished[c],
				vanished[c]+perhaps[c])
		}
	}
}

func (world *crashWorld) checkContainers(t *testing.T, l *life) {
	t.Helper()
	var list struct{ DocumentCollections []struct{ ID string } }
	if err := json.Unmarshal([]byte(l.must(t, 200, "GET", "/dbs/d/colls", "").body), &list); err != nil {
		t.Fatal(err)
	}
	w := world.writers[0]
	got := make(map[string]bool)
	for _, c := range list.DocumentCollections {
		if slices.Contains(crashContainers, c.ID) {
			continue
		}
		got[c.ID] = true
		if a := l.must(t, 200, "GET", "/dbs/d/colls/"+c.ID+"/pkranges", ""); !strings.Contains(a.body, `"_count":3`) {
			t.Errorf("container %s: %s", c.ID, a.body)
		}
	}
	if op := w.pending; op != nil && (op.made != "" || op.dropped != "") {
		world.unknown++
		if got[op.made] || op.dropped != "" && !got[op.dropped] {
			world.completed++
			w.apply(op, 0)
		}
	}
	if !maps.Equal(got, w.containers) {
		t.Errorf("got containers %v, want %v", got, w.containers)
	}
}

// checkSplits checks that the number of ranges matches the splits.
func (world *crashWorld) checkSplits(t *testing.T, l *life) {
	t.Helper()
	w := world.writers[1]
	made := len(rangesOf(t, l, splitContainer)) - 3
	if w.pending != nil && w.pending.split {
		world.unknown++
		if made > w.splits {
			world.completed++
			w.apply(w.pending, 0)
		}
	}
	if made != w.splits {
		t.Errorf("%d splits were acknowledged, %d were made", w.splits, made)
	}
}

func rangesOf(t *testing.T, l *life, container string) (ids []string) {
	t.Helper()
	var list struct{ PartitionKeyRanges []struct{ ID string } }
	if err := json.Unmarshal([]byte(l.must(t, 200, "GET", "/dbs/d/colls/"+container+"/pkranges", "").body),
		&list); err != nil {
		t.Fatal(err)
	}
	for _, r := range list.PartitionKeyRanges {
		ids = append(ids, r.ID)
	}
	return ids
}

// asker sends a request to an engine in this or another process.
type asker func(method, path, body string, headers ...string) answer

// drainFeed reads a change feed to its end and returns the items and the range's counter.
func drainFeed(t *testing.T, ask asker, name rangeName) (items []crashItem, counter int64) {
	t.Helper()
	etag, last := "", int64(0)
	for {
		headers := []string{"A-IM", "Incremental feed", rangeHeader, name.id, "X-Ms-Max-Item-Count", "10"}
		if etag != "" {
			headers = append(headers, "If-None-Match", etag)
		}
		a := ask("GET", "/dbs/d/colls/"+name.container+"/docs", "", headers...)
		if a.status == 304 {
			counter, err := strconv.ParseInt(a.header.Get("Lsn"), 10, 64)
			if err != nil {
				t.Fatal(err)
			}
			return items, counter
		}
		var page struct{ Documents []crashItem }
		if err := json.Unmarshal([]byte(a.want(t, 200).body), &page); err != nil {
			t.Fatal(err)
		}
		for i, item := range page.Documents {
			if item.LSN < last || i == 0 && item.LSN == last {
				t.Errorf("feed range %v: LSN %d comes after %d", name, item.LSN, last)
			}
			last = item.LSN
		}
		items = append(items, page.Documents...)
		etag = a.header.Get("Etag")
	}
}

// readFeed reads all items of a container, without the change feed.
func readFeed(t *testing.T, l *life, container string) (ids []string) {
	t.Helper()
	for continuation := ""; ; {
		headers := []string{"X-Ms-Max-Item-Count", "50"}
		if continuation != "" {
			headers = append(headers, "X-Ms-Continuation", continuation)
		}
		a := l.must(t, 200, "GET", "/dbs/d/colls/"+container+"/docs", "", headers...)
		var page struct{ Documents []crashItem }
		if err := json.Unmarshal([]byte(a.body), &page); err != nil {
			t.Fatal(err)
		}
		for _, item := range page.Documents {
			ids = append(ids, item.PK+"/"+item.ID)
		}
		if continuation = a.header.Get("X-Ms-Continuation"); continuation == "" {
			return ids
		}
	}
}

func countItems(found map[keyName]map[string]crashItem, container string) (n int) {
	for key, items := range found {
		if key.container == container {
			n += len(items)
		}
	}
	return n
}
