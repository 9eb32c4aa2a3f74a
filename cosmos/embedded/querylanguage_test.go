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

// families holds items with arrays of objects, of scalars and of arrays, and without arrays.
var families = []string{
	`{"id":"1","pk":"a","city":"Oslo","n":3,"tags":["red","blue"],"kids":[{"name":"Ada","age":7,` +
		`"pets":[{"p":"cat"},{"p":"dog"}]},{"name":"Bo","age":9}]}`,
	`{"id":"2","pk":"a","city":"Rome","n":5,"tags":["blue"],"kids":[{"name":"Cy","age":7,"pets":[{"p":"cat"}]}],` +
		`"key":"tags"}`,
	`{"id":"3","pk":"a","city":"Oslo","n":8,"tags":[],"kids":null}`,
	`{"id":"4","pk":"a","n":1.5,"tags":"none","grid":[[1,2],[3]]}`,
}

var languageTests = []struct{ sql, want string }{
	// JOIN
	{"SELECT c.id, t AS tag FROM c JOIN t IN c.tags",
		`{"id":"1","tag":"red"} {"id":"1","tag":"blue"} {"id":"2","tag":"blue"}`},
	{"SELECT VALUE k.name FROM c JOIN k IN c.kids WHERE k.age = 7", `"Ada" "Cy"`},
	{"SELECT VALUE k.name || '-' || p.p FROM c JOIN k IN c.kids JOIN p IN k.pets", `"Ada-cat" "Ada-dog" "Cy-cat"`},
	{"SELECT VALUE CONCAT(k.name, t) FROM c JOIN k IN c.kids JOIN t IN c.tags WHERE c.id = '1'",
		`"Adared" "Adablue" "Bored" "Boblue"`},
	{"SELECT VALUE x FROM c JOIN y IN c.grid JOIN x IN y", "1 2 3"},
	{"SELECT k FROM c JOIN k IN c.kids WHERE c.id = '2'", `{"k":{"name":"Cy","age":7,"pets":[{"p":"cat"}]}}`},
	{"SELECT VALUE [c.id, x] FROM c JOIN c.city AS x", `["1","Oslo"] ["2","Rome"] ["3","Oslo"]`},
	{"SELECT VALUE t FROM c JOIN (SELECT VALUE t FROM t IN c.tags WHERE t != 'red') AS t", `"blue" "blue"`},
	{"SELECT VALUE t FROM c JOIN t IN (SELECT VALUE c.tags)", `"red" "blue" "blue"`},
	{"SELECT VALUE COUNT(1) FROM c JOIN t IN c.tags", "3"},
	{"SELECT TOP 2 VALUE t FROM c JOIN t IN c.tags", `"red" "blue"`},
	{"SELECT VALUE t FROM c JOIN t IN c.tags ORDER BY c.n DESC", `"blue" "red" "blue"`},
	{"SELECT DISTINCT VALUE t FROM c JOIN t IN c.tags", `"red" "blue"`},
	// FROM a part of the item
	{"SELECT VALUE k.name FROM k IN c.kids", `"Ada" "Bo" "Cy"`},
	{"SELECT * FROM k IN c.kids WHERE k.age = 9", `{"name":"Bo","age":9}`},
	{"SELECT VALUE city FROM c.city", `"Oslo" "Rome" "Oslo"`},
	{"SELECT VALUE x FROM root.grid[0] AS x", "[1,2]"},
	{"SELECT VALUE p FROM k IN c.kids JOIN p IN k.pets WHERE p.p = 'dog'", `{"p":"dog"}`},
	// subqueries
	{"SELECT VALUE c.id FROM c WHERE EXISTS(SELECT VALUE t FROM t IN c.tags WHERE t = 'red')", `"1"`},
	{"SELECT VALUE c.id FROM c WHERE NOT EXISTS(SELECT VALUE 1 FROM t IN c.tags)", `"3" "4"`},
	{"SELECT VALUE ARRAY(SELECT VALUE k.age FROM k IN c.kids WHERE k.age > 7) FROM c", "[9] [] [] []"},
	{"SELECT c.id, (SELECT c.n WHERE c.city = 'Oslo').n FROM c",
		`{"id":"1","n":3} {"id":"2"} {"id":"3","n":8} {"id":"4"}`},
	{"SELECT c.id, (SELECT VALUE COUNT(1) FROM t IN c.tags) AS n FROM c",
		`{"id":"1","n":2} {"id":"2","n":1} {"id":"3","n":0} {"id":"4","n":0}`},
	{"SELECT VALUE (SELECT VALUE MAX(k.age) FROM k IN c.kids) FROM c", "9 7"},
	{"SELECT VALUE (SELECT 1 AS one, c.n AS n) FROM c WHERE c.id = '2'", `{"one":1,"n":5}`},
	{
		"SELECT VALUE ARRAY(SELECT k.name, ARRAY(SELECT VALUE p.p FROM p IN k.pets) AS pets FROM k IN c.kids) " +
			"FROM c WHERE c.id = '1'",
		`[{"name":"Ada","pets":["cat","dog"]},{"name":"Bo","pets":[]}]`,
	},
	{"SELECT VALUE ARRAY(SELECT DISTINCT VALUE t FROM k IN c.kids JOIN t IN k.pets) FROM c WHERE c.id = '1'",
		`[{"p":"cat"},{"p":"dog"}]`},
	{"SELECT VALUE ARRAY(SELECT TOP 1 VALUE t FROM t IN c.tags) FROM c WHERE c.id = '1'", `["red"]`},
	{"SELECT VALUE ARRAY(SELECT k.age, COUNT(1) AS n FROM k IN c.kids GROUP BY k.age) FROM c WHERE c.id = '1'",
		`[{"age":7,"n":1},{"age":9,"n":1}]`},
	// GROUP BY and aggregates
	{"SELECT c.city, COUNT(1) AS n FROM c GROUP BY c.city", `{"city":"Oslo","n":2} {"city":"Rome","n":1} {"n":1}`},
	{"SELECT VALUE c.city FROM c GROUP BY c.city", `"Oslo" "Rome"`},
	{"SELECT UPPER(c.city) AS c, SUM(c.n) + 1 AS n FROM c WHERE IS_DEFINED(c.city) GROUP BY UPPER(c.city)",
		`{"c":"OSLO","n":12} {"c":"ROME","n":6}`},
	{"SELECT COUNT(1) AS n, MIN(c.n) AS lo, MAX(c.n) AS hi, AVG(c.n) AS mean FROM c WHERE c.city = 'Oslo'",
		`{"n":2,"lo":3,"hi":8,"mean":5.5}`},
	{"SELECT COUNT(1), MAX(c.none) FROM c", `{"$1":4}`},
	{"SELECT VALUE {n: COUNT(1), all: SUM(c.n)} FROM c", `{"n":4,"all":17.5}`},
	{"SELECT VALUE COUNTIF(c.n > 2) FROM c", "3"},
	{"SELECT VALUE SUM(c.n) FROM c WHERE c.n > 100", "0"},
	{"SELECT COUNT(1) AS n FROM c WHERE c.n > 100", `{"n":0}`},
	{"SELECT c.city FROM c WHERE c.n > 100 GROUP BY c.city", ""},
	{"SELECT k.age, COUNT(1) AS n FROM c JOIN k IN c.kids GROUP BY k.age", `{"age":7,"n":2} {"age":9,"n":1}`},
	{"SELECT c.city, COUNT(1) AS n FROM c GROUP BY c.city OFFSET 1 LIMIT 1", `{"city":"Rome","n":1}`},
	{"SELECT TOP 1 c.city FROM c GROUP BY c.city", `{"city":"Oslo"}`},
	{"SELECT VALUE COUNT(1)", "1"},
	{"SELECT VALUE COUNT(c.n) FROM c ORDER BY c.n", "4"},
	{"SELECT MAX(c.n) AS hi, MIN(c.kids) AS kids FROM c WHERE c.city = 'Oslo' ORDER BY c.n DESC", `{"hi":8}`},
	// DISTINCT with an order
	{"SELECT DISTINCT VALUE c.city FROM c ORDER BY c.city DESC", `"Rome" "Oslo"`},
	{"SELECT DISTINCT c.city FROM c WHERE IS_DEFINED(c.city) ORDER BY c.n DESC", `{"city":"Oslo"} {"city":"Rome"}`},
	// access to members
	{"SELECT VALUE c[@p] FROM c", `"Oslo" "Rome" "Oslo"`},
	{"SELECT VALUE c[c.key] FROM c", `["blue"]`},
	{"SELECT VALUE c.tags[1 - 1] FROM c", `"red" "blue"`},
	{"SELECT VALUE {a: [c.n]}.a[0] FROM c WHERE c.id = '1'", "3"},
	{"SELECT VALUE (c.kids)[0]['name'] FROM c", `"Ada" "Cy"`},
	{"SELECT VALUE ARRAY(SELECT VALUE k.name FROM k IN c.kids)[1] FROM c", `"Bo"`},
	// operators
	{"SELECT VALUE [5 & 3, 5 | 3, 5 ^ 3, ~5, 1 << 4, -16 >> 2, -16 >>> 28, 5.5 & 1, '5' & 1]", "[1,7,6,-6,16,-4,15,1]"},
	{"SELECT VALUE 1 + 1 | 4", "6"},
}

func TestQueryLanguage(t *testing.T) {
	for _, ranges := range []int{1, 3} {
		c := MustContainer(t, MustDatabase(t, MustOpen(t, t.TempDir(), embedded.Options{Ranges: ranges})), nil, "/pk")
		MustCreate(t, c, key("a"), families...)
		MustCreate(t, c, key("b"), `{"id":"9","pk":"b","city":"Elsewhere","tags":["red"]}`)
		for _, tt := range languageTests {
			for _, size := range []int32{0, 1} {
				t.Run(fmt.Sprintf("%s, page size %d of %d ranges", tt.sql, size, ranges), func(t *testing.T) {
					rows, _, err := queryAll(c, key("a"), tt.sql, size, "@p", "city")
					if got := strings.Join(rows, " "); err != nil || got != tt.want {
						t.Errorf("got  %s\nwant %s (%v)", got, tt.want, err)
					}
				})
			}
		}
	}
}

func TestScalarSubqueryOfManyRowsIsRefused(t *testing.T) {
	c := newContainer(t)
	MustCreate(t, c, key("a"), families...)
	_, _, err := queryAll(c, key("a"), "SELECT VALUE (SELECT VALUE t FROM t IN c.tags) FROM c", 0)
	wantStatus(t, err, 400)
	if !strings.Contains(err.Error(), "cardinality of a scalar subquery") {
		t.Error(err)
	}
}

// TestJoinsArePaged joins an item with itself: pages end and begin within items.
func TestJoinsArePaged(t *testing.T) {
	c := newContainer(t)
	var want []string
	for i := range 3 {
		MustCreate(t, c, key("a"), fmt.Sprintf(`{"id":"%d","pk":"a","n":%d,"l":[0,1,2,3,4,5,6]}`, i, i))
		for k := range 49 {
			want = append(want, fmt.Sprintf("[%d,%d,%d]", i, k/7, k%7))
		}
	}
	for _, order := range []string{"", " ORDER BY c.n"} {
		for _, size := range []int32{1, 4, 7, 49, 1000} {
			rows, pages, err := queryAll(c, key("a"), "SELECT VALUE [c.n, x, y] FROM c JOIN x IN c.l JOIN y IN c.l"+
				order, size)
			if err != nil || !slices.Equal(rows, want) {
				t.Errorf("%q, %d a page: %d rows, %v", order, size, len(rows), err)
			}
			if least := (len(want) + int(size) - 1) / int(size); pages < least || pages > least+1 {
				t.Errorf("%q, %d a page: %d pages", order, size, pages)
			}
		}
	}
}

// TestHugeJoinsEnd joins an item with itself so often that the rows cannot all be made. The
// response is an empty page with a continuation.
func TestHugeJoinsEnd(t *testing.T) {
	c := newContainer(t)
	MustCreate(t, c, key("a"), `{"id":"1","pk":"a","l":[`+strings.TrimSuffix(strings.Repeat("1,", 5000), ",")+`]}`)
	joins := " FROM c JOIN a IN c.l JOIN b IN c.l JOIN d IN c.l JOIN e IN c.l"
	for _, sql := range []string{
		"SELECT VALUE 1" + joins + " WHERE a = 2 ORDER BY c.n",
		"SELECT VALUE 1 FROM c JOIN a IN c.l JOIN b IN c.l WHERE ARRAY_CONTAINS(c.l, 2)",
	} {
		t.Run(sql, func(t *testing.T) {
			page, err := c.NewQueryItemsPager(sql, key("a"), nil).NextPage(context.Background())
			if err != nil || len(page.Items) != 0 || page.ContinuationToken == nil {
				t.Errorf("%d items, %v", len(page.Items), err)
			}
		})
	}
	t.Run("the query ends when the client gives up", func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		if _, err := c.NewQueryItemsPager("SELECT VALUE COUNT(1)"+joins, key("a"), nil).NextPage(ctx); err == nil {
			t.Error("the query was served after the client gave up")
		}
	})
}

func TestPermissive(t *testing.T) {
	c := MustContainer(t, MustDatabase(t, MustOpen(t, t.TempDir(), embedded.Options{Ranges: 4, Permissive: true})), nil,
		"/pk")
	for i := range 30 {
		pk := fmt.Sprintf("k%d", i%10)
		MustCreate(t, c, key(pk), fmt.Sprintf(`{"id":"%d","pk":%q,"n":%d,"g":%d}`, i, pk, i*7%30, i%3))
	}
	everything := func(n int) string {
		var list []string
		for i := range n {
			list = append(list, fmt.Sprint(i))
		}
		return strings.Join(list, " ")
	}
	for _, tt := range []struct{ sql, want string }{
		{"SELECT VALUE c.n FROM c ORDER BY c.n", everything(30)},
		{"SELECT TOP 4 VALUE c.n FROM c ORDER BY c.n DESC", "29 28 27 26"},
		{"SELECT VALUE c.n FROM c ORDER BY c.n OFFSET 3 LIMIT 2", "3 4"},
		{"SELECT VALUE COUNT(1) FROM c", "30"},
		{"SELECT VALUE COUNT(c.n) FROM c WHERE c.n > 0 ORDER BY c.n", "29"},
		{"SELECT DISTINCT VALUE c.g FROM c ORDER BY c.g", "0 1 2"},
		{"SELECT c.g, COUNT(1) AS n FROM c GROUP BY c.g", `{"g":0,"n":10} {"g":1,"n":10} {"g":2,"n":10}`},
		{"SELECT MAX(c.n) AS n FROM c", `{"n":29}`},
	} {
		for _, size := range []int32{0, 1, 7} {
			t.Run(fmt.Sprintf("%s, page size %d", tt.sql, size), func(t *testing.T) {
				rows, _, err := queryAll(c, azcosmos.NewPartitionKey(), tt.sql, size)
				if got := strings.Join(rows, " "); err != nil || got != tt.want {
					t.Errorf("got  %s\nwant %s (%v)", got, tt.want, err)
				}
			})
		}
	}
}

func TestFullText(t *testing.T) {
	db := MustDatabase(t, MustOpen(t, t.TempDir(), embedded.Options{}))
	c := MustContainer(t, db, func(p *azcosmos.ContainerProperties) {
		p.FullTextPolicy = &azcosmos.FullTextPolicy{DefaultLanguage: "en-US",
			FullTextPaths: []azcosmos.FullTextPath{{Path: "/text", Language: "en-US"}}}
		p.IndexingPolicy = &azcosmos.IndexingPolicy{Automatic: true, IndexingMode: azcosmos.IndexingModeConsistent,
			IncludedPaths:   []azcosmos.IncludedPath{{Path: "/*"}},
			FullTextIndexes: []azcosmos.FullTextIndex{{Path: "/text"}}}
	}, "/pk")
	MustCreate(t, c, key("a"),
		`{"id":"1","pk":"a","text":"The quick, brown fox: jumps!"}`,
		`{"id":"2","pk":"a","text":"Quicksand is slow"}`,
		`{"id":"3","pk":"a","text":"Łódź, STRASSE and naïve 42 don't"}`,
		`{"id":"4","pk":"a","text":["quick"],"title":"quick"}`,
		`{"id":"5","pk":"a"}`)
	for where, want := range map[string]string{
		"FullTextContains(c.text, 'QUICK')":                           "1",
		"FullTextContains(c.text, 'quick brown')":                     "1",
		"FullTextContains(c.text, 'brown quick')":                     "",
		"FullTextContains(c.text, 'łÓDŹ')":                            "3",
		"FullTextContains(c.text, '42')":                              "3",
		"FullTextContains(c.text, 'don')":                             "",
		"FullTextContains(c.text, '!')":                               "",
		"FullTextContains(c.text, '')":                                "",
		"FullTextContains(c.text, 1)":                                 "",
		"NOT FullTextContains(c.text, 'quick')":                       "2 3",
		"FullTextContainsAll(c.text, 'quick', 'fox')":                 "1",
		"FullTextContainsAll(c.text, 'quick', 'sand')":                "",
		"FullTextContainsAny(c.text, 'sand', 'slow', 'fox')":          "1 2",
		"FullTextContains(c.text, @p) AND NOT IS_DEFINED(c.whatever)": "1",
	} {
		rows, _, err := queryAll(c, key("a"), "SELECT VALUE c.id FROM c WHERE "+where, 0, "@p", "jumps")
		if got := strings.ReplaceAll(strings.Join(rows, " "), `"`, ""); err != nil || got != want {
			t.Errorf("%s: got %q, want %q (%v)", where, got, want, err)
		}
	}
	for _, sql := range []string{
		"SELECT * FROM c WHERE FullTextContains(c.title, 'quick')",
		"SELECT * FROM c WHERE EXISTS(SELECT VALUE 1 FROM x IN c.list WHERE FullTextContains(x.text, 'quick'))",
		"SELECT TOP 5 * FROM c ORDER BY RANK FullTextScore(c.text, 'quick')",
	} {
		_, _, err := queryAll(c, key("a"), sql, 0)
		wantStatus(t, err, 400)
	}
}
