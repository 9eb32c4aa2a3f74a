package embedded

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"inkfeed/cosmos/embedded/internal/items"
)

// TestHeavyInput sends large requests within all limits. The responses are correct; excessively
// long work ends with the test.
func TestHeavyInput(t *testing.T) {
	t.Run("patches of a huge array", func(t *testing.T) {
		const n = 50_000
		e, _ := mustEngine(t, Options{}, plainContainer)
		create(t, e, `{"id":"1","pk":"a","list":[`+list(n, repeat("1"))+`]}`).want(t, 201)
		ops := list(items.MaxPatchOps/2,
			repeat(`{"op":"add","path":"/list/0","value":2},{"op":"move","from":"/list/0","path":"/list/-"}`))
		a := send(t, e, "PATCH", docs+"/1", "["+ops+"]", pk("a")...).want(t, 200)
		if !strings.HasPrefix(a.body, `{"id":"1","pk":"a","list":[1,`) || !strings.Contains(a.body, "1,2,2,2,2,2]") {
			t.Errorf("%.100s", a.body)
		}
		b := batch(list(10, func(int) string {
			return `{"operationType":"Patch","id":"1","resourceBody":{"operations":[` + ops + `]}}`
		}))
		b.headers = append(b.headers, "Prefer", "return=minimal")
		b.send(t, e).want(t, 200)
	})
	t.Run("a hundred patches of 20 KB", func(t *testing.T) {
		e, _ := mustEngine(t, Options{}, plainContainer)
		create(t, e, `{"id":"1","pk":"a","n":0}`).want(t, 201)
		text := strings.Repeat("x", 20<<10)
		b := batch(list(maxBatchOps, func(i int) string {
			return fmt.Sprintf(
				`{"operationType":"Patch","id":"1","resourceBody":{"operations":[{"op":"incr","path":"/n",`+
					`"value":1},{"op":"set","path":"/x%d","value":"%s"}]}}`,
				i,
				text,
			)
		}))
		b.headers = append(b.headers, "Prefer", "return=minimal")
		b.send(t, e).want(t, 200)
		a := send(t, e, "GET", docs+"/1", "", pk("a")...).want(t, 200)
		if !strings.HasPrefix(a.body, `{"id":"1","pk":"a","n":100,`) || strings.Count(a.body, text) != maxBatchOps ||
			rangeLSN(e) != 2 {
			t.Errorf("%.100s, LSN %d", a.body, rangeLSN(e))
		}
	})
	t.Run("a hundred patches that exceed the size of an item change nothing", func(t *testing.T) {
		e, _ := mustEngine(t, Options{}, plainContainer)
		create(t, e, fill(items.MaxBody-2*maxBatchOps)).want(t, 201)
		b := batch(list(maxBatchOps, func(i int) string {
			return fmt.Sprintf(
				`{"operationType":"Patch","id":"1","resourceBody":{"operations":[{"op":"set","path":"/x%d",`+
					`"value":1}]}}`,
				i,
			)
		}))
		b.headers = append(b.headers, "Prefer", "return=minimal")
		if a := b.send(t, e).want(t, 207); !strings.Contains(a.body, `"statusCode":413`) || rangeLSN(e) != 1 {
			t.Errorf("%.100s, LSN %d", a.body, rangeLSN(e))
		}
	})
	t.Run("many members", func(t *testing.T) {
		const n = 100_000
		e, _ := mustEngine(t, Options{}, plainContainer)
		members := list(n, func(i int) string { return fmt.Sprintf(`"m%d":1`, i%(n/2)) }) // each member twice
		create(t, e, `{"id":"1","pk":"a",`+members+`}`).want(t, 201)
		a := send(t, e, "PATCH", docs+"/1",
			"["+list(items.MaxPatchOps, func(i int) string { return fmt.Sprintf(`{"op":"remove","path":"/m%d"}`, i) })+
				"]", pk("a")...).want(t, 200)
		if got := len(regexp.MustCompile(`"m\d+":`).FindAllString(a.body, -1)); got != n/2-items.MaxPatchOps {
			t.Errorf("%d members remain", got)
		}
	})
	t.Run("a list of 16,000, 2,000 alternatives, 2,000 parameters", func(t *testing.T) {
		e, _ := mustEngine(t, Options{}, plainContainer)
		for i := range 20 {
			create(t, e, fmt.Sprintf(`{"id":"%d","pk":"a","n":%d}`, i*1000, i)).want(t, 201)
		}
		numbers := list(16_000, func(i int) string { return fmt.Sprint(i + 1) })
		texts := list(16_000, func(i int) string { return fmt.Sprintf("'%d'", i+1) })
		params := list(2000, func(i int) string { return fmt.Sprintf(`{"name":"@p%d","value":"%d"}`, i, i+1) })
		for name, tt := range map[string]struct {
			call call
			want int
		}{
			"numbers":   {sql("SELECT * FROM c WHERE c.n IN ("+numbers+")", ""), 19},
			"ids":       {sql("SELECT * FROM c WHERE c.id IN ("+texts+")", ""), 16},
			"not among": {sql("SELECT * FROM c WHERE NOT (c.id IN ("+texts+"))", ""), 4},
			"alternatives": {sql("SELECT * FROM c WHERE c.id = '0'"+strings.Repeat(" OR c.id = '1000'", 1999), ""),
				2},
			"conjunctions": {sql("SELECT * FROM c WHERE c.n > 1"+strings.Repeat(" AND c.n > 2", 1999), ""), 17},
			"parameters": {sql("SELECT * FROM c WHERE c.id IN ("+list(2000,
				func(i int) string { return fmt.Sprintf("@p%d", i) })+")", params), 2},
			"nested": {sql("SELECT * FROM c WHERE "+strings.Repeat("(", 50)+"c.n > 1"+strings.Repeat(")", 50),
				""), 18},
			"other keys, too": {sql("SELECT * FROM c WHERE c.pk IN ('a'"+strings.TrimPrefix(texts, "'1'")+")", ""), 20},
		} {
			a := tt.call.send(t, e).want(t, 200)
			if got := fmt.Sprintf(`"_count":%d}`, tt.want); !strings.HasSuffix(a.body, got) {
				t.Errorf("%s: ends in %s, not %s", name, a.body[max(0, len(a.body)-30):], got)
			}
		}
	})
	t.Run("patterns that make backtracking engines slow", func(t *testing.T) {
		e, _ := mustEngine(t, Options{}, plainContainer)
		create(t, e, `{"id":"1","pk":"a","s":"`+strings.Repeat("a", 10_000)+`"}`).want(t, 201)
		for pattern, want := range map[string]int{
			strings.Repeat("%a", 50) + "%":    1,
			strings.Repeat("%a", 50) + "b":    0,
			strings.Repeat("a%_", 500) + "%b": 0,
			strings.Repeat("[a-z]%", 500):     1,
			strings.Repeat("%", 10_000):       1,
			strings.Repeat("_", 10_000):       1,
			strings.Repeat("_", 10_001):       0,
			strings.Repeat("[", 1000):         0,
		} {
			a := sql("SELECT * FROM c WHERE c.s LIKE @p", `{"name":"@p","value":"`+pattern+`"}`).send(t, e).want(t, 200)
			if got := fmt.Sprintf(`"_count":%d}`, want); !strings.HasSuffix(a.body, got) {
				t.Errorf("%.20s…: ends in %s, not %s", pattern, a.body[max(0, len(a.body)-30):], got)
			}
		}
	})
}
