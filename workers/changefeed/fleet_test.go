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
)

var fleetSeed = flag.Uint64("fleet.seed", 0, "replay the schedule of this seed")

func TestTakeover(t *testing.T) {
	const expiration, acquire = 60 * time.Second, 13 * time.Second
	run := func(name string, test func(t *testing.T, c *cluster)) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test(t, newCluster(4)) })
		})
	}
	// until returns the time, to the second, after which the instance owns all leases.
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

	run("after a kill takes at most an expiration and an acquire interval", func(t *testing.T, c *cluster) {
		longest := time.Duration(0)
		for offset := range 20 { // the first instance dies at different points of its intervals
			a := c.launch(t, "a", Options{})
			time.Sleep(time.Duration(offset) * time.Second)
			b := c.launch(t, "b", Options{})
			time.Sleep(5*time.Minute + time.Duration(offset)*time.Second)
			synctest.Wait()
			if owners := c.leases.owners(); owners["a"] != 2 || owners["b"] != 2 {
				t.Fatalf("owners %v", owners)
			}
			a.kill()
			took := until(t, c.leases, "b", 4)
			longest = max(longest, took)
			if took > expiration+acquire {
				t.Errorf("took over after %v", took)
			}
			b.stop()
		}
		if longest < expiration-20*time.Second {
			t.Errorf("took over after %v: instances may take leases of a live one", longest)
		}
	})

	run("after a graceful stop takes at most an acquire interval", func(t *testing.T, c *cluster) {
		a := c.launch(t, "a", Options{})
		b := c.launch(t, "b", Options{})
		defer b.stop()
		time.Sleep(5 * time.Minute)
		began := time.Now()
		a.stop()
		if took := time.Since(began); took != 0 || c.leases.owners()[""] != 2 {
			t.Errorf("handed over after %v: %v", took, c.leases.owners())
		}
		if took := until(t, c.leases, "b", 4); took > acquire {
			t.Errorf("took over after %v", took)
		}
	})

	run("does not wait for a projector that stops when its context ends", func(t *testing.T, c *cluster) {
		c.seen.during = func(ctx context.Context, _ []int) error { <-ctx.Done(); return ctx.Err() }
		c.feed.Write(0, 1)
		a := c.launch(t, "a", Options{})
		synctest.Wait()
		began := time.Now()
		a.stop()
		if took := time.Since(began); took != 0 || c.leases.owners()[""] != 4 {
			t.Errorf("handed over after %v: %v", took, c.leases.owners())
		}
		c.seen.during = nil
		b := c.launch(t, "b", Options{})
		defer b.stop()
		synctest.Wait()
		if got := c.seen.all(); !slices.Equal(got, []int{1}) {
			t.Errorf("projected %v", got)
		}
	})
}

// TestClockSkew runs instances whose clocks differ. Leases expire by the wall clock, so clocks may differ by Expiration
// less RenewInterval, 43 s. Beyond that instances take each other's leases, which repeats projections and does no other
// harm. An instance whose clock is behind takes over later by the difference, up to an Expiration.
func TestClockSkew(t *testing.T) {
	epochs := func(leases *fakeLeases) (n int) {
		list, _ := leases.List(t.Context(), "p")
		for _, l := range list {
			n += l.Epoch
		}
		return n
	}
	for _, tt := range []struct {
		skew   time.Duration
		stable bool // whether leases keep their owners
	}{
		{40 * time.Second, true},
		{-40 * time.Second, true},
		{50 * time.Second, false},
		{-50 * time.Second, false},
		{2 * time.Hour, false},
	} {
		t.Run(fmt.Sprintf("of %v", tt.skew), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCluster(4)
				a := c.launch(t, "a", Options{})
				defer a.stop()
				synctest.Wait()
				b := c.launchSkewed(t, "b", tt.skew, Options{})
				time.Sleep(5 * time.Minute)
				synctest.Wait()
				before := epochs(c.leases)
				for item := range 100 {
					c.feed.Write(item%4, item)
					time.Sleep(6 * time.Second)
				}
				synctest.Wait()
				if moved := epochs(c.leases) - before; (moved == 0) != tt.stable {
					t.Errorf("leases were acquired %d times", moved)
				}
				c.wantAllInOrder(t)
				b.kill()
				began := time.Now()
				for c.leases.owners()["a"] < 4 && time.Since(began) < time.Hour {
					time.Sleep(time.Second)
					synctest.Wait()
				}
				if took := time.Since(began); took > 73*time.Second+min(max(tt.skew, 0), 60*time.Second) {
					t.Errorf("took over after %v", took)
				}
			})
		})
	}
}

// TestFleet lets instances join, stop and die at random while storage calls fail, ranges split and changes are written.
// In the end every change is projected, in the order of its partition, and the leases are shared evenly.
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

// fleet runs one random schedule.
func fleet(t *testing.T, r *rand.Rand) {
	const most = 3
	c := newCluster(3)
	var live []*instance
	names, item := 0, 0
	join := func() {
		names++
		live = append(live, c.launch(t, fmt.Sprintf("i%d", names), Options{PageSize: 1 + r.IntN(5)}))
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
			c.feed.WriteKey(fmt.Sprintf("%d%d", r.IntN(3), r.IntN(10)), item)
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
		case action == 6 && len(c.feed.Ranges) < 8:
			c.feed.Split(r.IntN(len(c.feed.Ranges)), fmt.Sprintf("%d%d", r.IntN(3), 1+r.IntN(9)))
		case action == 7:
			c.seen.setFailure(unavailable)
		case action == 8:
			c.seen.setFailure(nil)
		}
		time.Sleep(time.Duration(r.IntN(40)) * time.Second)
	}
	c.seen.setFailure(nil)
	for _, i := range live {
		i.link.setFault(nil)
	}
	for len(live) < most {
		join()
	}
	time.Sleep(10 * time.Minute)
	synctest.Wait()
	c.wantSettled(t, live...)
	share := len(c.feed.Ranges) / most
	for owner, n := range c.leases.owners() {
		if n < share || n > share+1 {
			t.Errorf("%s has %d of %d leases: %v", owner, n, len(c.feed.Ranges), c.leases.owners())
		}
	}
	for _, i := range live {
		if ok, err := i.CaughtUp(t.Context()); !ok || err != nil {
			t.Error(errors.Join(err, fmt.Errorf("caught up: %t", ok)))
		}
		i.stop()
	}
}
