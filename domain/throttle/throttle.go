// Package throttle divides the processors between page requests and expensive work: decoding and encoding pictures,
// hashing passwords, making exports and sitemaps, and importing blogs.
package throttle

import (
	"context"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"golang.org/x/sync/semaphore"
)

// Throttle limits how many goroutines do expensive work at a time. Each asks for a turn. Turns begin in the order in
// which they were asked for. A long task ends its turn every ten milliseconds, in Turn.Yield, so that a short one soon
// gets a turn.
//
// On a busy site, the place of a turn also rests after it, for one and a half times as long as the turn took. So
// expensive work uses about two fifths of the time of its processors then.
//
// A goroutine with a turn must not wait for another turn, nor for a network. A nil Throttle limits nothing.
type Throttle struct {
	embedded bool                // the storage works in this process
	places   *semaphore.Weighted // admits waiting turns in order
	requests atomic.Int64

	mu     sync.Mutex
	busy   bool
	since  time.Time // when the current count of requests began
	before int64     // requests until then
}

const (
	// slice is how long a turn lasts before Yield ends it.
	slice = 10 * time.Millisecond
	// maxRest bounds the rest after work that cannot yield, such as decoding some formats.
	maxRest = 100 * time.Millisecond
	// busyRate is the number of requests in a second from which a site is busy.
	busyRate = 100
	// busyTime is the least time in which requests are counted.
	busyTime = 50 * time.Millisecond
)

// New returns a Throttle for half of the processors, at least one. If the storage is embedded in this process, its work
// for expensive tasks is done in turns, too.
func New(embedded bool) *Throttle {
	places := semaphore.NewWeighted(int64(max(1, runtime.GOMAXPROCS(0)/2)))
	return &Throttle{embedded: embedded, places: places, since: time.Now()}
}

// CountRequest counts a request to the site, by which the Throttle knows whether the site is busy.
func (t *Throttle) CountRequest() {
	if t != nil {
		t.requests.Add(1)
	}
}

// Begin waits for a turn, which the caller must end. It returns the cause of the context's end if that comes first.
func (t *Throttle) Begin(ctx context.Context) (*Turn, error) {
	if t == nil {
		return nil, nil
	}
	if err := t.enter(ctx); err != nil {
		return nil, err
	}
	turn := &Turn{throttle: t}
	turn.start()
	return turn, nil
}

// BeginStorage is Begin for a request to the storage. It needs no turn if the storage is elsewhere, or if the site is
// not busy: then many writes can be flushed to the disk together.
func (t *Throttle) BeginStorage(ctx context.Context) (*Turn, error) {
	if t == nil || !t.embedded {
		return nil, nil
	}
	if !t.isBusy() {
		return nil, nil
	}
	return t.Begin(ctx)
}

func (t *Throttle) enter(ctx context.Context) error {
	if t.places.Acquire(ctx, 1) != nil {
		return context.Cause(ctx)
	}
	return nil
}

// leave frees the place of a turn, after its rest.
func (t *Throttle) leave(took time.Duration) {
	if t.isBusy() {
		time.AfterFunc(min(took*3/2, maxRest), func() { t.places.Release(1) })
		return
	}
	t.places.Release(1)
}

// isBusy reports whether requests come often.
func (t *Throttle) isBusy() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	if passed := time.Since(t.since); passed >= busyTime {
		count := t.requests.Load()
		t.busy = float64(count-t.before) >= busyRate*passed.Seconds()
		t.since, t.before = time.Now(), count
	}
	return t.busy
}

// Turn is the permission to do expensive work. It belongs to one goroutine. A nil Turn permits everything.
type Turn struct {
	throttle *Throttle
	began    time.Time
}

// End ends the turn.
func (t *Turn) End() {
	if t != nil {
		t.throttle.leave(time.Since(t.began))
	}
}

// start begins to measure the turn. Goroutines that are ready to run, such as those of page requests, run first: the
// scheduler of Go would otherwise let them wait behind this one for up to ten milliseconds.
func (t *Turn) start() {
	runtime.Gosched()
	t.began = time.Now()
}

// Yield lets other goroutines run. If the turn has lasted long enough, it ends, and Yield waits for the next one.
func (t *Turn) Yield() {
	if t == nil {
		return
	}
	if time.Since(t.began) >= slice {
		t.End()
		t.resume()
		return
	}
	paused := time.Now()
	runtime.Gosched()
	t.began = t.began.Add(time.Since(paused)) // a turn consists of work
}

// Without calls a function that waits, for example for a network, while others have the turn.
func (t *Turn) Without(wait func()) {
	if t == nil {
		wait()
		return
	}
	t.End()
	defer t.resume()
	wait()
}

// Storage calls a function that makes requests to the storage. If the storage is elsewhere, others have the turn
// meanwhile.
func (t *Turn) Storage(request func()) {
	if t == nil || t.throttle.embedded {
		request()
		return
	}
	t.Without(request)
}

// resume waits for the next turn. It cannot fail, because the work has begun and all turns end.
func (t *Turn) resume() {
	_ = t.throttle.enter(context.Background())
	t.start()
}
