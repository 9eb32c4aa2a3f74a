package response

import (
	"net/http"
	"strings"

	"github.com/klauspost/compress/gzhttp"

	"inkfeed/static"
)

const (
	// MinCompressed is what fits into one packet anyhow, in bytes.
	MinCompressed = 1024
	// maxJitter hides, in bytes, how well a page was compressed: somebody who may put
	// words into it would otherwise learn what else it says.
	maxJitter = 32
	// encodedTag ends the entity tag of an answer that was compressed here; the
	// library adds the name of the encoding.
	encodedTag = "-z"
)

// Compress serves pages in the encoding that a browser takes. Images are left as they
// are, and so is what comes with encodings of its own.
func Compress(next http.Handler) (http.Handler, error) {
	wrap, err := gzhttp.NewWrapper(gzhttp.MinSize(MinCompressed), gzhttp.SuffixETag(encodedTag),
		gzhttp.RandomJitter(maxJitter, 0, false), gzhttp.ContentTypeFilter(func(kind string) bool {
			return gzhttp.DefaultContentTypeFilter(kind) && (!strings.HasPrefix(kind, "image/") ||
				strings.HasPrefix(kind, "image/svg"))
		}))
	if err != nil {
		return nil, err
	}
	pages := wrap(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if tag := r.Header.Get("If-None-Match"); strings.Contains(tag, encodedTag) {
			r.Header.Set("If-None-Match", plainTags.Replace(tag))
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

// plainTags gives back the tags that the handlers know.
var plainTags = strings.NewReplacer(encodedTag+`-gzip"`, `"`, encodedTag+`-zstd"`, `"`)
