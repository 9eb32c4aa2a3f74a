package changefeed

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.opentelemetry.io/otel/trace"
	"go.opentelemetry.io/otel/trace/noop"

	"inkfeed/cosmos/feeds"
	"inkfeed/domain"
	"inkfeed/workers/changefeed/feedtest"
)

func TestProcessor(t *testing.T) {
	run := func(name string, test func(t *testing.T, c *cluster)) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				test(t, newCluster(2))
			})
		})
	}

	run("projects changes from before and after its start", func(t *testing.T, c *cluster) {
		c.feed.Write(0, 1, 2)
		c.feed.Write(1, 10)
		stop := start(t, c.processor(Options{Instance: "a"}))
		defer stop()
		synctest.Wait()
		c.feed.Write(1, 11)
		time.Sleep(5 * time.Second)
		synctest.Wait()
		got := c.seen.all()
		slices.Sort(got)
		if !slices.Equal(got, []int{1, 2, 10, 11}) {
			t.Errorf("projected %v", got)
		}
	})

	run("keeps the order within a range", func(t *testing.T, c *cluster) {
		for i := range 50 {
			c.feed.Write(0, i)
		}
		stop := start(t, c.processor(Options{Instance: "a", PageSize: 7}))
		defer stop()
		synctest.Wait()
		if got := c.seen.all(); !slices.IsSorted(got) || len(got) != 50 {
			t.Errorf("projected %v", got)
		}
	})

	run("polls at once when woken, and reads a burst of writes together", func(t *testing.T, c *cluster) {
		p := c.processor(Options{Instance: "a", PollInterval: time.Hour, Pause: time.Second})
		stop := start(t, p)
		defer stop()
		time.Sleep(time.Minute)
		c.feed.Write(0, 1)
		p.Wake()
		synctest.Wait()
		if got := c.seen.all(); len(got) != 1 {
			t.Errorf("projected %v of the first write", got)
		}
		before := c.feed.Reads
		for i := range 9 {
			time.Sleep(100 * time.Millisecond)
			c.feed.Write(0, 2+i)
			p.Wake()
		}
		synctest.Wait()
		if got := c.seen.all(); len(got) != 1 {
			t.Errorf("projected %v before the pause was over", got)
		}
		time.Sleep(100 * time.Millisecond)
		synctest.Wait()
		if got := c.seen.all(); !slices.Equal(got, []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}) {
			t.Errorf("projected %v after the pause", got)
		}
		if reads := c.feed.Reads - before; reads > 2 {
			t.Errorf("%d reads of two ranges for the burst", reads)
		}
	})

	run("waits longer after a projection that took long, up to four pauses", func(t *testing.T, c *cluster) {
		for took, want := range map[time.Duration]time.Duration{
			10 * time.Millisecond:  time.Second,
			500 * time.Millisecond: 1500 * time.Millisecond,
			time.Minute:            4 * time.Second,
		} {
			c.seen.during = func(context.Context, []int) error { time.Sleep(took); return nil }
			p := c.processor(Options{Instance: "a", PollInterval: time.Hour, Pause: time.Second})
			stop := start(t, p)
			time.Sleep(time.Hour / 2)
			projected := len(c.seen.all())
			c.feed.Write(0, projected)
			p.Wake()
			time.Sleep(took)
			synctest.Wait() // the projection has ended now
			c.feed.Write(0, projected+1)
			p.Wake()
			time.Sleep(want - time.Millisecond)
			synctest.Wait()
			if n := len(c.seen.all()) - projected; n != 1 {
				t.Errorf("%d changes projected before the pause after %v was over", n, took)
			}
			time.Sleep(time.Millisecond + took)
			synctest.Wait()
			if n := len(c.seen.all()) - projected; n != 2 {
				t.Errorf("%d changes projected after the pause after %v, want 2", n, took)
			}
			stop()
		}
	})

	run("links the projection of a page to the writes up to its last change", func(t *testing.T, c *cluster) {
		c.feed.Write(0, 1, 2)
		var mu sync.Mutex
		var projected []int64
		stop := start(t, c.processor(Options{Instance: "a", PageSize: 1, Tracing: &Tracing{
			Provider: noop.NewTracerProvider(),
			Writes: func(_, _ string, lsn int64) []trace.SpanContext {
				mu.Lock()
				defer mu.Unlock()
				projected = append(projected, lsn)
				return nil
			}}}))
		synctest.Wait()
		stop()
		if !slices.Equal(projected, []int64{1, 2}) {
			t.Errorf("the pages ask for the writes up to the LSNs %v", projected)
		}
	})

	run("continues at its checkpoint after a restart", func(t *testing.T, c *cluster) {
		c.feed.Write(0, 1, 2)
		stop := start(t, c.processor(Options{Instance: "a"}))
		synctest.Wait()
		stop()
		c.feed.Write(0, 3)
		stop = start(t, c.processor(Options{Instance: "b"}))
		defer stop()
		synctest.Wait()
		if got := c.seen.all(); !slices.Equal(got, []int{1, 2, 3}) {
			t.Errorf("projected %v", got)
		}
	})

	run("releases its leases on a graceful stop", func(t *testing.T, c *cluster) {
		stop := start(t, c.processor(Options{Instance: "a"}))
		synctest.Wait()
		stop()
		if owners := c.leases.owners(); owners[""] != 2 {
			t.Errorf("owners %v", owners)
		}
	})

	run("repeats a page that fails, in order, and skips nothing", func(t *testing.T, c *cluster) {
		c.seen.setFailure(domain.NewError(domain.Unavailable, "throttled"))
		c.feed.Write(0, 1, 2)
		stop := start(t, c.processor(Options{Instance: "a"}))
		defer stop()
		time.Sleep(time.Minute)
		c.feed.Write(0, 3)
		c.seen.setFailure(nil)
		time.Sleep(time.Minute)
		if got := c.seen.all(); !slices.Equal(got, []int{1, 2, 3}) {
			t.Errorf("projected %v", got)
		}
	})

	run("repeats a checkpoint that fails", func(t *testing.T, c *cluster) {
		p := c.processor(Options{Instance: "a"})
		stop := start(t, p)
		defer stop()
		synctest.Wait()
		c.leases.setFailure(domain.NewError(domain.Unavailable, "throttled"))
		c.feed.Write(0, 1)
		time.Sleep(5 * time.Second)
		if ok, _ := p.CaughtUp(t.Context()); ok {
			t.Error("caught up without a checkpoint")
		}
		c.leases.setFailure(nil)
		time.Sleep(time.Minute)
		if ok, err := p.CaughtUp(t.Context()); !ok || err != nil {
			t.Errorf("caught up: %t, %v", ok, err)
		}
	})

	run("continues after a feed could not be read", func(t *testing.T, c *cluster) {
		c.feed.SetFailure(errors.New("unreachable"))
		stop := start(t, c.processor(Options{Instance: "a"}))
		defer stop()
		time.Sleep(time.Minute)
		c.feed.SetFailure(nil)
		c.feed.Write(1, 1)
		time.Sleep(time.Minute)
		if got := c.seen.all(); !slices.Equal(got, []int{1}) {
			t.Errorf("projected %v", got)
		}
	})

	run("takes over the leases of a dead instance when they expire", func(t *testing.T, c *cluster) {
		for _, r := range c.feed.Ranges {
			c.leases.Create(t.Context(), feeds.Lease{Range: r, Owner: "dead", Renewed: time.Now()})
		}
		c.feed.Write(0, 1)
		stop := start(t, c.processor(Options{Instance: "a"}))
		defer stop()
		time.Sleep(13 * time.Second) // one lease may be balanced away before that
		synctest.Wait()
		if owners := c.leases.owners(); owners["dead"] == 0 {
			t.Errorf("owners %v before the leases expired", owners)
		}
		time.Sleep(61 * time.Second)
		synctest.Wait()
		if owners := c.leases.owners(); owners["a"] != 2 {
			t.Errorf("owners %v", owners)
		}
		if got := c.seen.all(); !slices.Equal(got, []int{1}) {
			t.Errorf("projected %v", got)
		}
	})

	run("takes its own leases at once after a crash", func(t *testing.T, c *cluster) {
		for _, r := range c.feed.Ranges {
			c.leases.Create(t.Context(), feeds.Lease{Range: r, Owner: "embedded", Renewed: time.Now()})
		}
		c.feed.Write(0, 1)
		stop := start(t, c.processor(Options{Instance: "embedded"}))
		defer stop()
		synctest.Wait()
		if got := c.seen.all(); !slices.Equal(got, []int{1}) {
			t.Errorf("projected %v", got)
		}
	})

	run("writes no checkpoint to a lost lease", func(t *testing.T, c *cluster) {
		stop := start(t, c.processor(Options{Instance: "a"}))
		defer stop()
		synctest.Wait()
		c.leases.change(func(l *feeds.Lease) { seizedBy("b")(l); l.Continuation = c.feed.ContinuationOf(l.Range, 5) })
		c.feed.Write(0, 1)
		time.Sleep(5 * time.Second)
		synctest.Wait()
		all, _ := c.leases.List(t.Context(), "p")
		for _, l := range all {
			if l.Continuation != c.feed.ContinuationOf(l.Range, 5) {
				t.Errorf("checkpoint %q in a lease of another instance", l.Continuation)
			}
		}
	})

	run("does not release a lease that another instance has taken, and logs no warning",
		func(t *testing.T, c *cluster) {
			var log bytes.Buffer
			stop := start(t, c.processor(Options{Instance: "a", Logger: slog.New(slog.NewTextHandler(&log, nil))}))
			synctest.Wait()
			c.leases.change(seizedBy("b"))
			stop()
			if owners := c.leases.owners(); owners["b"] != 2 {
				t.Errorf("owners %v", owners)
			}
			if strings.Contains(log.String(), "level=WARN") {
				t.Errorf("logged:\n%s", &log)
			}
		})

	run("keeps its lease when the answer to a write was lost", func(t *testing.T, c *cluster) {
		stop := start(t, c.processor(Options{Instance: "a"}))
		synctest.Wait()
		c.leases.change(func(*feeds.Lease) {}) // the etag alone changes
		c.feed.Write(0, 1)
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if got := c.seen.all(); !slices.Equal(got, []int{1}) {
			t.Errorf("projected %v", got)
		}
		c.leases.change(func(*feeds.Lease) {})
		stop()
		if owners := c.leases.owners(); owners[""] != 2 {
			t.Errorf("owners %v", owners)
		}
	})

	run("writes no checkpoint for pages without a relevant change", func(t *testing.T, c *cluster) {
		p := c.processor(Options{Instance: "a"})
		stop := start(t, p)
		synctest.Wait()
		_, before := c.counts()
		c.feed.Write(0, feedtest.Irrelevant, feedtest.Irrelevant)
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if _, after := c.counts(); after != before {
			t.Errorf("%d lease writes", after-before)
		}
		if ok, err := p.CaughtUp(t.Context()); !ok || err != nil {
			t.Errorf("caught up: %t, %v", ok, err)
		}
		stop() // the release of the lease stores the position
		for _, r := range c.feed.Ranges {
			if l, _ := c.leases.Read(t.Context(), "p", r); l.Continuation == "" && r == c.feed.Ranges[0] {
				t.Error("the continuation is lost")
			}
		}
	})

	run("shares the ranges with another instance", func(t *testing.T, c *cluster) {
		stopA := start(t, c.processor(Options{Instance: "a"}))
		defer stopA()
		synctest.Wait()
		stopB := start(t, c.processor(Options{Instance: "b"}))
		defer stopB()
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if owners := c.leases.owners(); owners["a"] != 1 || owners["b"] != 1 {
			t.Errorf("owners %v", owners)
		}
		c.feed.Write(0, 1)
		c.feed.Write(1, 2)
		time.Sleep(5 * time.Second)
		synctest.Wait()
		if got := c.seen.all(); len(got) != 2 {
			t.Errorf("projected %v", got)
		}
	})

	run("when idle writes no leases and reads only at its poll interval", func(t *testing.T, c *cluster) {
		stop := start(t, c.processor(Options{Instance: "a"}))
		defer stop()
		synctest.Wait()
		readsBefore, writesBefore := c.counts()
		time.Sleep(10 * time.Second)
		synctest.Wait()
		reads, writes := c.counts()
		if reads-readsBefore > 20 || writes != writesBefore {
			t.Errorf("%d reads and %d lease writes in ten seconds", reads-readsBefore, writes-writesBefore)
		}
	})

	run("has not caught up while a lease is missing or names another container", func(t *testing.T, c *cluster) {
		p := c.processor(Options{Instance: "a"})
		for _, want := range []bool{false, false, true} {
			if ok, err := p.CaughtUp(t.Context()); ok != want || err != nil {
				t.Errorf("leases %v, caught up: %t, %v", c.leases.leases, ok, err)
			}
			c.leases.Create(t.Context(), feeds.Lease{Range: c.feed.Ranges[len(c.leases.leases)%2], Container: "rid"})
		}
		c.leases.change(func(l *feeds.Lease) { l.Container = "gone" })
		if ok, err := p.CaughtUp(t.Context()); ok || err != nil {
			t.Errorf("caught up: %t, %v", ok, err)
		}
	})
}
