package changefeed

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/workers/changefeed/feedtest"
)

var fleetSeed = flag.Uint64("fleet.seed", 0, "replay the schedules of this seed")

func TestTakeover(t *testing.T) {
	const expiration, acquire = 60 * time.Second, 13 * time.Second
	run := func(name string, test func(t *testing.T, feed *feedtest.Feed, leases *fakeLeases, seen *collector)) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test(t, feedtest.New(4), newFakeLeases(), &collector{}) })
		})
	}
	// until is how long it takes, to the second, until the instance has all leases.
	until := func(t *testing.T, leases *fakeLeases, owner string, all int) time.Duration {
		t.Helper()
		for began := time.Now(); ; time.Sleep(time.Second) {
			synctest.Wait()
			if leases.owners()[owner] == all {
				return time.Since(began)
			}
			if time.Since(began) > time.Hour {
				t.Fatalf("owners %v after an hour", leases.owners())
			}
		}
	}

	run("after a kill takes an expiration and an acquire interval at most", func(t *testing.T, feed *feedtest.Feed, leases *fakeLeases, seen *collector) {
		longest := time.Duration(0)
		for offset := range 20 { // wherever in its rhythm the first one dies
			a := launch(t, "a", feed, leases, seen, Options{})
			time.Sleep(time.Duration(offset) * time.Second)
			b := launch(t, "b", feed, leases, seen, Options{})
			time.Sleep(5*time.Minute + time.Duration(offset)*time.Second)
			synctest.Wait()
			if owners := leases.owners(); owners["a"] != 2 || owners["b"] != 2 {
				t.Fatalf("owners %v", owners)
			}
			a.kill()
			took := until(t, leases, "b", 4)
			longest = max(longest, took)
			if took > expiration+acquire {
				t.Errorf("took over after %v", took)
			}
			b.stop()
		}
		if longest < expiration-20*time.Second {
			t.Errorf("took over after %v: leases of a live instance are not safe", longest)
		}
	})

	run("after a graceful stop takes an acquire interval at most", func(t *testing.T, feed *feedtest.Feed, leases *fakeLeases, seen *collector) {
		a := launch(t, "a", feed, leases, seen, Options{})
		b := launch(t, "b", feed, leases, seen, Options{})
		defer b.stop()
		time.Sleep(5 * time.Minute)
		began := time.Now()
		a.stop()
		if took := time.Since(began); took != 0 || leases.owners()[""] != 2 {
			t.Errorf("handed over after %v: %v", took, leases.owners())
		}
		if took := until(t, leases, "b", 4); took > acquire {
			t.Errorf("took over after %v", took)
		}
	})

	run("waits for what a stopping instance has at hand no longer than that heeds its context", func(t *testing.T, feed *feedtest.Feed, leases *fakeLeases, seen *collector) {
		seen.during = func(ctx context.Context, _ []int) error { <-ctx.Done(); return ctx.Err() }
		feed.Write(0, 1)
		a := launch(t, "a", feed, leases, seen, Options{})
		synctest.Wait()
		began := time.Now()
		a.stop()
		if took := time.Since(began); took != 0 || leases.owners()[""] != 4 {
			t.Errorf("handed over after %v: %v", took, leases.owners())
		}
		seen.during = nil
		b := launch(t, "b", feed, leases, seen, Options{})
		defer b.stop()
		synctest.Wait()
		if got := seen.all(); !slices.Equal(got, []int{1}) {
			t.Errorf("projected %v", got)
		}
	})
}

// Leases expire by the clocks on the wall. What those may differ by is Expiration less
// RenewInterval, 43 s; beyond, leases go to and fro, which costs projections made
// twice and nothing else. A clock that is behind takes over later, by as much, up to an
// Expiration.
func TestClockSkew(t *testing.T) {
	epochs := func(leases *fakeLeases) (n int) {
		list, _ := leases.List(t.Context(), "p")
		for _, l := range list {
			n += l.Epoch
		}
		return n
	}
	for _, c := range []struct {
		skew time.Duration
		rest bool // leases stay with whom they are
	}{{40 * time.Second, true}, {-40 * time.Second, true}, {50 * time.Second, false}, {-50 * time.Second, false}, {2 * time.Hour, false}} {
		t.Run(fmt.Sprintf("of %v", c.skew), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				feed, leases, seen := feedtest.New(4), newFakeLeases(), &collector{}
				a := launch(t, "a", feed, leases, seen, Options{})
				defer a.stop()
				synctest.Wait()
				b := launchSkewed(t, "b", c.skew, feed, leases, seen, Options{})
				time.Sleep(5 * time.Minute)
				synctest.Wait()
				before := epochs(leases)
				for item := range 100 {
					feed.Write(item%4, item)
					time.Sleep(6 * time.Second)
				}
				synctest.Wait()
				if moved := epochs(leases) - before; (moved == 0) != c.rest {
					t.Errorf("leases were acquired %d times", moved)
				}
				wantAllInOrder(t, feed, seen)
				b.kill()
				began := time.Now()
				for leases.owners()["a"] < 4 && time.Since(began) < time.Hour {
					time.Sleep(time.Second)
					synctest.Wait()
				}
				if took := time.Since(began); took > 73*time.Second+min(max(c.skew, 0), 60*time.Second) {
					t.Errorf("took over after %v", took)
				}
			})
		})
	}
}

// Instances join, stop and die at random, storage fails at random and ranges split,
// while changes are written all the time. In the end every change was projected, in
// the order of its key, and the leases are shared evenly.
func TestFleet(t *testing.T) {
	seed, rounds := *fleetSeed, 1
	if seed == 0 {
		seed, rounds = rand.Uint64N(1<<40), 20
	}
	for round := range uint64(rounds) {
		t.Run(fmt.Sprintf("seed %d", seed+round), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { fleet(t, rand.New(rand.NewPCG(seed+round, 0))) })
		})
	}
}

func fleet(t *testing.T, r *rand.Rand) {
	const most = 3
	feed, leases, seen := feedtest.New(3), newFakeLeases(), &collector{}
	var live []*instance
	names, item := 0, 0
	join := func() {
		names++
		live = append(live, launch(t, fmt.Sprintf("i%d", names), feed, leases, seen, Options{PageSize: 1 + r.IntN(5)}))
	}
	leave := func(end func(*instance)) {
		i := r.IntN(len(live))
		end(live[i])
		live = slices.Delete(live, i, i+1)
	}
	flaky := func(i *instance) {
		share, chance := r.IntN(4), rand.New(rand.NewPCG(r.Uint64(), 0))
		i.link.setFault(func(int, string) (there, back error) { // called under the link's lock
			switch {
			case chance.IntN(10) >= share:
				return nil, nil
			case chance.IntN(2) == 0:
				return nil, unavailable
			default:
				return unavailable, nil
			}
		})
	}
	join()
	for range 60 {
		for range r.IntN(4) {
			item++
			feed.WriteKey(fmt.Sprintf("%d%d", r.IntN(3), r.IntN(10)), item)
		}
		switch action := r.IntN(10); {
		case action < 3 && len(live) < most:
			join()
		case action == 3 && len(live) > 0:
			leave((*instance).kill)
		case action == 4 && len(live) > 0:
			leave(func(i *instance) { i.stop() })
		case action == 5 && len(live) > 0:
			flaky(live[r.IntN(len(live))])
		case action == 6 && len(feed.Ranges) < 8:
			feed.Split(r.IntN(len(feed.Ranges)), fmt.Sprintf("%d%d", r.IntN(3), 1+r.IntN(9)))
		case action == 7:
			seen.setFailure(unavailable)
		case action == 8:
			seen.setFailure(nil)
		}
		time.Sleep(time.Duration(r.IntN(40)) * time.Second)
	}
	seen.setFailure(nil)
	for _, i := range live {
		i.link.setFault(nil)
	}
	for len(live) < most {
		join()
	}
	time.Sleep(10 * time.Minute)
	synctest.Wait()
	wantSettled(t, feed, leases, seen, live...)
	share := len(feed.Ranges) / most
	for owner, n := range leases.owners() {
		if n < share || n > share+1 {
			t.Errorf("%s has %d of %d leases: %v", owner, n, len(feed.Ranges), leases.owners())
		}
	}
	for _, i := range live {
		if ok, err := i.CaughtUp(t.Context()); !ok || err != nil {
			t.Error(errors.Join(err, fmt.Errorf("caught up: %t", ok)))
		}
		i.stop()
	}
}
