package response

import (
	"net/http"
	"strings"
)

// NotModified reports whether the client's copy is current: whether the request has this Etag. It ignores
// If-Modified-Since, because no page has a time of its last change.
func NotModified(r *http.Request, tag string) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	for candidate := range strings.SplitSeq(strings.Join(r.Header["If-None-Match"], ","), ",") {
		if c := strings.TrimPrefix(strings.TrimSpace(candidate), "W/"); c == tag || c == "*" {
			return true
		}
	}
	return false
}
