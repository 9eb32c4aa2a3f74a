package loop

import (
	"sync"
	"sync/atomic"
	"time"
)

// IdleInterval is the time between two reads of a loop that has nothing to do on an idle instance.
const IdleInterval = time.Minute

// Activity knows whether this instance of the site is in use. While it is idle, its workers read less often, because
// each read costs request units. Its start counts as use. A nil *Activity is always in use. An Activity is safe
// for concurrent use.
type Activity struct {
	after   time.Duration
	start   time.Time
	last    atomic.Int64 // when the instance was last used, in nanoseconds since its start
	holds   atomic.Int32 // the number of uses that last
	mu      sync.Mutex
	workers []Worker
}

// Worker is a loop that can be woken before the end of its interval.
type Worker interface{ Wake() }

// NewActivity returns the activity of an instance that is idle if it has not been used for the given time. Without such
// a time it is always in use, and NewActivity returns nil.
func NewActivity(after time.Duration) *Activity {
	if after <= 0 {
		return nil
	}
	return &Activity{after: after, start: time.Now()}
}

// Idle reports whether the instance is idle.
func (a *Activity) Idle() bool {
	return a != nil && a.holds.Load() == 0 && time.Since(a.start)-time.Duration(a.last.Load()) >= a.after
}

// Interval returns the interval of a loop: at least IdleInterval while the instance is idle.
func (a *Activity) Interval(inUse time.Duration) time.Duration {
	if a.Idle() {
		return max(inUse, IdleInterval)
	}
	return inUse
}

// WakeOnUse makes Use wake a worker. Workers with an Activity do this themselves when they are made.
func (a *Activity) WakeOnUse(w Worker) {
	if a == nil {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	a.workers = append(a.workers, w)
}

// Hold records a use that lasts until the returned function is called.
func (a *Activity) Hold() (end func()) {
	if a == nil {
		return func() {}
	}
	a.Use()
	a.holds.Add(1)
	return func() {
		a.Use()
		a.holds.Add(-1)
	}
}

// Use records a use of the instance. If it was idle, Use wakes the workers.
func (a *Activity) Use() {
	if a == nil {
		return
	}
	idle := a.Idle()
	a.last.Store(int64(time.Since(a.start)))
	if !idle {
		return
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, w := range a.workers {
		w.Wake()
	}
}
