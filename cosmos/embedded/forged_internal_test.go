package embedded

import (
	"fmt"
	"math"
	"testing"

	"inkfeed/cosmos/embedded/internal/execution"
)

// TestForgedCounts continues after more rows than can exist.
func TestForgedCounts(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	for i := range 3 {
		create(t, e, fmt.Sprintf(`{"id":"%d","pk":"a","n":%d}`, i, i)).want(t, 201)
	}
	for _, text := range []string{
		"SELECT DISTINCT c.n FROM c OFFSET 4294967295 LIMIT 4294967295",
		"SELECT * FROM c ORDER BY c.n OFFSET 4294967295 LIMIT 4294967295",
		"SELECT c.n, COUNT(1) AS k FROM c GROUP BY c.n OFFSET 4294967295 LIMIT 4294967295",
	} {
		stmt, err := e.plans.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		c := e.catalog.Load().Databases["d"].Containers["c"]
		for _, done := range []int64{math.MaxInt64, math.MaxInt64 - math.MaxUint32 + 1} {
			n := execution.Continuation{Done: done}
			q := sql(text, "")
			q.headers = append(q.headers, "X-Ms-Continuation",
				n.Token(c, &execution.Query{Text: text, Statement: stmt}))
			q.send(t, e).want(t, 400)
		}
	}
}
