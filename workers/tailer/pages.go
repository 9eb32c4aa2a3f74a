package tailer

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/hashicorp/golang-lru/v2/simplelru"
	"github.com/prometheus/client_golang/prometheus"

	"inkfeed/cosmos/dependency"
	"inkfeed/cosmos/feeds"
)

// PageCache stores prepared pages.
type PageCache interface {
	// Drop drops the pages that depend on these facets of a logical partition.
	Drop(part dependency.PartitionRef, facets dependency.Facets)
	// Clear drops all pages.
	Clear()
}

// knownCounted is the maximum number of posts and copies whose former counts a process remembers, at some hundred bytes
// each. A changed count of any other post is treated like any change.
const knownCounted = 1 << 15

// PagesMargin is how long before the present a feed for a PageDropper begins. The service's clock may be behind this
// one, and the feed's start has a precision of seconds.
const PagesMargin = 30 * time.Second

// PageDropper drops pages from a process's cache when items change in one container. Unlike an index it needs no past
// changes: it begins with an empty cache, and so at the present.
type PageDropper struct {
	container string
	cache     PageCache
	counted   simplelru.LRUCache[feeds.ItemRef, dependency.Counts]

	mu    sync.Mutex
	rid   string // the container's resource id
	marks map[feeds.Range]Mark
}

// NewPageDropper returns a PageDropper for the container of that name.
func NewPageDropper(container string, cache PageCache) *PageDropper {
	counted, err := lru.New[feeds.ItemRef, dependency.Counts](knownCounted)
	if err != nil {
		panic(err) // the size is positive
	}
	return &PageDropper{container: container, cache: cache, counted: counted, marks: make(map[feeds.Range]Mark)}
}

// Marks returns the marks of this process, which are in memory only.
func (d *PageDropper) Marks(context.Context) (container string, marks []Mark, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, m := range d.marks {
		marks = append(marks, m)
	}
	return d.rid, marks, nil
}

// Begin clears the cache and the marks, because changes may have been missed.
func (d *PageDropper) Begin(_ context.Context, container string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.rid = container
	clear(d.marks)
	d.counted.Purge()
	d.cache.Clear()
	return nil
}

// Replace replaces the marks of ranges that were split.
func (d *PageDropper) Replace(_ context.Context, ranges []feeds.Range, marks []Mark) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, r := range ranges {
		delete(d.marks, r)
	}
	for _, m := range marks {
		d.marks[m.Range] = m
	}
	return nil
}

// Follow drops the pages that depend on changed items.
func (d *PageDropper) Follow(_ context.Context, changes []feeds.Change[dependency.Change], m Mark) error {
	for _, change := range changes {
		part := dependency.PartitionRef{Container: d.container, Key: change.Item.PartitionKey}
		if part.Key == "" { // an item of unknown shape
			d.cache.Clear()
			continue
		}
		d.cache.Drop(part, d.facets(change))
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.marks[m.Range] = m
	return nil
}

// facets returns the facets of a partition that a change may have changed.
func (d *PageDropper) facets(change feeds.Change[dependency.Change]) dependency.Facets {
	facets, counted := change.Value.Facets, change.Value.Counts
	if counted == nil {
		return facets
	}
	before, known := d.counted.Get(change.Item)
	d.counted.Add(change.Item, *counted)
	if known && counted.OnlyCounts(before) {
		facets &^= dependency.FacetTexts
	}
	if known && counted.OnlyLikes(before) {
		facets &^= dependency.FacetComments
	}
	return facets
}

// PageTailers holds the tailers of one page cache: one for each container that pages depend on.
type PageTailers struct {
	tailers map[string]*Tailer[dependency.Change] // by container
}

// NewPageTailers returns tailers of feeds, which are given by the names of their containers. Each feed must begin
// PagesMargin before the present.
func NewPageTailers[F Feed[dependency.Change]](feeds map[string]F, cache PageCache, o Options) *PageTailers {
	p := &PageTailers{make(map[string]*Tailer[dependency.Change], len(feeds))}
	for container, feed := range feeds {
		p.tailers[container] = New("pages-"+container, feed, NewPageDropper(container, cache), o)
	}
	return p
}

// Run follows the feeds until the context ends.
func (p *PageTailers) Run(ctx context.Context) {
	var running sync.WaitGroup
	for _, tailer := range p.tailers {
		running.Go(func() { tailer.Run(ctx) })
	}
	running.Wait()
}

// Wake makes the tailer of a container look for changes now, if there is one.
func (p *PageTailers) Wake(container string) {
	if tailer := p.tailers[container]; tailer != nil {
		tailer.Wake()
	}
}

// CatchUp calls CatchUp of all tailers at the same time.
func (p *PageTailers) CatchUp(ctx context.Context) {
	var all sync.WaitGroup
	for _, tailer := range p.tailers {
		all.Go(func() { tailer.CatchUp(ctx) })
	}
	all.Wait()
}

// Current returns a time before which all changes have been applied. It is zero if that is not known.
func (p *PageTailers) Current() time.Time {
	oldest := time.Now()
	for _, tailer := range p.tailers {
		if at := tailer.Current(); at.Before(oldest) {
			oldest = at
		}
	}
	return oldest
}

// Metrics returns the metrics of the tailers.
func (p *PageTailers) Metrics() (all []prometheus.Collector) {
	for _, tailer := range p.tailers {
		all = append(all, tailer.Metrics()...)
	}
	return all
}

// All returns the tailers, sorted by the names of their containers.
func (p *PageTailers) All() (all []*Tailer[dependency.Change]) {
	for _, container := range slices.Sorted(maps.Keys(p.tailers)) {
		all = append(all, p.tailers[container])
	}
	return all
}
