package changefeed

import (
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/domain"
	"inkfeed/workers/loop"
)

func TestIdleInstancesRest(t *testing.T) {
	for name, test := range map[string]func(t *testing.T, c *cluster){
		"they release their leases and read once a minute": func(t *testing.T, c *cluster) {
			_, stop := c.launchIdle(t, "a")
			defer stop()
			time.Sleep(2 * time.Minute)
			synctest.Wait()
			reads, writes := c.counts()
			time.Sleep(10 * time.Minute)
			synctest.Wait()
			moreReads, moreWrites := c.counts()
			if moreReads-reads > 11*3 || moreWrites != writes {
				t.Errorf("%d reads of three ranges and %d writes of leases in ten minutes", moreReads-reads,
					moreWrites-writes)
			}
			if owners := c.leases.owners(); owners[""] != 3 {
				t.Errorf("the owners of leases are %v", owners)
			}
		},
		"a use ends the rest at once": func(t *testing.T, c *cluster) {
			activity, stop := c.launchIdle(t, "a")
			defer stop()
			time.Sleep(5*time.Minute + 7*time.Second)
			c.feed.Write(1, 7)
			activity.Use()
			time.Sleep(time.Second)
			synctest.Wait()
			if got := c.seen.all(); !slices.Equal(got, []int{7}) {
				t.Errorf("projected %v a second after the use, want 7", got)
			}
		},
		"a change that no instance projects ends the rest within a minute": func(t *testing.T, c *cluster) {
			_, stop := c.launchIdle(t, "a")
			defer stop()
			time.Sleep(5*time.Minute + 7*time.Second)
			for want := 1; want < 4; want++ {
				c.feed.Write(1, want)
				time.Sleep(loop.IdleInterval + time.Second)
				synctest.Wait()
				if got := c.seen.all(); len(got) != want {
					t.Errorf("projected %v after a minute, want %d changes", got, want)
				}
				time.Sleep(10 * time.Minute)
			}
			if owners := c.leases.owners(); owners[""] != 3 {
				t.Errorf("the owners of leases are %v afterwards", owners)
			}
		},
		"they project what is left before they rest": func(t *testing.T, c *cluster) {
			c.seen.setFailure(domain.NewError(domain.Unavailable, "away"))
			_, stop := c.launchIdle(t, "a")
			defer stop()
			time.Sleep(50 * time.Second)
			c.feed.Write(0, 1)
			time.Sleep(20 * time.Second) // idle by now
			c.seen.setFailure(nil)
			time.Sleep(loop.IdleInterval / 2)
			synctest.Wait()
			if got := c.seen.all(); !slices.Equal(got, []int{1}) {
				t.Errorf("projected %v, want 1", got)
			}
		},
		"an instance in use takes over all ranges, and idle ones leave them alone": func(t *testing.T, c *cluster) {
			_, stop := c.launchIdle(t, "a")
			defer stop()
			b := c.launch(t, "b", Options{PollInterval: 500 * time.Millisecond})
			defer b.stop()
			time.Sleep(90 * time.Second)
			for n := range 20 {
				if owners := c.leases.owners(); owners["b"] != 3 {
					t.Fatalf("the owners of leases are %v", owners)
				}
				c.feed.Write(n%3, n)
				time.Sleep(time.Second)
				synctest.Wait()
				if got := len(c.seen.all()); got != n+1 {
					t.Fatalf("%d changes projected a second after change %d", got, n+1)
				}
				time.Sleep(29 * time.Second)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				c := newCluster(3)
				test(t, c)
				if c.feed.Misused != nil {
					t.Error(c.feed.Misused)
				}
			})
		})
	}
}

// launchIdle starts an instance that is idle after a minute without use.
func (c *cluster) launchIdle(t *testing.T, name string) (*loop.Activity, func()) {
	t.Helper()
	activity := loop.NewActivity(time.Minute)
	i := c.launch(t, name, Options{Activity: activity, PollInterval: 500 * time.Millisecond})
	return activity, i.stop
}
