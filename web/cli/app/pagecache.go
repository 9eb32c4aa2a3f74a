package app

import (
	"context"
	"log/slog"
	"time"

	"github.com/prometheus/client_golang/prometheus"

	"inkfeed/cosmos"
	"inkfeed/cosmos/dependency"
	"inkfeed/web/pagecache"
	"inkfeed/workers"
	"inkfeed/workers/loop"
	"inkfeed/workers/tailer"
)

// pageCache is the cache of responses and the tailers that invalidate it. A nil *pageCache caches nothing.
type pageCache struct {
	*pagecache.Cache
	tailers *tailer.PageTailers
}

// maxPagePoll is the longest interval between two reads of the change feeds that invalidate pages. A write by
// another instance shows here within this time plus the time of its projection.
const maxPagePoll = 600 * time.Millisecond

// pagePause is the shortest interval between two reads of a feed range in which this process writes. A burst of
// writes then invalidates the lists ten times per second and not forty times. Users do not notice this delay in lists.
// Entries that depend on a write in other ways are dropped before the write is answered.
const pagePause = 100 * time.Millisecond

// pageAnswerTimeout limits a read of a feed range. The cache serves no entries until a read succeeds. Without the
// limit, a hanging read would delay that long after the storage has recovered.
const pageAnswerTimeout = 3 * time.Second

func newPageCache(
	bytes int64, store *cosmos.Store, poll time.Duration, activity *loop.Activity, registry *prometheus.Registry,
	logger *slog.Logger,
) *pageCache {
	if bytes == 0 {
		return nil
	}
	cache := pagecache.NewCache(bytes)
	tailers := tailer.NewPageTailers(store.PartitionChanges(time.Now().Add(-tailer.PagesMargin)), cache,
		tailer.Options{PollInterval: min(poll, maxPagePoll), Pause: pagePause, MaxBackoff: time.Second,
			AnswerTimeout: pageAnswerTimeout, Activity: activity, Logger: logger})
	cache.Follow(tailers.Current)
	registry.MustRegister(append(tailers.Metrics(), cache)...)
	return &pageCache{cache, tailers}
}

// cache returns the cache for the site, or nil if pages are not cached.
func (p *pageCache) cache() *pagecache.Cache {
	if p == nil {
		return nil
	}
	return p.Cache
}

// run follows the writes of other processes until the context ends.
func (p *pageCache) run(ctx context.Context) {
	if p != nil {
		p.tailers.Run(ctx)
	}
}

// catchUp waits until the cache knows the writes of other processes up to now, or the context ends.
func (p *pageCache) catchUp(ctx context.Context) {
	if p != nil {
		p.tailers.CatchUp(ctx)
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

// clear removes all entries.
func (p *pageCache) clear() {
	if p != nil {
		p.Clear()
	}
}

// wrote removes the entries that depend on a write of this process, before the write is answered, and wakes the tailers
// for the rest.
func (p *pageCache) wrote(part dependency.PartitionRef, facets dependency.Facets) {
	if p == nil {
		return
	}
	p.DropWritten(part, facets)
	p.tailers.Wake(part.Container)
}
