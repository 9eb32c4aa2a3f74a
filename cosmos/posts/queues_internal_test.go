package posts

import (
	"strings"
	"testing"
	"testing/synctest"
)

type testCall struct{ queued[int] }

func TestPanicFailsTheWaitingCallsOfAQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		var q queues[string, *testCall]
		calls := make([]*testCall, 3)
		for i := range calls {
			calls[i] = &testCall{newQueued[int](t.Context())}
			if waits := q.enqueue("post", calls[i]); waits != (i > 0) {
				t.Fatalf("call %d: waits is %t", i, waits)
			}
		}
		q.next("post", func(together []*testCall) {
			together[0].end(7, nil)
			clear(together)
			panic("fault")
		})
		if n, err := calls[1].wait(); n != 7 || err != nil {
			t.Errorf("the call before the panic has %d, error %v", n, err)
		}
		if _, err := calls[2].wait(); err == nil || !strings.Contains(err.Error(), "panic: fault") {
			t.Errorf("the call after the panic has the error %v", err)
		}
		synctest.Wait()
		if q.enqueue("post", calls[0]) {
			t.Error("the queue is still busy")
		}
	})
}
