package pagecache

import (
	"context"
	"math/rand/v2"
	"slices"
	"strconv"
	"sync/atomic"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/cosmos/dependency"
	"inkfeed/domain"
)

var (
	onePost      = dependency.PartitionRef{Container: "posts", Key: "one"}
	theFeed      = dependency.PartitionRef{Container: "feed", Key: "post"}
	siteSettings = dependency.PartitionRef{Container: "moderation", Key: "settings"}
)

// keep caches a text that depends on dependencies, under itself as the name.
func keep(c *Cache, text string, dependencies map[dependency.PartitionRef]dependency.Facets) bool {
	return keepSince(c, c.begin(), text, dependencies)
}

// keepSince is keep for a fill that began at this drop count.
func keepSince(c *Cache, began uint64, text string, dependencies map[dependency.PartitionRef]dependency.Facets) bool {
	return c.put(&entry{
		key:          cacheKey{name: text},
		value:        text,
		weight:       uint32(len(text)) + EntryOverhead,
		dependencies: dependencies,
	}, began)
}

func has(c *Cache, text string) bool {
	_, ok := c.get(cacheKey{name: text}, time.Now())
	return ok
}

func TestCacheDropsWhatDependsOnAChange(t *testing.T) {
	for name, test := range map[string]struct {
		partition dependency.PartitionRef
		facets    dependency.Facets
		left      []string
	}{
		"an edited post": {onePost, dependency.AllFacets, []string{"front"}},
		"a counted like": {onePost, dependency.FacetCounts, []string{"front", "feed of texts"}},
		"a reaction":     {onePost, dependency.FacetReactions, []string{"page", "front", "feed of texts"}},
		"a changed list": {theFeed, dependency.FacetTexts, []string{"page", "feed of texts"}},
		"another post": {
			dependency.PartitionRef{Container: "posts", Key: "two"}, dependency.AllFacets,
			[]string{"page", "front", "feed of texts"},
		},
		"another container": {
			dependency.PartitionRef{Container: "users", Key: "one"}, dependency.AllFacets,
			[]string{"page", "front", "feed of texts"},
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := NewCache(1 << 20)
			keep(c, "page", map[dependency.PartitionRef]dependency.Facets{onePost: FacetsOfLists})
			keep(c, "feed of texts", map[dependency.PartitionRef]dependency.Facets{onePost: dependency.FacetTexts})
			keep(c, "front", map[dependency.PartitionRef]dependency.Facets{theFeed: FacetsOfLists})
			c.Drop(test.partition, test.facets)
			var left []string
			for _, text := range []string{"page", "front", "feed of texts"} {
				if has(c, text) {
					left = append(left, text)
				}
			}
			if len(left) != len(test.left) {
				t.Fatalf("%q are left, want %q", left, test.left)
			}
			for _, text := range test.left {
				if !has(c, text) {
					t.Errorf("%q was dropped", text)
				}
			}
		})
	}
}

func TestCacheDiscardsFillsThatAChangeOvertook(t *testing.T) {
	dependencies := map[dependency.PartitionRef]dependency.Facets{onePost: FacetsOfLists}
	for name, test := range map[string]struct {
		meanwhile func(*Cache)
		stored    bool
	}{
		"nothing happened":          {func(*Cache) {}, true},
		"its partition changed":     {func(c *Cache) { c.Drop(onePost, dependency.FacetCounts) }, false},
		"another partition changed": {func(c *Cache) { c.Drop(theFeed, dependency.AllFacets) }, true},
		"another facet changed":     {func(c *Cache) { c.Drop(onePost, dependency.FacetReactions) }, true},
		"everything was dropped":    {func(c *Cache) { c.Clear() }, false},
		"another fill has ended": {
			func(c *Cache) { c.Drop(onePost, dependency.AllFacets); c.abandon(c.begin()) }, false,
		},
		"a later fill has ended": {
			func(c *Cache) { c.Drop(onePost, dependency.AllFacets); keep(c, "x", dependencies) }, false,
		},
	} {
		t.Run(name, func(t *testing.T) {
			c := NewCache(1 << 20)
			began := c.begin()
			test.meanwhile(c)
			stored := keepSince(c, began, "page", dependencies)
			if stored != test.stored || has(c, "page") != test.stored {
				t.Errorf("stored is %v, want %v", stored, test.stored)
			}
			if len(c.dropped) != 0 {
				t.Errorf("%d drops are remembered without a fill in progress", len(c.dropped))
			}
			if again := keep(c, "again", dependencies); !again || !has(c, "again") {
				t.Error("a later fill is not stored")
			}
		})
	}
}

func TestRememberedDropsAreBoundedWhileFillsOverlap(t *testing.T) {
	c := NewCache(1 << 20)
	const changes = 10_000
	most := 0
	open := c.begin()
	for i := range changes {
		next := c.begin() // the next fill begins before the last one ends
		c.Drop(dependency.PartitionRef{Container: "posts", Key: strconv.Itoa(i)}, dependency.AllFacets)
		keepSince(c, open, "page "+strconv.Itoa(i), nil)
		open = next
		most = max(most, len(c.dropped))
	}
	if most > 2*minPruned {
		t.Errorf("%d of %d drops were remembered at a time, although at most two fills were open; want at most %d",
			most, changes, 2*minPruned)
	}
}

// TestPrunedDropsStillOvertakeFills compares the cache with one that remembers every drop.
func TestPrunedDropsStillOvertakeFills(t *testing.T) {
	seed := uint64(time.Now().UnixNano())
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 1))
	type drop struct {
		partition dependency.PartitionRef
		facets    dependency.Facets
	}
	type fill struct {
		began uint64
		since []drop
	}
	c := NewCache(1 << 20)
	partition := func() dependency.PartitionRef {
		return dependency.PartitionRef{Container: "posts", Key: strconv.Itoa(random.IntN(4 * minPruned))}
	}
	var open []*fill
	for step := range 50_000 {
		switch n := random.IntN(10); {
		case n < 2 || len(open) == 0:
			open = append(open, &fill{began: c.begin()})
		case n < 8:
			d := drop{partition(), dependency.Facets(1 + random.IntN(int(dependency.AllFacets)))}
			c.Drop(d.partition, d.facets)
			for _, f := range open {
				f.since = append(f.since, d)
			}
		default:
			i := random.IntN(len(open))
			if random.IntN(3) > 0 { // mostly the oldest, so that drops can be pruned
				i = 0
			}
			f := open[i]
			open = slices.Delete(open, i, i+1)
			of, facets := partition(), dependency.Facets(1+random.IntN(int(dependency.AllFacets)))
			if len(f.since) > 0 && random.IntN(2) == 0 {
				of = f.since[random.IntN(len(f.since))].partition
			}
			overtaken := slices.ContainsFunc(f.since,
				func(d drop) bool { return d.partition == of && d.facets&facets != 0 })
			if stored := keepSince(c, f.began, "page",
				map[dependency.PartitionRef]dependency.Facets{of: facets}); stored == overtaken {
				t.Fatalf("step %d: stored %v, overtaken %v", step, stored, overtaken)
			}
		}
	}
}

func TestCacheEntriesExpire(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := NewCache(1 << 20)
		keep(c, "page", map[dependency.PartitionRef]dependency.Facets{onePost: FacetsOfLists})
		keep(c, "depends on the settings",
			map[dependency.PartitionRef]dependency.Facets{onePost: FacetsOfLists, siteSettings: dependency.AllFacets})
		keep(c, "depends on a whole container",
			map[dependency.PartitionRef]dependency.Facets{{Container: "posts"}: dependency.AllFacets})
		keep(c, "depends on nothing", nil)
		time.Sleep(briefEntryAge - time.Millisecond)
		for _, text := range []string{
			"page", "depends on the settings", "depends on a whole container", "depends on nothing",
		} {
			if !has(c, text) {
				t.Errorf("%q expired too early", text)
			}
		}
		time.Sleep(time.Millisecond)
		if has(c, "depends on the settings") || has(c, "depends on a whole container") || has(c, "depends on nothing") {
			t.Error("an entry without notices of changes has not expired")
		}
		time.Sleep(maxEntryAge - briefEntryAge - time.Millisecond)
		if !has(c, "page") {
			t.Error("the page expired too early")
		}
		time.Sleep(time.Millisecond)
		if has(c, "page") {
			t.Error("the page has not expired")
		}
	})
}

func TestCacheIsTrustedWhileNoticesOfChangesArrive(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := NewCache(1 << 20)
		noticed := time.Time{}
		c.Follow(func() time.Time { return noticed })
		for _, step := range []struct {
			name    string
			noticed time.Duration // before now; negative: never
			trusted bool
		}{
			{"never", -1, false},
			{"just now", 0, true},
			{"in time", trustPeriod - time.Second, true},
			{"too late", trustPeriod, false},
			{"again", 0, true},
		} {
			if noticed = time.Now().Add(-step.noticed); step.noticed < 0 {
				noticed = time.Time{}
			}
			time.Sleep(trustCheckInterval + time.Millisecond)
			if got := c.isTrusted(time.Now()); got != step.trusted {
				t.Errorf("last notice %s: trusted is %v", step.name, got)
			}
		}
	})
}

func TestCacheIsBounded(t *testing.T) {
	// In a bubble, because goroutines of the library remove evicted entries.
	synctest.Test(t, func(t *testing.T) {
		const size = 1 << 20
		c := NewCache(size)
		for i := range 4000 {
			partition := dependency.PartitionRef{Container: "posts", Key: strconv.Itoa(i)}
			keep(c, "page "+strconv.Itoa(i),
				map[dependency.PartitionRef]dependency.Facets{partition: FacetsOfLists, theFeed: dependency.FacetTexts})
		}
		c.entries.CleanUp()
		synctest.Wait()
		if got := c.entries.WeightedSize(); got > size || got < size/2 {
			t.Errorf("the cache has %d bytes, its size is %d", got, size)
		}
		if pages, dependencies := c.entries.EstimatedSize(), len(c.dependents); dependencies != pages+1 {
			t.Errorf("%d pages with %d partitions are cached, want one for each page and the feed", pages, dependencies)
		}
		c.Clear()
		c.entries.CleanUp()
		synctest.Wait()
		if pages, dependencies := c.entries.EstimatedSize(), len(c.dependents); pages != 0 || dependencies != 0 {
			t.Errorf("after Clear, %d pages and %d partitions are left", pages, dependencies)
		}
	})
}

func TestValuesAreReadOnceUntilTheyChange(t *testing.T) {
	c := NewCache(1 << 20)
	reads := 0
	load := func(ctx context.Context) (int, error) {
		reads++
		dependency.Record(ctx, onePost, dependency.AllFacets)
		if reads == 3 {
			return 0, domain.NewError(domain.Unavailable, "not now")
		}
		return reads, nil
	}
	get := func(ctx context.Context) (int, map[dependency.PartitionRef]dependency.Facets, error) {
		var recorded dependency.Recorder
		ctx = dependency.WithRecorder(ctx, &recorded)
		n, err := Read(ctx, c, "n", dependency.FacetTexts, func(int) int { return 1 },
			load)
		return n, recorded.Recorded(), err
	}
	cached := context.WithValue(t.Context(), readsCacheKey{}, true)
	for _, step := range []struct {
		name string
		ctx  context.Context
		drop dependency.Facets
		want int
		err  domain.Kind
	}{
		{"first read", cached, 0, 1, 0},
		{"second read", cached, 0, 1, 0},
		{"after a change of another facet", cached, dependency.FacetCounts, 1, 0},
		{"after a change of its facet", cached, dependency.FacetTexts, 2, 0},
		{"without the cache", t.Context(), 0, 0, domain.Unavailable},
		{"with the cache again", cached, 0, 2, 0},
	} {
		if step.drop != 0 {
			c.Drop(onePost, step.drop)
		}
		n, dependencies, err := get(step.ctx)
		if n != step.want || (step.err != 0) != (err != nil) {
			t.Errorf("%s: %d, %v; want %d", step.name, n, err, step.want)
		}
		if len(dependencies) != 1 || dependencies[onePost] != dependency.FacetTexts {
			t.Errorf("%s: the recorded dependencies are %v", step.name, dependencies)
		}
	}
}

func TestFailuresAreNotCached(t *testing.T) {
	c := NewCache(1 << 20)
	ctx := context.WithValue(t.Context(), readsCacheKey{}, true)
	for kind, times := range map[domain.Kind]int{domain.Unavailable: 2, domain.NotFound: 1} {
		reads := 0
		for range 2 {
			_, err := Read(ctx, c, "n"+strconv.Itoa(int(kind)), dependency.AllFacets, func(int) int { return 1 },
				func(ctx context.Context) (int, error) {
					reads++
					dependency.Record(ctx, onePost, dependency.AllFacets)
					return 0, domain.NewError(kind, "no")
				})
			if !domain.Is(err, kind) {
				t.Errorf("the error is %v", err)
			}
		}
		if reads != times {
			t.Errorf("kind %v: read %d times, want %d", kind, reads, times)
		}
	}
}

func TestCachedValuesAreCurrentInAllFacets(t *testing.T) {
	c := NewCache(1 << 20)
	reads := 0
	get := func(ctx context.Context) int {
		n, _ := Read(ctx, c, "post", FacetsOfLists, func(int) int { return 1 }, func(ctx context.Context) (int, error) {
			reads++
			dependency.Record(ctx, onePost, dependency.AllFacets)
			return reads, nil
		})
		return n
	}
	cached := context.WithValue(t.Context(), readsCacheKey{}, true)
	get(dependency.WithFacets(cached, dependency.FacetTexts)) // for a feed, which shows no counts
	c.Drop(onePost, dependency.FacetCounts)
	if n := get(cached); n != 2 {
		t.Error("a page with counts gets outdated ones")
	}
}

func TestAReadAfterAChangeDoesNotWaitForAnOlderRead(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := NewCache(1 << 20)
		var stored atomic.Int64
		stored.Store(1)
		get := func() int64 {
			n, _ := Read(context.WithValue(t.Context(), readsCacheKey{}, true), c, "post", dependency.AllFacets,
				func(int64) int { return 1 },
				func(ctx context.Context) (int64, error) {
					n := stored.Load()
					dependency.Record(ctx, onePost, dependency.AllFacets)
					time.Sleep(time.Second)
					return n, nil
				})
			return n
		}
		go get()
		time.Sleep(time.Millisecond)
		stored.Store(2)
		c.Drop(onePost, dependency.AllFacets)
		if n := get(); n != 2 {
			t.Errorf("the read after the change returns %d, want 2", n)
		}
	})
}

func TestConcurrentChecksNeverTrustAnOutdatedCache(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		c := NewCache(1 << 20)
		noticed := time.Now()
		meanwhile := func() {}
		c.Follow(func() time.Time { meanwhile(); return noticed })
		if !c.isTrusted(time.Now()) {
			t.Error("the cache is not trusted just after a notice")
		}
		time.Sleep(time.Minute) // no check and no notice
		meanwhile = func() {
			meanwhile = func() {}
			if c.isTrusted(time.Now()) {
				t.Error("the cache is trusted a minute after the last notice")
			}
		}
		if c.isTrusted(time.Now()) {
			t.Error("the cache is trusted after the concurrent check")
		}
	})
}
