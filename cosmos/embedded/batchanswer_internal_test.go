package embedded

import (
	"strings"
	"testing"
)

// TestAnswersToBatchesAreLimited sends small batches with large items in their responses.
func TestAnswersToBatchesAreLimited(t *testing.T) {
	const item = 1_900_000 // two fit into 4 MB
	const read = `{"operationType":"Read","id":"1","partitionKey":"[\"a\"]"}`
	const patch = `{"operationType":"Patch","id":"1","partitionKey":"[\"a\"]","resourceBody":{"operations":[` +
		`{"op":"incr","path":"/n","value":1}]}}`
	times := func(n int, op string) string { return list(n, repeat(op)) }
	engine := func(t *testing.T) *Engine {
		e, _ := mustEngine(t, Options{}, plainContainer)
		create(t, e, fill(item)).want(t, 201)
		return e
	}
	wantPatches := func(t *testing.T, e *Engine, want string) {
		t.Helper()
		a := sql("SELECT VALUE c.n ?? 0 FROM c", "").send(t, e).want(t, 200)
		if !strings.Contains(a.body, `"Documents":[`+want+`]`) {
			t.Errorf("want %s patches: %s", want, a.body)
		}
	}
	t.Run("a response within the limit contains the items", func(t *testing.T) {
		a := batch(times(2, read)).send(t, engine(t)).want(t, 200)
		if len(a.body) < 2*item {
			t.Errorf("the response has %d bytes", len(a.body))
		}
	})
	for name, op := range map[string]string{"reads": read, "patches": patch} {
		t.Run("a batch of "+name+" beyond the limit changes nothing", func(t *testing.T) {
			e := engine(t)
			a := batch(times(3, op)).send(t, e).want(t, 207)
			if !strings.Contains(a.body, `{"statusCode":413,"substatusCode":3402,`) ||
				strings.Count(a.body, `{"statusCode":424,`) != 2 {
				t.Errorf("answered %.300s", a.body)
			}
			wantPatches(t, e, "0")
		})
	}
	t.Run("operations of a bulk request beyond the limit are refused", func(t *testing.T) {
		e := engine(t)
		results := bulk(t, e, 207, []string{read, patch, patch, read})
		for i, want := range []int{200, 200, 413, 413} {
			if got := results[i]; got.StatusCode != want || want == 413 && got.SubstatusCode != 3402 {
				t.Errorf("operation %d: %+v", i, got)
			}
		}
		wantPatches(t, e, "1")
	})
	t.Run("an item that does not fit into the response of a bulk request is not created", func(t *testing.T) {
		e := engine(t)
		large := `{"operationType":"Create","partitionKey":"[\"b\"]","resourceBody":{"id":"2","pk":"b","x":"` +
			strings.Repeat("x", 600_000) + `"}}`
		release := hold(t, e, nothing) // so that all operations share a transaction
		wait := enqueue(e, func() answer {
			return send(t, e, "POST", docs, "["+times(2, read)+","+large+","+bulkCreate("b")+"]",
				"X-Ms-Cosmos-Is-Batch-Request", "True", "X-Ms-Cosmos-Batch-Atomic", "False")
		})
		release()
		a := wait()[0].want(t, 207)
		if !strings.Contains(a.body, `{"statusCode":413,"substatusCode":3402,`) {
			t.Errorf("answered …%s", a.body[max(0, len(a.body)-300):])
		}
		send(t, e, "GET", docs+"/2", "", pk("b")...).want(t, 404)
		send(t, e, "GET", docs+"/1", "", pk("b")...).want(t, 200)
	})
	t.Run("a refused patch does not harm other operations", func(t *testing.T) {
		e := engine(t)
		release := hold(t, e, nothing) // so that all operations share a transaction
		wait := enqueue(e, func() answer {
			return send(t, e, "POST", docs, "["+times(2, read)+","+patch+","+bulkCreate("b")+"]",
				"X-Ms-Cosmos-Is-Batch-Request", "True", "X-Ms-Cosmos-Batch-Atomic", "False")
		})
		release()
		if a := wait()[0].want(t, 207); !strings.Contains(a.body, `{"statusCode":201,`) {
			t.Errorf("answered …%s", a.body[max(0, len(a.body)-300):])
		}
		wantPatches(t, e, "0")
		send(t, e, "GET", docs+"/1", "", pk("b")...).want(t, 200)
	})
	t.Run("a response without items has no limit", func(t *testing.T) {
		e := engine(t)
		b := batch(times(5, patch))
		b.headers = append(b.headers, "Prefer", "return=minimal")
		b.send(t, e).want(t, 200)
		bulk(t, e, 200, []string{patch, patch, patch, read, read, read}, "Prefer", "return=minimal")
		wantPatches(t, e, "8")
	})
}
