package app

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"inkfeed/cosmos"
	"inkfeed/domain/dependency"
	"inkfeed/web"
	"inkfeed/workers"
	"inkfeed/workers/tailer"
)

// pageCache is the cache of pages with what tells it of changes; nil when pages are not kept.
type pageCache struct {
	*web.Cache
	tailers *tailer.PageTailers
}

// maxPagePoll is how often the feeds are read at least of which pages are made: what another
// instance writes shows here within that, and the time that it takes to be projected.
const maxPagePoll = 600 * time.Millisecond

// pagePause is the least time between two reads of a range in which this process writes. Whoever
// wrote is shown pages made anew for longer than that; for others a tenth of a second is at
// once, and a burst of writes drops the pages that show it ten times a second, not forty.
const pagePause = 100 * time.Millisecond

func newPageCache(bytes int64, store *cosmos.Store, poll time.Duration, registry *prometheus.Registry, logger *slog.Logger) *pageCache {
	if bytes == 0 {
		return nil
	}
	cache := web.NewCache(bytes)
	tailers := tailer.NewPageTailers(store.PartChanges(time.Now().Add(-tailer.PagesMargin)), cache,
		tailer.Options{PollInterval: min(poll, maxPagePoll), Pause: pagePause, Logger: logger})
	cache.Follow(tailers.Current)
	registry.MustRegister(append(tailers.Metrics(), cache)...)
	return &pageCache{cache, tailers}
}

// cache is what the site keeps pages in, or nil.
func (p *pageCache) cache() *web.Cache {
	if p == nil {
		return nil
	}
	return p.Cache
}

// run follows what others write until the context ends.
func (p *pageCache) run(ctx context.Context) {
	if p != nil {
		p.tailers.Run(ctx)
	}
}

// statuses returns the statuses of the tailers, if there are any.
func (p *pageCache) statuses() []workers.TailerStatus {
	if p == nil {
		return nil
	}
	var all []workers.TailerStatus
	for _, t := range p.tailers.All() {
		all = append(all, t)
	}
	return all
}

// clear drops everything.
func (p *pageCache) clear() {
	if p != nil {
		p.Clear()
	}
}

// wrote drops what this process has changed, before it says that it has. The copies of posts in
// lists are left to the tailers, which can tell a new count from a new title, and look at once.
func (p *pageCache) wrote(part dependency.PartitionRef, aspects dependency.Facets) {
	if p == nil {
		return
	}
	switch part.Container {
	case "users":
		aspects &= dependency.FacetAccount | dependency.FacetReactions
	case "feed", "tags":
		aspects = 0
	}
	if aspects != 0 {
		p.Drop(part, aspects)
	}
	p.tailers.Wake(part.Container)
}
