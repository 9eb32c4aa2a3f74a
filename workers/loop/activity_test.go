package loop_test

import (
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/workers/loop"
)

// woken counts its wakes.
type woken int

func (w *woken) Wake() { *w++ }

func TestAnInstanceIsIdleWhenNobodyHasUsedItForSomeTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, worker := loop.NewActivity(time.Minute), new(woken)
		a.WakeOnUse(worker)
		for range 3 {
			time.Sleep(59 * time.Second)
			if a.Idle() || a.Interval(time.Second) != time.Second {
				t.Error("idle 59 seconds after the start or a use")
			}
			a.Use()
		}
		if *worker != 0 {
			t.Errorf("%d wakes of a worker that reads at its usual intervals", *worker)
		}
		time.Sleep(time.Minute)
		if !a.Idle() || a.Interval(time.Second) != loop.IdleInterval ||
			a.Interval(time.Hour) != time.Hour {
			t.Error("not idle a minute after the last use")
		}
		a.Use()
		a.Use()
		if *worker != 1 || a.Idle() {
			t.Errorf("idle %t, and %d wakes after the first use", a.Idle(), *worker)
		}
	})
}

func TestAnInstanceIsNotIdleDuringALongUse(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, worker := loop.NewActivity(time.Minute), new(woken)
		a.WakeOnUse(worker)
		time.Sleep(time.Hour)
		end := a.Hold()
		time.Sleep(time.Hour)
		if a.Idle() || *worker != 1 {
			t.Errorf("idle %t, %d wakes", a.Idle(), *worker)
		}
		end()
		time.Sleep(59 * time.Second)
		if a.Idle() {
			t.Error("idle less than a minute after the end")
		}
		time.Sleep(time.Second)
		if !a.Idle() {
			t.Error("in use a minute after the end")
		}
	})
}

func TestAnInstanceWithoutATimeIsNeverIdle(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a := loop.NewActivity(0)
		a.WakeOnUse(new(woken))
		time.Sleep(24 * time.Hour)
		a.Use()
		if a.Idle() || a.Interval(time.Second) != time.Second {
			t.Error("idle")
		}
	})
}
