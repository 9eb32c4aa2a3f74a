package response

import (
	"net/http"
	"strings"
	"time"
)

// NotModified reports whether the client's copy is current. It compares the Etag or, if the request
// has none, the time of the last change; a zero time matches nothing. An earlier time does not match either, because
// the newest text of a feed may have been deleted since.
func NotModified(r *http.Request, tag string, changed time.Time) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	if header := strings.Join(r.Header["If-None-Match"], ","); header != "" {
		for candidate := range strings.SplitSeq(header, ",") {
			if c := strings.TrimPrefix(strings.TrimSpace(candidate), "W/"); c == tag || c == "*" {
				return true
			}
		}
		return false
	}
	if changed.IsZero() {
		return false
	}
	since, err := http.ParseTime(r.Header.Get("If-Modified-Since"))
	return err == nil && changed.Truncate(time.Second).Equal(since)
}
