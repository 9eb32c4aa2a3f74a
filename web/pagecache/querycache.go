package pagecache

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/cosmos/dependency"
	"inkfeed/cosmos/operations"
	"inkfeed/domain"
	"inkfeed/web/site/remote"
)

type readsCacheKey struct{}

// Reads reports whether queries under this context may be answered from the cache.
func (p *Middleware) Reads(ctx context.Context) bool { return readsCache(ctx) }

// Bypass returns a context whose queries are not answered from the cache.
func (p *Middleware) Bypass(ctx context.Context) context.Context {
	return context.WithValue(ctx, readsCacheKey{}, nil)
}

// withCacheReads returns a context whose queries may be answered from the cache.
func withCacheReads(ctx context.Context) context.Context {
	return context.WithValue(ctx, readsCacheKey{}, true)
}

// withOnlyCacheReads returns a context whose queries are answered from the cache, or fail with errNotCached.
func withOnlyCacheReads(ctx context.Context) context.Context {
	return context.WithValue(ctx, readsCacheKey{}, errNotCached)
}

var errNotCached = errors.New("not in the page cache")

// readsCache reports whether queries under this context may be answered from the cache.
func readsCache(ctx context.Context) bool { return ctx.Value(readsCacheKey{}) != nil }

// ReadThrough lets the queries of GET and HEAD requests read through the cache, and those of the writing routes in
// decided, by their path. Other requests that change something bypass the cache, and so does a browser that has just
// changed something; see RecentWrites. A nil cache changes nothing.
func ReadThrough(cache *Cache, writes RecentWrites, decided []string) echo.MiddlewareFunc {
	return func(next echo.HandlerFunc) echo.HandlerFunc {
		return func(c echo.Context) error {
			r := c.Request()
			if cache == nil {
				return next(c)
			}
			if r.Method != http.MethodGet && r.Method != http.MethodHead {
				c.Response().Before(func() { writes.Mark(c) })
				if !slices.Contains(decided, c.Path()) {
					return next(c)
				}
			}
			if cache.isTrusted(time.Now()) && !bypassesCache(r.Context()) && !writes.bypassCache(r, remote.Of(r)) {
				c.SetRequest(r.WithContext(withCacheReads(r.Context())))
			}
			return next(c)
		}
	}
}

// queryResult is the result of a query: a value, or a NotFound error.
type queryResult[T any] struct {
	value T
	err   error
}

// Read returns the result of the query with this name, from the cache if possible. Otherwise it
// calls load and caches the result, also a NotFound error. The result depends only on the given
// facets of the partitions that load reads. weight returns the bytes of the texts in the result.
func Read[T any](ctx context.Context, c *Cache, name string, facets dependency.Facets, weight func(T) int,
	load func(context.Context) (T, error)) (T, error) {
	var none T
	if !readsCache(ctx) {
		return load(dependency.WithFacets(ctx, facets))
	}
	key := cacheKey{kind: queryEntry, name: name}
	e, ok := c.get(key, time.Now())
	if !ok && ctx.Value(readsCacheKey{}) == errNotCached {
		return none, errNotCached
	}
	if !ok {
		made, err := c.fill(ctx, key, func() (*entry, bool) {
			// Concurrent callers share this load, so it does not end when one of them goes away.
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), fillTime)
			defer cancel()
			var recorded dependency.Recorder
			var r queryResult[T]
			r.value, r.err = load(dependency.WithFacets(dependency.WithRecorder(ctx, &recorded), facets))
			made := &entry{value: r, weight: uint32(EntryOverhead + weight(r.value)), dependencies: recorded.Recorded(),
				reload: reloader(load)}
			return made, r.err == nil || domain.Is(r.err, domain.NotFound)
		})
		if err != nil {
			return none, &domain.Error{Kind: domain.Unavailable, Err: err}
		}
		e, ok = made.entry, !made.own
	}
	if ok {
		recordHit(ctx, name, e)
	}
	for partition, of := range e.dependencies {
		dependency.Record(ctx, partition, of)
	}
	r := e.value.(queryResult[T])
	return r.value, r.err
}

// recordHit adds a result from the cache to the recording of the context, if there is one.
func recordHit(ctx context.Context, name string, e *entry) {
	recording := operations.From(ctx)
	if recording == nil {
		return
	}
	hit := operations.Operation{Text: name, Start: time.Now(), Cached: true}
	for partition := range e.dependencies {
		if hit.Partition.Container != "" && hit.Partition != partition { // of several, only the container they share
			hit.Partition.Key = ""
			if hit.Partition.Container != partition.Container {
				hit.Partition.Container = operations.Several
			}
			continue
		}
		hit.Partition = partition
	}
	recording.Add(hit)
}

// ReadList is Read for pages of lists. Each caller gets a copy of the items.
func ReadList[T any](ctx context.Context, c *Cache, name string, facets dependency.Facets, weight func(T) int,
	load func(context.Context) (domain.ListPage[T], error)) (domain.ListPage[T], error) {
	page, err := Read(ctx, c, name, facets, func(p domain.ListPage[T]) int { return WeighAll(p.Items, weight) }, load)
	page.Items = slices.Clone(page.Items)
	return page, err
}

// WeighAll returns the total weight of the items.
func WeighAll[T any](items []T, weight func(T) int) (all int) {
	for _, item := range items {
		all += weight(item)
	}
	return all
}

// Facets that common queries depend on. Lists and posts show texts and counts; the pages of a user
// also show the account.
const (
	FacetsOfLists = dependency.FacetTexts | dependency.FacetCounts
	FacetsOfUsers = dependency.FacetAccount
)
