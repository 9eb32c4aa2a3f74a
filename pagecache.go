package main

import (
	"flag"
	"fmt"
	"log/slog"
	"strconv"
	"time"

	"inkfeed/cosmos"
	"inkfeed/domain"
	"inkfeed/web"
	"inkfeed/workers"
)

// pageCache is the cache of pages with what tells it of changes. Its Cache is nil when pages
// are not kept.
type pageCache struct {
	*web.Cache
	followers map[string]*workers.Tailer[domain.PartChange] // by their containers
}

func newPageCache(bytes int64) pageCache {
	if bytes == 0 {
		return pageCache{}
	}
	return pageCache{web.NewCache(bytes), make(map[string]*workers.Tailer[domain.PartChange])}
}

// maxPagePoll is how often the feeds are read at least of which pages are made: what another
// instance writes shows here within that, and the time that it takes to be projected.
const maxPagePoll = 400 * time.Millisecond

// pagePause is the least time between two reads of a range in which this process writes.
const pagePause = 25 * time.Millisecond

// tailers make what follows the containers that pages are made of, from now on.
func (p pageCache) tailers(store *cosmos.Store, poll time.Duration, logger *slog.Logger) map[string]*workers.Tailer[domain.PartChange] {
	if p.Cache == nil {
		return nil
	}
	since := time.Now().Add(-workers.PagesMargin)
	for container, feed := range store.PartChanges() {
		p.followers[container] = workers.NewTailer("pages-"+container, feed.Since(since), workers.NewPageDropper(container, p.Cache),
			workers.TailerOptions{PollInterval: min(poll, maxPagePoll), Pause: pagePause, Logger: logger})
	}
	p.Follow(func() time.Time {
		oldest := time.Now()
		for _, tailer := range p.followers {
			if at := tailer.Current(); at.Before(oldest) {
				oldest = at
			}
		}
		return oldest
	})
	return p.followers
}

// wrote drops what this process has changed, before it says that it has. The copies of posts in
// lists are left to the tailer, which can tell a new count from a new title, and looks at once.
func (p pageCache) wrote(part domain.Part, aspects domain.Aspects) {
	if p.Cache == nil {
		return
	}
	switch part.Container {
	case "users":
		aspects &= domain.AspectAccount | domain.AspectMarks
	case "feed", "tags":
		aspects = 0
	}
	if aspects != 0 {
		p.Drop(part, aspects)
	}
	if tailer := p.followers[part.Container]; tailer != nil {
		tailer.Wake()
	}
}

// maxCache is, in megabytes, more memory than any machine has.
const maxCache = 1 << 20

// obeyCache registers how much memory pages are kept in.
func (c *config) obeyCache(flags *flag.FlagSet, bytes *int64) {
	text := flags.String("cache-mb", c.or("INKFEED_CACHE_MB", "64"), "keep pages ready in so many `megabytes`, until what they show changes; 0: make each anew (INKFEED_CACHE_MB)")
	c.checking(func() error {
		n, err := strconv.ParseInt(*text, 10, 64)
		if err != nil || n < 0 || n > maxCache {
			return fmt.Errorf("--cache-mb or INKFEED_CACHE_MB: %q is no number of megabytes", *text)
		}
		*bytes = n << 20
		return nil
	})
}
