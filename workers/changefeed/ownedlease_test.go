package changefeed

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/cosmos/feeds"
	"inkfeed/domain"
)

var unavailable = domain.NewError(domain.Unavailable, "throttled")

func TestOwnedLease(t *testing.T) {
	only := parseRange("0-1")
	run := func(name string, test func(t *testing.T, c *cluster)) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test(t, newCluster(1)) })
		})
	}

	run("each acquisition raises the epoch", func(t *testing.T, c *cluster) {
		for want := 1; want <= 3; want++ {
			a := c.launch(t, "a", Options{})
			synctest.Wait()
			if got := c.leases.get(only); got.Epoch != want || got.Owner != "a" || got.Container != "rid" {
				t.Errorf("the lease is %+v, want epoch %d", got, want)
			}
			a.stop()
		}
	})

	run("an acquisition whose answer was lost succeeds", func(t *testing.T, c *cluster) {
		c.leases.Create(t.Context(), feeds.Lease{Range: only})
		listed := c.leases.get(only)
		// The storage repeats the write by itself: the first one had its effect, and the second meets a conflict.
		mine := listed
		mine.Owner, mine.Epoch, mine.Container = "a", 1, "rid"
		c.leases.Replace(t.Context(), mine)
		owned, err := acquire(t.Context(), c.leases, listed, "a", "rid", time.Minute)
		if err != nil || owned.current().ETag != c.leases.get(only).ETag {
			t.Fatalf("error %v", err)
		}
		if _, err := acquire(t.Context(), c.leases, listed, "b", "rid", time.Minute); !domain.Is(err, domain.Conflict) {
			t.Errorf("another acquires it from the same listing: %v", err)
		}
	})

	run("a supervisor cannot write once its instance has acquired the lease again", func(t *testing.T, c *cluster) {
		c.leases.Create(t.Context(), feeds.Lease{Range: only})
		older, err := acquire(t.Context(), c.leases, c.leases.get(only), "a", "rid", time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := acquire(t.Context(), c.leases, c.leases.get(only), "a", "rid", time.Minute); err != nil {
			t.Fatal(err)
		}
		for name, write := range map[string]func() error{
			"checkpoint": func() error { return older.checkpoint(t.Context(), "5") },
			"renew":      func() error { return older.renew(t.Context()) },
			"release":    func() error { return older.release(t.Context()) },
			"remove":     func() error { return older.remove(t.Context()) },
		} {
			if err := write(); err != errLeaseLost {
				t.Errorf("%s: %v", name, err)
			}
		}
		if got := c.leases.get(only); got.Continuation != "" || got.Owner != "a" {
			t.Errorf("the lease is %+v", got)
		}
	})

	run("a process starts no second supervisor for a range while one still runs", func(t *testing.T, c *cluster) {
		running, most := 0, 0
		finish := make(chan struct{})
		c.seen.during = func(ctx context.Context, _ []int) error { // a projector that ignores its context
			c.seen.mu.Lock()
			running++
			most = max(most, running)
			c.seen.mu.Unlock()
			<-finish
			c.seen.mu.Lock()
			running--
			c.seen.mu.Unlock()
			return nil
		}
		c.feed.Write(0, 1)
		a := c.launch(t, "a", Options{})
		synctest.Wait()
		c.leases.change(seizedBy("b"))                          // the lease is lost …
		c.leases.change(func(l *feeds.Lease) { l.Owner = "" })  // … then without an owner …
		time.Sleep(10 * time.Minute)                            // many acquire intervals
		c.leases.change(func(l *feeds.Lease) { l.Owner = "a" }) // … then names this instance as owner
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if c.seen.attempts != 1 || most != 1 {
			t.Errorf("%d attempts, %d at once", c.seen.attempts, most)
		}
		close(finish)
		time.Sleep(14 * time.Second)
		synctest.Wait()
		if got := c.leases.get(only); got.Continuation == "" || c.seen.attempts != 2 {
			t.Errorf("it does not go on: %+v, %d attempts", got, c.seen.attempts)
		}
		a.stop()
	})

	run("a range within one that is still read does not start, and counts as owned", func(t *testing.T, c *cluster) {
		finish := make(chan struct{})
		c.seen.during = func(context.Context, []int) error { <-finish; return nil }
		c.feed.WriteKey("02", 1)
		a := c.launch(t, "a", Options{})
		defer a.stop()
		defer close(finish)
		synctest.Wait()
		// Others have split the lease meanwhile, and died.
		c.leases.Delete(t.Context(), c.leases.get(only))
		for _, r := range parseRanges("0-05 05-1") {
			c.leases.Create(t.Context(), feeds.Lease{Processor: "p", Range: r, Container: "rid"})
		}
		c.feed.Split(0, "05")
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if c.seen.attempts != 1 || c.leases.owners()[""] != 2 {
			t.Errorf("%d attempts, owners %v", c.seen.attempts, c.leases.owners())
		}
		list, _ := c.leases.List(t.Context(), "p")
		list = append(list, feeds.Lease{Range: parseRange("1-2")})
		if got := a.wanted(leaseState{container: "rid", leases: list}); len(got) != 1 || got[0].Range != list[2].Range {
			t.Errorf("it wants %v", got)
		}
	})

	run("an instance that cannot renew stops projecting before others take the lease", func(t *testing.T, c *cluster) {
		began := time.Now()
		var last time.Duration
		c.seen.during = func(ctx context.Context, _ []int) error {
			last = time.Since(began)
			<-ctx.Done()
			last = time.Since(began)
			return ctx.Err()
		}
		a := c.launch(t, "a", Options{})
		synctest.Wait()
		a.link.setFault(func(int, string) (error, error) { return unavailable, nil })
		c.feed.Write(0, 1)
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if last != time.Minute {
			t.Errorf("the last projection ended %v after the lease was acquired", last)
		}
		if c.seen.attempts != 1 {
			t.Errorf("%d attempts", c.seen.attempts)
		}
		c.seen.mu.Lock()
		c.seen.during = nil
		c.seen.mu.Unlock()
		a.link.setFault(nil)
		time.Sleep(14 * time.Second)
		synctest.Wait()
		if got := c.seen.all(); !slices.Equal(got, []int{1}) {
			t.Errorf("projected %v when it can write again", got)
		}
		a.stop()
	})

	run("one successful renewal postpones the expiration", func(t *testing.T, c *cluster) {
		a := c.launch(t, "a", Options{})
		synctest.Wait()
		began := time.Now()
		a.link.setFault(func(int, string) (error, error) {
			if at := time.Since(began); at > 10*time.Second && at < 50*time.Second || at > 65*time.Second {
				return unavailable, nil
			}
			return nil, nil
		})
		time.Sleep(100 * time.Second) // past a minute from the start, not from the renewal
		if a.supervisor(only) == nil {
			t.Error("the supervisor has stopped")
		}
		time.Sleep(30 * time.Second)
		if a.supervisor(only) != nil {
			t.Error("the supervisor still runs")
		}
		a.stop()
	})

	run("a lost lease is detected at the next balancing, without a write", func(t *testing.T, c *cluster) {
		a := c.launch(t, "a", Options{RenewInterval: time.Hour, Expiration: 2 * time.Hour})
		synctest.Wait()
		c.leases.change(seizedBy("b"))
		time.Sleep(13 * time.Second)
		synctest.Wait()
		if a.supervisor(only) != nil {
			t.Error("the supervisor still runs")
		}
		a.stop()
	})

	run("a machine that was suspended does not project under an expired lease", func(t *testing.T, c *cluster) {
		c.leases.Create(t.Context(), feeds.Lease{Range: only})
		owned, err := acquire(t.Context(), c.leases, c.leases.get(only), "a", "rid", time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		// The wall clock after a suspension, during which no timer ran.
		owned.lease.Renewed = owned.lease.Renewed.Round(0).Add(-time.Minute)
		p := c.processor(Options{Instance: "a"})
		ctx, lose := context.WithCancelCause(t.Context())
		s := newSupervisor(p, owned, lose)
		if err := s.project(ctx, []feeds.Change[int]{{Value: 1}}); !errors.Is(err, errLeaseExpired) ||
			len(c.seen.all()) != 0 {
			t.Errorf("projected %v, error %v", c.seen.all(), err)
		}
	})

	run("a recreated container is read from the beginning", func(t *testing.T, c *cluster) {
		c.feed.Write(0, 1, 2, 3)
		a := c.launch(t, "a", Options{})
		synctest.Wait()
		c.feed.Mu.Lock()
		c.feed.ID, c.feed.Log = "another rid", nil
		c.feed.Mu.Unlock()
		c.feed.Write(0, 7)
		time.Sleep(30 * time.Second)
		if got := c.leases.get(only); got.Container != "another rid" || got.Owner != "a" {
			t.Errorf("the lease is %+v", got)
		}
		if got := c.seen.all(); !slices.Equal(got, []int{1, 2, 3, 7}) {
			t.Errorf("projected %v", got)
		}
		if ok, err := a.CaughtUp(t.Context()); !ok || err != nil {
			t.Errorf("caught up: %t, %v", ok, err)
		}
		a.stop()
	})

	run("a lease that names no container is adopted", func(t *testing.T, c *cluster) {
		c.feed.Write(0, 1, 2)
		c.leases.Create(t.Context(), feeds.Lease{Range: only, Continuation: c.feed.ContinuationOf(only, 1)})
		a := c.launch(t, "a", Options{})
		synctest.Wait()
		if got := c.leases.get(only); got.Container != "rid" || !slices.Equal(c.seen.all(), []int{2}) {
			t.Errorf("the lease is %+v, projected %v", got, c.seen.all())
		}
		a.stop()
	})
}
