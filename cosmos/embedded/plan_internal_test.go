package embedded

import (
	"context"
	"database/sql/driver"
	"net/http/httptest"
	"strings"
	"testing"

	"inkfeed/cosmos/embedded/internal/query"
	"inkfeed/cosmos/embedded/internal/value"
)

// The containers of the application, with the indexing policies that it declares.
const (
	postsContainer = `{"id":"c","partitionKey":{"paths":["/postId"]},"indexingPolicy":{"includedPaths":[{"path":"/userId/?"}],"excludedPaths":[{"path":"/*"}],
		"compositeIndexes":[[{"path":"/type"},{"path":"/creationDate"},{"path":"/id"}]]}}`
	usersContainer = `{"id":"c","partitionKey":{"paths":["/userId"]},"indexingPolicy":{"includedPaths":[],"excludedPaths":[{"path":"/*"}],
		"compositeIndexes":[[{"path":"/type","order":"descending"},{"path":"/creationDate","order":"descending"},{"path":"/id","order":"descending"}]]}}`
	feedContainer = `{"id":"c","partitionKey":{"paths":["/type"]},"defaultTtl":-1,"indexingPolicy":{"includedPaths":[],"excludedPaths":[{"path":"/*"}],
		"compositeIndexes":[[{"path":"/creationDate","order":"descending"},{"path":"/id","order":"descending"}]]}}`
	namedContainer  = `{"id":"c","partitionKey":{"paths":["/postId"]},"indexingPolicy":{"includedPaths":[{"path":"/*"},{"path":"/type/?"}],"excludedPaths":[]}}`
	leasesContainer = `{"id":"c","partitionKey":{"paths":["/id"]}}`
)

// TestQueryPlans reads how SQLite runs the queries of the application: from an index,
// and without sorting.
func TestQueryPlans(t *testing.T) {
	for _, tt := range []struct {
		name, container, pk, sql, want string
	}{
		{"comments of a post", postsContainer, `["p"]`,
			"SELECT * FROM c WHERE c.postId = @p AND c.type = 'comment' ORDER BY c.type ASC, c.creationDate ASC, c.id ASC OFFSET @o LIMIT @n",
			`USING INDEX items_1_x1 (pk=? AND k_/type=?)`},
		{"likes of a post, newest first", postsContainer, `["p"]`,
			"SELECT * FROM c WHERE c.postId = @p AND c.type = 'like' ORDER BY c.type DESC, c.creationDate DESC, c.id DESC OFFSET @o LIMIT @n",
			`USING INDEX items_1_x1 (pk=? AND k_/type=?)`},
		{"posts of a user", usersContainer, `["u"]`,
			"SELECT * FROM c WHERE c.userId = @p AND c.type = 'post' ORDER BY c.type DESC, c.creationDate DESC, c.id DESC OFFSET @o LIMIT @n",
			`(pk=? AND k_/type=?)`},
		{"comments of a post, page by page", postsContainer, `["p"]`,
			"SELECT * FROM c WHERE c.postId = @p AND c.type = 'comment' ORDER BY c.type ASC, c.creationDate ASC, c.id ASC", `USING INDEX items_1_x1 (pk=? AND k_/type=?)`},
		{"likes of a post, newest first, page by page", postsContainer, `["p"]`,
			"SELECT * FROM c WHERE c.postId = @p AND c.type = 'like' ORDER BY c.type DESC, c.creationDate DESC, c.id DESC", `USING INDEX items_1_x1 (pk=? AND k_/type=?)`},
		{"feed, page by page", feedContainer, "", "SELECT * FROM c WHERE c.type = 'post' ORDER BY c.creationDate DESC, c.id DESC", `USING INDEX items_1_x1 (pk=?)`},
		{"feed, key in WHERE", feedContainer, "",
			"SELECT * FROM c WHERE c.type = 'post' ORDER BY c.creationDate DESC, c.id DESC OFFSET @o LIMIT @n", `(pk=?)`},
		{"feed, key in the header too", feedContainer, `["post"]`,
			"SELECT * FROM c WHERE c.type = 'post' ORDER BY c.creationDate DESC, c.id DESC OFFSET @o LIMIT @n", `(pk=?)`},
		{"comments of a post, where every type has an index", namedContainer, `["p"]`,
			"SELECT * FROM c WHERE c.type = 'comment'", `(pk=?)`},
		{"items of a user across posts", postsContainer, "",
			"SELECT c.id, c.postId, c.type FROM c WHERE c.userId = @u AND c.userUsername != @name", `USING INDEX items_1_x2 (k_/userId=?)`},
		{"everything", postsContainer, "", "SELECT * FROM c", `SCAN items_1`},
		{"leases by prefix", leasesContainer, "", "SELECT * FROM c WHERE STARTSWITH(c.id, @p)", `USING INDEX items_1_id (pk>? AND pk<?)`},
		{"read many", postsContainer, "", "SELECT * FROM c WHERE (c.id = @a AND c.postId = @p) OR (c.id = @b AND c.postId = @q)", `USING INDEX items_1_id (pk=? AND id=?)`},
		{"read many by id", leasesContainer, "", "SELECT * FROM c WHERE c.id IN (@a, @b)", `USING INDEX items_1_id (pk=? AND id=?)`},
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

// planOf explains the SQL of a query.
func planOf(t *testing.T, e *Engine, pk, sql string) string {
	t.Helper()
	stmt, err := query.Parse(sql)
	if err != nil {
		t.Fatal(err)
	}
	spec := &querySpec{text: sql, stmt: stmt, params: query.Params{
		"@p": value.OfString("p"), "@q": value.OfString("q"), "@a": value.OfString("a"), "@b": value.OfString("b"),
		"@u": value.OfString("u"), "@name": value.OfString("n"), "@o": value.OfInt(0), "@n": value.OfInt(20),
	}}
	r := httptest.NewRequest("POST", docs, nil)
	if pk != "" {
		r.Header.Set(keyHeader, pk)
	}
	q := newRequest(e, r)
	c := e.catalog.Load().databases["d"].containers["c"]
	q.coll = c
	target, err := q.target(c, spec)
	if err != nil {
		t.Fatal(err)
	}
	run, err := newRun(q, c, spec, target)
	if err != nil {
		t.Fatal(err)
	}
	s := run.statement(c.ranges[0])
	if run.ordered() {
		s = run.orderedStatement()
	} else {
		s.tail = " ORDER BY rid"
	}
	var plan []string
	err = e.store.read(context.Background(), func(conn *conn) error {
		return conn.query(context.Background(), "EXPLAIN QUERY PLAN "+s.text(), s.args, func(row []driver.Value) (bool, error) {
			plan = append(plan, asText(row[3]))
			return true, nil
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return strings.NewReplacer(`"`, "", "^", "").Replace(strings.Join(plan, "; "))
}
