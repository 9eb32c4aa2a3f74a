package embedded

import (
	"strings"
	"testing"
)

// TestSortsHoldNoItems checks SQLite's plans for orders that no index has: SQLite sorts the numbers of
// the items and then reads the items one by one.
func TestSortsHoldNoItems(t *testing.T) {
	for _, text := range []string{
		"SELECT * FROM c ORDER BY c.n",
		"SELECT VALUE c.id FROM c ORDER BY c.n DESC",
		"SELECT * FROM c WHERE c.type = 'x' ORDER BY c.n",
		"SELECT DISTINCT VALUE c.type FROM c ORDER BY c.type",
		"SELECT * FROM c ORDER BY c.n OFFSET 5 LIMIT 5",
	} {
		t.Run(text, func(t *testing.T) {
			e, _ := mustEngine(t, Options{}, plainContainer)
			plan := planOf(t, e, `["a"]`, text)
			_, read, sorted := strings.Cut(plan, "USE TEMP B-TREE FOR ORDER BY; ")
			if !sorted || !strings.Contains(read, "SEARCH items_1 USING INTEGER PRIMARY KEY (rowid=?)") {
				t.Errorf("the plan is %s", plan)
			}
		})
	}
}
