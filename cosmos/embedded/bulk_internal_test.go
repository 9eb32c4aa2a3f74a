package embedded

import (
	"encoding/json"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"inkfeed/cosmos/embedded/internal/apierror"
)

type bulkResult struct {
	StatusCode, SubstatusCode, RetryAfterMilliseconds int
	ETag                                              string
}

// bulk sends operations and returns their results.
func bulk(t *testing.T, e *Engine, status int, ops []string, headers ...string) (results []bulkResult) {
	t.Helper()
	a := send(t, e, "POST", docs, "["+strings.Join(ops, ",")+"]",
		append(headers, "X-Ms-Cosmos-Is-Batch-Request", "True", "X-Ms-Cosmos-Batch-Atomic", "False")...).want(t, status)
	if err := json.Unmarshal([]byte(a.body), &results); err != nil || len(results) != len(ops) {
		t.Fatal(a.body, err)
	}
	return results
}

func bulkCreate(key string) string {
	return fmt.Sprintf(`{"operationType":"Create","partitionKey":"[\"%s\"]","resourceBody":{"id":"1","pk":%q}}`, key,
		key)
}

func TestBulkSharesATransaction(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	release := hold(t, e, nothing)
	var ops []string
	for i := range maxBatchOps {
		ops = append(ops, bulkCreate(number(i)))
	}
	ops[50] = ops[49]
	done := make(chan []bulkResult)
	go func() { done <- bulk(t, e, 207, ops) }()
	for e.writer.Waiting() < len(ops) { // would not end if each operation were awaited
		runtime.Gosched()
	}
	release()
	for i, r := range <-done {
		want := 201
		if i == 50 {
			want = 409
		}
		if r.StatusCode != want {
			t.Errorf("operation %d: %d", i, r.StatusCode)
		}
	}
	if items, memory, disk := counters(t, e); len(items) != 99 || memory != 99 || disk != 99 {
		t.Errorf("%d items, counters %d and %d", len(items), memory, disk)
	}
}

func TestBulkStopsAtAFailureOnRequest(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	ops := []string{bulkCreate("a"), bulkCreate("a"), bulkCreate("b"),
		`{"operationType":"Nonsense","partitionKey":"[\"a\"]"}`}
	var statuses []int
	for _, r := range bulk(t, e, 207, ops, "X-Ms-Cosmos-Batch-Continue-On-Error", "False") {
		statuses = append(statuses, r.StatusCode)
	}
	if want := []int{201, 409, 424, 424}; !slices.Equal(statuses, want) {
		t.Errorf("got %v, want %v", statuses, want)
	}
	if items, _, _ := counters(t, e); len(items) != 1 {
		t.Errorf("%d items", len(items))
	}
}

func TestBulkIsThrottled(t *testing.T) {
	e, _ := mustEngine(t, Options{EnforceThroughput: true, Throughput: 20}, plainContainer)
	var ops []string
	for i := range 50 {
		ops = append(ops, bulkCreate(number(i)))
	}
	refused := 0
	for _, r := range bulk(t, e, 207, ops) {
		if r.StatusCode == 429 {
			refused++
			if r.SubstatusCode != apierror.SubThrottled || r.RetryAfterMilliseconds <= 0 {
				t.Errorf("%+v", r)
			}
		}
	}
	if refused < 40 || refused == 50 {
		t.Errorf("%d of 50 operations are refused", refused)
	}
}

func TestBulkOfAnotherRangeIsGone(t *testing.T) {
	e, keys := mustRanges(t)
	read := func(key string) string {
		return fmt.Sprintf(`{"operationType":"Read","partitionKey":"[\"%s\"]","id":"1"}`, key)
	}
	results := bulk(t, e, 207, []string{read(keys[0][0]), read(keys[1][0])}, rangeHeader, "1")
	if results[0].StatusCode != 410 || results[0].SubstatusCode != apierror.SubRangeGone ||
		results[1].StatusCode != 200 {
		t.Errorf("%+v", results)
	}
}

func TestBulkRefusesASessionAhead(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	a := send(t, e, "POST", docs, "["+bulkCreate("a")+"]", "X-Ms-Cosmos-Is-Batch-Request", "True",
		"X-Ms-Cosmos-Batch-Atomic", "False",
		"X-Ms-Session-Token", "0:-1#999").want(t, 404)
	if a.header.Get("X-Ms-Substatus") != "1002" {
		t.Errorf("%v", a.header)
	}
}

func number(i int) string { return fmt.Sprintf("%06d", i) }
