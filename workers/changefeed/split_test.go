package changefeed

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/cosmos/feeds"
	"inkfeed/workers/changefeed/feedtest"
)

// wantSettled fails unless each range has one lease and one reader among the instances, and every change was projected.
func (c *cluster) wantSettled(t *testing.T, instances ...*instance) {
	t.Helper()
	list, _ := c.leases.List(t.Context(), "p")
	var got []feeds.Range
	for _, l := range list {
		got = append(got, l.Range)
	}
	slices.SortFunc(got, func(a, b feeds.Range) int { return cmp.Compare(a.MinInclusive, b.MinInclusive) })
	if !slices.Equal(got, c.feed.Ranges) {
		t.Errorf("leases of %v, want %v", got, c.feed.Ranges)
	}
	readers := map[feeds.Range]string{}
	for _, i := range instances {
		i.mu.Lock()
		for r, s := range i.supervisors {
			if other := readers[r]; other != "" {
				t.Errorf("range %v is read by %s and %s", r, other, i.options.Instance)
			}
			readers[r] = s.lease.current().Owner
		}
		i.mu.Unlock()
	}
	for _, l := range list {
		if readers[l.Range] != l.Owner || l.Owner == "" {
			t.Errorf("range %v: the lease's owner is %q, the reader %q", l.Range, l.Owner, readers[l.Range])
		}
	}
	if c.feed.Misused != nil {
		t.Error(c.feed.Misused)
	}
	c.wantAllInOrder(t)
}

// wantAllInOrder fails unless every change was projected, the first time in the order of its partition.
func (c *cluster) wantAllInOrder(t *testing.T) {
	t.Helper()
	first := make(map[int]int)
	for i, item := range c.seen.all() {
		if _, again := first[item]; !again {
			first[item] = i
		}
	}
	last := make(map[string]int)
	for _, change := range c.feed.Log {
		key := change.Item.PartitionKey
		at, ok := first[change.Value]
		if !ok {
			t.Errorf("item %d of partition %s was never projected", change.Value, key)
			continue
		}
		if before, ok := last[key]; ok && at < before {
			t.Errorf("item %d of partition %s was projected before an earlier one", change.Value, key)
		}
		last[key] = at
	}
}

func TestSplit(t *testing.T) {
	run := func(name string, test func(t *testing.T, c *cluster)) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test(t, newCluster(1)) })
		})
	}

	run("the owner continues at once with the parts, at its position", func(t *testing.T, c *cluster) {
		c.feed.WriteKey("02", 1, 2)
		c.feed.WriteKey("08", 3)
		a := c.launch(t, "a", Options{})
		defer a.stop()
		synctest.Wait()
		c.feed.Split(0, "05")
		c.feed.WriteKey("08", 4)
		c.feed.WriteKey("02", 5)
		time.Sleep(13 * time.Second)
		synctest.Wait()
		c.wantSettled(t, a)
		if got := c.leases.get(c.feed.Ranges[0]); got.Epoch != 1 || got.Container != "rid" {
			t.Errorf("the lease of a part is %+v", got)
		}
		if got := c.seen.all(); len(got) != 5 {
			t.Errorf("projected %v", got)
		}
	})

	run("the parts begin after changes that were passed without a checkpoint", func(t *testing.T, c *cluster) {
		a := c.launch(t, "a", Options{RenewInterval: 30 * time.Second})
		defer a.stop()
		synctest.Wait()
		c.feed.WriteKey("02", feedtest.Irrelevant, feedtest.Irrelevant)
		c.feed.Split(0, "05")
		time.Sleep(13 * time.Second)
		synctest.Wait()
		for _, r := range c.feed.Ranges {
			if got := c.leases.get(r).Continuation; got != c.feed.ContinuationOf(r, 2) {
				t.Errorf("the lease of %v is at %q", r, got)
			}
		}
	})

	run("the processor has not caught up while a split is due or half done", func(t *testing.T, c *cluster) {
		a := c.launch(t, "a", Options{})
		synctest.Wait()
		c.feed.WriteKey("02", 1)
		time.Sleep(10 * time.Second)
		if ok, err := a.CaughtUp(t.Context()); !ok || err != nil {
			t.Errorf("before: caught up %t, %v", ok, err)
		}
		a.stop()
		c.feed.Split(0, "05")
		if ok, err := a.CaughtUp(t.Context()); ok || err != nil {
			t.Errorf("due: caught up %t, %v", ok, err)
		}
		b := c.launch(t, "b", Options{})
		defer b.stop()
		synctest.Wait()
		if ok, err := b.CaughtUp(t.Context()); !ok || err != nil {
			t.Errorf("after: caught up %t, %v", ok, err)
		}
	})

	run("the current page is finished first", func(t *testing.T, c *cluster) {
		c.seen.setFailure(unavailable)
		c.feed.WriteKey("02", 1, 2)
		c.feed.WriteKey("08", 3)
		a := c.launch(t, "a", Options{})
		defer a.stop()
		synctest.Wait()
		c.feed.Split(0, "05")
		time.Sleep(time.Minute)
		if list, _ := c.leases.List(t.Context(), "p"); len(list) != 1 {
			t.Errorf("leases %v", list)
		}
		c.seen.setFailure(nil)
		time.Sleep(time.Minute)
		synctest.Wait()
		c.wantSettled(t, a)
		if got := c.seen.all(); len(got) != 3 {
			t.Errorf("projected %v", got)
		}
	})

	run("a lease of a dead instance is split by its next owner before it is read", func(t *testing.T, c *cluster) {
		c.leases.Create(t.Context(), feeds.Lease{Range: c.feed.Ranges[0], Container: "rid",
			Owner: "dead", Epoch: 3, Continuation: c.feed.ContinuationOf(c.feed.Ranges[0], 1)})
		c.feed.WriteKey("02", 1)
		c.feed.WriteKey("02", 2)
		c.feed.Split(0, "05")
		a := c.launch(t, "a", Options{})
		defer a.stop()
		synctest.Wait()
		if got := c.seen.all(); !slices.Equal(got, []int{2}) {
			t.Errorf("projected %v", got)
		}
		if list, _ := c.leases.List(t.Context(), "p"); len(list) != 2 {
			t.Errorf("leases %v", list)
		}
	})

	run("other instances take their share of the parts", func(t *testing.T, c *cluster) {
		a := c.launch(t, "a", Options{})
		defer a.stop()
		synctest.Wait()
		b := c.launch(t, "b", Options{})
		defer b.stop()
		synctest.Wait()
		c.feed.Split(0, "05")
		c.feed.WriteKey("02", 1)
		c.feed.WriteKey("08", 2)
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		c.wantSettled(t, a, b)
		if owners := c.leases.owners(); owners["a"] != 1 || owners["b"] != 1 {
			t.Errorf("owners %v", owners)
		}
	})

	run("a lease whose continuation cannot be narrowed is read undivided", func(t *testing.T, c *cluster) {
		c.feed.Opaque = true
		c.feed.WriteKey("02", 1)
		a := c.launch(t, "a", Options{})
		defer a.stop()
		synctest.Wait()
		c.feed.Split(0, "05")
		c.feed.WriteKey("08", 2)
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if got := c.seen.all(); !slices.Equal(got, []int{1, 2}) || a.supervisor(parseRange("0-1")) == nil {
			t.Errorf("projected %v", got)
		}
	})

	run("a graceful stop in the middle releases all leases", func(t *testing.T, c *cluster) {
		a := c.launch(t, "a", Options{})
		synctest.Wait()
		c.feed.Split(0, "05")
		a.link.setFault(func(_ int, name string) (error, error) {
			if name == "delete" {
				return unavailable, nil
			}
			return nil, nil
		})
		time.Sleep(13 * time.Second)
		synctest.Wait()
		if owners := c.leases.owners(); owners["a"] != 3 {
			t.Fatalf("the split is not half done, or the instance does not own the parts: %v", owners)
		}
		a.stop()
		if owners := c.leases.owners(); owners["a"] != 0 {
			t.Errorf("owners %v", owners)
		}
	})
}

// TestSplitThatStopsHalfWay stops a split at each storage call, before or after the call has its effect. The same
// instance finishes the split when the failure ends, and another instance does if the first one dies.
func TestSplitThatStopsHalfWay(t *testing.T) {
	const calls = 14
	failed := map[string]bool{}
	for call := 1; call <= calls; call++ {
		for _, effective := range []bool{false, true} {
			for _, dies := range []bool{false, true} {
				name := fmt.Sprintf("call %d, effective %t, dies %t", call, effective, dies)
				t.Run(name, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						failed[stopHalfWay(t, call, effective, dies)] = true
					})
				})
			}
		}
	}
	for _, name := range []string{"list", "create", "delete", "replace"} {
		if !failed[name] {
			t.Errorf("no %s failed within %d calls: %v", name, calls, failed)
		}
	}
}

// stopHalfWay makes one call of a split fail and wants the split to be finished all the same. It returns the name of
// the call.
func stopHalfWay(t *testing.T, failing int, effective, dies bool) (what string) {
	c := newCluster(1)
	c.feed.WriteKey("02", 1, 2)
	c.feed.WriteKey("05", 3)
	c.feed.WriteKey("08", 4)
	a := c.launch(t, "a", Options{})
	synctest.Wait()
	c.feed.Split(0, "04")
	c.feed.Split(1, "07")
	// Irrelevant changes cause no checkpoint, so the position of the parts is beyond that of the stored lease.
	c.feed.WriteKey("05", feedtest.Irrelevant)
	a.link.setFault(func(call int, name string) (there, back error) {
		if call < failing || !dies && call > failing {
			return nil, nil
		}
		if call == failing {
			what = name
			if effective {
				return nil, unavailable
			}
		}
		return unavailable, nil
	})
	time.Sleep(20 * time.Second)
	synctest.Wait()
	instances := []*instance{a}
	if dies {
		a.kill()
		b := c.launch(t, "b", Options{})
		defer b.stop()
		instances = []*instance{b}
	} else {
		defer a.stop()
	}
	c.feed.Mu.Lock()
	c.feed.Log = slices.DeleteFunc(c.feed.Log,
		func(c feeds.Change[int]) bool { return c.Value == feedtest.Irrelevant })
	c.feed.Mu.Unlock()
	for i, key := range strings.Fields("02 05 08") {
		c.feed.WriteKey(key, 10+i, 20+i)
	}
	time.Sleep(3 * time.Minute)
	synctest.Wait()
	c.wantSettled(t, instances...)
	return what
}
