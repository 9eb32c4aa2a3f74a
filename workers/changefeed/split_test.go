package changefeed

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/domain"
	"inkfeed/workers/changefeed/feedtest"
)

// wantSettled wants that the instances read each range once, under leases that are
// one a range, and that everything was projected.
func wantSettled(t *testing.T, feed *feedtest.Feed, leases *fakeLeases, seen *collector, instances ...*instance) {
	t.Helper()
	list, _ := leases.List(t.Context(), "p")
	var got []domain.FeedRange
	for _, l := range list {
		got = append(got, l.Range)
	}
	slices.SortFunc(got, func(a, b domain.FeedRange) int { return cmp.Compare(a.MinInclusive, b.MinInclusive) })
	if !slices.Equal(got, feed.Ranges) {
		t.Errorf("leases of %v, ranges %v", got, feed.Ranges)
	}
	readers := map[domain.FeedRange]string{}
	for _, i := range instances {
		i.mu.Lock()
		for r, s := range i.supervisors {
			if other := readers[r]; other != "" {
				t.Errorf("range %v is read by %s and %s", r, other, i.options.Instance)
			}
			readers[r] = s.held.current().Owner
		}
		i.mu.Unlock()
	}
	for _, l := range list {
		if readers[l.Range] != l.Owner || l.Owner == "" {
			t.Errorf("the lease of %v is %q's, and its reader %q", l.Range, l.Owner, readers[l.Range])
		}
	}
	if feed.Misused != nil {
		t.Error(feed.Misused)
	}
	wantAllInOrder(t, feed, seen)
}

// wantAllInOrder wants that every change was projected, each first after those before
// it in its partition.
func wantAllInOrder(t *testing.T, feed *feedtest.Feed, seen *collector) {
	t.Helper()
	first := make(map[int]int)
	for i, item := range seen.all() {
		if _, again := first[item]; !again {
			first[item] = i
		}
	}
	last := make(map[string]int)
	for _, c := range feed.Log {
		at, ok := first[c.Value]
		if !ok {
			t.Errorf("item %d of partition %s was never projected", c.Value, c.Item.PartitionKey)
			continue
		}
		if before, ok := last[c.Item.PartitionKey]; ok && at < before {
			t.Errorf("item %d of partition %s was projected before those before it", c.Value, c.Item.PartitionKey)
		}
		last[c.Item.PartitionKey] = at
	}
}

func TestSplit(t *testing.T) {
	run := func(name string, test func(t *testing.T, feed *feedtest.Feed, leases *fakeLeases, seen *collector)) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { test(t, feedtest.New(1), newFakeLeases(), &collector{}) })
		})
	}

	run("the owner goes on at once with the parts, from where it stands", func(t *testing.T, feed *feedtest.Feed, leases *fakeLeases, seen *collector) {
		feed.WriteKey("02", 1, 2)
		feed.WriteKey("08", 3)
		a := launch(t, "a", feed, leases, seen, Options{})
		defer a.stop()
		synctest.Wait()
		feed.Split(0, "05")
		feed.WriteKey("08", 4)
		feed.WriteKey("02", 5)
		time.Sleep(13 * time.Second)
		synctest.Wait()
		wantSettled(t, feed, leases, seen, a)
		if got := leases.get(feed.Ranges[0]); got.Epoch != 1 || got.Container != "rid" {
			t.Errorf("the lease of a part is %+v", got)
		}
		if got := seen.all(); len(got) != 5 {
			t.Errorf("projected %v", got)
		}
	})

	run("what was passed without a checkpoint is passed for the parts", func(t *testing.T, feed *feedtest.Feed, leases *fakeLeases, seen *collector) {
		a := launch(t, "a", feed, leases, seen, Options{RenewInterval: 30 * time.Second})
		defer a.stop()
		synctest.Wait()
		feed.WriteKey("02", feedtest.Irrelevant, feedtest.Irrelevant)
		feed.Split(0, "05")
		time.Sleep(13 * time.Second)
		synctest.Wait()
		for _, r := range feed.Ranges {
			if got := leases.get(r).Continuation; got != feed.ContinuationOf(r, 2) {
				t.Errorf("the lease of %v is at %q", r, got)
			}
		}
	})

	run("while it is due or half done, nothing is caught up: whoever waits for that would stop it", func(t *testing.T, feed *feedtest.Feed, leases *fakeLeases, seen *collector) {
		a := launch(t, "a", feed, leases, seen, Options{})
		synctest.Wait()
		feed.WriteKey("02", 1)
		time.Sleep(10 * time.Second)
		if ok, err := a.CaughtUp(t.Context()); !ok || err != nil {
			t.Errorf("before: caught up %t, %v", ok, err)
		}
		a.stop()
		feed.Split(0, "05")
		if ok, err := a.CaughtUp(t.Context()); ok || err != nil {
			t.Errorf("due: caught up %t, %v", ok, err)
		}
		b := launch(t, "b", feed, leases, seen, Options{})
		defer b.stop()
		synctest.Wait()
		if ok, err := b.CaughtUp(t.Context()); !ok || err != nil {
			t.Errorf("after: caught up %t, %v", ok, err)
		}
	})

	run("a page at hand is finished first", func(t *testing.T, feed *feedtest.Feed, leases *fakeLeases, seen *collector) {
		seen.setFailure(unavailable)
		feed.WriteKey("02", 1, 2)
		feed.WriteKey("08", 3)
		a := launch(t, "a", feed, leases, seen, Options{})
		defer a.stop()
		synctest.Wait()
		feed.Split(0, "05")
		time.Sleep(time.Minute)
		if list, _ := leases.List(t.Context(), "p"); len(list) != 1 {
			t.Errorf("leases %v", list)
		}
		seen.setFailure(nil)
		time.Sleep(time.Minute)
		synctest.Wait()
		wantSettled(t, feed, leases, seen, a)
		if got := seen.all(); len(got) != 3 {
			t.Errorf("projected %v", got)
		}
	})

	run("a lease that nobody has is split by who acquires it, before it is read", func(t *testing.T, feed *feedtest.Feed, leases *fakeLeases, seen *collector) {
		leases.Create(t.Context(), domain.Lease{Range: feed.Ranges[0], Container: "rid",
			Owner: "dead", Epoch: 3, Continuation: feed.ContinuationOf(feed.Ranges[0], 1)})
		feed.WriteKey("02", 1)
		feed.WriteKey("02", 2)
		feed.Split(0, "05")
		a := launch(t, "a", feed, leases, seen, Options{})
		defer a.stop()
		synctest.Wait()
		if got := seen.all(); !slices.Equal(got, []int{2}) {
			t.Errorf("projected %v", got)
		}
		if list, _ := leases.List(t.Context(), "p"); len(list) != 2 {
			t.Errorf("leases %v", list)
		}
	})

	run("others take their share of the parts", func(t *testing.T, feed *feedtest.Feed, leases *fakeLeases, seen *collector) {
		a := launch(t, "a", feed, leases, seen, Options{})
		defer a.stop()
		synctest.Wait()
		b := launch(t, "b", feed, leases, seen, Options{})
		defer b.stop()
		synctest.Wait()
		feed.Split(0, "05")
		feed.WriteKey("02", 1)
		feed.WriteKey("08", 2)
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		wantSettled(t, feed, leases, seen, a, b)
		if owners := leases.owners(); owners["a"] != 1 || owners["b"] != 1 {
			t.Errorf("owners %v", owners)
		}
	})

	run("a lease whose continuation nobody understands goes on as it is", func(t *testing.T, feed *feedtest.Feed, leases *fakeLeases, seen *collector) {
		feed.Opaque = true
		feed.WriteKey("02", 1)
		a := launch(t, "a", feed, leases, seen, Options{})
		defer a.stop()
		synctest.Wait()
		feed.Split(0, "05")
		feed.WriteKey("08", 2)
		time.Sleep(2 * time.Minute)
		synctest.Wait()
		if got := seen.all(); !slices.Equal(got, []int{1, 2}) || a.supervisor(parseRange("0-1")) == nil {
			t.Errorf("projected %v", got)
		}
	})

	run("a graceful stop in the middle leaves nothing owned", func(t *testing.T, feed *feedtest.Feed, leases *fakeLeases, seen *collector) {
		a := launch(t, "a", feed, leases, seen, Options{})
		synctest.Wait()
		feed.Split(0, "05")
		a.link.setFault(func(_ int, name string) (error, error) {
			if name == "delete" {
				return unavailable, nil
			}
			return nil, nil
		})
		time.Sleep(13 * time.Second)
		synctest.Wait()
		if owners := leases.owners(); owners["a"] != 3 {
			t.Fatalf("the split is not in its middle, or its parts are not the owner's: %v", owners)
		}
		a.stop()
		if owners := leases.owners(); owners["a"] != 0 {
			t.Errorf("owners %v", owners)
		}
	})
}

// Wherever a split stops, and whether the storage heard the last call or not, it is
// finished: by the same instance when the failure passes, by another when it does not.
func TestSplitThatStopsHalfWay(t *testing.T) {
	const calls = 14
	failed := map[string]bool{}
	for call := 1; call <= calls; call++ {
		for _, heard := range []bool{false, true} {
			for _, dies := range []bool{false, true} {
				name := fmt.Sprintf("call %d, heard %t, dies %t", call, heard, dies)
				t.Run(name, func(t *testing.T) {
					synctest.Test(t, func(t *testing.T) {
						failed[stopHalfWay(t, call, heard, dies)] = true
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

func stopHalfWay(t *testing.T, failing int, heard, dies bool) (what string) {
	feed, leases, seen := feedtest.New(1), newFakeLeases(), &collector{}
	feed.WriteKey("02", 1, 2)
	feed.WriteKey("05", 3)
	feed.WriteKey("08", 4)
	a := launch(t, "a", feed, leases, seen, Options{})
	synctest.Wait()
	feed.Split(0, "04")
	feed.Split(1, "07")
	// Not to a checkpoint yet: what the parts begin with is to be read by them, or again.
	feed.WriteKey("05", feedtest.Irrelevant)
	a.link.setFault(func(call int, name string) (there, back error) {
		if call < failing || !dies && call > failing {
			return nil, nil
		}
		if call == failing {
			what = name
			if heard {
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
		b := launch(t, "b", feed, leases, seen, Options{})
		defer b.stop()
		instances = []*instance{b}
	} else {
		defer a.stop()
	}
	feed.Mu.Lock()
	feed.Log = slices.DeleteFunc(feed.Log, func(c domain.Change[int]) bool { return c.Value == feedtest.Irrelevant })
	feed.Mu.Unlock()
	for i, key := range strings.Fields("02 05 08") {
		feed.WriteKey(key, 10+i, 20+i)
	}
	time.Sleep(3 * time.Minute)
	synctest.Wait()
	wantSettled(t, feed, leases, seen, instances...)
	return what
}
