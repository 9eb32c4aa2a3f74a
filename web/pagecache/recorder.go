package pagecache

import (
	"bytes"
	"net/http"

	"inkfeed/web/site"
)

// responseRecorder is an http.ResponseWriter that stores the response in memory.
type responseRecorder struct {
	header http.Header
	status int
	wrote  bool
	body   bytes.Buffer
	site.Cacheability
}

func (a *responseRecorder) Header() http.Header { return a.header }

func (a *responseRecorder) WriteHeader(status int) {
	if !a.wrote {
		a.status, a.wrote = status, true
	}
}

func (a *responseRecorder) Write(b []byte) (int, error) {
	a.wrote = true
	return a.body.Write(b)
}

// isCacheable reports whether other visitors may get the same response later.
func (a *responseRecorder) isCacheable() bool {
	return a.Shared && !a.Incomplete && !a.isPersonal() && isCacheableStatus(a.status)
}

// isPersonal reports whether the response is for the requesting visitor alone.
func (a *responseRecorder) isPersonal() bool { return len(a.header["Set-Cookie"]) > 0 }

// isCacheableStatus reports whether responses with this status are cached: pages, permanent
// redirects, and missing or deleted pages.
func isCacheableStatus(status int) bool {
	switch status {
	case http.StatusOK, http.StatusMovedPermanently, http.StatusNotFound, http.StatusGone:
		return true
	}
	return false
}
