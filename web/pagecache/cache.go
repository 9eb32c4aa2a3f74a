package pagecache

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/maypok86/otter/v2"
	"github.com/prometheus/client_golang/prometheus"
	"golang.org/x/sync/singleflight"

	"inkfeed/domain/dependency"
)

// Cache keeps pages ready, and what they are made of, until it changes: each is dropped by
// the parts it was made of. Whoever makes it tells it of changes by Drop: of this process's
// own before they are answered, of others' soon after they are made. It is safe for
// concurrent use.
type Cache struct {
	kept    *otter.Cache[cacheKey, *entry]
	filling singleflight.Group
	current func() time.Time // see Follow
	pages   *Middleware      // which are kept
	checked atomic.Int64     // when current was asked last, in Unix nanoseconds
	fresh   atomic.Int64     // until when what is kept counts as current for that, likewise

	mu    sync.Mutex
	users map[dependency.PartitionRef]map[*entry]dependency.Facets // the entries that were made from each part
	clock uint64                                                   // counts drops
	// open counts the fills under way by the clock at which they began.
	open map[uint64]int
	// dropped is the clock of the last drop of each aspect of a part. It holds every drop since the
	// oldest open fill began; prune removes older drops, which affect no open fill.
	dropped map[dependency.PartitionRef][dependency.NumFacets]uint64
	pruneAt int    // the length of dropped at which it is pruned next
	cleared uint64 // by the clock

	results *prometheus.CounterVec
	hits    prometheus.Counter
}

const (
	// cacheTrust is for how long pages are served after the tailers were last known to have
	// seen all changes. Beyond it each page is made anew.
	cacheTrust = 3 * time.Second
	// trustChecked is how often that is looked at.
	trustChecked = 50 * time.Millisecond
	// useNoted is how often the library is told that something is used, by which it decides what
	// to keep: to keep account of each hit takes longer than the hit.
	useNoted = 100 * time.Millisecond
	// keptFor is the longest life of anything kept, should a change of it never be heard of.
	keptFor = time.Hour
	// keptBriefly is that of what is not, or not only, made of parts that are followed.
	keptBriefly = time.Second
)

// minPruned is the number of parts in Cache.dropped below which nothing is pruned.
const minPruned = 64

// followed are the containers of which the cache hears what others write.
var followed = map[string]bool{"users": true, "posts": true, "feed": true, "tags": true}

// cacheKey names what is kept.
type cacheKey struct {
	kind entryKind
	tls  bool   // of a page of a site that has no address of its own
	host string // likewise
	name string // the request's target, or of a value its name
}

type entryKind uint8

const (
	pageEntry  entryKind = iota
	shellEntry           // a page with gaps, see compose.go
	queryEntry
)

// entry is one thing in the cache. But for its use it never changes.
type entry struct {
	key     cacheKey
	value   any // *readyPage, *framedPage or what a value's name says
	weight  uint32
	expires int64 // Unix nanoseconds
	parts   map[dependency.PartitionRef]dependency.Facets
	life    time.Duration                      // 0: what the parts allow, see life
	again   func(context.Context) (any, error) // reads a value anew
	used    atomic.Int64                       // when the library was last told that it is, in Unix nanoseconds
}

// NewCache makes a cache of so many bytes, about: it counts texts, and a little for the rest.
func NewCache(bytes int64) *Cache {
	c := &Cache{users: make(map[dependency.PartitionRef]map[*entry]dependency.Facets), open: make(map[uint64]int),
		dropped: make(map[dependency.PartitionRef][dependency.NumFacets]uint64), pruneAt: minPruned, current: time.Now,
		results: prometheus.NewCounterVec(prometheus.CounterOpts{
			Name: "inkfeed_page_cache_requests_total",
			Help: "Requests of pages that can be kept ready, by what became of them: hit, miss, or why the cache was " +
				"passed by.",
		}, []string{"result"})}
	c.hits = c.results.WithLabelValues("hit")
	c.kept = otter.Must(&otter.Options[cacheKey, *entry]{
		MaximumWeight: uint64(max(1, bytes)),
		Weigher:       func(_ cacheKey, k *entry) uint32 { return k.weight },
		OnDeletion:    func(e otter.DeletionEvent[cacheKey, *entry]) { c.forget(e.Value) },
	})
	return c
}

// Follow has the cache ask for the time before which every change by other processes was
// told to Drop; zero: there is none. Without Follow there are no other processes.
func (c *Cache) Follow(current func() time.Time) { c.current = current }

// Describe and Collect are those of the cache's metrics.
func (c *Cache) Describe(to chan<- *prometheus.Desc) { c.results.Describe(to) }

// Collect is described at Describe.
func (c *Cache) Collect(to chan<- prometheus.Metric) { c.results.Collect(to) }

// trusted tells whether what is kept is what it would be if it was made now, but for the last
// moment.
func (c *Cache) trusted(now time.Time) bool {
	last := c.checked.Load()
	if now.UnixNano()-last > int64(trustChecked) && c.checked.CompareAndSwap(last, now.UnixNano()) {
		c.check()
	}
	if now.UnixNano() < c.fresh.Load() {
		return true
	}
	return now.UnixNano() < c.check() // nobody has asked for long, or somebody is just asking
}

func (c *Cache) check() (fresh int64) {
	if current := c.current(); !current.IsZero() {
		fresh = current.Add(cacheTrust).UnixNano()
	}
	c.fresh.Store(fresh)
	return fresh
}

// get gives what is kept under a key.
func (c *Cache) get(key cacheKey, now time.Time) (*entry, bool) {
	entry, ok := c.kept.GetEntryQuietly(key)
	if !ok || now.UnixNano() >= entry.Value.expires {
		return nil, false
	}
	k := entry.Value
	if last := k.used.Load(); now.UnixNano()-last > int64(useNoted) && k.used.CompareAndSwap(last, now.UnixNano()) {
		c.kept.GetIfPresent(key)
	}
	return k, true
}

// filled is what came of a fill.
type filled struct {
	*entry
	began     uint64 // by the clock
	stored    bool
	overtaken bool // it was to be kept, and a change of one of its parts came between
}

// fill makes something once however many ask at a time, and keeps it if read says so. Nobody
// gets what was begun before they asked, unless nothing was dropped in between or it is still
// kept: it may be of before a change that whoever asks knows of.
func (c *Cache) fill(key cacheKey, read func() (made *entry, keep bool)) filled {
	asked := c.now()
	for {
		own := false
		result, _, _ := c.filling.Do(fmt.Sprint(key), func() (any, error) {
			own = true
			return c.fillOnce(key, read), nil
		})
		f := result.(filled)
		if own || f.began >= asked {
			return f
		}
		if k, ok := c.get(key, time.Now()); ok && k == f.entry {
			return f
		}
	}
}

func (c *Cache) fillOnce(key cacheKey, read func() (made *entry, keep bool)) filled {
	f, keep := filled{began: c.begin()}, false
	defer func() {
		if !keep { // also when it could not be made
			c.abandon(f.began)
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

// now is the clock.
func (c *Cache) now() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.clock
}

// begin opens a fill and returns the clock. It is called before anything is read for the fill, and
// is followed by one put or abandon with that clock.
func (c *Cache) begin() (clock uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open[c.clock]++
	return c.clock
}

// abandon closes a fill without storing anything.
func (c *Cache) abandon(clock uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.end(clock)
}

// end closes a fill. While no fill is open, no drop needs to be remembered.
func (c *Cache) end(clock uint64) {
	if c.open[clock]--; c.open[clock] == 0 {
		delete(c.open, clock)
	}
	if len(c.open) == 0 {
		clear(c.dropped)
		c.pruneAt = minPruned
	}
}

// remember records a drop for the open fills.
func (c *Cache) remember(part dependency.PartitionRef, aspects dependency.Facets) {
	at := c.dropped[part]
	for i := range at {
		if aspects&(1<<i) != 0 {
			at[i] = c.clock
		}
	}
	c.dropped[part] = at
	if len(c.dropped) > c.pruneAt {
		c.prune()
	}
}

// prune removes the drops from before the oldest open fill. It runs again when dropped has grown to
// twice what is left, so that a drop costs constant time on average.
func (c *Cache) prune() {
	oldest := c.clock
	for clock := range c.open {
		oldest = min(oldest, clock)
	}
	for part, at := range c.dropped {
		if slices.Max(at[:]) <= oldest {
			delete(c.dropped, part)
		}
	}
	c.pruneAt = max(minPruned, 2*len(c.dropped))
}

// put keeps what was made of parts that were read since begin. It reports false when one of
// them was dropped meanwhile: then it may be of before the change.
func (c *Cache) put(k *entry, clock uint64) bool {
	k.expires = time.Now().Add(cmp.Or(k.life, life(k.parts))).UnixNano()
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.end(clock)
	if c.overtaken(k.parts, clock) {
		return false
	}
	for part, aspects := range k.parts {
		if c.users[part] == nil {
			c.users[part] = make(map[*entry]dependency.Facets, 1)
		}
		c.users[part][k] = aspects
	}
	c.kept.Set(k.key, k)
	return true
}

// life is how long what is made of those parts is kept at most.
func life(parts map[dependency.PartitionRef]dependency.Facets) time.Duration {
	if len(parts) == 0 {
		return keptBriefly
	}
	for part := range parts {
		if !followed[part.Container] || part.Key == "" {
			return keptBriefly
		}
	}
	return keptFor
}

func (c *Cache) overtaken(parts map[dependency.PartitionRef]dependency.Facets, clock uint64) bool {
	if c.cleared > clock {
		return true
	}
	for part, aspects := range parts {
		for i, at := range c.dropped[part] {
			if at > clock && aspects&(1<<i) != 0 {
				return true
			}
		}
	}
	return false
}

// Drop drops what is made of those aspects of a part.
func (c *Cache) Drop(part dependency.PartitionRef, aspects dependency.Facets) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clock++
	if len(c.open) > 0 {
		c.remember(part, aspects)
	}
	for k, of := range c.users[part] {
		if of&aspects != 0 {
			c.unlink(k)
			c.kept.Invalidate(k.key)
		}
	}
}

// Clear drops everything.
func (c *Cache) Clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.clock++
	c.cleared = c.clock
	clear(c.users)
	c.kept.InvalidateAll()
}

// forget is told of everything that is no longer kept.
func (c *Cache) forget(k *entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.unlink(k)
}

func (c *Cache) unlink(k *entry) {
	for part := range k.parts {
		delete(c.users[part], k)
		if len(c.users[part]) == 0 {
			delete(c.users, part)
		}
	}
}
