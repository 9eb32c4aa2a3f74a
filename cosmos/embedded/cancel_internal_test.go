package embedded

import (
	"context"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"

	"inkfeed/cosmos/embedded/internal/items"
)

// expiring is a context that is cancelled at the n-th check, so that a request ends at a chosen
// point of its work.
type expiring struct {
	context.Context
	cancel context.CancelFunc
	left   atomic.Int64
}

func newExpiring(n int) *expiring {
	ctx, cancel := context.WithCancel(context.Background())
	x := &expiring{Context: ctx, cancel: cancel}
	x.left.Store(int64(n))
	return x
}

func (x *expiring) Err() error {
	if x.left.Add(-1) == 0 {
		x.cancel()
	}
	return x.Context.Err()
}

// do sends a call with a context and reports whether it was answered.
func (c call) do(t testing.TB, e *Engine, ctx context.Context) bool {
	t.Helper()
	resp, err := e.Do(signed(t, e, c.method, c.path, c.body, c.headers...).WithContext(ctx))
	if err == nil && resp.StatusCode >= 500 {
		t.Errorf("%s %s: %s", c.method, c.path, resp.Status)
	}
	if err != nil && ctx.Err() == nil {
		t.Errorf("%s %s: %v", c.method, c.path, err)
	}
	return err == nil
}

// TestCancelledRequestsHoldNothing cancels requests at every point where they check the context.
// They release connections and all other resources.
func TestCancelledRequestsHoldNothing(t *testing.T) {
	e,
		_ := mustEngine(
		t,
		Options{},
		`{"id":"c","partitionKey":{"paths":["/pk"]},"indexingPolicy":{"compositeIndexes":[[{"path":"/g"},`+
			`{"path":"/n"}]]}}`,
	)
	const items = 60
	for i := range items {
		create(t, e, fmt.Sprintf(`{"id":"%d","pk":"a","n":%d,"g":%d}`, i, i, i%5)).want(t, 201)
	}
	before := runtime.NumGoroutine()
	for name, c := range map[string]call{
		"point read":  {"GET", docs + "/1", "", pk("a")},
		"scan":        sql("SELECT * FROM c", ""),
		"filter":      sql("SELECT * FROM c WHERE LENGTH(c.id) > 5", ""),
		"order":       sql("SELECT * FROM c ORDER BY c.n", ""),
		"composite":   sql("SELECT * FROM c ORDER BY c.g, c.n", ""),
		"distinct":    sql("SELECT DISTINCT c.g FROM c", ""),
		"aggregate":   sql("SELECT VALUE SUM(c.n) FROM c", ""),
		"read feed":   {"GET", docs, "", nil},
		"change feed": {"GET", docs, "", []string{"A-Im", "Incremental feed"}},
	} {
		t.Run(name, func(t *testing.T) {
			n := 1
			for !c.do(t, e, newExpiring(n)) {
				if n++; n > 20*items {
					t.Fatal("the request checks the context without end")
				}
				for len(e.store.Readers.Places) > 0 {
					runtime.Gosched() // would not end if a connection were lost
				}
			}
			if n < 2 {
				t.Error("the request never checks the context")
			}
			if name != "point read" && n < items {
				t.Errorf("the request ends after %d checks of the context, want checks between rows", n)
			}
		})
	}
	for runtime.NumGoroutine() > before {
		runtime.Gosched()
	}
}

// TestCancelledBatchIsUndone cancels a batch while it runs. It has no effect.
func TestCancelledBatchIsUndone(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	const ops = 20
	c := batch(list(ops, func(i int) string {
		return fmt.Sprintf(`{"operationType":"Create","resourceBody":{"id":"%d","pk":"a"}}`, i)
	}))
	n := 1
	for ; !c.do(t, e, newExpiring(n)); n++ {
		if items, memory, disk := counters(t, e); len(items) != 0 || memory != 0 || disk != 0 {
			t.Fatalf("cancelled at check %d: items %v, counters %d and %d", n, items, memory, disk)
		}
	}
	if items, memory, disk := counters(t, e); len(items) != ops || memory != 1 || disk != 1 || n < ops {
		t.Errorf("completed after %d checks: items %v, counters %d and %d", n, items, memory, disk)
	}
}

// TestCancelledWritesAreNotDone cancels writes before the writer reaches them. They have no effect
// and leave the queue.
func TestCancelledWritesAreNotDone(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	before := runtime.NumGoroutine()
	release := hold(t, e, nothing)
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	const waiting = items.WriteQueue + 50 // more than fit in the queue
	for i := range waiting {
		wg.Go(func() {
			c := post(fmt.Sprintf(`{"id":"%d","pk":"a"}`, i))
			if i%2 == 0 {
				c = batch(fmt.Sprintf(`{"operationType":"Create","resourceBody":{"id":"%d","pk":"a"}}`, i))
			}
			if c.do(t, e, ctx) {
				t.Errorf("write %d was answered", i)
			}
		})
	}
	for e.writer.Waiting() < items.WriteQueue {
		runtime.Gosched()
	}
	cancel()
	release()
	wg.Wait()
	if items, memory, disk := counters(t, e); len(items) != 0 || memory != 0 || disk != 0 || e.writer.Waiting() != 0 {
		t.Errorf("items %v, counters %d and %d, %d still wait", items, memory, disk, e.writer.Waiting())
	}
	create(t, e, `{"id":"1","pk":"a"}`).want(t, 201)
	for runtime.NumGoroutine() > before {
		runtime.Gosched()
	}
}

// TestCancelledBulkIsNotDone cancels a bulk request that waits for the queue.
func TestCancelledBulkIsNotDone(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	release := hold(t, e, nothing)
	ctx, cancel := context.WithCancel(context.Background())
	var wg sync.WaitGroup
	const requests = items.WriteQueue/maxBatchOps + 2
	for i := range requests {
		wg.Go(func() {
			c := batch(list(maxBatchOps, func(n int) string { return bulkCreate(fmt.Sprintf("%d-%d", i, n)) }))
			c.headers = []string{"X-Ms-Cosmos-Is-Batch-Request", "True", "X-Ms-Cosmos-Batch-Atomic", "False"}
			if c.do(t, e, ctx) {
				t.Errorf("request %d was answered", i)
			}
		})
	}
	for e.writer.Waiting() < items.WriteQueue {
		runtime.Gosched()
	}
	cancel()
	release()
	wg.Wait()
	create(t, e, `{"id":"1","pk":"a"}`).want(t, 201) // after all queued writes
	if items, memory, disk := counters(t, e); len(items) != 1 || memory != 1 || disk != 1 {
		t.Errorf("items %v, counters %d and %d", items, memory, disk)
	}
}
