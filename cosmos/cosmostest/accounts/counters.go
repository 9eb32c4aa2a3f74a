package accounts

import (
	"slices"
	"sync"
	"testing"
	"time"

	"inkfeed/cosmos/cosmostest/fixture"
	"inkfeed/domain"
)

func (s *suite) counters(t *testing.T) {
	ctx := t.Context()
	fixture.Run(t, "a counter starts with the first increment", func(t *testing.T) {
		name := "login|ada/\\#? " + domain.NewID() // characters that no id may contain
		for _, want := range []int{2, 4, 6} {
			if got := fixture.Must[int](t)(s.Counters.Add(ctx, name, 2, time.Minute)); got != want {
				t.Errorf("the counter is %d, want %d", got, want)
			}
		}
		if got := fixture.Must[int](t)(s.Counters.Add(ctx, name+"x", 1, time.Minute)); got != 1 {
			t.Errorf("another is %d", got)
		}
	})
	fixture.Run(t, "concurrent increments are exact from the first", func(t *testing.T) {
		const many = 24
		name := domain.NewID()
		var wait sync.WaitGroup
		counts := make([]int, many)
		for i := range many {
			wait.Go(func() {
				n, err := s.Counters.Add(ctx, name, 1, time.Minute)
				if err != nil {
					t.Error(err)
				}
				counts[i] = n
			})
		}
		wait.Wait()
		slices.Sort(counts)
		for i, n := range counts {
			if n != i+1 {
				t.Fatalf("the increments returned %v", counts)
			}
		}
	})
	fixture.Run(t, "a counter can be decremented", func(t *testing.T) {
		name := domain.NewID()
		fixture.Check(t, s.Counters.Subtract(ctx, name, 1)) // there is no such counter, and none is created
		fixture.Must[int](t)(s.Counters.Add(ctx, name, 3, time.Minute))
		fixture.Check(t, s.Counters.Subtract(ctx, name, 1))
		if got := fixture.Must[int](t)(s.Counters.Add(ctx, name, 1, time.Minute)); got != 3 {
			t.Errorf("the counter is %d, want 3", got)
		}
	})
}
