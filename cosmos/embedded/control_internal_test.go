package embedded

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"

	"inkfeed/cosmos/embedded/internal/catalog"
	"inkfeed/cosmos/embedded/internal/epk"
	"inkfeed/cosmos/embedded/internal/items"
	"inkfeed/cosmos/embedded/internal/storage"
)

// usageOf returns a number from the usage header.
func usageOf(t testing.TB, a answer, name string) int {
	t.Helper()
	for field := range strings.SplitSeq(a.header.Get("X-Ms-Resource-Usage"), ";") {
		if got, text, _ := strings.Cut(field, "="); got == name {
			n, err := strconv.Atoi(text)
			if err != nil {
				t.Fatal(err)
			}
			return n
		}
	}
	t.Fatalf("no %s in %v", name, a.header)
	return 0
}

func TestUsage(t *testing.T) {
	e,
		_ := mustEngine(
		t,
		Options{},
		`{"id":"c","partitionKey":{"paths":["/pk"]},"indexingPolicy":{"includedPaths":[{"path":"/x/?"}],`+
			`"excludedPaths":[{"path":"/*"}]}}`,
	)
	read := func() answer {
		return send(t, e, "GET", "/dbs/d/colls/c", "", "X-Ms-Documentdb-Populatequotainfo", "True").want(t, 200)
	}
	if n := usageOf(t, read(), "documentsCount"); n != 0 {
		t.Errorf("an empty container has %d items", n)
	}
	for i := range 100 {
		create(t, e, fmt.Sprintf(`{"id":"%d","pk":"a","x":%q}`, i, strings.Repeat("x", 1000))).want(t, 201)
	}
	for i := range 40 {
		send(t, e, "DELETE", fmt.Sprintf("%s/%d", docs, i*2), "", pk("a")...).want(t, 204)
	}
	a := read()
	if n := usageOf(t, a, "documentsCount"); n != 60 {
		t.Errorf("%d items", n)
	}
	if n := usageOf(t, a, "documentsSize"); n < 59 || n > 62 {
		t.Errorf("%d KB of items", n)
	}
	if n := usageOf(t, a, "collectionSize"); n < 120 || n > 140 { // twice the indexed property
		t.Errorf("%d KB with indexes", n)
	}
	if a.header.Get("X-Ms-Resource-Quota") == "" {
		t.Errorf("%v", a.header)
	}
	if a := send(t, e, "GET", "/dbs/d/colls/c", ""); a.header.Get("X-Ms-Resource-Usage") != "" {
		t.Error("the usage is returned without a request for it")
	}
}

// TestUsageOfManyItems checks the estimate, which does not read all items.
func TestUsageOfManyItems(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	const items = 5000
	for i := 0; i < items; i += maxBatchOps {
		var ops []string
		for n := range maxBatchOps {
			ops = append(ops, fmt.Sprintf(`{"operationType":"Create","resourceBody":{"id":"%d","pk":"a","x":%q}}`, i+n,
				strings.Repeat("x", (i+n)%1000)))
		}
		send(t, e, "POST", docs, "["+strings.Join(ops, ",")+"]", append(pk("a"), "X-Ms-Cosmos-Is-Batch-Request", "True",
			"X-Ms-Cosmos-Batch-Atomic", "True", "Prefer", "return=minimal")...).want(t, 200)
	}
	a := send(t, e, "GET", "/dbs/d/colls/c", "", "X-Ms-Documentdb-Populatequotainfo", "True").want(t, 200)
	if n := usageOf(t, a, "documentsCount"); n != items {
		t.Errorf("%d items", n)
	}
	want := items * (500 + 27) / catalog.Kilobyte
	if n := usageOf(t, a, "documentsSize"); n < want*9/10 || n > want*11/10 {
		t.Errorf("%d KB of items, want about %d", n, want)
	}
}

func TestListsAreReadPageByPage(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	for i := range 5 {
		send(t, e, "POST", "/dbs", fmt.Sprintf(`{"id":"db%d"}`, i)).want(t, 201)
		send(t, e, "POST", "/dbs/d/colls", fmt.Sprintf(`{"id":"coll%d","partitionKey":{"paths":["/pk"]}}`, i)).want(t,
			201)
	}
	pages := func(method, path, body string, between func(page int)) (ids []string) {
		t.Helper()
		next := ""
		for page := 1; ; page++ {
			a := send(t, e, method, path, body, "X-Ms-Max-Item-Count", "2", "X-Ms-Continuation", next).want(t, 200)
			var list struct {
				Databases, DocumentCollections []struct {
					ID string `json:"id"`
				}
			}
			if err := json.Unmarshal([]byte(a.body), &list); err != nil {
				t.Fatal(err)
			}
			all := append(list.Databases, list.DocumentCollections...)
			if len(all) > 2 || len(all) == 0 {
				t.Fatalf("a page of %d", len(all))
			}
			for _, r := range all {
				ids = append(ids, r.ID)
			}
			if next = a.header.Get("X-Ms-Continuation"); next == "" {
				return ids
			}
			if between != nil {
				between(page)
			}
		}
	}
	if got := fmt.Sprint(pages("GET", "/dbs", "", nil)); got != "[d db0 db1 db2 db3 db4]" {
		t.Errorf("databases: %s", got)
	}
	if got := fmt.Sprint(pages("GET", "/dbs/d/colls", "", nil)); got != "[c coll0 coll1 coll2 coll3 coll4]" {
		t.Errorf("containers: %s", got)
	}
	got := fmt.Sprint(pages("GET", "/dbs", "", func(page int) {
		if page == 1 { // the last key of the first page and those that follow
			send(t, e, "DELETE", "/dbs/db0", "").want(t, 204)
			send(t, e, "DELETE", "/dbs/db3", "").want(t, 204)
		}
	}))
	if got != "[d db0 db1 db2 db4]" {
		t.Errorf("after deletions the list is %s", got)
	}
	for _, token := range []string{"x", "1.eA", "."} {
		send(t, e, "GET", "/dbs", "", "X-Ms-Continuation", token).want(t, 400)
	}
	send(t, e, "GET", "/dbs", "", "X-Ms-Max-Item-Count", "many").want(t, 400)
}

func TestReadFeedPages(t *testing.T) {
	e, _ := mustRanges(t)
	next, count, pages := "", 0, 0
	for {
		a := send(t, e, "GET", docs, "", "X-Ms-Max-Item-Count", "6", "X-Ms-Continuation", next).want(t, 200)
		count += strings.Count(a.body, `"_rid":"`) - 1
		pages++
		if next = a.header.Get("X-Ms-Continuation"); next == "" {
			break
		}
	}
	if count != 20 || pages < 4 {
		t.Errorf("%d items in %d pages", count, pages)
	}
}

func TestControlPlane(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	const coll = "/dbs/d/colls/c"
	etag := func(path string) string { return send(t, e, "GET", path, "").want(t, 200).header.Get("Etag") }
	stale := etag(coll)
	t.Run("read if changed", func(t *testing.T) {
		for _, path := range []string{coll, "/dbs/d"} {
			if a := send(t, e, "GET", path, "", "If-None-Match", etag(path)).want(t, 304); a.body != "" ||
				a.header.Get("Etag") != etag(path) {
				t.Errorf("%v", a)
			}
			send(t, e, "GET", path, "", "If-None-Match", `"x"`).want(t, 200)
		}
	})
	t.Run("replace if unchanged", func(t *testing.T) {
		send(t, e, "PUT", coll, `{"id":"c","partitionKey":{"paths":["/pk"]},"defaultTtl":5}`, "If-Match", stale).want(t,
			200)
		send(t, e, "PUT", coll, plainContainer, "If-Match", stale).want(t, 412)
	})
	t.Run("delete if unchanged", func(t *testing.T) {
		send(t, e, "DELETE", coll, "", "If-Match", stale).want(t, 412)
		send(t, e, "DELETE", "/dbs/d", "", "If-Match", stale).want(t, 412)
	})
	for name, tt := range map[string]struct {
		body string
		want int
	}{
		"another id":            {`{"id":"x","partitionKey":{"paths":["/pk"]}}`, 400},
		"another partition key": {`{"id":"c","partitionKey":{"paths":["/x"]}}`, 400},
		"another kind of key":   {`{"id":"c","partitionKey":{"paths":["/pk"],"kind":"MultiHash"}}`, 400},
		"a unique key": {
			`{"id":"c","partitionKey":{"paths":["/pk"]},"uniqueKeyPolicy":{"uniqueKeys":[{"paths":["/a"]}]}}`, 403},
		"a ttl of zero":     {`{"id":"c","partitionKey":{"paths":["/pk"]},"defaultTtl":0}`, 400},
		"a ttl below never": {`{"id":"c","partitionKey":{"paths":["/pk"]},"defaultTtl":-2}`, 400},
		"a ttl in text":     {`{"id":"c","partitionKey":{"paths":["/pk"]},"defaultTtl":"5"}`, 400},
		"a ttl too long":    {`{"id":"c","partitionKey":{"paths":["/pk"]},"defaultTtl":2147483648}`, 400},
		"a ttl without indexes": {
			`{"id":"c","partitionKey":{"paths":["/pk"]},"defaultTtl":5,"indexingPolicy":{"indexingMode":"none",` +
				`"automatic":false}}`, 400},
		"a ttl of null":   {`{"id":"c","partitionKey":{"paths":["/pk"]},"defaultTtl":null}`, 400},
		"no ttl":          {`{"id":"c","partitionKey":{"paths":["/pk"]}}`, 200},
		"the longest ttl": {`{"id":"c","partitionKey":{"paths":["/pk"]},"defaultTtl":2147483647}`, 200},
	} {
		t.Run("replaced with "+name, func(t *testing.T) { send(t, e, "PUT", coll, tt.body).want(t, tt.want) })
	}
	for name, want := range map[string]int{
		strings.Repeat("é", 255): 201, strings.Repeat("é", 256): 400, "with space": 201, "": 400,
		"space at the end ": 400, "a/b": 400, `a\\b`: 400, "a#b": 400, "a?b": 400,
	} {
		t.Run("a name "+storage.Abbreviate(name), func(t *testing.T) {
			send(t, e, "POST", "/dbs", fmt.Sprintf(`{"id":"%s"}`, name)).want(t, want)
			send(t, e, "POST", "/dbs/d/colls", fmt.Sprintf(`{"id":"%s","partitionKey":{"paths":["/pk"]}}`,
				name)).want(t, want)
		})
	}
	t.Run("created if it does not exist", func(t *testing.T) {
		send(t, e, "GET", "/dbs/new", "").want(t, 404)
		send(t, e, "POST", "/dbs", `{"id":"new"}`).want(t, 201)
		send(t, e, "POST", "/dbs", `{"id":"new"}`).want(t, 409)
		send(t, e, "POST", "/dbs/d/colls", plainContainer).want(t, 409)
		send(t, e, "POST", "/dbs/none/colls", plainContainer).want(t, 404)
	})
}

func TestItemLimits(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	long := strings.Repeat("k", epk.MaxBytes)
	nested := func(levels int) string { // including the item itself
		return strings.Repeat(`{"x":`, levels-1) + "1" + strings.Repeat("}", levels-1)
	}
	for name, tt := range map[string]struct {
		item, key string
		want      int
	}{
		"an id of 1,023 bytes":          {`{"id":"` + strings.Repeat("i", 1023) + `","pk":"a"}`, "a", 201},
		"an id of 1,024 bytes":          {`{"id":"` + strings.Repeat("i", 1024) + `","pk":"a"}`, "a", 400},
		"an id of 512 letters é":        {`{"id":"` + strings.Repeat("é", 512) + `","pk":"a"}`, "a", 400},
		"no id":                         {`{"pk":"a"}`, "a", 400},
		"an empty id":                   {`{"id":"","pk":"a"}`, "a", 400},
		"an id that is a number":        {`{"id":1,"pk":"a"}`, "a", 400},
		"a key of 2,048 bytes":          {`{"id":"1","pk":"` + long + `"}`, long, 201},
		"a key of 2,049 bytes":          {`{"id":"1","pk":"` + long + `k"}`, long + "k", 400},
		"a key that is an array":        {`{"id":"1","pk":["a"]}`, "a", 400},
		"a key other than the header's": {`{"id":"1","pk":"b"}`, "a", 400},
		"128 levels":                    {`{"id":"2","pk":"a","x":` + nested(128) + `}`, "a", 201},
		"129 levels":                    {`{"id":"3","pk":"a","x":` + nested(129) + `}`, "a", 400},
		"two megabytes": {`{"id":"4","pk":"a","x":"` + strings.Repeat("x", items.MaxBody-26) + `"}`, "a",
			201},
		"a byte more": {`{"id":"5","pk":"a","x":"` + strings.Repeat("x", items.MaxBody-25) + `"}`, "a",
			413},
		"no object": {`["id"]`, "a", 400},
		"no JSON":   {`{"id":"6",`, "a", 400},
	} {
		t.Run(name, func(t *testing.T) {
			a := send(t, e, "POST", docs, tt.item, pk(tt.key)...)
			if a.status != tt.want {
				t.Errorf("got %d, want %d: %s", a.status, tt.want, storage.Abbreviate(a.body))
			}
		})
	}
}

func TestItemTTL(t *testing.T) {
	e, clock := mustEngine(t, Options{}, `{"id":"c","partitionKey":{"paths":["/pk"]},"defaultTtl":-1}`)
	for ttl, want := range map[string]int{"-1": 201, "1": 201, "2147483647": 201, "0": 400, "-2": 400, "null": 400,
		`"5"`: 400, "1.5": 400, "2147483648": 400, "true": 400} {
		t.Run(ttl, func(t *testing.T) {
			create(t, e, fmt.Sprintf(`{"id":"%s","pk":"a","ttl":%s}`, strings.Trim(ttl, `"`)+"t", ttl)).want(t, want)
		})
	}
	t.Run("starts at the last write", func(t *testing.T) {
		create(t, e, `{"id":"x","pk":"a","ttl":10}`).want(t, 201)
		clock.at = clock.at.Add(9 * time.Second)
		send(t, e, "PATCH", docs+"/x", `[{"op":"set","path":"/n","value":1}]`, pk("a")...).want(t, 200)
		clock.at = clock.at.Add(9 * time.Second)
		send(t, e, "GET", docs+"/x", "", pk("a")...).want(t, 200)
		clock.at = clock.at.Add(time.Second)
		send(t, e, "GET", docs+"/x", "", pk("a")...).want(t, 404)
	})
	t.Run("has no effect in a container without expiry", func(t *testing.T) {
		send(t, e, "POST", "/dbs/d/colls", `{"id":"off","partitionKey":{"paths":["/pk"]}}`).want(t, 201)
		for i, ttl := range []string{"0", "null", `"x"`, "10"} {
			send(t, e, "POST", "/dbs/d/colls/off/docs", fmt.Sprintf(`{"id":"%d","pk":"a","ttl":%s}`, i, ttl),
				pk("a")...).want(t, 201)
		}
		clock.at = clock.at.Add(time.Hour)
		send(t, e, "GET", "/dbs/d/colls/off/docs/3", "", pk("a")...).want(t, 200)
	})
}
