package pagecache

import (
	"cmp"
	"fmt"
	"slices"
	"time"

	"inkfeed/domain/dependency"
)

// fillResult is the outcome of a fill.
type fillResult struct {
	*entry
	began     uint64 // the clock when the fill began
	stored    bool
	overtaken bool // not stored, because one of its parts changed during the fill
}

// fill calls read and stores the entry if read asks for that. Concurrent calls for the same key
// share one read. A caller never gets the result of a read that began before the call, unless no
// drop happened in between or the entry is still stored: the result may be older than a change that
// the caller knows of.
func (c *Cache) fill(key cacheKey, read func() (made *entry, keep bool)) fillResult {
	asked := c.drops()
	for {
		own := false
		result, _, _ := c.fills.Do(fmt.Sprint(key), func() (any, error) {
			own = true
			return c.fillOnce(key, read), nil
		})
		f := result.(fillResult)
		if own || f.began >= asked {
			return f
		}
		if k, ok := c.get(key, time.Now()); ok && k == f.entry {
			return f
		}
	}
}

func (c *Cache) fillOnce(key cacheKey, read func() (made *entry, keep bool)) fillResult {
	f, keep := fillResult{began: c.begin()}, false
	defer func() {
		if !keep { // also after a panic in read
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

// begin opens a fill and returns the clock. It is called before anything is read for the fill, and
// is followed by one put or abandon with that clock.
func (c *Cache) begin() (clock uint64) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.openFills[c.clock]++
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
	if c.openFills[clock]--; c.openFills[clock] == 0 {
		delete(c.openFills, clock)
	}
	if len(c.openFills) == 0 {
		clear(c.dropped)
		c.pruneAt = minPruned
	}
}

// remember records a drop for the open fills.
func (c *Cache) remember(part dependency.PartitionRef, facets dependency.Facets) {
	at := c.dropped[part]
	for i := range at {
		if facets&(1<<i) != 0 {
			at[i] = c.clock
		}
	}
	c.dropped[part] = at
	if len(c.dropped) > c.pruneAt {
		c.prune()
	}
}

// minPruned is the number of partitions in Cache.dropped below which nothing is pruned.
const minPruned = 64

// prune removes the drops from before the oldest open fill. It runs again when dropped has grown to
// twice what is left, so that a drop costs constant time on average.
func (c *Cache) prune() {
	oldest := c.clock
	for clock := range c.openFills {
		oldest = min(oldest, clock)
	}
	for part, at := range c.dropped {
		if slices.Max(at[:]) <= oldest {
			delete(c.dropped, part)
		}
	}
	c.pruneAt = max(minPruned, 2*len(c.dropped))
}

// put stores an entry whose parts were read since begin returned clock. It reports false, and
// stores nothing, if one of the parts was dropped in the meantime: the entry may be older than the
// change.
func (c *Cache) put(k *entry, clock uint64) bool {
	k.expires = time.Now().Add(cmp.Or(k.maxAge, maxAgeFor(k.parts))).UnixNano()
	c.mu.Lock()
	defer c.mu.Unlock()
	defer c.end(clock)
	if c.overtaken(k.parts, clock) {
		return false
	}
	for part, facets := range k.parts {
		if c.dependents[part] == nil {
			c.dependents[part] = make(map[*entry]dependency.Facets, 1)
		}
		c.dependents[part][k] = facets
	}
	c.entries.Set(k.key, k)
	return true
}

func (c *Cache) overtaken(parts map[dependency.PartitionRef]dependency.Facets, clock uint64) bool {
	if c.clearedAt > clock {
		return true
	}
	for part, facets := range parts {
		for i, at := range c.dropped[part] {
			if at > clock && facets&(1<<i) != 0 {
				return true
			}
		}
	}
	return false
}

// drops returns the clock: the number of drops so far.
func (c *Cache) drops() uint64 {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.clock
}

// maxAgeFor returns the maximum age of an entry that depends on these parts.
func maxAgeFor(parts map[dependency.PartitionRef]dependency.Facets) time.Duration {
	if len(parts) == 0 {
		return briefEntryAge
	}
	for part := range parts {
		if !followedContainers[part.Container] || part.Key == "" {
			return briefEntryAge
		}
	}
	return maxEntryAge
}
