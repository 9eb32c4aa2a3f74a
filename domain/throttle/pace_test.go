package throttle

import (
	"context"
	"testing"
	"testing/synctest"
	"time"
)

// meter is a storage that charges.
type meter struct{ spent float64 }

func (m *meter) measure(ctx context.Context) (context.Context, func() float64) {
	before := m.spent
	return ctx, func() float64 { return m.spent - before }
}

// work does steps of work for an account for a number of spans of time, and returns what each of them cost.
func (m *meter) work(t *testing.T, p *Pace, step float64, span time.Duration, spans int) []float64 {
	t.Helper()
	ctx, w := p.Begin(t.Context(), "ada")
	start, costs := time.Now(), make([]float64, spans)
	for {
		if err := w.Wait(ctx, 0, func() {}); err != nil {
			t.Fatal(err)
		}
		n := int(time.Since(start) / span)
		if n >= spans {
			return costs
		}
		time.Sleep(10 * time.Millisecond)
		m.spent += step
		costs[n] += step
	}
}

func TestAnAccountSpendsLessThanTheBarInAnyHour(t *testing.T) {
	for _, step := range []float64{7, 650, 5000} {
		synctest.Test(t, func(t *testing.T) {
			m := new(meter)
			costs := m.work(t, NewPace(New(false), m.measure), step, time.Hour, 3)
			for hour, cost := range costs {
				if cost > 30_000 || cost < BudgetPerHour-step {
					t.Errorf("steps of %.0f RU cost %.0f RU in hour %d", step, cost, hour+1)
				}
			}
		})
	}
}

func TestEmbeddedStorageIsPacedOnlyWhileTheSiteIsBusy(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		throttle, m := New(true), new(meter)
		p := NewPace(throttle, m.measure)
		if cost := m.work(t, p, 650, time.Minute, 1)[0]; cost < BudgetPerHour {
			t.Errorf("alone, it spends %.0f RU", cost)
		}
		if full := p.FullAt("ada"); full.After(time.Now()) {
			t.Errorf("work that disturbed nobody was charged: the budget is full at %s", full)
		}
		visits, stop := context.WithCancel(t.Context())
		go func() {
			for visits.Err() == nil {
				throttle.CountRequest()
				time.Sleep(8 * time.Millisecond)
			}
		}()
		defer stop()
		time.Sleep(time.Second)
		if cost := m.work(t, p, 650, 6*time.Minute, 1)[0]; cost > 15_000 {
			t.Errorf("beside visitors, it spends %.0f RU", cost)
		}
		_, w := p.Begin(t.Context(), "ada")
		p.Charge("ada", Budget)
		if w.Ends(0, 0).IsZero() {
			t.Error("it does not know when it ends")
		}
		stop()
		began := time.Now()
		if err := w.Wait(t.Context(), Budget, func() {}); err != nil || time.Since(began) > 2*recheck {
			t.Errorf("after the visitors left, it waits %s, %v", time.Since(began), err)
		}
	})
}

func TestBudgetOutlivesTheProcess(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := new(meter)
		p := NewPace(New(false), m.measure)
		p.Charge("ada", 3*Budget)
		next := NewPace(New(false), m.measure)
		next.Restore("ada", p.FullAt("ada"))
		if got, want := next.Delay("ada", 0), p.Delay("ada", 0); got != want || got == 0 {
			t.Errorf("the next process waits %s, this one %s", got, want)
		}
		if next.Delay("bob", 0) != 0 {
			t.Error("another account waits too")
		}
	})
}

func TestWaitingWorkStopsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := new(meter)
		p := NewPace(New(false), m.measure)
		p.Charge("ada", 2*Budget)
		ctx, stop := context.WithCancelCause(t.Context())
		ctx, w := p.Begin(ctx, "ada")
		if err := w.Wait(ctx, 0, func() { stop(context.DeadlineExceeded) }); err != context.DeadlineExceeded {
			t.Errorf("error %v", err)
		}
	})
}

func TestReserveIsLeftForOtherWork(t *testing.T) {
	p := NewPace(New(false), nil)
	p.Charge("ada", Budget-ImportReserve/2)
	if p.Delay("ada", ImportReserve) <= 0 || p.Delay("ada", 0) > 0 {
		t.Errorf("an import waits %s, a new name %s", p.Delay("ada", ImportReserve), p.Delay("ada", 0))
	}
}
