package pagecache

import (
	"context"
	"crypto/rand"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"inkfeed/web/site"
	"inkfeed/web/site/remote"
	"inkfeed/web/site/session"
	"inkfeed/web/site/tracing"
)

// Middleware serves cached responses to anonymous visitors before routing.
type Middleware struct {
	cache      *Cache
	url        string         // the site's address, without a trailing slash; empty: taken from each request
	proxies    remote.Proxies // which senders of X-Forwarded headers are trusted
	strict     string         // the value of Strict-Transport-Security; empty: none
	logger     *slog.Logger
	site       *site.Site
	writes     RecentWrites
	plain      http.Handler // the router without compression of responses
	compressed http.Handler // the router with compression of responses
	encoders   *encoders
	buffers    *sync.Pool // of *shellBuffers
}

// Options are what a Middleware needs besides its cache.
type Options struct {
	Site    *site.Site
	Writes  RecentWrites
	Proxies remote.Proxies
	// StrictTransport is the value of Strict-Transport-Security; empty: none.
	StrictTransport string
	// Plain and Compressed are the router without and with compression of its responses. They may get their routes
	// later, but before the first request.
	Plain, Compressed http.Handler
}

// NewMiddleware returns a Middleware for the cache, which must not be nil.
func NewMiddleware(cache *Cache, o Options) *Middleware {
	p := &Middleware{cache: cache, url: o.Site.URL, proxies: o.Proxies, strict: o.StrictTransport,
		logger: o.Site.Logger, site: o.Site, writes: o.Writes, plain: o.Plain, compressed: o.Compressed,
		encoders: newEncoders(), buffers: newShellBuffers()}
	cache.middleware = p
	return p
}

// ServeHTTP answers from the cache, fills the cache, or passes the request to the router. The
// header Cache-Status tells which.
func (p *Middleware) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !p.mayBeCached(r) {
		p.compressed.ServeHTTP(w, r)
		return
	}
	now := time.Now()
	userID, secret := p.parseSession(r)
	trusted, why := p.cache.isTrusted(now), ""
	switch {
	case userID != "":
		why = "personal"
		if trusted && p.serveMember(w, r, userID, secret) {
			p.cache.results.WithLabelValues(why).Inc()
			return
		}
	case p.bypasses(r):
		why = "personal"
		r = r.WithContext(context.WithValue(r.Context(), bypassKey{}, true))
	case isFragmentRequest(r):
		why = "fragment"
	}
	if why != "" {
		if !trusted {
			why = "behind"
		}
		p.cache.results.WithLabelValues(why).Inc()
		w.Header().Set("Cache-Status", bypassStatus+why)
		p.compressed.ServeHTTP(w, r)
		return
	}
	key := p.key(pageEntry, r, "")
	if !trusted { // simultaneous requests share one rendering all the same, because the storage may be overloaded
		p.cache.results.WithLabelValues("behind").Inc()
		p.serveMiss(w, r, key, now, false)
		return
	}
	if e, ok := p.cache.get(key, now); ok {
		p.cache.hits.Inc()
		p.cache.hitCount.Add(1)
		p.serveHit(w, r, e.value.(*preparedResponse), now)
		return
	}
	p.cache.results.WithLabelValues("miss").Inc()
	p.cache.misses.Add(1)
	p.serveMiss(w, r, key, now, true)
}

// mayBeCached reports whether the address of a request can be that of a page that is the same for
// all anonymous visitors. The handler of the page decides whether it is.
func (p *Middleware) mayBeCached(r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	if !strings.HasPrefix(r.RequestURI, "/") { // a request to a proxy names a host there
		return false
	}
	return isPlain(r.URL) && len(r.RequestURI) < 1024 && p.site.MayBeShared(r.URL.Path)
}

// isPlain reports whether an address is in the form that this site's links have: an unescaped path,
// and no query but a page number. Other forms of the same address would evict useful entries.
func isPlain(u *url.URL) bool {
	if u.RawPath != "" || u.ForceQuery {
		return false
	}
	number, numbered := strings.CutPrefix(u.RawQuery, "page=")
	return u.RawQuery == "" || numbered && site.ParsePageNumber(number) > 1
}

// key returns the key of a page for viewers with this language setting, which may be empty: all properties of the
// request that its bytes depend on.
func (p *Middleware) key(kind entryKind, r *http.Request, language string) cacheKey {
	key := cacheKey{kind: kind, name: r.RequestURI}
	if !site.SameInAllLanguages(r.URL.Path) {
		key.language = p.site.LanguageFor(language, r.Header["Accept-Language"]).Code()
	}
	if p.url == "" {
		key.host, key.tls = r.Host, p.encrypted(r)
	}
	return key
}

func (p *Middleware) encrypted(r *http.Request) bool {
	if r.TLS == nil && len(r.Header["X-Forwarded-Proto"]) == 0 {
		return false
	}
	return p.proxies.Of(r).TLS
}

// parseSession returns the user and the secret of a session cookie with a valid signature, or empty strings. The
// session may have ended.
func (p *Middleware) parseSession(r *http.Request) (userID, secret string) {
	if !hasOwnCookie(r) {
		return "", ""
	}
	name := session.PlainCookie
	if p.encrypted(r) {
		name = session.SecureCookie
	}
	return p.site.Sessions.ParseCookie(r, name)
}

// bypasses reports whether the request comes from a browser that has just changed something.
func (p *Middleware) bypasses(r *http.Request) bool {
	return hasOwnCookie(r) && p.writes.bypassCache(r, p.proxies.Of(r))
}

// hasOwnCookie reports whether the request may have a cookie of this site. The names of these
// cookies all begin with session.PlainCookie. It avoids parsing the cookies of other requests.
func hasOwnCookie(r *http.Request) bool {
	return slices.ContainsFunc(r.Header["Cookie"],
		func(line string) bool { return strings.Contains(line, session.PlainCookie) })
}

func isFragmentRequest(r *http.Request) bool { return len(r.Header["Hx-Request"]) > 0 }

const (
	cacheMiss    = "Inkfeed; fwd=miss"
	cacheStored  = "Inkfeed; fwd=miss; stored"
	bypassStatus = "Inkfeed; fwd=bypass; detail="
)

var (
	hitStatus = []string{site.CacheHit}
	hitTiming = []string{`cache;desc="hit"`}
)

// serveHit answers from memory. It gives the request an id and logs it at the debug level only:
// otherwise logging would take longer than the response. Metrics count all hits.
func (p *Middleware) serveHit(w http.ResponseWriter, r *http.Request, page *preparedResponse, began time.Time) {
	h := w.Header()
	h["Cache-Status"], h["Server-Timing"] = hitStatus, hitTiming
	setRoute(w, page.route)
	ctx := r.Context()
	if !p.logger.Enabled(ctx, slog.LevelDebug) {
		p.send(w, r, page)
		return
	}
	p.setRequestID(w)
	status, written := p.send(w, r, page)
	p.logger.LogAttrs(ctx, slog.LevelDebug, "request", slog.String("method", r.Method), slog.String("cache", "hit"),
		slog.Int("status", status), slog.Duration("duration", time.Since(began)), slog.Int("bytes", written),
		slog.String("request_id", h.Get(site.RequestIDHeader)))
}

// setRequestID sets a random request id in the response's header.
func (p *Middleware) setRequestID(w http.ResponseWriter) {
	w.Header()[site.RequestIDHeader] = []string{rand.Text()[:16]}
}

func (p *Middleware) send(w http.ResponseWriter, r *http.Request, page *preparedResponse) (status, written int) {
	p.setStrictTransport(w, r)
	return page.write(w, r)
}

// setStrictTransport sets the header that makes browsers use encryption, on encrypted connections.
func (p *Middleware) setStrictTransport(w http.ResponseWriter, r *http.Request) {
	if p.strict != "" && p.encrypted(r) {
		w.Header().Set("Strict-Transport-Security", p.strict)
	}
}

// setRoute names the route of a response that is sent before routing, for traces.
func setRoute(w http.ResponseWriter, route string) {
	if traced, ok := w.(*tracing.ResponseWriter); ok {
		traced.SetRoute(route)
	}
}
