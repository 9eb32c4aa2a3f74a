package pagecache

import (
	"slices"

	"inkfeed/domain/dependency"
)

// minPruned is the number of partitions in Cache.dropped below which nothing is pruned.
const minPruned = 64

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
			if invalidated, ok := c.entries.Invalidate(k.key); ok && invalidated != k { // it has replaced k just now
				c.unlink(invalidated)
			}
		}
	}
}

// DropWritten drops what a write of this process may have changed, except the entries that depend on copies of posts in
// lists. These are left to the tailers, which distinguish a new count from a new title. A new session also drops its
// user's account: the log-in has read the account past the cache, which may still hold the one from before another
// process restored it.
func (c *Cache) DropWritten(part dependency.PartitionRef, facets dependency.Facets) {
	switch part.Container {
	case "sessions": // its partitions are named like those of the users
		if facets != 0 {
			part.Container, facets = "users", dependency.FacetAccount
		}
	case "users":
		facets &^= dependency.FacetTexts | dependency.FacetCounts
	case "feed", "tags":
		facets = 0
	}
	if facets != 0 {
		c.Drop(part, facets)
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

// overtaken reports whether any of these facets were dropped after clock.
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

// forget removes the dependencies of an entry that Otter has evicted or replaced.
func (c *Cache) forget(k *entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.unlink(k)
}

// unlink removes the dependencies of an entry.
func (c *Cache) unlink(k *entry) {
	for part := range k.parts {
		delete(c.dependents[part], k)
		if len(c.dependents[part]) == 0 {
			delete(c.dependents, part)
		}
	}
}
