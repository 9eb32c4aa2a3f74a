package embedded

import (
	"bytes"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"inkfeed/cosmos/embedded/internal/catalog"
	"inkfeed/cosmos/embedded/internal/items"
	"inkfeed/cosmos/embedded/internal/value"
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
		"an included path without a name":                      included("/?"),
		"an included path with a wildcard before the end":      included("/tags/*/name/?"),
		"an included path with a question mark before the end": included("/tags/?/*"),
		"an included path with a hyphen outside quotes":        included("/path-abc/?"),
		"an included path with a slash at the end":             included("/a/?/"),
		"a composite path with a wildcard":                     composite("/b/*"),
		"a composite path with elements of an array":           composite("/b/[]/c"),
		"a composite path with a hyphen outside quotes":        composite("/b-c"),
		"a composite path with a slash at the end":             composite("/b/"),
		"a unique key with a wildcard":                         unique("/*"),
		"a unique key with a question mark":                    unique("/email/?"),
		"a unique key with a slash at the end":                 unique("/email/"),
		"a unique key of two paths with a comma":               unique("/a,/b"),
		"an included path with a gap":                          included("/a//b/?"),
		"a NUL in an included path":                            included(`/a\u0000/?`),
		"2,100 included paths":                                 included(many(2100, "/?")...),
		"a composite path without a name":                      composite("/"),
		"a NUL in a composite path":                            composite(`/a\u0000b`),
		"a unique key without a name":                          unique("/"),
		"a unique key without a slash":                         unique("u"),
		"a NUL in a unique key":                                unique(`/a\u0000`),
		"a unique key of too many paths":                       unique(many(17, "")...),
		"a unique key without paths":                           `"uniqueKeyPolicy":{"uniqueKeys":[{"paths":[]}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			send(t, e, "POST", "/dbs/d/colls", `{"id":"x","partitionKey":{"paths":["/pk"]},`+part+`}`).want(t, 400)
			if !strings.HasPrefix(part, `"unique`) {
				send(t, e, "PUT", "/dbs/d/colls/c", `{"id":"c","partitionKey":{"paths":["/pk"]},`+part+`}`).want(t, 400)
			}
		})
	}
	for name, path := range map[string]string{
		"a NUL in a partition key":                      `/a\u0000`,
		"a partition key with a wildcard":               "/*",
		"a partition key with a wildcard below a name":  "/pk/*",
		"a partition key with a question mark":          "/pk/?",
		"a partition key with a slash at the end":       "/pk/",
		"a partition key with two slashes":              "//pk",
		"a partition key with a hyphen outside quotes":  "/p-k",
		"a partition key with an accent outside quotes": "/clé",
		"a partition key with a quote outside quotes":   `/p\"k`,
		"a partition key with the elements of an array": "/list/[]",
		"a partition key whose quotes end with a slash": `/\"pk\"/`,
		"a partition key with an unescaped backslash":   `/p\\k`,
	} {
		t.Run(name, func(t *testing.T) {
			refusal(t, send(t, e, "POST", "/dbs/d/colls", `{"id":"x","partitionKey":{"paths":["`+path+`"]}}`), 400)
		})
	}
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

func TestDefinitionsAccepted(t *testing.T) {
	for name, members := range map[string]string{
		"paths of letters, digits and underscores": `"partitionKey":{"paths":["/a_1/2b"]},` +
			`"uniqueKeyPolicy":{"uniqueKeys":[{"paths":["/a_1","/2b/c"]}]}`,
		"other names in quotes": `"partitionKey":{"paths":["/\"a-b\"/'c d'"]},` +
			`"uniqueKeyPolicy":{"uniqueKeys":[{"paths":["/\"a,b\""]}]}`,
		"patterns of an indexing policy": `"partitionKey":{"paths":["/pk"]},"indexingPolicy":{"includedPaths":[` +
			`{"path":"/*"},{"path":"/a/?"},{"path":"/list/[]/b/?"},{"path":"/list/[]/*"},{"path":"/\"a-b\"/c/?"}],` +
			`"excludedPaths":[{"path":"/a/b/*"},{"path":"/\"_etag\"/?"}],` +
			`"compositeIndexes":[[{"path":"/a"},{"path":"/\"a-b\"/c"},{"path":"/d/?"}]]}`,
		"the root alone": `"partitionKey":{"paths":["/pk"]},"indexingPolicy":{"includedPaths":[{"path":"/"}]}`,
	} {
		t.Run(name, func(t *testing.T) {
			e, _ := mustEngine(t, Options{}, plainContainer)
			send(t, e, "POST", "/dbs/d/colls", `{"id":"x",`+members+`}`).want(t, 201)
		})
	}
}

// TestStoredPathsRemain opens a database of an earlier version whose container has paths that requests can no longer
// have.
func TestStoredPathsRemain(t *testing.T) {
	const (
		keys = `"partitionKey":{"paths":["/pk/"],"kind":"Hash","version":2},` +
			`"uniqueKeyPolicy":{"uniqueKeys":[{"paths":["/u-1"]}]}`
		policy = `"indexingPolicy":{"indexingMode":"consistent","automatic":true,` +
			`"includedPaths":[{"path":"/*"},{"path":"/a-b/?"}],"excludedPaths":[{"path":"/\"_etag\"/?"}]}`
	)
	dir := t.TempDir()
	e, err := open(dir, Options{}, time.Now)
	if err != nil {
		t.Fatal(err)
	}
	send(t, e, "POST", "/dbs", `{"id":"d"}`).want(t, 201)
	definition, err := value.Parse(`{"id":"c",` + keys + `,` + policy + `}`)
	if err != nil {
		t.Fatal(err)
	}
	err = e.writer.Change(t.Context(), func(tx *items.Txn, cat *catalog.Catalog) (*catalog.Catalog, error) {
		c := &catalog.Container{Database: cat.Databases["d"], ID: "c", TS: 1, Revision: 1, Definition: definition,
			State: new(catalog.ContainerState)}
		return cat, catalog.InsertContainer(tx.Conn, c, 1)
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	if e, err = open(dir, Options{}, time.Now); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	t.Run("items can be written", func(t *testing.T) { create(t, e, `{"id":"1","pk":"a","u-1":1}`).want(t, 201) })
	t.Run("the container can be replaced with the same paths", func(t *testing.T) {
		send(t, e, "PUT", "/dbs/d/colls/c", `{"id":"c","defaultTtl":60,`+keys+`,`+policy+`}`).want(t, 200)
	})
	t.Run("new paths are checked", func(t *testing.T) {
		changed := strings.Replace(policy, "/a-b/?", "/c-d/?", 1)
		refusal(t, send(t, e, "PUT", "/dbs/d/colls/c", `{"id":"c",`+keys+`,`+changed+`}`), 400)
	})
}

func TestUniqueKeysThatDifferByAQuote(t *testing.T) {
	e,
		_ := mustEngine(
		t,
		Options{},
		`{"id":"c","partitionKey":{"paths":["/pk"]},"uniqueKeyPolicy":{"uniqueKeys":[{"paths":["/\"a\\\"b\""]},`+
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
