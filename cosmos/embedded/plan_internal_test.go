package embedded

import (
	"database/sql/driver"
	"net/http/httptest"
	"strings"
	"testing"

	"inkfeed/cosmos/embedded/internal/execution"
	"inkfeed/cosmos/embedded/internal/query"
	"inkfeed/cosmos/embedded/internal/value"
)

// The application's containers with their indexing policies.
const (
	postsContainer = `{"id":"c","partitionKey":{"paths":["/postId"]},
		"indexingPolicy":{"includedPaths":[{"path":"/userId/?"}],"excludedPaths":[{"path":"/*"}],
		"compositeIndexes":[[{"path":"/type"},{"path":"/creationDate"},{"path":"/id"}]]}}`
	usersContainer = `{"id":"c","partitionKey":{"paths":["/userId"]},
		"indexingPolicy":{"includedPaths":[],"excludedPaths":[{"path":"/*"}],
		"compositeIndexes":[[{"path":"/type","order":"descending"},{"path":"/creationDate","order":"descending"},
		{"path":"/id","order":"descending"}]]}}`
	feedContainer = `{"id":"c","partitionKey":{"paths":["/type"]},"defaultTtl":-1,
		"indexingPolicy":{"includedPaths":[],"excludedPaths":[{"path":"/*"}],
		"compositeIndexes":[[{"path":"/creationDate","order":"descending"},
		{"path":"/id","order":"descending"}]]}}`
	namedContainer = `{"id":"c","partitionKey":{"paths":["/postId"]},` +
		`"indexingPolicy":{"includedPaths":[{"path":"/*"},{"path":"/type/?"}],"excludedPaths":[]}}`
	leasesContainer = `{"id":"c","partitionKey":{"paths":["/id"]}}`
)

// TestQueryPlans checks SQLite's plans for the application's queries: they use an index and do not
// sort.
func TestQueryPlans(t *testing.T) {
	for _, tt := range []struct {
		name, container, pk, sql, want string
	}{
		{"comments of a post", postsContainer, `["p"]`,
			"SELECT * FROM c WHERE c.postId = @p AND c.type = 'comment' ORDER BY c.type ASC, c.creationDate ASC, " +
				"c.id ASC OFFSET @o LIMIT @n",
			`USING INDEX items_1_x1 (pk=? AND k_/type=?)`},
		{"likes of a post, newest first", postsContainer, `["p"]`,
			"SELECT * FROM c WHERE c.postId = @p AND c.type = 'like' ORDER BY c.type DESC, c.creationDate DESC, " +
				"c.id DESC OFFSET @o LIMIT @n",
			`USING INDEX items_1_x1 (pk=? AND k_/type=?)`},
		{"posts of a user", usersContainer, `["u"]`,
			"SELECT * FROM c WHERE c.userId = @p AND c.type = 'post' ORDER BY c.type DESC, c.creationDate DESC, " +
				"c.id DESC OFFSET @o LIMIT @n",
			`(pk=? AND k_/type=?)`},
		{"comments of a post, page by page", postsContainer, `["p"]`,
			"SELECT * FROM c WHERE c.postId = @p AND c.type = 'comment' ORDER BY c.type ASC, c.creationDate ASC, " +
				"c.id ASC", `USING INDEX items_1_x1 (pk=? AND k_/type=?)`},
		{"likes of a post, newest first, page by page", postsContainer, `["p"]`,
			"SELECT * FROM c WHERE c.postId = @p AND c.type = 'like' ORDER BY c.type DESC, c.creationDate DESC, " +
				"c.id DESC", `USING INDEX items_1_x1 (pk=? AND k_/type=?)`},
		{"feed, page by page", feedContainer, "",
			"SELECT * FROM c WHERE c.type = 'post' ORDER BY c.creationDate DESC, c.id DESC",
			`USING INDEX items_1_x1 (pk=?)`},
		{"feed, key in WHERE", feedContainer, "",
			"SELECT * FROM c WHERE c.type = 'post' ORDER BY c.creationDate DESC, c.id DESC OFFSET @o LIMIT @n",
			`(pk=?)`},
		{"feed, key in the header too", feedContainer, `["post"]`,
			"SELECT * FROM c WHERE c.type = 'post' ORDER BY c.creationDate DESC, c.id DESC OFFSET @o LIMIT @n",
			`(pk=?)`},
		{"comments of a post, where every type has an index", namedContainer, `["p"]`,
			"SELECT * FROM c WHERE c.type = 'comment'", `(pk=?)`},
		{"items of a user across posts", postsContainer, "",
			"SELECT c.id, c.postId, c.type FROM c WHERE c.userId = @u AND c.userUsername != @name",
			`USING INDEX items_1_x2 (k_/userId=?)`},
		{"everything", postsContainer, "", "SELECT * FROM c", `SCAN items_1`},
		{"number of comments before a place", postsContainer, `["p"]`,
			"SELECT VALUE COUNT(1) FROM c WHERE c.postId = @p AND c.type = 'comment' AND c.creationDate < @a",
			`SCALAR SUBQUERY 1; SEARCH items_1 USING COVERING INDEX items_1_x1 (pk=? AND k_/type=? AND ` +
				`k_/creationDate>? AND k_/creationDate<?)`},
		{"number of posts of a feed with a time to live", feedContainer, "",
			"SELECT VALUE COUNT(1) FROM c WHERE c.type = 'post' AND c.creationDate < @a",
			`SCALAR SUBQUERY 1; SEARCH items_1 USING COVERING INDEX items_1_x1 (pk=? AND k_/creationDate>? AND ` +
				`k_/creationDate<?); SCALAR SUBQUERY 2; SEARCH items_1 USING INDEX items_1_exp (exp<?)`},
		{"leases by prefix", leasesContainer, "", "SELECT * FROM c WHERE STARTSWITH(c.id, @p)",
			`USING INDEX items_1_id (pk>? AND pk<?)`},
		{"read many", postsContainer, "",
			"SELECT * FROM c WHERE (c.id = @a AND c.postId = @p) OR (c.id = @b AND c.postId = @q)",
			`USING INDEX items_1_id (pk=? AND id=?)`},
		{"read many by id", leasesContainer, "", "SELECT * FROM c WHERE c.id IN (@a, @b)",
			`USING INDEX items_1_id (pk=? AND id=?)`},
		{"one item", leasesContainer, "", "SELECT * FROM c WHERE c.id = @a", `USING INDEX items_1_id (pk=? AND id=?)`},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e, _ := mustEngine(t, Options{}, tt.container)
			plan := planOf(t, e, tt.pk, tt.sql)
			if !strings.Contains(plan, tt.want) {
				t.Errorf("got  %s\nwant %s", plan, tt.want)
			}
			if strings.Contains(tt.sql, "ORDER BY") && strings.Contains(plan, "TEMP B-TREE") {
				t.Errorf("it sorts: %s", plan)
			}
		})
	}
}

// TestContinuationsSeek checks SQLite's plans for continuing in an order: each statement finds its
// rows by an index search and skips none.
func TestContinuationsSeek(t *testing.T) {
	for _, tt := range []struct {
		name, container, pk, sql string
		keys                     []driver.Value
		want                     []string
	}{
		{"newest posts", feedContainer, `["post"]`, "SELECT * FROM c ORDER BY c.creationDate DESC, c.id DESC",
			[]driver.Value{[]byte{6, 'x'}, "i"}, []string{
				`USING INDEX items_1_id (pk=? AND id=?)`,
				`USING INDEX items_1_x1 (pk=? AND k_/creationDate=? AND id<?)`,
				`USING INDEX items_1_x1 (pk=? AND k_/creationDate<?)`,
				`USING INDEX items_1_x1 (pk=? AND k_/creationDate=?)`}},
		{"comments", postsContainer, `["p"]`,
			"SELECT * FROM c WHERE c.type = 'comment' ORDER BY c.type, c.creationDate, c.id",
			[]driver.Value{[]byte{6, 'c'}, []byte{6, 'x'}, "i"}, []string{
				`(pk=? AND id=?)`,
				`(pk=? AND k_/type=? AND k_/creationDate=? AND id>?)`,
				`(pk=? AND k_/type=? AND k_/creationDate>?)`,
				`(pk=? AND k_/type=?)`}},
		{"after items without the property", feedContainer, `["post"]`, "SELECT * FROM c ORDER BY c.creationDate, c.id",
			[]driver.Value{nil, "i"}, []string{
				`(pk=? AND id=?)`, `(pk=? AND k_/creationDate=? AND id>?)`, `(pk=? AND k_/creationDate>?)`}},
		{"across keys",
			`{"id":"c","partitionKey":{"paths":["/pk"]},"indexingPolicy":{"includedPaths":[{"path":"/*"},` +
				`{"path":"/n/?"}]}}`, "",
			"SELECT * FROM c ORDER BY c.n DESC", []driver.Value{[]byte{5, 1}}, []string{
				`USING INDEX items_1_x1 (k_/n=? AND rowid<?)`, `USING INDEX items_1_x1 (k_/n<?)`,
				`USING INDEX items_1_x1 (k_/n=?)`}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e, _ := mustEngine(t, Options{}, tt.container)
			plans := plansOf(t, e, tt.pk, tt.sql, &execution.Continuation{RID: 7, Keys: tt.keys})
			if len(plans) != len(tt.want) {
				t.Fatalf("%d statements", len(plans))
			}
			for i, plan := range plans {
				if !strings.Contains(plan, tt.want[i]) || strings.Contains(plan, "SCAN") ||
					strings.Contains(plan, "TEMP B-TREE") {
					t.Errorf("statement %d: got %s, want %s", i, plan, tt.want[i])
				}
			}
		})
	}
}

// TestCompositeIndexesFollowThePolicy replaces the indexing policy of a container with items and
// compares the plans before and after.
func TestCompositeIndexesFollowThePolicy(t *testing.T) {
	definition := func(composite string) string {
		return `{"id":"c","partitionKey":{"paths":["/pk"]},"indexingPolicy":{"includedPaths":[{"path":"/*"}],` +
			`"compositeIndexes":[` + composite + `]}}`
	}
	const up, down = `[{"path":"/a"},{"path":"/b"}]`,
		`[{"path":"/a","order":"descending"},{"path":"/c","order":"ascending"}]`
	e, _ := mustEngine(t, Options{}, definition(up))
	for _, item := range []string{`{"id":"1","pk":"a","a":1,"b":2,"c":1}`, `{"id":"2","pk":"a","a":2,"b":1,"c":2}`,
		`{"id":"3","pk":"a","a":1,"b":1,"c":3}`} {
		create(t, e, item).want(t, 201)
	}
	ask := func(order string) answer {
		return send(t, e, "POST", docs, `{"query":"SELECT VALUE c.id FROM c ORDER BY `+order+`"}`,
			append(pk("a"), "Content-Type", "application/query+json")...)
	}
	check := func(served, rows, refused string) {
		t.Helper()
		plan := planOf(t, e, `["a"]`, "SELECT VALUE c.id FROM c ORDER BY "+served)
		if !strings.Contains(plan, "USING INDEX items_1_x1 (pk=?)") || strings.Contains(plan, "TEMP B-TREE") {
			t.Errorf("ORDER BY %s: %s", served, plan)
		}
		if a := ask(served).want(t, 200); !strings.Contains(a.body, rows) {
			t.Errorf("ORDER BY %s: %s, want %s", served, a.body, rows)
		}
		ask(refused).want(t, 400)
	}
	check("c.a, c.b", `["3","1","2"]`, "c.a DESC, c.c")
	check("c.a DESC, c.b DESC", `["2","1","3"]`, "c.a, c.b DESC")
	send(t, e, "PUT", "/dbs/d/colls/c", definition(down)).want(t, 200)
	check("c.a DESC, c.c", `["2","1","3"]`, "c.a, c.b")
	check("c.a, c.c DESC", `["3","1","2"]`, "c.a, c.c")
	create(t, e, `{"id":"4","pk":"a","a":3,"c":0}`).want(t, 201)
	check("c.a DESC, c.c", `["4","2","1","3"]`, "c.a, c.b")
}

// planOf returns SQLite's plan of the first statement of a query's first page.
func planOf(t *testing.T, e *Engine, pk, sql string) string {
	t.Helper()
	return plansOf(t, e, pk, sql, nil)[0]
}

// plansOf returns SQLite's plans of the page of a query after a continuation.
func plansOf(t *testing.T, e *Engine, pk, sql string, after *execution.Continuation) []string {
	t.Helper()
	stmt, err := query.Parse(sql)
	if err != nil {
		t.Fatal(err)
	}
	spec := &execution.Query{Text: sql, Statement: stmt, Params: query.Params{
		"@p": value.OfString("p"), "@q": value.OfString("q"), "@a": value.OfString("a"), "@b": value.OfString("b"),
		"@u": value.OfString("u"), "@name": value.OfString("n"), "@o": value.OfInt(0), "@n": value.OfInt(20),
	}}
	r := httptest.NewRequest("POST", docs, nil)
	if pk != "" {
		r.Header.Set(keyHeader, pk)
	}
	q := newRequest(e, r)
	c := e.catalog.Load().Databases["d"].Containers["c"]
	q.coll = c
	target, err := q.target(c, spec)
	if err != nil {
		t.Fatal(err)
	}
	options := execution.PageOptions{Store: e.store, Now: q.now, Size: defaultPageSize}
	if after != nil {
		options.Continuation = after.Token(c, spec)
	}
	plans, err := execution.Explain(t.Context(), c, spec, target, options)
	if err != nil {
		t.Fatal(err)
	}
	return plans
}
