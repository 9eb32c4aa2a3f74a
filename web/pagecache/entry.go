package pagecache

import (
	"context"
	"crypto/tls"
	"net/http"
	"net/url"
	"sync/atomic"
	"time"

	"inkfeed/cosmos/dependency"
)

// followedContainers are the containers whose changes by other processes reach the cache.
var followedContainers = map[string]bool{"users": true, "posts": true, "feed": true, "tags": true}

// cacheKey identifies an entry.
type cacheKey struct {
	kind entryKind
	tls  bool   // whether the request was encrypted; only for pages of a site without a configured address
	host string // the requested host; likewise
	name string // the request target, or the name of a query
	// language is the code of the language of a page. Feeds and sitemaps have none: see site.SameInAllLanguages.
	language string
	viewer   string // the user whose own shell it is; empty for what several visitors share
}

// request returns a GET request that contains only what is in the key. So the response can depend
// on nothing else, whichever visitor caused it.
func (key cacheKey) request(ctx context.Context) *http.Request {
	r := &http.Request{Method: http.MethodGet, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: make(http.Header), Body: http.NoBody, Host: key.host, RequestURI: key.name}
	if key.language != "" {
		r.Header.Set("Accept-Language", key.language)
	}
	if key.tls {
		r.TLS = new(tls.ConnectionState)
	}
	var err error
	if r.URL, err = url.ParseRequestURI(key.name); err != nil {
		r.URL = &url.URL{Path: "/"} // unreachable: the key was made from a parsed address
	}
	return r.WithContext(ctx)
}

type entryKind uint8

const (
	pageEntry  entryKind = iota
	shellEntry           // a page with gaps; see shell.go
	queryEntry
)

// entry is one cached item. It does not change, except for lastUseReport.
type entry struct {
	key           cacheKey
	value         any // *preparedResponse, *pageShell or queryResult[T]
	weight        uint32
	expires       int64 // see Cache.nanoseconds
	dependencies  map[dependency.PartitionRef]dependency.Facets
	maxAge        time.Duration                      // 0: as its dependencies allow; see maxAgeFor
	reload        func(context.Context) (any, error) // runs the query again; for query results only
	lastUseReport atomic.Int64                       // see Cache.nanoseconds and useReportInterval
}

// maxAgeFor returns the maximum age of an entry that depends on these dependencies.
func maxAgeFor(dependencies map[dependency.PartitionRef]dependency.Facets) time.Duration {
	if len(dependencies) == 0 {
		return briefEntryAge
	}
	for partition := range dependencies {
		if !followedContainers[partition.Container] || partition.Key == "" {
			return briefEntryAge
		}
	}
	return maxEntryAge
}
