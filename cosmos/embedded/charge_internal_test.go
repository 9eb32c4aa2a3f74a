package embedded

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"testing"

	"inkfeed/cosmos/embedded/internal/charge"
)

// charge returns the request charge of an answer in RU.
func (a answer) charge(t testing.TB) float64 {
	t.Helper()
	ru, err := strconv.ParseFloat(a.header.Get("X-Ms-Request-Charge"), 64)
	if err != nil {
		t.Fatal(err)
	}
	return ru
}

// cent is the tolerance of charges, because published figures are rounded or truncated.
const cent = 0.01

func wantCharge(t *testing.T, got, want, tolerance float64) {
	t.Helper()
	if math.Abs(got-want) > want*tolerance+cent+1e-9 {
		t.Errorf("costs %.2f RU, want %.2f within %.0f %%", got, want, tolerance*100)
	}
}

// filled returns an item whose stored size is n bytes.
func filled(id string, n int) string {
	item := fmt.Sprintf(`{"id":%q,"s":""}`, id)
	return strings.Replace(item, `""`, `"`+strings.Repeat("x", n-len(item))+`"`, 1)
}

// TestChargesBySize checks Microsoft's tables of charges by item size to the cent. For the write of
// 1,024 KB the table has no cents.
func TestChargesBySize(t *testing.T) {
	e,
		_ := mustEngine(t, Options{},
		`{"id":"c","partitionKey":{"paths":["/id"]},"indexingPolicy":{"indexingMode":"none","automatic":false}}`)
	for _, tt := range []struct {
		kb          int
		read, write float64
	}{
		{1, 1, 4.95}, {2, 1.04, 6.29}, {4, 1.14, 6.67}, {8, 1.33, 7.04}, {16, 1.67, 9.52}, {32, 2.19, 11.23},
		{64, 4.76, 22.67}, {128, 9.95, 48.19}, {256, 20.28, 98.29}, {512, 40.95, 184.57}, {1024, 145.9, 625},
	} {
		t.Run(fmt.Sprintf("%d KB", tt.kb), func(t *testing.T) {
			id := strconv.Itoa(tt.kb)
			wantCharge(t, send(t, e, "POST", docs, filled(id, tt.kb<<10), pk(id)...).want(t, 201).charge(t), tt.write,
				0.0001)
			wantCharge(t, send(t, e, "GET", docs+"/"+id, "", pk(id)...).want(t, 200).charge(t), tt.read, 0)
		})
	}
}

// TestHostedWriteCharges checks recorded charges of the hosted service for writes exactly.
func TestHostedWriteCharges(t *testing.T) {
	const unit = 4.0 / 21
	e,
		_ := mustEngine(t, Options{},
		`{"id":"c","partitionKey":{"paths":["/pk"]},"uniqueKeyPolicy":{"uniqueKeys":[{"paths":["/u"]}]}}`)
	numbers := `{"id":"numbers","pk":"a","u":0`
	for i := range 11 {
		numbers += fmt.Sprintf(`,"n%d":%d`, i, i)
	}
	patch := `{"operations":[{"op":"incr","path":"/u","value":1}]}`
	for _, tt := range []struct {
		name, method, path, body string
		headers                  []string
		status                   int
		want                     float64
	}{
		{"create of three leaves", "POST", "", `{"id":"3","pk":"a","u":1}`, nil, 201, 33 * unit},
		{"create of four", "POST", "", `{"id":"4","pk":"a","n":1,"u":"x"}`, nil, 201, 35 * unit},
		{"create of five", "POST", "", `{"id":"5","pk":"a","n":1,"s":"x","u":"y"}`, nil, 201, 37 * unit},
		{"create of fourteen", "POST", "", numbers + `}`, nil, 201, 55 * unit},
		{"replace of three leaves", "PUT", "/3", `{"id":"3","pk":"a","u":2}`, nil, 200, 56 * unit},
		{"upsert of what is there", "POST", "", `{"id":"3","pk":"a","u":3}`, []string{"X-Ms-Documentdb-Is-Upsert",
			"True"}, 200, 56 * unit},
		{"patch of three leaves", "PATCH", "/3", patch, nil, 200, 56 * unit},
		{"replace of four leaves", "PUT", "/4", `{"id":"4","pk":"a","n":2,"u":"x"}`, nil, 200, 58 * unit},
		{"a taken id", "POST", "", `{"id":"3","pk":"a","n":1}`, nil, 409, 1.57},
		{"a taken unique key", "POST", "", `{"id":"6","pk":"a","u":"x"}`, nil, 409, 1.94},
		{"a unique key taken by a replace", "PUT", "/5", `{"id":"5","pk":"a","n":1,"s":"x","u":"x"}`, nil, 409, 1.94},
		{"another partition key", "POST", "", `{"id":"7","pk":"b"}`, nil, 400, 1.24},
		{"delete", "DELETE", "/3", "", nil, 204, 33 * unit},
		{"container", "GET", "container", "", nil, 200, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := docs + tt.path
			if tt.path == "container" {
				path = strings.TrimSuffix(docs, "/docs")
			}
			a := send(t, e, tt.method, path, tt.body, append(pk("a"), tt.headers...)...).want(t, tt.status)
			wantCharge(t, a.charge(t), tt.want, 0)
		})
	}
	t.Run("a batch costs the sum of its operations", func(t *testing.T) {
		var ops []string
		for i := range 100 {
			ops = append(ops,
				fmt.Sprintf(`{"operationType":"Create","resourceBody":{"id":"b%d","pk":"a","n":1,"s":"x","u":%d}}`, i,
					100+i))
		}
		a := send(t, e, "POST", docs, "["+strings.Join(ops, ",")+"]",
			atomicBatch("a")...).want(t, 200)
		wantCharge(t, a.charge(t), 704.76, 0)
		if !strings.Contains(a.body, `"requestCharge":7.047619`) {
			t.Error("the charges of its operations are rounded")
		}
	})
}

// queryCharge runs a query to its end and returns the sum of the charges of its pages.
func queryCharge(t *testing.T, e *Engine, sql string, headers ...string) (rows int, charge float64) {
	t.Helper()
	headers = append(headers, "X-Ms-Documentdb-Query", "True", "X-Ms-Documentdb-Query-Enablecrosspartition", "True")
	for token := ""; ; {
		a := send(t, e, "POST", docs, fmt.Sprintf(`{"query":%q}`, sql), append(headers, "X-Ms-Continuation",
			token)...).want(t, 200)
		n, _ := strconv.Atoi(a.header.Get("X-Ms-Item-Count"))
		rows, charge = rows+n, charge+a.charge(t)
		if token = a.header.Get("X-Ms-Continuation"); token == "" {
			return rows, charge
		}
	}
}

// TestHostedQueryCharges checks recorded charges of the hosted service for queries of tiny items,
// with the default indexing policy and one feed range.
func TestHostedQueryCharges(t *testing.T) {
	const tolerance = 0.15
	e, _ := mustEngine(t, Options{}, plainContainer)
	grow := func(from, to int) {
		for ; from < to; from += 100 {
			var ops []string
			for i := from; i < from+100; i++ {
				ops = append(ops, fmt.Sprintf(`{"operationType":"Create","resourceBody":{"id":"%d","pk":"a","n":%d}}`,
					i, i))
			}
			send(t, e, "POST", docs, "["+strings.Join(ops, ",")+"]",
				atomicBatch("a")...).want(t, 200)
		}
	}
	check := func(name, sql string, rows int, low, high float64) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			n, ru := queryCharge(t, e, sql, "X-Ms-Max-Item-Count", "1000")
			t.Logf("%.2f RU", ru)
			if n != rows || ru < low*(1-tolerance) || ru > high*(1+tolerance) {
				t.Errorf("%d rows cost %.2f RU, want %d and %.2f to %.2f within %.0f %%", n, ru, rows, low, high,
					tolerance*100)
			}
		})
	}
	create(t, e, `{"id":"only","pk":"a","n":1}`).want(t, 201)
	check("a constant", "SELECT 1 AS a", 1, 2.25, 2.25)
	check("everything of one item", "SELECT * FROM c", 1, 2.26, 2.26)
	send(t, e, "DELETE", docs+"/only", "", pk("a")...).want(t, 204)
	grow(0, 1000)
	check("a lookup by id", "SELECT * FROM c WHERE c.id = '7'", 1, 2.82, 2.84)
	check("a lookup by a property without a column", "SELECT * FROM c WHERE c.n = 7", 1, 2.82, 2.84)
	check("a lookup of two", "SELECT * FROM c WHERE c.id IN ('7', '8')", 2, 2.82, 2.84)
	check("everything of a thousand", "SELECT * FROM c", 1000, 17.16, 17.16)
	grow(1000, 2500)
	check("everything of 2,500", "SELECT * FROM c", 2500, 34.72, 38.14)
}

// A charge depends on the number of items that the service would load, not on how this engine finds them.
func TestChargeDependsOnLoadedItems(t *testing.T) {
	for name, tt := range map[string]struct {
		policy string
		where  string
		loads  int
	}{
		"a column": {
			`{"includedPaths":[{"path":"/*"},{"path":"/n/?"}],"excludedPaths":[]}`, "c.n >= 90", 10},
		"a path without a column": {`{"includedPaths":[{"path":"/*"}],"excludedPaths":[]}`, "c.n >= 90",
			10},
		"one of each": {
			`{"includedPaths":[{"path":"/*"},{"path":"/n/?"}],"excludedPaths":[]}`, "c.n >= 90 AND c.s = 'x'", 10},
		"an excluded path": {`{"includedPaths":[{"path":"/s/?"}],"excludedPaths":[{"path":"/*"}]}`,
			"c.n >= 90", 100},
		"a function that the index evaluates": {`{"includedPaths":[{"path":"/*"}],"excludedPaths":[]}`,
			"CONTAINS(c.t, '9') AND NOT ENDSWITH(c.t, '9')", 9},
		"an expression that no index computes": {`{"includedPaths":[{"path":"/*"}],"excludedPaths":[]}`,
			"c.n + 10 >= 100", 100},
		"two properties compared": {`{"includedPaths":[{"path":"/*"}],"excludedPaths":[]}`, "c.n > c.s",
			100},
		"an index that is off": {`{"indexingMode":"none","automatic":false}`, "c.n >= 90", 100},
		"rows in the order of another column": {`{"includedPaths":[{"path":"/*"}],"excludedPaths":[]}`,
			"c.n >= 90 ORDER BY c.t", 10},
	} {
		t.Run(name, func(t *testing.T) {
			e, _ := mustEngine(t, Options{}, `{"id":"c","partitionKey":{"paths":["/pk"]},"indexingPolicy":`+tt.policy+
				`}`)
			size := 0
			for i := range 100 {
				item := fmt.Sprintf(`{"id":"%02d","pk":"a","n":%d,"s":"x","t":"%02d"}`, i, i, i)
				size = len(item) // except for the first ten
				create(t, e, item).want(t, 201)
			}
			shape := charge.QueryShape{Ranges: 1, Predicates: strings.Count(tt.where, " AND ") + 1,
				Sorted: strings.Contains(tt.where, "ORDER")}
			_, got := queryCharge(t, e, "SELECT * FROM c WHERE "+tt.where, pk("a")...)
			wantCharge(t, got, shape.Base()+shape.Rows(tt.loads, tt.loads*size), 0.002)
		})
	}
}

// TestChargeOfAnOffset checks that rows skipped by OFFSET are charged, so that a page far down a
// list costs more.
func TestChargeOfAnOffset(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	for i := range 50 {
		create(t, e, fmt.Sprintf(`{"id":"%02d","pk":"a"}`, i)).want(t, 201)
	}
	page := func(offset int) float64 {
		_, ru := queryCharge(t, e, fmt.Sprintf("SELECT * FROM c WHERE c.pk = 'a' ORDER BY c.id OFFSET %d LIMIT 10",
			offset), pk("a")...)
		return ru
	}
	wantCharge(t, page(40)-page(0), 40*charge.FoundRowRU, 0.005)
	wantCharge(t, page(60), page(0)-10*(charge.FoundRowRU+charge.FoundKBRU*20/1024), 0.01)
}

// TestPagesAddUp checks that the pages of a query cost as much as the query in one page.
func TestPagesAddUp(t *testing.T) {
	e, _ := mustEngine(t, Options{Ranges: 4}, plainContainer)
	for i := range 60 {
		key := strconv.Itoa(i % 7)
		send(t, e, "POST", docs, fmt.Sprintf(`{"id":"%d","pk":%q,"n":%d}`, i, key, i), pk(key)...).want(t, 201)
	}
	_, whole := queryCharge(t, e, "SELECT * FROM c WHERE c.n >= 0", "X-Ms-Max-Item-Count", "1000")
	_, paged := queryCharge(t, e, "SELECT * FROM c WHERE c.n >= 0", "X-Ms-Max-Item-Count", "10")
	wantCharge(t, paged, whole, 0.01)
	if fourth := 4 * (charge.QueryRU + charge.PredicateRU); whole < fourth {
		t.Errorf("costs %.2f RU, less than its four feed ranges: %.2f", whole, fourth)
	}
}

// TestArticleWriteCharges checks the writes of Microsoft's modelling article to the cent, with
// documents of its shapes. The tests of request costs in package cosmos check the rest of its
// table.
func TestArticleWriteCharges(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	send(t, e, "POST", "/dbs/d/colls", `{"id":"users","partitionKey":{"paths":["/id"]}}`).want(t, 201)
	text := func(n int) string { return strings.Repeat("x", n) }
	for _, tt := range []struct {
		name, path, key, item string
		want                  float64
	}{
		{"C1 user", "/dbs/d/colls/users/docs", "u", `{"id":"u","username":"n"}`, 5.71},
		{"C2 post", docs, "p", `{"id":"p","pk":"p","type":"post","userId":"u","title":"t","content":"` + text(1650) +
			`","creationDate":"d"}`, 8.76},
		{"C3 comment", docs, "p", `{"id":"c","pk":"p","type":"comment","userId":"u","content":"` + text(1800) +
			`","creationDate":"d"}`, 8.57},
		{"C4 like", docs, "p", `{"id":"l","pk":"p","type":"like","userId":"u","creationDate":"d"}`, 7.05},
	} {
		t.Run(tt.name, func(t *testing.T) {
			wantCharge(t, send(t, e, "POST", tt.path, tt.item, pk(tt.key)...).want(t, 201).charge(t), tt.want, 0)
		})
	}
}
