package embedded

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"

	"inkfeed/cosmos/embedded/internal/catalog"
)

func TestDefinitionsRefused(t *testing.T) {
	var log bytes.Buffer
	e, _ := mustEngine(t, Options{Logger: slog.New(slog.NewTextHandler(&log, nil))}, plainContainer)
	included := func(paths ...string) string {
		return fmt.Sprintf(`"indexingPolicy":{"includedPaths":[{"path":"/*"},{"path":"%s"}]}`,
			strings.Join(paths, `"},{"path":"`))
	}
	composite := func(path string) string {
		return fmt.Sprintf(
			`"indexingPolicy":{"includedPaths":[{"path":"/*"}],"compositeIndexes":[[{"path":"/a"},{"path":"%s"}]]}`,
			path)
	}
	unique := func(paths ...string) string {
		return fmt.Sprintf(`"uniqueKeyPolicy":{"uniqueKeys":[{"paths":["%s"]}]}`, strings.Join(paths, `","`))
	}
	many := func(n int, suffix string) (paths []string) {
		for i := range n {
			paths = append(paths, fmt.Sprintf("/p%d%s", i, suffix))
		}
		return paths
	}
	for name, part := range map[string]string{
		"an included path without a name": included("/?"),
		"an included path with a gap":     included("/a//b/?"),
		"a NUL in an included path":       included(`/a\u0000/?`),
		"2,100 included paths":            included(many(2100, "/?")...),
		"a composite path without a name": composite("/"),
		"a NUL in a composite path":       composite(`/a\u0000b`),
		"a unique key without a name":     unique("/"),
		"a unique key without a slash":    unique("u"),
		"a NUL in a unique key":           unique(`/a\u0000`),
		"a unique key of too many paths":  unique(many(17, "")...),
		"a unique key without paths":      `"uniqueKeyPolicy":{"uniqueKeys":[{"paths":[]}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			send(t, e, "POST", "/dbs/d/colls", `{"id":"x","partitionKey":{"paths":["/pk"]},`+part+`}`).want(t, 400)
			if !strings.HasPrefix(part, `"unique`) {
				send(t, e, "PUT", "/dbs/d/colls/c", `{"id":"c","partitionKey":{"paths":["/pk"]},`+part+`}`).want(t, 400)
			}
		})
	}
	t.Run("a NUL in a partition key", func(t *testing.T) {
		send(t, e, "POST", "/dbs/d/colls", `{"id":"x","partitionKey":{"paths":["/a\u0000"]}}`).want(t, 400)
	})
	t.Run("a NUL in an ORDER BY", func(t *testing.T) {
		send(t, e, "POST", docs, `{"query":"SELECT * FROM c ORDER BY c[\"a\\u0000b\"]"}`,
			append(pk("a"), "Content-Type", "application/query+json")...).want(t, 400)
	})
	t.Run("more paths over time than there can be columns", func(t *testing.T) {
		definition := func(prefix string, n int) string {
			return `{"id":"many","partitionKey":{"paths":["/pk"]},` + included(many(n, "_"+prefix+"/?")...) + `}`
		}
		send(t, e, "POST", "/dbs/d/colls", definition("a", catalog.MaxKeyColumns)).want(t, 201)
		send(t, e, "PUT", "/dbs/d/colls/many", definition("b", catalog.MaxKeyColumns)).want(t, 400)
		send(t, e, "PUT", "/dbs/d/colls/many", definition("b", 10)).want(t, 200)
	})
	if log.Len() > 0 {
		t.Errorf("logged as failures: %s", &log)
	}
}

func TestUniqueKeysThatDifferByAQuote(t *testing.T) {
	e,
		_ := mustEngine(
		t,
		Options{},
		`{"id":"c","partitionKey":{"paths":["/pk"]},"uniqueKeyPolicy":{"uniqueKeys":[{"paths":["/a\"b"]},`+
			`{"paths":["/ab"]},{"paths":["/ab"]}]}}`,
	)
	create(t, e, `{"id":"1","pk":"a","a\"b":1,"ab":1}`).want(t, 201)
	create(t, e, `{"id":"2","pk":"a","a\"b":1,"ab":2}`).want(t, 409)
	create(t, e, `{"id":"3","pk":"a","a\"b":2,"ab":1}`).want(t, 409)
	create(t, e, `{"id":"4","pk":"a","a\"b":2,"ab":2}`).want(t, 201)
}

func TestIndexesFollowTheDefinition(t *testing.T) {
	with := func(n int) string {
		var composites []string
		for i := range n {
			composites = append(composites, fmt.Sprintf(`[{"path":"/a"},{"path":"/b%d"}]`, i))
		}
		composites = append(composites, composites...)
		return fmt.Sprintf(
			`{"id":"c","partitionKey":{"paths":["/pk"]},"uniqueKeyPolicy":{"uniqueKeys":[{"paths":["/u"]}]},
			"indexingPolicy":{"includedPaths":[{"path":"/*"},{"path":"/r/?"},{"path":"/r/?"}],
			"compositeIndexes":[%s]}}`,
			strings.Join(composites, ","),
		)
	}
	e, _ := mustEngine(t, Options{}, with(2))
	for _, n := range []int{2, 3, 1} {
		send(t, e, "PUT", "/dbs/d/colls/c", with(n)).want(t, 200)
		row,
			err := e.store.Writer.One(
			"SELECT count(*) FROM sqlite_schema WHERE type = 'index' AND tbl_name = 'items_1'")
		if want := int64(3 + 2 + n); err != nil || row[0] != want {
			t.Errorf("with %d composite indexes: %v indexes, want %d (%v)", n, row, want, err)
		}
	}
	create(t, e, `{"id":"1","pk":"a","u":1}`).want(t, 201)
	create(t, e, `{"id":"2","pk":"a","u":1}`).want(t, 409)
}
