package embedded

import (
	"encoding/json"
	"fmt"
	"testing"
)

// TestScansEndTheirPagesEarly reads a container whose items take more steps than a page should. The
// comparisons themselves take none.
func TestScansEndTheirPagesEarly(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	const items = 60
	for i := range items {
		create(t, e, fmt.Sprintf(`{"id":"%d","pk":"a","n":%d}`, i, i)).want(t, 201)
	}
	pages := func(t *testing.T, text, want string) int {
		t.Helper()
		got, n := "", 0
		for token, more := "", true; more; n++ {
			q := sql(text, "")
			q.headers = append(q.headers, "X-Ms-Max-Item-Count", "-1", "X-Ms-Continuation", token)
			a := q.send(t, e).want(t, 200)
			var page struct{ Documents []json.RawMessage }
			if err := json.Unmarshal([]byte(a.body), &page); err != nil {
				t.Fatal(err)
			}
			for _, d := range page.Documents {
				got += "[" + string(d) + "]"
			}
			token = a.header.Get("X-Ms-Continuation")
			more = token != ""
		}
		if got != want {
			t.Errorf("%s returned %s", text, got)
		}
		return n
	}
	for _, tt := range []struct {
		name, text, want string
		slices           bool
	}{
		{"a filter", "SELECT VALUE c.n FROM c WHERE c.n = 7 OR c.n = 50", "[7][50]", true},
		{"a filter without rows", "SELECT VALUE c.n FROM c WHERE c.n < 0", "", true},
		{"an order", "SELECT VALUE c.n FROM c WHERE c.n = 7 OR c.n = 50 ORDER BY c.n DESC", "[50][7]", true},
		{"an aggregate is never divided", "SELECT VALUE SUM(c.n) FROM c", "[1770]", false},
		{"distinct rows are never divided", "SELECT DISTINCT VALUE c.n > 9 FROM c", "[false][true]", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			e.sliceSteps = 0 // the default
			if n := pages(t, tt.text, tt.want); n != 1 {
				t.Errorf("%d pages, want one within the limit", n)
			}
			e.sliceSteps = 100
			if n := pages(t, tt.text, tt.want); tt.slices != (n > 1) {
				t.Errorf("%d pages beyond the limit", n)
			}
		})
	}
}
