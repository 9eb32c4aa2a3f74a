package embedded

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"testing"
)

// interrupting is a context that calls a function at the n-th check, so that a write happens at a
// chosen point of a query.
type interrupting struct {
	context.Context
	left int
	f    func()
}

func (x *interrupting) Err() error {
	if x.left--; x.left == 0 {
		x.f()
	}
	return nil
}

// TestAPageOfAQueryNeverShowsPartOfATransaction changes all items in one batch at each point of a query where it checks
// its context. All items of the page have the state before the batch, or all have the one after it.
func TestAPageOfAQueryNeverShowsPartOfATransaction(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	const items = 8
	upserts := func(v int) call {
		return batch(list(items, func(i int) string {
			return fmt.Sprintf(`{"operationType":"Upsert","resourceBody":{"id":"%d","pk":"a","g":%d,"v":%d}}`,
				i, i/4, v)
		}))
	}
	upserts(0).send(t, e).want(t, 200)
	for name, text := range map[string]string{
		"an order":        "SELECT * FROM c ORDER BY c.g",
		"a falling order": "SELECT * FROM c ORDER BY c.g DESC",
		"no order":        "SELECT * FROM c WHERE c.v >= 0",
	} {
		t.Run(name, func(t *testing.T) {
			first := sql(text, "")
			first.headers = append(first.headers, "X-Ms-Max-Item-Count", "2")
			token := first.send(t, e).want(t, 200).header.Get("X-Ms-Continuation")
			second := sql(text, "")
			second.headers = append(second.headers, "X-Ms-Continuation", token)
			for n, changed := 1, true; changed; n++ {
				changed = false
				body := second.within(t, e, &interrupting{Context: t.Context(), left: n, f: func() {
					upserts(n).send(t, e).want(t, 200)
					changed = true
				}})
				var page struct{ Documents []struct{ V int } }
				if err := json.Unmarshal([]byte(body), &page); err != nil {
					t.Fatal(err)
				}
				if len(page.Documents) != items-2 {
					t.Errorf("the batch at check %d: %d items", n, len(page.Documents))
				}
				for _, d := range page.Documents {
					if d.V != page.Documents[0].V {
						t.Errorf("the batch at check %d is divided: %v", n, page.Documents)
						break
					}
				}
			}
		})
	}
}

// within sends a call with a context and returns the body of the response.
func (c call) within(t testing.TB, e *Engine, ctx context.Context) string {
	t.Helper()
	resp, err := e.Do(signed(t, e, c.method, c.path, c.body, c.headers...).WithContext(ctx))
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(resp.Body)
	if err != nil || resp.StatusCode != 200 {
		t.Fatalf("%s: %s %v", resp.Status, body, err)
	}
	return string(body)
}
