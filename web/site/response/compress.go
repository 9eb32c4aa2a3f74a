// Package response compresses responses and handles headers of conditional requests and strict
// transport security.
package response

import (
	"net/http"
	"strings"

	"github.com/klauspost/compress/gzhttp"

	"inkfeed/static"
)

const (
	// MinCompressed is the size in bytes from which a response is compressed. Smaller ones fit into
	// one packet anyway.
	MinCompressed = 1024
	// maxJitter is the most random padding of a compressed response, in bytes. It hides how well
	// the page was compressed. Otherwise an attacker who can add text to a page could find out what
	// else it contains.
	maxJitter = 32
	// tagSuffix marks the Etag of a response that was compressed here. The library appends the name
	// of the coding.
	tagSuffix = "-z"
)

// Compress returns a handler that compresses the responses of next in a coding that the client
// accepts. It does not compress images, or static files, which have encoded variants.
func Compress(next http.Handler) (http.Handler, error) {
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(MinCompressed), gzhttp.SuffixETag(tagSuffix),
		gzhttp.RandomJitter(maxJitter, 0, false), gzhttp.ContentTypeFilter(func(kind string) bool {
			return gzhttp.DefaultContentTypeFilter(kind) && (!strings.HasPrefix(kind, "image/") ||
				strings.HasPrefix(kind, "image/svg"))
		}))
	if err != nil {
		return nil, err
	}
	pages := wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if tag := r.Header.Get("If-None-Match"); strings.Contains(tag, tagSuffix) {
			r.Header.Set("If-None-Match", tagCleaner.Replace(tag))
		}
		next.ServeHTTP(w, r)
	}))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if strings.HasPrefix(r.URL.Path, static.Prefix) {
			next.ServeHTTP(w, r)
			return
		}
		pages.ServeHTTP(w, r)
	}), nil
}

// tagCleaner restores the tags that the handlers set.
var tagCleaner = strings.NewReplacer(tagSuffix+`-gzip"`, `"`, tagSuffix+`-zstd"`, `"`)
