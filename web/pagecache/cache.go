// Package pagecache caches the responses that are the same for all anonymous visitors, the shells
// of pages for signed-in users, and the results of queries. It drops each entry when a partition
// that the entry was made from changes.
package pagecache

import (
	"context"
	"sync"
	"sync/atomic"
	"time"

	"github.com/maypok86/otter/v2"
	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/singleflight"

	"inkfeed/domain/dependency"
)

// Cache stores prepared responses, page shells and query results until the data that they were made
// from changes. Each entry depends on partitions of the storage, and on facets of them. The caller
// reports each change with Drop: the changes of this process before they are acknowledged, the
// changes of other processes soon after. A Cache is safe for concurrent use.
type Cache struct {
	entries *otter.Cache[cacheKey, *entry]
	fills   singleflight.Group
	// reports the time before which Drop has received every change; see Follow
	followedUntil func() time.Time
	middleware    *Middleware  // renders pages again for Verify
	lastCheck     atomic.Int64 // when followedUntil was last called, in Unix nanoseconds
	trustedUntil  atomic.Int64 // until when entries count as current, in Unix nanoseconds

	mu sync.Mutex
	// entries by the partitions that they depend on
	dependents map[dependency.PartitionRef]map[*entry]dependency.Facets
	clock      uint64 // counts drops
	// openFills counts the fills in progress by the clock at which they began.
	openFills map[uint64]int
	// dropped is the clock of the last drop of each facet of a partition. It holds every drop since
	// the oldest open fill began; prune removes older drops, which affect no open fill.
	dropped   map[dependency.PartitionRef][dependency.NumFacets]uint64
	pruneAt   int    // the length of dropped at which it is pruned next
	clearedAt uint64 // the clock of the last Clear

	results *prometheus.CounterVec
	hits    prometheus.Counter
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

// followedContainers are the containers whose changes by other processes reach the cache.
var followedContainers = map[string]bool{"users": true, "posts": true, "feed": true, "tags": true}

// cacheKey identifies an entry.
type cacheKey struct {
	kind entryKind
	tls  bool   // whether the request was encrypted; only for pages of a site without a configured address
	host string // the requested host; likewise
	name string // the request target, or the name of a query
}

type entryKind uint8

const (
	pageEntry  entryKind = iota
	shellEntry           // a page with gaps; see shell.go
	queryEntry
)

// entry is one cached item. It does not change, except for lastUseReport.
type entry struct {
	key           cacheKey
	value         any // *preparedResponse, *pageShell or queryResult[T]
	weight        uint32
	expires       int64 // Unix nanoseconds
	parts         map[dependency.PartitionRef]dependency.Facets
	maxAge        time.Duration                      // 0: as its parts allow; see maxAgeFor
	reload        func(context.Context) (any, error) // runs the query again; for query results only
	lastUseReport atomic.Int64                       // in Unix nanoseconds; see useReportInterval
}

// NewCache returns a cache of about this many bytes. It counts the texts of entries, and
// EntryOverhead for each entry.
func NewCache(bytes int64) *Cache {
	c := &Cache{dependents: make(map[dependency.PartitionRef]map[*entry]dependency.Facets),
		openFills: make(map[uint64]int),
		dropped:   make(map[dependency.PartitionRef][dependency.NumFacets]uint64), pruneAt: minPruned, followedUntil: time.Now,
		results: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "inkfeed_page_cache_requests_total",
			Help: "Requests for cacheable pages by result: hit, miss, or the reason for bypassing the cache.",
		}, []string{"result"})}
	c.hits = c.results.WithLabelValues("hit")
	c.entries = otter.Must(&otter.Options[cacheKey, *entry]{
		MaximumWeight: uint64(max(1, bytes)),
		Weigher:       func(_ cacheKey, k *entry) uint32 { return k.weight },
		OnDeletion:    func(e otter.DeletionEvent[cacheKey, *entry]) { c.forget(e.Value) },
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

// trusted reports whether entries are current up to trustPeriod ago.
func (c *Cache) trusted(now time.Time) bool {
	last := c.lastCheck.Load()
	if now.UnixNano()-last > int64(trustCheckInterval) && c.lastCheck.CompareAndSwap(last, now.UnixNano()) {
		c.check()
	}
	if now.UnixNano() < c.trustedUntil.Load() {
		return true
	}
	// trustedUntil may be outdated: the last check is long ago, or another one is in progress
	return now.UnixNano() < c.check()
}

func (c *Cache) check() (fresh int64) {
	if current := c.followedUntil(); !current.IsZero() {
		fresh = current.Add(trustPeriod).UnixNano()
	}
	c.trustedUntil.Store(fresh)
	return fresh
}

// get returns the entry of a key, unless it has expired.
func (c *Cache) get(key cacheKey, now time.Time) (*entry, bool) {
	entry, ok := c.entries.GetEntryQuietly(key)
	if !ok || now.UnixNano() >= entry.Value.expires {
		return nil, false
	}
	k := entry.Value
	if last := k.lastUseReport.Load(); now.UnixNano()-last > int64(useReportInterval) &&
		k.lastUseReport.CompareAndSwap(last, now.UnixNano()) {
		c.entries.GetIfPresent(key)
	}
	return k, true
}

// Drop drops the entries that depend on any of these facets of a partition.
func (c *Cache) Drop(part dependency.PartitionRef, facets dependency.Facets) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clock++
	if len(c.openFills) > 0 {
		c.remember(part, facets)
	}
	for k, of := range c.dependents[part] {
		if of&facets != 0 {
			c.unlink(k)
			c.entries.Invalidate(k.key)
		}
	}
}

// Clear drops all entries.
func (c *Cache) Clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clock++
	c.clearedAt = c.clock
	clear(c.dependents)
	c.entries.InvalidateAll()
}

// forget removes the dependencies of an entry that Otter has removed.
func (c *Cache) forget(k *entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.unlink(k)
}

func (c *Cache) unlink(k *entry) {
	for part := range k.parts {
		delete(c.dependents[part], k)
		if len(c.dependents[part]) == 0 {
			delete(c.dependents, part)
		}
	}
}
