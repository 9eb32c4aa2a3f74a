package embedded_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/embedded"
)

// zoo holds an item for every type of the property v.
var zoo = []string{
	`{"id":"undefined","pk":"a"}`,
	`{"id":"null","pk":"a","v":null}`,
	`{"id":"false","pk":"a","v":false}`,
	`{"id":"true","pk":"a","v":true}`,
	`{"id":"minus","pk":"a","v":-1.5}`,
	`{"id":"zero","pk":"a","v":0}`,
	`{"id":"one","pk":"a","v":1}`,
	`{"id":"big","pk":"a","v":9007199254740993}`,
	`{"id":"empty","pk":"a","v":""}`,
	`{"id":"upper","pk":"a","v":"Zoo"}`,
	`{"id":"lower","pk":"a","v":"apple"}`,
	`{"id":"array","pk":"a","v":[1,"x"]}`,
	`{"id":"object","pk":"a","v":{"x":1,"y":2}}`,
}

// indexed creates a container with an indexed path for each given path.
func indexed(paths ...string) func(*azcosmos.ContainerProperties) {
	return func(p *azcosmos.ContainerProperties) {
		p.IndexingPolicy = &azcosmos.IndexingPolicy{Automatic: true, IndexingMode: azcosmos.IndexingModeConsistent,
			IncludedPaths: []azcosmos.IncludedPath{{Path: "/*"}}}
		for _, path := range paths {
			p.IndexingPolicy.IncludedPaths = append(p.IndexingPolicy.IncludedPaths,
				azcosmos.IncludedPath{Path: path + "/?"})
		}
	}
}

func TestQueryFilters(t *testing.T) {
	tests := []struct {
		where string
		want  string // ids
	}{
		{"c.v = 1", "one"},
		{"c.v = 1.0", "one"},
		{"c.v = '1'", ""},
		{"c.v = true", "true"},
		{"c.v = null", "null"},
		{"c.v = undefined", ""},
		{"c.v = 9007199254740992", ""},
		{"c.v = 9007199254740993", "big"},
		{"c.v != 1", "null false true minus zero big empty upper lower array object"},
		{"NOT (c.v = 1)", "null false true minus zero big empty upper lower array object"},
		{"NOT (c.v > 0)", "minus zero"},
		{"c.v < 1", "minus zero"},
		{"c.v <= 1 AND c.v >= 0", "zero one"},
		{"c.v > 'Z'", "upper lower"},
		{"c.v >= false", "false true"},
		{"c.v", "true"},
		{"NOT c.v", "false"},
		{"c.v BETWEEN 0 AND 1", "zero one"},
		{"c.v IN (1, 'apple', null)", "null one lower"},
		{"NOT (c.v IN (1))", "null false true minus zero big empty upper lower array object"},
		{"NOT IS_DEFINED(c.v)", "undefined"},
		{"IS_DEFINED(c.v) AND NOT IS_NULL(c.v) AND NOT IS_NUMBER(c.v) AND NOT IS_STRING(c.v)",
			"false true array object"},
		{"IS_NULL(c.v)", "null"},
		{"IS_BOOL(c.v) OR IS_ARRAY(c.v)", "false true array"},
		{"STARTSWITH(c.v, 'app')", "lower"},
		{"STARTSWITH(c.v, 'APP', true)", "lower"},
		{"NOT STARTSWITH(c.v, 'app')", "empty upper"},
		{"CONTAINS(c.v, 'oo')", "upper"},
		{"ENDSWITH(c.v, 'e')", "lower"},
		{"c.v LIKE '%p_e'", "lower"},
		{"LOWER(c.v) = 'zoo'", "upper"},
		{"LENGTH(c.v) = 0", "empty"},
		{"ARRAY_CONTAINS(c.v, 'x')", "array"},
		{"c.v = [1, 'x']", "array"},
		{"c.v = {'y': 2, 'x': 1}", "object"},
		{"c.v.x = 1", "object"},
		{"c['v']['x'] = 1", "object"},
		{"c.v[0] = 1", "array"},
		{"c.v < [2]", ""},
		{"c.v + 1 = 2", "one"},
		{"c.v = 5 OR c.v = 0", "zero"},
		{"c.v = 1 OR c.missing = 1", "one"},
		{"c.v = 1 AND NOT (c.missing = 1)", ""},
		{"NOT (c.v = 1 AND c.missing = 1)", "null false true minus zero big empty upper lower array object"},
		{"(c.v ?? 'none') = 'none'", "undefined"},
		{"c.id = 'one'", "one"},
		{"c.id != 'one' AND c.id > 't'", "undefined true zero upper"},
		{"c.id IN ('one', 'zero', 5)", "zero one"},
		{"STARTSWITH(c.id, 'o')", "one object"},
		{"c._ts > 0 AND c.v = 0", "zero"},
		{"c._ts = 'now'", ""},
		{"1 = 1 AND c.v = 0", "zero"},
		{"@p = c.v", "one"},
		{"c.v = @missing", ""},
		{"c.pk = 'a' AND c.v = 1", "one"},
		{"c.pk = 'b'", ""},
	}
	e := MustOpen(t, t.TempDir(), embedded.Options{})
	db := MustDatabase(t, e)
	for _, kind := range []struct {
		name string
		edit func(*azcosmos.ContainerProperties)
	}{{"scanned", nil}, {"indexed", indexed("/v")}} {
		c := MustContainer(t, db, func(p *azcosmos.ContainerProperties) {
			if kind.edit != nil {
				kind.edit(p)
			}
			p.ID = kind.name
		}, "/pk")
		MustCreate(t, c, key("a"), zoo...)
		MustCreate(t, c, key("b"), `{"id":"other","pk":"b","v":"elsewhere"}`)
		for _, tt := range tests {
			t.Run(kind.name+"/"+tt.where, func(t *testing.T) {
				rows, _, err := queryAll(c, key("a"), "SELECT VALUE c.id FROM c WHERE "+tt.where, 0, "@p", 1)
				if err != nil {
					t.Fatal(err)
				}
				if got := strings.ReplaceAll(strings.Join(rows, " "), `"`, ""); got != tt.want {
					t.Errorf("got %q, want %q", got, tt.want)
				}
			})
		}
	}
}

func TestQueryProjections(t *testing.T) {
	c := newContainer(t)
	MustCreate(t, c, key("a"),
		`{"id":"1","pk":"a","n":1,"s":"x","o":{"z":1,"a":[1,2]}}`,
		`{"id":"2","pk":"a","n":2,"s":"x"}`,
		`{"id":"3","pk":"a","n":2.5}`)
	for _, tt := range []struct{ sql, want string }{
		{"SELECT c.id, c.s FROM c", `{"id":"1","s":"x"} {"id":"2","s":"x"} {"id":"3"}`},
		{"SELECT c.n AS number, c.o.a[1] FROM c WHERE c.id = '1'", `{"number":1,"$1":2}`},
		{"SELECT VALUE c.o FROM c", `{"z":1,"a":[1,2]}`},
		{"SELECT VALUE {'n': c.n, 'missing': c.x, 'list': [c.x, c.n]} FROM c WHERE c.id = '3'",
			`{"n":2.5,"list":[2.5]}`},
		{"SELECT VALUE c.n * 2 FROM c", "2 4 5"},
		{"SELECT VALUE c.s || '!' FROM c", `"x!" "x!"`},
		{"SELECT c.n > 1 ? 'many' : 'one' AS amount FROM c WHERE c.id = '1'", `{"amount":"one"}`},
		{"SELECT VALUE COUNT(1) FROM c", "3"},
		{"SELECT VALUE COUNT(c.s) FROM c", "2"},
		{"SELECT VALUE SUM(c.n) FROM c", "5.5"},
		{"SELECT VALUE AVG(c.n) FROM c WHERE c.n <= 2", "1.5"},
		{"SELECT VALUE MIN(c.n) FROM c", "1"},
		{"SELECT VALUE MAX(c.n) FROM c", "2.5"},
		{"SELECT VALUE MAX(c.x) FROM c", ""},
		{"SELECT VALUE SUM(c.s) FROM c", ""},
		{"SELECT VALUE COUNT(1) FROM c WHERE c.n = 17", "0"},
		{"SELECT DISTINCT VALUE c.s FROM c", `"x"`},
		{"SELECT DISTINCT c.s FROM c", `{"s":"x"} {}`},
		{"SELECT TOP 2 c.id FROM c ORDER BY c.n DESC", `{"id":"3"} {"id":"2"}`},
		{"SELECT VALUE c.id FROM c ORDER BY c.n DESC OFFSET 1 LIMIT 1", `"2"`},
		{"SELECT VALUE c.id FROM c ORDER BY c.n OFFSET 5 LIMIT 1", ""},
		{"SELECT VALUE c.n FROM c WHERE c.n + 1 > 2 ORDER BY c.n DESC OFFSET 1 LIMIT 5", "2"},
		{"SELECT 1 AS a, 'x' AS b", `{"a":1,"b":"x"}`},
		{"select value root.id from root where root.n = 1", `"1"`},
		{"SELECT VALUE p.id FROM posts p WHERE p.n = 1 -- a comment", `"1"`},
		{"SELECT VALUE UPPER(c.s) FROM c WHERE c.id='1'", `"X"`},
	} {
		t.Run(tt.sql, func(t *testing.T) {
			rows, _, err := queryAll(c, key("a"), tt.sql, 0)
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(rows, " "); got != tt.want {
				t.Errorf("got %s, want %s", got, tt.want)
			}
		})
	}
}

func TestQueryOrder(t *testing.T) {
	const order = "undefined null false true minus zero one big empty upper lower"
	for name, edit := range map[string]func(*azcosmos.ContainerProperties){"sorted": nil, "indexed": indexed("/v")} {
		c := MustContainer(t, MustDatabase(t, MustOpen(t, t.TempDir(), embedded.Options{})), edit, "/pk")
		MustCreate(t, c, key("a"), zoo...)
		t.Run(name+"/types in their order", func(t *testing.T) {
			rows, _, err := queryAll(c, key("a"), "SELECT VALUE c.id FROM c ORDER BY c.v", 3)
			if err != nil {
				t.Fatal(err)
			}
			got := strings.ReplaceAll(strings.Join(rows[:11], " "), `"`, "")
			if got != order {
				t.Errorf("got  %s\nwant %s", got, order)
			}
			back, _, err := queryAll(c, key("a"), "SELECT VALUE c.id FROM c ORDER BY c.v DESC", 0)
			slices.Reverse(back)
			if err != nil || !slices.Equal(back, rows) {
				t.Errorf("descending is not the reverse: %v, %v", back, err)
			}
		})
	}
}

func TestQueryOrderByAnElementOfAnArray(t *testing.T) {
	c := MustContainer(t, MustDatabase(t, MustOpen(t, t.TempDir(), embedded.Options{})), func(
		p *azcosmos.ContainerProperties) {
		p.IndexingPolicy = &azcosmos.IndexingPolicy{Automatic: true, IndexingMode: azcosmos.IndexingModeConsistent,
			IncludedPaths: []azcosmos.IncludedPath{{Path: "/*"}},
			ExcludedPaths: []azcosmos.ExcludedPath{{Path: "/hidden/[]/?"}}}
	}, "/pk")
	MustCreate(t, c, key("a"), `{"id":"1","pk":"a","n":[3,{"k":1}]}`, `{"id":"2","pk":"a","n":[1,{"k":3}]}`,
		`{"id":"3","pk":"a","n":[2,{"k":2}]}`, `{"id":"4","pk":"a","n":{"0":9}}`)
	for order, want := range map[string]string{
		"c.n[0]": `"4" "2" "3" "1"`, "c.n[0] DESC": `"1" "3" "2" "4"`, "c.n[1].k": `"4" "1" "3" "2"`,
		`c["n"][1]["k"] DESC`: `"2" "3" "1" "4"`,
	} {
		for _, size := range []int32{0, 1} {
			rows, _, err := queryAll(c, key("a"), "SELECT VALUE c.id FROM c ORDER BY "+order, size)
			if got := strings.Join(rows, " "); err != nil || got != want {
				t.Errorf("%s in pages of %d: got %s, want %s (%v)", order, size, got, want, err)
			}
		}
	}
	_, _, err := queryAll(c, key("a"), "SELECT * FROM c ORDER BY c.hidden[0]", 0)
	wantStatus(t, err, 400)
}

func TestQueryPages(t *testing.T) {
	for _, ranges := range []int{1, 4} {
		c := MustContainer(t, MustDatabase(t, MustOpen(t, t.TempDir(), embedded.Options{Ranges: ranges})), nil, "/pk")
		for i := range 20 {
			pk := "k" + number(i)
			MustCreate(t, c, key(pk), fmt.Sprintf(`{"id":%q,"pk":%q}`, number(i), pk))
		}
		t.Run(fmt.Sprintf("a scan of %d ranges ends with an empty page", ranges), func(t *testing.T) {
			rows, pages, err := queryAll(c, azcosmos.NewPartitionKey(), "SELECT VALUE c.id FROM c", 5)
			if err != nil || len(rows) != 20 {
				t.Fatalf("%d rows, %v", len(rows), err)
			}
			if ranges == 1 && (pages != 5 || !slices.IsSorted(rows)) {
				t.Errorf("%d pages, rows %v", pages, rows)
			}
			slices.Sort(rows)
			if len(slices.Compact(rows)) != 20 {
				t.Error("a row was returned twice")
			}
		})
	}
	c := newContainer(t)
	for i := range 10 {
		MustCreate(t, c, key("a"), fmt.Sprintf(`{"id":%q,"pk":"a","n":%d}`, number(i), i))
	}
	for _, tt := range []struct {
		sql         string
		rows, pages int
	}{
		{"SELECT * FROM c ORDER BY c.n", 10, 2},
		{"SELECT VALUE c.n FROM c ORDER BY c.n", 10, 2},
		{"SELECT TOP 7 * FROM c ORDER BY c.n", 7, 2},
		{"SELECT * FROM c ORDER BY c.n OFFSET 2 LIMIT 6", 6, 2},
		{"SELECT * FROM c WHERE c.n % 2 = 0 ORDER BY c.n", 5, 1},
		{"SELECT * FROM c WHERE c.n % 2 = 0", 5, 2},
	} {
		t.Run(tt.sql, func(t *testing.T) {
			rows, pages, err := queryAll(c, key("a"), tt.sql, 5)
			if err != nil || len(rows) != tt.rows || pages != tt.pages {
				t.Errorf("%d rows on %d pages, want %d on %d (%v)", len(rows), pages, tt.rows, tt.pages, err)
			}
		})
	}
}

func TestQueryByIDPrefix(t *testing.T) {
	c := MustContainer(t, MustDatabase(t, MustOpen(t, t.TempDir(), embedded.Options{})), nil, "/id")
	for _, id := range []string{"lease.2", "lease.1", "leas", "leasf", "other", "lease.é"} {
		MustCreate(t, c, key(id), fmt.Sprintf(`{"id":%q}`, id))
	}
	for prefix, want := range map[string]string{"lease.": `["lease.2" "lease.1" "lease.é"]`,
		"": `["lease.2" "lease.1" "leas" "leasf" "other" "lease.é"]`, "x": "[]"} {
		rows, _, err := queryAll(c, azcosmos.NewPartitionKey(), "SELECT VALUE c.id FROM c WHERE STARTSWITH(c.id, @p)",
			0, "@p", prefix)
		if err != nil || fmt.Sprint(rows) != want {
			t.Errorf("prefix %q: got %v, want %s (%v)", prefix, rows, want, err)
		}
	}
}

func TestLargePages(t *testing.T) {
	c := newContainer(t)
	for i := range 5 {
		MustCreate(t, c, key("a"), fmt.Sprintf(`{"id":"%d","pk":"a","n":%d,"x":"%s"}`, i, i,
			strings.Repeat("x", 1_500_000)))
	}
	for _, sql := range []string{"SELECT * FROM c", "SELECT * FROM c ORDER BY c.n",
		"SELECT c.id, c.x FROM c WHERE c.n + 0 >= 0"} {
		t.Run(sql, func(t *testing.T) {
			rows, pages, err := queryAll(c, key("a"), sql, -1)
			if err != nil || len(rows) != 5 || pages != 3 {
				t.Errorf("%d rows on %d pages, %v", len(rows), pages, err)
			}
		})
	}
	t.Run("change feed", func(t *testing.T) {
		pages, _ := feedOf(t, c, azcosmos.ChangeFeedOptions{FeedRange: &azcosmos.FeedRange{MinInclusive: "",
			MaxExclusive: "FF"}})
		if fmt.Sprint(pages) != "[0 1 2 3 4]" || len(pages) != 3 {
			t.Errorf("%q", pages)
		}
	})
}

func TestQueryRefused(t *testing.T) {
	c := newContainer(t)
	single, cross := key("a"), azcosmos.NewPartitionKey()
	for _, tt := range []struct {
		name, sql, says string
		pk              azcosmos.PartitionKey
	}{
		{"syntax error", "SELECT * FROM c;", "SC1010", single},
		{"block comment", "SELECT /* */ * FROM c", "SC1001", single},
		{"no such function", "SELECT FOO(c.x) FROM c", "SC2005", single},
		{"unknown identifier", "SELECT x.id FROM c", "SC2001", single},
		{"duplicate label", "SELECT c.id, c.x AS id FROM c", "SC2022", single},
		{"star of a join", "SELECT * FROM c JOIN x IN c.list", "SC2040", single},
		{"ungrouped property", "SELECT c.y, COUNT(1) AS n FROM c GROUP BY c.x", "SC2102", single},
		{"one alias twice", "SELECT c.id FROM c JOIN c IN c.list", "SC2011", single},
		{"alias of a later join", "SELECT c.id FROM c JOIN x IN y JOIN y IN c.list", "SC2001", single},
		{"order by an alias of a join", "SELECT c.id FROM c JOIN x IN c.list ORDER BY x.a", "correlated collections",
			single},
		{"order by an expression", "SELECT c.id FROM c ORDER BY LOWER(c.a)", "SC2104", single},
		{"order of groups", "SELECT c.x FROM c GROUP BY c.x ORDER BY c.x", "SC2105", single},
		{"aggregate of an aggregate", "SELECT VALUE MAX(MIN(c.x)) FROM c", "SC2050", single},
		{"aggregate in WHERE", "SELECT c.x FROM c WHERE COUNT(1) > 1", "SC2103", single},
		{"subquery over the container", "SELECT VALUE COUNT(1) FROM (SELECT DISTINCT VALUE c.x FROM c)",
			"not supported", single},
		{"iteration over an array of its own", "SELECT VALUE ARRAY(SELECT VALUE t FROM t IN ['a']) FROM c", "SC1001",
			single},
		{"order in a subquery", "SELECT VALUE ARRAY(SELECT VALUE t FROM t IN c.tags ORDER BY t.a) FROM c", "SC2202",
			single},
		{"offset in a subquery", "SELECT VALUE ARRAY(SELECT VALUE t FROM t IN c.tags OFFSET 1 LIMIT 5) FROM c",
			"SC2204", single},
		{"offset in a subquery of FROM", "SELECT VALUE t FROM c JOIN (SELECT VALUE x FROM x IN c.l OFFSET 0 LIMIT 1) t",
			"SC2204", single},
		{"offset in EXISTS", "SELECT c.id FROM c WHERE EXISTS(SELECT VALUE t FROM t IN c.tags OFFSET 1 LIMIT 1)",
			"SC2204", single},
		{"eleven joins", "SELECT c.id FROM c" + elevenJoins(), "maximum number of joins", single},
		{"words where there is no full text", "SELECT c.id FROM c WHERE FullTextContains(c.x, 'a')", "full text",
			single},
		{"group by across partitions", "SELECT c.x, COUNT(1) AS n FROM c GROUP BY c.x",
			"Cross partition query only supports 'VALUE <AggregateFunc>' for aggregates.", cross},
		{"several sort keys without a composite index", "SELECT * FROM c ORDER BY c.a, c.b", "composite index", single},
		{"several sort keys of an aggregate without a composite index",
			"SELECT VALUE COUNT(1) FROM c ORDER BY c.a, c.b", "composite index", single},
		{"negative limit", "SELECT * FROM c OFFSET 0 LIMIT -1", "", single},
		{"order across partitions", "SELECT * FROM c ORDER BY c.a", "can not be directly served by the gateway", cross},
		{"top across partitions", "SELECT TOP 1 * FROM c", "can not be directly served by the gateway", cross},
		{"distinct across partitions", "SELECT DISTINCT c.a FROM c", "can not be directly served by the gateway",
			cross},
		{"aggregate across partitions", "SELECT VALUE COUNT(1) FROM c", "can not be directly served by the gateway",
			cross},
		{"named aggregate across partitions", "SELECT COUNT(1) AS n FROM c",
			"Cross partition query only supports 'VALUE <AggregateFunc>' for aggregates.", cross},
	} {
		t.Run(tt.name, func(t *testing.T) {
			_, _, err := queryAll(c, tt.pk, tt.sql, 0)
			wantStatus(t, err, 400)
			if !strings.Contains(err.Error(), tt.says) {
				t.Errorf("the error does not say %q: %v", tt.says, err)
			}
		})
	}
	t.Run("a condition on the key restricts the query to one partition", func(t *testing.T) {
		MustCreate(t, c, key("a"), `{"id":"1","pk":"a"}`)
		rows, _, err := queryAll(c, cross, "SELECT VALUE COUNT(1) FROM c WHERE c.pk = @pk", 0, "@pk", "a")
		if err != nil || len(rows) != 1 || rows[0] != "1" {
			t.Errorf("%v, %v", rows, err)
		}
	})
	t.Run("rejects a cross-partition query that the client did not enable", func(t *testing.T) {
		off := false
		_, err := c.NewQueryItemsPager("SELECT * FROM c", cross,
			&azcosmos.QueryOptions{EnableCrossPartitionQuery: &off}).NextPage(context.Background())
		wantStatus(t, err, 400)
	})
	t.Run("rejects an ORDER BY on an excluded path", func(t *testing.T) {
		c := MustContainer(t, MustDatabase(t, MustOpen(t, t.TempDir(), embedded.Options{})), blogPolicy, "/postId")
		_, _, err := queryAll(c, single, "SELECT * FROM c ORDER BY c.content", 0)
		wantStatus(t, err, 400)
	})
	t.Run("rejects another query's continuation", func(t *testing.T) {
		token := "1.1.0.5.0.0"
		_, err := c.NewQueryItemsPager("SELECT * FROM c", single,
			&azcosmos.QueryOptions{ContinuationToken: &token}).NextPage(context.Background())
		wantStatus(t, err, 400)
	})
}

func elevenJoins() (text string) {
	for i := range 11 {
		text += fmt.Sprintf(" JOIN x%d IN c.list", i)
	}
	return text
}

func TestReadMany(t *testing.T) {
	for _, path := range []string{"/pk", "/id"} {
		t.Run(path, func(t *testing.T) {
			c := MustContainer(t, MustDatabase(t, MustOpen(t, t.TempDir(), embedded.Options{Ranges: 3})), nil, path)
			var ids []azcosmos.ItemIdentity
			for i := range 200 {
				id := number(i)
				pk := fmt.Sprintf("k%d", i%7)
				if path == "/id" {
					pk = id
				}
				MustCreate(t, c, key(pk), fmt.Sprintf(`{"id":%q,"pk":%q}`, id, pk))
				if i%2 == 0 {
					ids = append(ids, azcosmos.ItemIdentity{ID: id, PartitionKey: key(pk)})
				}
			}
			r, err := c.ReadManyItems(context.Background(), ids, nil)
			if err != nil || len(r.Items) != 100 {
				t.Errorf("%d items, %v", len(r.Items), err)
			}
		})
	}
}

func TestQueryMultiplePartitionsByPrefix(t *testing.T) {
	c := MustContainer(t, MustDatabase(t, MustOpen(t, t.TempDir(), embedded.Options{Ranges: 4})), nil, "/tenant",
		"/user")
	for i := range 12 {
		tenant, user := fmt.Sprintf("t%d", i%3), fmt.Sprintf("u%d", i)
		MustCreate(t, c, key(tenant).AppendString(user), fmt.Sprintf(`{"id":"1","tenant":%q,"user":%q}`, tenant, user))
	}
	rows, _, err := queryAll(c, key("t1"), "SELECT VALUE c.user FROM c", 0)
	if err != nil || len(rows) != 4 {
		t.Errorf("%v, %v", rows, err)
	}
	rows, _, err = queryAll(c, azcosmos.NewPartitionKey(), "SELECT VALUE c.user FROM c WHERE c.tenant = 't1'", 0)
	if err != nil || len(rows) != 4 {
		t.Errorf("%v, %v", rows, err)
	}
	rows, _, err = queryAll(c, azcosmos.NewPartitionKey(),
		"SELECT VALUE COUNT(1) FROM c WHERE c.user = 'u4' AND c.tenant = 't1'", 0)
	if err != nil || len(rows) != 1 || rows[0] != "1" {
		t.Errorf("%v, %v", rows, err)
	}
}
