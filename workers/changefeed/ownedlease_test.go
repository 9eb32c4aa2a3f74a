package changefeed

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/domain"
	"inkfeed/workers/changefeed/feedtest"
)

var unavailable = domain.Errorf(domain.Unavailable, "throttled")

func TestHolding(t *testing.T) {
	only := parseRange("0-1")
	run := func(name string, test func(t *testing.T, feed *feedtest.Feed, leases *fakeLeases, seen *collector)) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test(t, feedtest.New(1), newFakeLeases(), &collector{}) })
		})
	}

	run("each acquiring is a new epoch", func(t *testing.T, feed *feedtest.Feed, leases *fakeLeases, seen *collector) {
		for want := 1; want <= 3; want++ {
			a := launch(t, "a", feed, leases, seen, Options{})
			synctest.Wait()
			if got := leases.get(only); got.Epoch != want || got.Owner != "a" || got.Container != "rid" {
				t.Errorf("the lease is %+v, want epoch %d", got, want)
			}
			a.stop()
		}
	})

	run("an acquiring whose answer was lost is ours", func(t *testing.T, feed *feedtest.Feed, leases *fakeLeases, seen *collector) {
		leases.Create(t.Context(), domain.Lease{Range: only})
		listed := leases.get(only)
		// As the storage's own repetition of the write reports it: the first had its effect.
		mine := listed
		mine.Owner, mine.Epoch, mine.Container = "a", 1, "rid"
		leases.Replace(t.Context(), mine)
		held, err := acquire(t.Context(), leases, listed, "a", "rid", time.Minute)
		if err != nil || held.current().ETag != leases.get(only).ETag {
			t.Fatalf("error %v", err)
		}
		if _, err := acquire(t.Context(), leases, listed, "b", "rid", time.Minute); !domain.Is(err, domain.Conflict) {
			t.Errorf("another acquires it from the same listing: %v", err)
		}
	})

	run("a supervisor cannot checkpoint once its own instance has acquired the lease anew", func(t *testing.T, feed *feedtest.Feed, leases *fakeLeases, seen *collector) {
		leases.Create(t.Context(), domain.Lease{Range: only})
		older, err := acquire(t.Context(), leases, leases.get(only), "a", "rid", time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := acquire(t.Context(), leases, leases.get(only), "a", "rid", time.Minute); err != nil {
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
		if got := leases.get(only); got.Continuation != "" || got.Owner != "a" {
			t.Errorf("the lease is %+v", got)
		}
	})

	run("a supervisor that still runs is not joined by another of its process", func(t *testing.T, feed *feedtest.Feed, leases *fakeLeases, seen *collector) {
		running, most := 0, 0
		finish := make(chan struct{})
		seen.during = func(ctx context.Context, _ []int) error { // as a projector that does not heed its context
			seen.mu.Lock()
			running++
			most = max(most, running)
			seen.mu.Unlock()
			<-finish
			seen.mu.Lock()
			running--
			seen.mu.Unlock()
			return nil
		}
		feed.Write(0, 1)
		a := launch(t, "a", feed, leases, seen, Options{})
		synctest.Wait()
		leases.change(seizedBy("b"))                           // it is lost …
		leases.change(func(l *domain.Lease) { l.Owner = "" })  // … and comes back unowned
		time.Sleep(10 * time.Minute)                           // many times the acquire interval
		leases.change(func(l *domain.Lease) { l.Owner = "a" }) // or is ours on paper
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if seen.attempts != 1 || most != 1 {
			t.Errorf("%d attempts, %d at once", seen.attempts, most)
		}
		close(finish)
		time.Sleep(14 * time.Second)
		synctest.Wait()
		if got := leases.get(only); got.Continuation == "" || seen.attempts != 2 {
			t.Errorf("it does not go on: %+v, %d attempts", got, seen.attempts)
		}
		a.stop()
	})

	run("a part of what a supervisor still reads is not begun, and counts as read", func(t *testing.T, feed *feedtest.Feed, leases *fakeLeases, seen *collector) {
		finish := make(chan struct{})
		seen.during = func(context.Context, []int) error { <-finish; return nil }
		feed.WriteKey("02", 1)
		a := launch(t, "a", feed, leases, seen, Options{})
		defer a.stop()
		defer close(finish)
		synctest.Wait()
		// Others have split the lease meanwhile, and died.
		leases.Delete(t.Context(), leases.get(only))
		for _, r := range parseRanges("0-05 05-1") {
			leases.Create(t.Context(), domain.Lease{Processor: "p", Range: r, Container: "rid"})
		}
		feed.Split(0, "05")
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if seen.attempts != 1 || leases.owners()[""] != 2 {
			t.Errorf("%d attempts, owners %v", seen.attempts, leases.owners())
		}
		list, _ := leases.List(t.Context(), "p")
		list = append(list, domain.Lease{Range: parseRange("1-2")})
		if got := a.wanted(leaseState{container: "rid", leases: list}); len(got) != 1 || got[0].Range != list[2].Range {
			t.Errorf("it wants %v", got)
		}
	})

	run("who cannot renew stops before others take the lease, and projects no more", func(t *testing.T, feed *feedtest.Feed, leases *fakeLeases, seen *collector) {
		began := time.Now()
		var last time.Duration
		seen.during = func(ctx context.Context, _ []int) error {
			last = time.Since(began)
			<-ctx.Done()
			last = time.Since(began)
			return ctx.Err()
		}
		a := launch(t, "a", feed, leases, seen, Options{})
		synctest.Wait()
		a.link.setFault(func(int, string) (error, error) { return unavailable, nil })
		feed.Write(0, 1)
		time.Sleep(10 * time.Minute)
		synctest.Wait()
		if last != time.Minute {
			t.Errorf("the last projection ended %v after the lease was acquired", last)
		}
		if seen.attempts != 1 {
			t.Errorf("%d attempts", seen.attempts)
		}
		seen.mu.Lock()
		seen.during = nil
		seen.mu.Unlock()
		a.link.setFault(nil)
		time.Sleep(14 * time.Second)
		synctest.Wait()
		if got := seen.all(); !slices.Equal(got, []int{1}) {
			t.Errorf("projected %v when it can write again", got)
		}
		a.stop()
	})

	run("one renewal that succeeds puts the end off", func(t *testing.T, feed *feedtest.Feed, leases *fakeLeases, seen *collector) {
		a := launch(t, "a", feed, leases, seen, Options{})
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
			t.Error("it has stopped")
		}
		time.Sleep(30 * time.Second)
		if a.supervisor(only) != nil {
			t.Error("it goes on")
		}
		a.stop()
	})

	run("a lost lease is seen at the next balancing, without a write", func(t *testing.T, feed *feedtest.Feed, leases *fakeLeases, seen *collector) {
		a := launch(t, "a", feed, leases, seen, Options{RenewInterval: time.Hour, Expiration: 2 * time.Hour})
		synctest.Wait()
		leases.change(seizedBy("b"))
		time.Sleep(13 * time.Second)
		synctest.Wait()
		if a.supervisor(only) != nil {
			t.Error("it goes on")
		}
		a.stop()
	})

	run("a machine that was suspended does not project under an expired lease", func(t *testing.T, feed *feedtest.Feed, leases *fakeLeases, seen *collector) {
		leases.Create(t.Context(), domain.Lease{Range: only})
		held, err := acquire(t.Context(), leases, leases.get(only), "a", "rid", time.Minute)
		if err != nil {
			t.Fatal(err)
		}
		// What the clock on the wall says after a suspension that no timer has noticed.
		held.lease.Renewed = held.lease.Renewed.Round(0).Add(-time.Minute)
		p := NewProcessor("p", feed, leases, &fakeLetters{}, seen, Options{Instance: "a"})
		ctx, lose := context.WithCancelCause(t.Context())
		s := newSupervisor(p, held, lose)
		if err := s.project(ctx, []domain.Change[int]{{Value: 1}}); !errors.Is(err, errLeaseExpired) || len(seen.all()) != 0 {
			t.Errorf("projected %v, error %v", seen.all(), err)
		}
	})

	run("a container made anew is read from its beginning", func(t *testing.T, feed *feedtest.Feed, leases *fakeLeases, seen *collector) {
		feed.Write(0, 1, 2, 3)
		a := launch(t, "a", feed, leases, seen, Options{})
		synctest.Wait()
		feed.Mu.Lock()
		feed.ID, feed.Log = "another rid", nil
		feed.Mu.Unlock()
		feed.Write(0, 7)
		time.Sleep(30 * time.Second)
		if got := leases.get(only); got.Container != "another rid" || got.Owner != "a" {
			t.Errorf("the lease is %+v", got)
		}
		if got := seen.all(); !slices.Equal(got, []int{1, 2, 3, 7}) {
			t.Errorf("projected %v", got)
		}
		if ok, err := a.CaughtUp(t.Context()); !ok || err != nil {
			t.Errorf("caught up: %t, %v", ok, err)
		}
		a.stop()
	})

	run("a lease from before leases had a container is adopted", func(t *testing.T, feed *feedtest.Feed, leases *fakeLeases, seen *collector) {
		feed.Write(0, 1, 2)
		leases.Create(t.Context(), domain.Lease{Range: only, Continuation: feed.ContinuationOf(only, 1)})
		a := launch(t, "a", feed, leases, seen, Options{})
		synctest.Wait()
		if got := leases.get(only); got.Container != "rid" || !slices.Equal(seen.all(), []int{2}) {
			t.Errorf("the lease is %+v, projected %v", got, seen.all())
		}
		a.stop()
	})
}
