package pagecache

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/dependency"
	"inkfeed/web/site/client"
)

type readsKeptKey struct{}

// readsKept tells whether what is read under the context may come from the cache.
func readsKept(ctx context.Context) bool { return ctx.Value(readsKeptKey{}) != nil }

// ReadThrough lets handlers read through the cache. A request that changes something bypasses the
// cache, and so does a browser that has just changed something: see recentWrites.
func ReadThrough(cache *Cache, writes recentWrites) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			r := c.Request()
			if cache == nil {
				return next(c)
			}
			if r.Method != http.MethodGet && r.Method != http.MethodHead {
				c.Response().Before(func() { writes.mark(c) })
				return next(c)
			}
			if cache.trusted(time.Now()) && !asksAnew(r.Context()) && !writes.bypassCache(r, client.Of(r)) {
				c.SetRequest(r.WithContext(context.WithValue(r.Context(), readsKeptKey{}, true)))
			}
			return next(c)
		}
	}
}

// queryResult is what was read, or that there is no such thing.
type queryResult[T any] struct {
	value T
	err   error
}

// Read reads through the cache what a name stands for, of which only those aspects matter. The
// weight of what was read is that of its texts.
func Read[T any](ctx context.Context, c *Cache, name string, aspects dependency.Facets, weight func(T) int,
	load func(context.Context) (T, error)) (T, error) {
	if !readsKept(ctx) {
		return load(dependency.WithFacets(ctx, aspects))
	}
	key := cacheKey{kind: queryEntry, name: name}
	k, ok := c.get(key, time.Now())
	if !ok {
		k = c.fill(key, func() (*entry, bool) {
			// However many wait, and whoever of them goes away, it is read once.
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), fillTime)
			defer cancel()
			var parts dependency.Recorder
			var r queryResult[T]
			r.value, r.err = load(dependency.WithFacets(dependency.WithRecorder(ctx, &parts), aspects))
			made := &entry{value: r, weight: uint32(EntryOverhead + weight(r.value)), parts: parts.Recorded(),
				again: rereading(load)}
			return made, r.err == nil || domain.Is(r.err, domain.NotFound)
		}).entry
	}
	for part, of := range k.parts {
		dependency.Record(ctx, part, of)
	}
	r := k.value.(queryResult[T])
	return r.value, r.err
}

// ReadList is read for lists, of which each reader gets one of their own.
func ReadList[T any](ctx context.Context, c *Cache, name string, aspects dependency.Facets, weight func(T) int,
	load func(context.Context) (domain.Page[T], error)) (domain.Page[T], error) {
	page, err := Read(ctx, c, name, aspects, func(p domain.Page[T]) int { return WeighAll(p.Items, weight) }, load)
	page.Items = slices.Clone(page.Items)
	return page, err
}

func WeighAll[T any](items []T, weight func(T) int) (all int) {
	for _, item := range items {
		all += weight(item)
	}
	return all
}

// What lists and pages show: of the one they care for what is said and counted, of the other
// also for who says it.
const (
	AspectsOfLists = dependency.FacetTexts | dependency.FacetCounts
	AspectsOfUsers = dependency.FacetAccount
)
