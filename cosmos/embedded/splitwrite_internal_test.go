package embedded

import (
	"context"
	"testing"

	"inkfeed/cosmos/embedded/internal/apierror"
)

func TestWriteQueuedDuringASplit(t *testing.T) {
	e, _ := mustEngine(t, Options{}, plainContainer)
	create(t, e, `{"id":"old","pk":"a"}`).want(t, 201)
	release := hold(t, e, nothing)
	wait := enqueue(e,
		func() answer { return answer{status: statusOf(e.Split(context.Background(), "d", "c", "0"))} },
		creation(t, e, "new", ""),
		func() answer { return send(t, e, "PUT", docs+"/old", `{"id":"old","pk":"a","x":1}`, pk("a")...) },
		func() answer {
			return send(t, e, "POST", docs, `[{"operationType":"Create","resourceBody":{"id":"b","pk":"a"}}]`,
				atomicBatch("a")...)
		},
		func() answer {
			return send(t, e, "POST", docs,
				`[{"operationType":"Create","partitionKey":"[\"a\"]","resourceBody":{"id":"c","pk":"a"}}]`,
				"X-Ms-Cosmos-Is-Batch-Request", "True", "X-Ms-Cosmos-Batch-Atomic", "False")
		})
	release()
	answers := wait()
	for i, want := range []int{0, 201, 200, 200, 200} {
		if answers[i].status != want {
			t.Errorf("write %d was answered %d: %s", i, answers[i].status, answers[i].body)
		}
	}
	for i, want := range []string{"", "2:-1#2", "2:-1#3", "2:-1#4"} { // 3A53… is in the upper half
		if got := answers[i].header.Get("X-Ms-Session-Token"); got != want {
			t.Errorf("write %d has the session token %s, want %s", i, got, want)
		}
	}
	items, etag := drain(t, e, "2", `"1"`)
	if len(items) != 4 || etag != `"5"` {
		t.Errorf("%+v, %s", items, etag)
	}
	if items, _ := drain(t, e, "1", ""); len(items) != 0 {
		t.Errorf("%+v", items)
	}
}

func TestSessionOfBulkQueuedDuringASplit(t *testing.T) {
	for name, headers := range map[string][]string{"to a range": {rangeHeader, "0"}, "to any": nil} {
		t.Run(name, func(t *testing.T) {
			e, _ := mustEngine(t, Options{}, plainContainer)
			create(t, e, `{"id":"old","pk":"a"}`).want(t, 201)
			release := hold(t, e, nothing)
			wait := enqueue(e,
				func() answer { return answer{status: statusOf(e.Split(context.Background(), "d", "c", "0"))} },
				func() answer {
					return send(t, e, "POST", docs,
						`[{"operationType":"Create","partitionKey":"[\"a\"]","resourceBody":{"id":"c","pk":"a"}}]`,
						append(headers, "X-Ms-Cosmos-Is-Batch-Request", "True", "X-Ms-Cosmos-Batch-Atomic", "False")...)
				})
			release()
			a := wait()[1].want(t, 200)
			if got := a.header.Get("X-Ms-Session-Token"); got != "1:-1#1,2:-1#2" { // the key is in the upper half
				t.Errorf("the session token is %s", got)
			}
		})
	}
}

func statusOf(err error) int {
	if err == nil {
		return 0
	}
	e, _ := apierror.From(err)
	return e.Status
}
