package tailer

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"github.com/prometheus/client_golang/prometheus"

	"inkfeed/domain"
	"inkfeed/domain/dependency"
)

// PageCache is what keeps pages, and drops them when what they are made of changes.
type PageCache interface {
	// Drop drops what is made of those aspects of a logical partition.
	Drop(part dependency.PartitionRef, aspects dependency.Facets)
	// Clear drops everything.
	Clear()
}

// knownCounted is of how many posts and copies a process remembers how they were, some
// hundred bytes each. Of others a changed count counts as any change.
const knownCounted = 1 << 15

// PagesMargin is how long before the present the feed is to begin that a PageDropper follows:
// the service's clock may be behind this one, and looks at the seconds.
const PagesMargin = 30 * time.Second

// PageDropper drops from a process's cache the pages of what changes in one container. Unlike
// an index it needs nothing of the past: it begins with nothing cached, and so at the present.
type PageDropper struct {
	container string
	cache     PageCache
	counted   *lru.Cache[domain.ItemRef, dependency.Counts]

	mu    sync.Mutex
	rid   string // the container's resource id
	marks map[domain.FeedRange]Mark
}

// NewPageDropper drops pages of a container of that name.
func NewPageDropper(container string, cache PageCache) *PageDropper {
	counted, err := lru.New[domain.ItemRef, dependency.Counts](knownCounted)
	if err != nil {
		panic(err) // the size is positive
	}
	return &PageDropper{container: container, cache: cache, counted: counted, marks: make(map[domain.FeedRange]Mark)}
}

// Marks is where this life of the process has come.
func (d *PageDropper) Marks(context.Context) (container string, marks []Mark, err error) {
	d.mu.Lock()
	defer d.mu.Unlock()
	for _, m := range d.marks {
		marks = append(marks, m)
	}
	return d.rid, marks, nil
}

// Begin forgets all: what changed meanwhile is not known.
func (d *PageDropper) Begin(_ context.Context, container string) error {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.rid = container
	clear(d.marks)
	d.counted.Purge()
	d.cache.Clear()
	return nil
}

// Replace keeps marks in the place of others.
func (d *PageDropper) Replace(_ context.Context, ranges []domain.FeedRange, marks []Mark) error {
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

// Follow drops the pages of what has changed.
func (d *PageDropper) Follow(_ context.Context, changes []domain.Change[dependency.Change], m Mark) error {
	for _, change := range changes {
		part := dependency.PartitionRef{Container: d.container, Key: change.Item.PartitionKey}
		if part.Key == "" { // of no shape that anybody knows
			d.cache.Clear()
			continue
		}
		d.cache.Drop(part, d.aspects(change))
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.marks[m.Range] = m
	return nil
}

// aspects are those that a change has changed, as far as that is known.
func (d *PageDropper) aspects(change domain.Change[dependency.Change]) dependency.Facets {
	aspects, counted := change.Value.Facets, change.Value.Counts
	if counted == nil {
		return aspects
	}
	before, known := d.counted.Get(change.Item)
	d.counted.Add(change.Item, *counted)
	if known && counted.OnlyCounts(before) {
		aspects &^= dependency.FacetTexts
	}
	if known && counted.OnlyLikes(before) {
		aspects &^= dependency.FacetComments
	}
	return aspects
}

// PageTailers follow all containers that pages are made of, for one cache.
type PageTailers struct {
	tailers map[string]*Tailer[dependency.Change] // by their containers
}

// NewPageTailers makes the tailers of feeds, by the names of their containers, which begin
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

// Wake makes the tailer of a container, if there is one, look for changes now.
func (p *PageTailers) Wake(container string) {
	if tailer := p.tailers[container]; tailer != nil {
		tailer.Wake()
	}
}

// Current is a time before which all changes have been followed, zero: not known.
func (p *PageTailers) Current() time.Time {
	oldest := time.Now()
	for _, tailer := range p.tailers {
		if at := tailer.Current(); at.Before(oldest) {
			oldest = at
		}
	}
	return oldest
}

// Metrics are those of the tailers.
func (p *PageTailers) Metrics() (all []prometheus.Collector) {
	for _, tailer := range p.tailers {
		all = append(all, tailer.Metrics()...)
	}
	return all
}

// All returns the tailers, by the names of their containers.
func (p *PageTailers) All() (all []*Tailer[dependency.Change]) {
	for _, container := range slices.Sorted(maps.Keys(p.tailers)) {
		all = append(all, p.tailers[container])
	}
	return all
}
