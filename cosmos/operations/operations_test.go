package operations_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"inkfeed/cosmos/operations"
)

func TestRecording(t *testing.T) {
	begin := time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)
	at := func(ms, lasting int, charge float64) operations.Operation {
		return operations.Operation{Start: begin.Add(time.Duration(ms) * time.Millisecond),
			Latency: time.Duration(lasting) * time.Millisecond, Charge: charge}
	}
	t.Run("lists operations in the order in which they began", func(t *testing.T) {
		var r operations.Recording
		r.Add(at(20, 1, 0))
		r.Add(at(10, 50, 0))
		list, _ := r.Operations()
		if len(list) != 2 || !list[0].Start.Before(list[1].Start) {
			t.Errorf("the operations are %v", list)
		}
	})
	t.Run("counts the time of concurrent requests once", func(t *testing.T) {
		var r operations.Recording
		for _, o := range []operations.Operation{at(0, 10, 1), at(5, 10, 1), at(6, 2, 1), at(100, 7, 1)} {
			r.Add(o)
		}
		if _, totals := r.Operations(); totals.Waiting != 22*time.Millisecond {
			t.Errorf("waiting is %v, want 15 ms and 7 ms", totals.Waiting)
		}
	})
	t.Run("charges nothing for a result from memory", func(t *testing.T) {
		var r operations.Recording
		r.Add(at(0, 1, 2.5))
		r.Add(operations.Operation{Cached: true})
		_, totals := r.Operations()
		if totals.Requests != 1 || totals.Cached != 1 || totals.Charge != 2.5 {
			t.Errorf("the totals are %+v", totals)
		}
	})
	t.Run("holds a limited number of operations and counts all", func(t *testing.T) {
		var r operations.Recording
		var all sync.WaitGroup
		for range 10 {
			all.Go(func() {
				for range 100 {
					r.Add(at(0, 1, 1))
				}
			})
		}
		all.Wait()
		list, totals := r.Operations()
		if len(list)+totals.Omitted != 1000 || totals.Omitted == 0 || totals.Charge != 1000 {
			t.Errorf("%d operations, totals %+v", len(list), totals)
		}
	})
	t.Run("is found in its context until another one replaces it", func(t *testing.T) {
		var r operations.Recording
		ctx := operations.With(t.Context(), &r)
		if operations.From(ctx) != &r {
			t.Error("it is not found")
		}
		if operations.From(operations.With(ctx, nil)) != nil || operations.From(context.Background()) != nil {
			t.Error("it is found where it is not")
		}
	})
}

func TestNoRecordingCostsNoAllocation(t *testing.T) {
	ctx := context.WithValue(t.Context(), new(int), "another value")
	if n := testing.AllocsPerRun(100, func() {
		if operations.From(ctx) != nil {
			t.Fatal("there is a recording")
		}
	}); n != 0 {
		t.Errorf("looking for a recording takes %v allocations", n)
	}
}
