package pagecache

import (
	"net/http"
	"net/url"
	"strings"

	"inkfeed/web/site"
)

// mayBeCached reports whether the address of a request can be that of a page that is the same for
// all anonymous visitors. The handler of the page decides whether it is.
func mayBeCached(r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	path := r.URL.Path
	if !strings.HasPrefix(r.RequestURI, "/") { // a request to a proxy names a host there
		return false
	}
	if path != "/" && path != site.SitemapPath && !strings.HasPrefix(path, "/sitemap-") &&
		!strings.HasPrefix(path, "/posts/") &&
		!strings.HasPrefix(path, "/@") &&
		!strings.HasPrefix(path, "/tags/") &&
		!strings.HasPrefix(path, "/feed") {
		return false
	}
	return isPlain(r.URL) && len(r.RequestURI) < 1024
}

// isPlain reports whether an address is in the form that this site's links have: an unescaped path,
// and no query but a page number. Other forms of the same address would evict useful entries.
func isPlain(u *url.URL) bool {
	if u.RawPath != "" || u.ForceQuery {
		return false
	}
	number, numbered := strings.CutPrefix(u.RawQuery, "page=")
	return u.RawQuery == "" || numbered && site.PageOf(number) > 1
}

// isCacheableStatus reports whether responses with this status are cached: pages, permanent
// redirects, and missing or deleted pages.
func isCacheableStatus(status int) bool {
	switch status {
	case http.StatusOK, http.StatusMovedPermanently, http.StatusNotFound, http.StatusGone:
		return true
	}
	return false
}

// isCacheable reports whether other visitors may get the same response later.
func (a *responseRecorder) isCacheable() bool {
	return a.Shared && !a.Incomplete && !a.isPersonal() && isCacheableStatus(a.status)
}

// isPersonal reports whether the response is for the requesting visitor alone.
func (a *responseRecorder) isPersonal() bool { return len(a.header["Set-Cookie"]) > 0 }

// sharedCacheControl lets a proxy answer for the site for one second, which is about as long as
// this cache takes to receive a change. A browser revalidates each time and mostly gets status 304.
// A user who has written something has a cookie, and so gets no response from a proxy.
const sharedCacheControl = "public, max-age=0, s-maxage=1, must-revalidate"

// setSharedHeader adds the header that tells proxies when they may share the response.
func (p *Middleware) setSharedHeader(h http.Header) {
	h.Set("Vary", strings.Join(append(h.Values("Vary"), "Accept-Encoding", "Cookie"), ", "))
	// the page does not depend on the request's host
	if p.url != "" && h.Get("Cache-Control") == site.CachePrivate {
		h.Set("Cache-Control", sharedCacheControl)
	}
}
