package pagecache

import (
	"slices"

	"inkfeed/cosmos/dependency"
)

// minPruned is the number of partitions in Cache.dropped below which nothing is pruned.
const minPruned = 64

// Drop drops the entries that depend on any of these facets of a partition.
func (c *Cache) Drop(partition dependency.PartitionRef, facets dependency.Facets) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dropCount++
	if len(c.openFills) > 0 {
		c.remember(partition, facets)
	}
	for e, of := range c.dependents[partition] {
		if of&facets != 0 {
			c.unlink(e)
			if invalidated, ok := c.entries.Invalidate(e.key); ok && invalidated != e { // it has replaced e just now
				c.unlink(invalidated)
			}
		}
	}
}

// DropWritten drops what a write of this process may have changed, except the entries that depend on copies of posts in
// lists. These are left to the tailers, which distinguish a new count from a new title. A new session also drops its
// user's account: the log-in has read the account past the cache, which may still hold the one from before another
// process restored it.
func (c *Cache) DropWritten(partition dependency.PartitionRef, facets dependency.Facets) {
	switch partition.Container {
	case "sessions": // its partitions are named like those of the users
		if facets != 0 {
			partition.Container, facets = "users", dependency.FacetAccount
		}
	case "users":
		facets &^= dependency.FacetTexts | dependency.FacetCounts
	case "feed", "tags":
		facets = 0
	}
	if facets != 0 {
		c.Drop(partition, facets)
	}
}

// Clear drops all entries.
func (c *Cache) Clear() {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.dropCount++
	c.clearedAtDrop = c.dropCount
	clear(c.dependents)
	c.entries.InvalidateAll()
}

// overtaken reports whether any of these facets were dropped since a fill began with this drop count.
func (c *Cache) overtaken(dependencies map[dependency.PartitionRef]dependency.Facets, began uint64) bool {
	if c.clearedAtDrop > began {
		return true
	}
	for partition, facets := range dependencies {
		for i, at := range c.dropped[partition] {
			if at > began && facets&(1<<i) != 0 {
				return true
			}
		}
	}
	return false
}

// remember records a drop for the open fills.
func (c *Cache) remember(partition dependency.PartitionRef, facets dependency.Facets) {
	at := c.dropped[partition]
	for i := range at {
		if facets&(1<<i) != 0 {
			at[i] = c.dropCount
		}
	}
	c.dropped[partition] = at
	if len(c.dropped) > c.pruneAt {
		c.prune()
	}
}

// prune removes the drops from before the oldest open fill. It runs again when dropped has grown to
// twice what is left, so that a drop costs constant time on average.
func (c *Cache) prune() {
	oldest := c.dropCount
	for began := range c.openFills {
		oldest = min(oldest, began)
	}
	for partition, at := range c.dropped {
		if slices.Max(at[:]) <= oldest {
			delete(c.dropped, partition)
		}
	}
	c.pruneAt = max(minPruned, 2*len(c.dropped))
}

// forget removes the dependencies of an entry that Otter has evicted or replaced.
func (c *Cache) forget(e *entry) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.unlink(e)
}

// unlink removes the dependencies of an entry.
func (c *Cache) unlink(e *entry) {
	for partition := range e.dependencies {
		delete(c.dependents[partition], e)
		if len(c.dependents[partition]) == 0 {
			delete(c.dependents, partition)
		}
	}
}
