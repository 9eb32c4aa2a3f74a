package throttle

import (
	"bytes"
	"context"
	"errors"
	"io"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sync/semaphore"
)

// newThrottle returns a throttle with a number of places.
func newThrottle(places int64) *Throttle {
	t := New(true)
	t.places = semaphore.NewWeighted(places)
	return t
}

// isFree reports whether a number of places is free and no turn is waiting.
func isFree(t *Throttle, places int64) bool {
	if !t.places.TryAcquire(places) {
		return false
	}
	t.places.Release(places)
	return true
}

func begin(t *testing.T, throttle *Throttle) *Turn {
	t.Helper()
	turn, err := throttle.Begin(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return turn
}

func TestTurnsBeginInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		throttle := newThrottle(1)
		first := begin(t, throttle)
		var order []int
		var all sync.WaitGroup
		for n := range 10 {
			all.Go(func() {
				turn := begin(t, throttle)
				order = append(order, n)
				turn.End()
			})
			synctest.Wait()
		}
		first.End()
		all.Wait()
		if !slices.IsSorted(order) || len(order) != 10 {
			t.Errorf("turns began in the order %v", order)
		}
	})
}

func TestThereAreNeverMoreTurnsThanPlaces(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const places = 3
		throttle := newThrottle(places)
		var mu sync.Mutex
		running, most := int64(0), int64(0)
		work := func(change int64) {
			mu.Lock()
			defer mu.Unlock()
			running += change
			most = max(most, running)
		}
		var all sync.WaitGroup
		for n := range 20 {
			all.Go(func() {
				ctx, cancel := context.WithTimeout(t.Context(), time.Duration(n)*slice)
				defer cancel()
				turn, err := throttle.Begin(ctx)
				if err != nil {
					return
				}
				for range 4 {
					work(1)
					time.Sleep(slice)
					work(-1)
					turn.Yield()
					turn.Without(func() { time.Sleep(slice) })
				}
				turn.End()
			})
		}
		all.Wait()
		if most != places || !isFree(throttle, places) || isFree(throttle, places+1) {
			t.Errorf("at most %d turns at a time, want %d, all free in the end", most, places)
		}
	})
}

func TestACancelledWaitLeavesTheQueue(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		throttle := newThrottle(1)
		first := begin(t, throttle)
		ctx, cancel := context.WithCancelCause(t.Context())
		gone := errors.New("the client has gone")
		failed := make(chan error)
		go func() {
			_, err := throttle.Begin(ctx)
			failed <- err
		}()
		synctest.Wait()
		cancel(gone)
		if err := <-failed; err != gone {
			t.Errorf("the wait ended with %v", err)
		}
		first.End()
		if !isFree(throttle, 1) {
			t.Error("the cancelled wait took the place")
		}
		begin(t, throttle).End()
	})
}

func TestALogInDoesNotWaitForAnExport(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		const posts, work = 1000, 2 * time.Millisecond
		throttle := newThrottle(1)
		for range 60 { // the site is busy
			throttle.CountRequest()
		}
		time.Sleep(busyTime)
		var written atomic.Int64
		var export sync.WaitGroup
		export.Go(func() {
			turn := begin(t, throttle)
			defer turn.End()
			for range posts {
				time.Sleep(work)
				written.Add(1)
				turn.Yield()
			}
		})
		time.Sleep(work)
		asked := time.Now()
		begin(t, throttle).End()
		if waited := time.Since(asked); waited > slice+slice*3/2 || written.Load() > 10 {
			t.Errorf("the log-in waited %s, for %d posts", waited, written.Load())
		}
		export.Wait()
		if written.Load() != posts {
			t.Errorf("%d posts were exported, want %d", written.Load(), posts)
		}
	})
}

func TestPlacesRestWhileTheSiteIsBusy(t *testing.T) {
	for _, c := range []struct {
		name     string
		requests int // a second
		want     time.Duration
	}{
		{"a busy site", 2 * busyRate, 2500*time.Millisecond - slice},
		{"a quiet site", busyRate / 2, time.Second},
	} {
		t.Run(c.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				throttle := newThrottle(1)
				over, stop := context.WithCancel(t.Context())
				var visitors sync.WaitGroup
				visitors.Go(func() {
					for over.Err() == nil {
						throttle.CountRequest()
						time.Sleep(time.Second / time.Duration(c.requests))
					}
				})
				time.Sleep(time.Second)
				from := time.Now()
				turn := begin(t, throttle)
				for range time.Second / slice {
					time.Sleep(slice)
					turn.Yield()
				}
				took := time.Since(from)
				turn.End()
				stop()
				visitors.Wait()
				if took < c.want || took > c.want+slice {
					t.Errorf("a second of work took %s, want %s", took, c.want)
				}
			})
		})
	}
}

func TestRequestsToTheStorageTakeTurns(t *testing.T) {
	busy := func(throttle *Throttle) {
		for range busyRate {
			throttle.CountRequest()
		}
		time.Sleep(busyTime)
	}
	turns := func(t *testing.T, throttle *Throttle) bool {
		turn, err := throttle.BeginStorage(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		turn.End()
		return turn != nil
	}
	synctest.Test(t, func(t *testing.T) {
		embedded, elsewhere := New(true), New(false)
		time.Sleep(busyTime)
		if turns(t, embedded) {
			t.Error("a request took a turn on a quiet site")
		}
		busy(embedded)
		busy(elsewhere)
		if !turns(t, embedded) || turns(t, elsewhere) {
			t.Error("want a turn with the embedded engine only")
		}
		time.Sleep(time.Second) // until the rest is over
		for _, throttle := range []*Throttle{embedded, elsewhere} {
			turn, kept := begin(t, throttle), false
			turn.Storage(func() { kept = !isFree(throttle, int64(max(1, runtime.GOMAXPROCS(0)/2))) })
			if kept != throttle.embedded {
				t.Errorf("embedded: %t, but the turn was kept: %t", throttle.embedded, kept)
			}
			turn.End()
		}
	})
}

func TestTransfersPassEverythingOn(t *testing.T) {
	content := bytes.Repeat([]byte("0123456789"), 3*blockSize/10)
	for _, turn := range []*Turn{nil, begin(t, New(true))} {
		var sent bytes.Buffer
		out := turn.Output(&sent)
		if _, err := io.Copy(turn.Writer(out), turn.Reader(turn.Input(bytes.NewReader(content)))); err != nil {
			t.Fatal(err)
		}
		if err := out.Flush(); err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(sent.Bytes(), content) {
			t.Errorf("%d of %d bytes arrived", sent.Len(), len(content))
		}
		turn.End()
	}
}
