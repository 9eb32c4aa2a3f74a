// Package pagecache caches the responses that are the same for all anonymous visitors, the shells
// of pages for signed-in users, and the results of queries. It drops each entry when a partition
// that the entry was made from changes.
package pagecache

import (
	"cmp"
	"context"
	"fmt"
	"iter"
	"runtime/debug"
	"sync"
	"sync/atomic"
	"time"

	"github.com/maypok86/otter/v2"
	"github.com/prometheus/client_golang/prometheus"
	"go.opentelemetry.io/otel/trace"
	"golang.org/x/sync/singleflight"

	"inkfeed/cosmos/costs"
	"inkfeed/cosmos/dependency"
)

// Cache stores prepared responses, page shells and query results until the data that they were made
// from changes. Each entry depends on partitions of the storage, and on facets of them. The caller
// reports each change with Drop or DropWritten: the changes of this process before they are acknowledged, the
// changes of other processes soon after. A Cache is safe for concurrent use.
type Cache struct {
	entries entryCache
	fills   singleflight.Group
	// reports the time before which Drop has received every change; see Follow
	followedUntil func() time.Time
	middleware    *Middleware // renders pages again for Verify
	// start is the origin of all times in nanoseconds. They use the monotonic clock, because a wall clock may be set
	// back.
	start        time.Time
	lastCheck    atomic.Int64 // when followedUntil was last called, in nanoseconds
	trustedUntil atomic.Int64 // until when entries count as current, in nanoseconds

	mu sync.Mutex
	// entries by the partitions that they depend on
	dependents map[dependency.PartitionRef]map[*entry]dependency.Facets
	dropCount  uint64 // the number of drops so far
	// openFills counts the fills in progress by the drop count at which they began.
	openFills map[uint64]int
	// dropped is the count at the last drop of each facet of a partition. It holds every drop since
	// the oldest open fill began; prune removes older drops, which affect no open fill.
	dropped       map[dependency.PartitionRef][dependency.NumFacets]uint64
	pruneAt       int    // the length of dropped at which it is pruned next
	clearedAtDrop uint64 // the drop count at the last Clear

	results  *prometheus.CounterVec
	hits     prometheus.Counter
	hitCount atomic.Int64 // the value of hits
	misses   atomic.Int64
}

// entryCache is the part of otter.Cache that a Cache needs. Each package that uses a struct with a generic type in a
// field compiles all methods of that type again, so the fields of types that many packages use are interfaces.
type entryCache interface {
	GetEntryQuietly(cacheKey) (otter.Entry[cacheKey, *entry], bool)
	GetIfPresent(cacheKey) (*entry, bool)
	Set(cacheKey, *entry) (*entry, bool)
	Invalidate(cacheKey) (*entry, bool)
	InvalidateAll()
	Keys() iter.Seq[cacheKey]
	// CleanUp, WeightedSize and EstimatedSize are for tests.
	CleanUp()
	WeightedSize() uint64
	EstimatedSize() int
}

const (
	// trustPeriod is how long entries are served after the tailers were last known to have seen
	// every change. After that, each page is rendered anew.
	trustPeriod = 3 * time.Second
	// trustCheckInterval is the time between two checks of the tailers.
	trustCheckInterval = 50 * time.Millisecond
	// useReportInterval is the least time between two reports that an entry is used. Otter evicts
	// by these reports, and reporting every hit would take longer than the hit itself.
	useReportInterval = 100 * time.Millisecond
	// maxEntryAge is the maximum age of an entry. It bounds the damage of a missed change.
	maxEntryAge = time.Hour
	// briefEntryAge is the maximum age of an entry that depends on data that is not followed.
	briefEntryAge = time.Second
)

// NewCache returns a cache of about this many bytes. It counts the texts of entries, and
// EntryOverhead for each entry.
func NewCache(bytes int64) *Cache {
	c := &Cache{dependents: make(map[dependency.PartitionRef]map[*entry]dependency.Facets),
		openFills: make(map[uint64]int),
		dropped:   make(map[dependency.PartitionRef][dependency.NumFacets]uint64),
		pruneAt:   minPruned, followedUntil: time.Now, start: time.Now(),
		results: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "inkfeed_page_cache_requests_total",
			Help: "Requests for cacheable pages by result: hit, miss, or the reason for bypassing the cache.",
		}, []string{"result"})}
	c.hits = c.results.WithLabelValues("hit")
	c.entries = otter.Must(&otter.Options[cacheKey, *entry]{
		MaximumWeight: uint64(max(1, bytes)),
		Weigher:       func(_ cacheKey, e *entry) uint32 { return e.weight },
		OnDeletion: func(e otter.DeletionEvent[cacheKey, *entry]) {
			// Otter calls this in a goroutine for each entry. After Clear, all of them would wait for its lock in vain:
			// Drop and Clear have removed the dependencies of the entries that they invalidate.
			if e.Cause != otter.CauseInvalidation {
				c.forget(e.Value)
			}
		},
	})
	return c
}

// Follow sets the function that returns the time before which every change by other processes has
// been passed to Drop. A zero time says that there is no such time. Without Follow, the cache
// assumes that there are no other processes.
func (c *Cache) Follow(current func() time.Time) { c.followedUntil = current }

// Describe sends the descriptions of the cache's metrics, as prometheus.Collector requires.
func (c *Cache) Describe(to chan<- *prometheus.Desc) { c.results.Describe(to) }

// Collect sends the cache's metrics, as prometheus.Collector requires.
func (c *Cache) Collect(to chan<- prometheus.Metric) { c.results.Collect(to) }

// Figures returns the number of hits, and of hits and misses, so far.
func (c *Cache) Figures() costs.CacheFigures {
	hits := c.hitCount.Load()
	return costs.CacheFigures{Hits: int(hits), Requests: int(hits + c.misses.Load())}
}

// isTrusted reports whether entries are current up to trustPeriod ago.
func (c *Cache) isTrusted(now time.Time) bool {
	last, at := c.lastCheck.Load(), c.nanoseconds(now)
	if at-last > int64(trustCheckInterval) && c.lastCheck.CompareAndSwap(last, at) {
		c.renewTrust()
	}
	if at < c.trustedUntil.Load() {
		return true
	}
	// trustedUntil may be outdated: the last check is long ago, or another one is in progress
	return at < c.renewTrust()
}

// nanoseconds returns the time from the start of the cache to t.
func (c *Cache) nanoseconds(t time.Time) int64 { return int64(t.Sub(c.start)) }

// renewTrust asks followedUntil, stores until when entries count as current, and returns that time.
func (c *Cache) renewTrust() (fresh int64) {
	if current := c.followedUntil(); !current.IsZero() {
		fresh = c.nanoseconds(current.Add(trustPeriod))
	}
	c.trustedUntil.Store(fresh)
	return fresh
}

// get returns the entry of a key, unless it has expired.
func (c *Cache) get(key cacheKey, now time.Time) (*entry, bool) {
	entry, ok := c.entries.GetEntryQuietly(key)
	at := c.nanoseconds(now)
	if !ok || at >= entry.Value.expires {
		return nil, false
	}
	e := entry.Value
	if last := e.lastUseReport.Load(); at-last > int64(useReportInterval) && e.lastUseReport.CompareAndSwap(last, at) {
		c.entries.GetIfPresent(key)
	}
	return e, true
}

// fillResult is the outcome of a fill.
type fillResult struct {
	*entry
	began     uint64 // the drop count when the fill began
	stored    bool
	own       bool              // read was the caller's; false: the caller waited for another caller's
	overtaken bool              // not stored, because one of its dependencies changed during the fill
	panicked  string            // message and stack of a panic in read; empty if there was none
	span      trace.SpanContext // the span of the caller that made the entry
}

// fill calls read and stores the entry if read asks for that. Concurrent calls for the same key
// share one read. A caller never gets the result of a read that began before the call, unless no
// drop happened in between or the entry is still stored: the result may be older than a change that
// the caller knows of. If ctx ends, fill returns its error, and the read goes on for other callers. If read panics,
// every caller panics.
func (c *Cache) fill(ctx context.Context, key cacheKey, read func() (made *entry, keep bool)) (fillResult, error) {
	asked := c.drops()
	for {
		own := false
		flight := c.fills.DoChan(fmt.Sprint(key), func() (any, error) {
			own = true
			return c.fillOnce(ctx, key, read), nil
		})
		var f fillResult
		select {
		case <-ctx.Done():
			return fillResult{}, ctx.Err()
		case result := <-flight:
			f = result.Val.(fillResult)
		}
		if f.panicked != "" {
			panic(f.panicked)
		}
		f.own = own
		if own || f.began >= asked {
			return f, nil
		}
		if e, ok := c.get(key, time.Now()); ok && e == f.entry {
			return f, nil
		}
	}
}

func (c *Cache) fillOnce(ctx context.Context, key cacheKey, read func() (made *entry, keep bool)) (f fillResult) {
	f, keep := fillResult{began: c.begin(), span: trace.SpanContextFromContext(ctx)}, false
	defer func() {
		if !keep {
			c.abandon(f.began)
		}
		if cause := recover(); cause != nil {
			f.panicked = fmt.Sprintf("%v\n\n%s", cause, debug.Stack())
		}
	}()
	f.entry, keep = read()
	f.key = key
	if keep {
		f.stored = c.put(f.entry, f.began)
		f.overtaken = !f.stored
	}
	return f
}

// drops returns the number of drops so far.
func (c *Cache) drops() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.dropCount
}

// begin opens a fill and returns the drop count. It is called before anything is read for the fill, and
// is followed by one put or abandon with that count.
func (c *Cache) begin() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.openFills[c.dropCount]++
	return c.dropCount
}

// abandon closes a fill without storing anything.
func (c *Cache) abandon(began uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.end(began)
}

// end closes a fill. While no fill is open, no drop needs to be remembered.
func (c *Cache) end(began uint64) {
	if c.openFills[began]--; c.openFills[began] == 0 {
		delete(c.openFills, began)
	}
	if len(c.openFills) == 0 {
		clear(c.dropped)
		c.pruneAt = minPruned
	}
}

// put stores an entry whose dependencies were read since begin returned the count began. It reports false,
// and stores nothing, if one of the dependencies was dropped in the meantime: the entry may be older than the change.
func (c *Cache) put(e *entry, began uint64) bool {
	e.expires = c.nanoseconds(time.Now().Add(cmp.Or(e.maxAge, maxAgeFor(e.dependencies))))
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.end(began)
	if c.overtaken(e.dependencies, began) {
		return false
	}
	for partition, facets := range e.dependencies {
		if c.dependents[partition] == nil {
			c.dependents[partition] = make(map[*entry]dependency.Facets, 1)
		}
		c.dependents[partition][e] = facets
	}
	c.entries.Set(e.key, e)
	return true
}
