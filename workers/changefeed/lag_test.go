package changefeed

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/testutil"

	"inkfeed/cosmos/feeds"
	"inkfeed/workers/changefeed/feedtest"
)

// text formats lags as "range owner transactions age", sorted.
func text(lags []RangeLag) string {
	var lines []string
	for _, l := range lags {
		lines = append(lines, fmt.Sprintf("%s %q %d %v", RangeName(l.Range), l.Owner, l.Transactions, l.Age))
	}
	slices.Sort(lines)
	return strings.Join(lines, "; ")
}

func TestLag(t *testing.T) {
	run := func(name string, test func(t *testing.T, c *cluster)) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test(t, newCluster(2)) })
		})
	}
	want := func(t *testing.T, p *Processor[int], want string) {
		t.Helper()
		if lags, err := p.Lag(t.Context()); err != nil || text(lags) != want {
			t.Errorf("lag %s, %v, want %s", text(lags), err, want)
		}
	}

	run("is 0 when all changes are projected", func(t *testing.T, c *cluster) {
		c.feed.Write(0, 1, 2, 3)
		a := c.launch(t, "a", Options{})
		defer a.stop()
		synctest.Wait()
		want(t, a.Processor, `0-1 "a" 0 0s; 1-2 "a" 0 0s`)
	})

	run("counts the transactions from the first change beyond the checkpoint", func(t *testing.T, c *cluster) {
		c.feed.Write(0, 1)
		a := c.launch(t, "a", Options{})
		defer a.stop()
		synctest.Wait()
		c.seen.setFailure(unavailable)
		time.Sleep(4 * time.Second)
		c.feed.Write(1, 2) // LSN 2, to 4
		c.feed.Write(1, 3, 4)
		time.Sleep(90 * time.Second)
		want(t, a.Processor, `0-1 "a" 0 0s; 1-2 "a" 3 1m30s`)
		time.Sleep(time.Hour)
		want(t, a.Processor, `0-1 "a" 0 0s; 1-2 "a" 3 1h1m30s`)
	})

	run("includes leases of other instances, without an owner or a checkpoint", func(t *testing.T, c *cluster) {
		c.leases.Create(t.Context(), feeds.Lease{Range: c.feed.Ranges[0], Owner: "b",
			Continuation: c.feed.ContinuationOf(c.feed.Ranges[0], 1)})
		c.leases.Create(t.Context(), feeds.Lease{Range: c.feed.Ranges[1]})
		c.feed.Write(0, 1, 2)
		c.feed.Write(1, 3, 4)
		time.Sleep(time.Minute)
		p := c.processor(Options{Instance: "a"})
		want(t, p, `0-1 "b" 3 1m0s; 1-2 "" 2 1m0s`)
		if list, _ := c.leases.List(t.Context(), "p"); list[0].ETag != "1" || list[1].ETag != "2" {
			t.Errorf("the leases have changed: %v", list)
		}
	})

	run("does not count irrelevant changes", func(t *testing.T, c *cluster) {
		c.leases.Create(t.Context(), feeds.Lease{Range: c.feed.Ranges[0], Owner: "b"})
		c.feed.Write(0, slices.Repeat([]int{feedtest.Irrelevant}, 2000)...)
		p := c.processor(Options{Instance: "a"})
		want(t, p, `0-1 "b" 0 0s`)
		c.feed.Write(0, 1)
		want(t, p, `0-1 "b" 1 0s`)
	})

	run("in metrics keeps growing while the projector or the feed fails", func(t *testing.T, c *cluster) {
		registry := prometheus.NewRegistry()
		metrics := NewMetrics(registry)
		c.seen.reject = map[int]error{1: errors.New("too odd")}
		c.feed.Write(0, 1, 2)
		a := c.processor(Options{Instance: "a", Metrics: metrics})
		stop := start(t, a)
		time.Sleep(30 * time.Second)
		lag := func(transactions, zero, one string) {
			t.Helper()
			err := testutil.GatherAndCompare(registry, strings.NewReader(`
# HELP inkfeed_workers_lag_seconds Age of the first change in a feed range that is not projected; 0 if there is none.
# TYPE inkfeed_workers_lag_seconds gauge
inkfeed_workers_lag_seconds{processor="p",range="0-1"} `+zero+`
inkfeed_workers_lag_seconds{processor="p",range="1-2"} `+one+`
# HELP inkfeed_workers_lag_transactions Transactions of a feed range beyond the checkpoint of its lease.
# TYPE inkfeed_workers_lag_transactions gauge
inkfeed_workers_lag_transactions{processor="p",range="0-1"} `+transactions+`
inkfeed_workers_lag_transactions{processor="p",range="1-2"} 0
`), "inkfeed_workers_lag_seconds", "inkfeed_workers_lag_transactions")
			if err != nil {
				t.Error(err)
			}
		}
		lag("0", "0", "0")
		c.seen.setFailure(unavailable)
		c.feed.Write(0, 3)
		time.Sleep(20 * time.Second)
		lag("1", "20", "0")
		c.feed.SetFailure(unavailable)
		time.Sleep(time.Minute)
		lag("1", "80", "60")
		c.feed.SetFailure(nil)
		c.seen.setFailure(nil)
		time.Sleep(time.Minute)
		lag("0", "0", "0")
		err := testutil.GatherAndCompare(registry, strings.NewReader(`
# HELP inkfeed_workers_batches_total Batches of changes projected, repetitions included.
# TYPE inkfeed_workers_batches_total counter
inkfeed_workers_batches_total{processor="p"} 2
# HELP inkfeed_workers_changes_total Changes projected, repetitions included.
# TYPE inkfeed_workers_changes_total counter
inkfeed_workers_changes_total{processor="p"} 2
# HELP inkfeed_workers_dead_letters_total Changes stored as dead letters, repetitions included.
# TYPE inkfeed_workers_dead_letters_total counter
inkfeed_workers_dead_letters_total{processor="p"} 1
# HELP inkfeed_workers_leases Leases that this instance owns.
# TYPE inkfeed_workers_leases gauge
inkfeed_workers_leases{processor="p"} 2
`), "inkfeed_workers_batches_total", "inkfeed_workers_changes_total", "inkfeed_workers_dead_letters_total",
			"inkfeed_workers_leases")
		if err != nil {
			t.Error(err)
		}
		stop()
		if n, err := testutil.GatherAndCount(registry, "inkfeed_workers_lag_seconds"); n != 0 || err != nil {
			t.Errorf("%d series of a processor that has ended, %v", n, err)
		}
	})

	run("in metrics is estimated once for several scrapes in a row", func(t *testing.T, c *cluster) {
		registry := prometheus.NewRegistry()
		a := c.processor(Options{Instance: "a", Metrics: NewMetrics(registry), PollInterval: time.Hour})
		defer start(t, a)()
		synctest.Wait()
		before, _ := c.counts()
		for range 3 {
			if _, err := registry.Gather(); err != nil {
				t.Error(err)
			}
		}
		if after, _ := c.counts(); after-before != 2 {
			t.Errorf("%d reads of two ranges", after-before)
		}
	})
}

func TestRecentLagDoesNotWaitForAStuckEstimate(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		feed := &silentFeed{Feed: feedtest.New(1)}
		feed.Write(0, 1)
		leases := newFakeLeases()
		leases.Create(t.Context(), feeds.Lease{Range: feed.Ranges[0]})
		p := NewProcessor("p", feed, leases, &fakeLetters{}, &collector{}, Options{})
		if _, err := p.RecentLag(t.Context()); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Minute)
		feed.read.calls.Store(1)
		stuck, free := context.WithCancel(t.Context())
		defer free()
		go p.RecentLag(stuck) // waits for an answer that never comes
		synctest.Wait()
		impatient, cancel := context.WithTimeout(t.Context(), 3*time.Second)
		defer cancel()
		start := time.Now()
		lags, err := p.RecentLag(impatient)
		if got := text(lags); err == nil || time.Since(start) > 3*time.Second || got != `0-1 "" 1 1m3s` {
			t.Errorf("after %v: %s, %v", time.Since(start), got, err)
		}
	})
}
