package pagecache

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/tls"
	"fmt"
	"log/slog"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"inkfeed/domain/dependency"
	"inkfeed/web/site"
	"inkfeed/web/site/client"
	"inkfeed/web/site/ratelimit"
	"inkfeed/web/site/session"
)

// Middleware stands before everything else and answers from the cache what everybody gets alike.
type Middleware struct {
	cache   *Cache
	url     string         // the site's, see Config
	proxies client.Proxies // see Config
	strict  string         // Strict-Transport-Security
	logger  *slog.Logger
	// The fields sessions, writes and limiter are set with the router.
	sessions *session.Manager
	writes   recentWrites
	limiter  *ratelimit.Limiter
	answer   http.Handler // the router, whose answers are not compressed
	rest     http.Handler // the router, whose answers are
	packers  *encoders
	buffers  *sync.Pool // of *frameBuffers
}

// NewMiddleware is nil without a cache. Its handlers are still to be set.
func NewMiddleware(cache *Cache, url string, proxies client.Proxies, strictTransport string,
	logger *slog.Logger) *Middleware {
	if cache == nil {
		return nil
	}
	p := &Middleware{cache: cache, url: url, proxies: proxies, strict: strictTransport, logger: logger,
		packers: newEncoders(),
		buffers: newShellBuffers()}
	cache.pages = p
	return p
}

// Connect gives the pages what is made with the router, before the first request.
func (p *Middleware) Connect(sessions *session.Manager, writes recentWrites, l *ratelimit.Limiter) {
	p.sessions, p.writes, p.limiter = sessions, writes, l
}

// Route sets the handlers that requests are passed to: the router as it is, and the one that compresses its answers.
func (p *Middleware) Route(plain, compressed http.Handler) { p.answer, p.rest = plain, compressed }

func (p *Middleware) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if !mayBeKept(r) {
		p.rest.ServeHTTP(w, r)
		return
	}
	now := time.Now()
	why := ""
	switch {
	case !p.cache.trusted(now):
		why = "behind"
	case p.hasSession(r):
		why = "personal"
	case p.bypasses(r):
		why = "personal"
		r = r.WithContext(context.WithValue(r.Context(), anewKey{}, true))
	case isFragmentRequest(r):
		why = "fragment"
	}
	if why != "" {
		p.cache.results.WithLabelValues(why).Inc()
		w.Header().Set("Cache-Status", "Inkfeed; fwd=bypass; detail="+why)
		p.rest.ServeHTTP(w, r)
		return
	}
	key := p.key(pageEntry, r)
	if k, ok := p.cache.get(key, now); ok {
		p.cache.hits.Inc()
		p.hit(w, r, k.value.(*preparedResponse), now)
		return
	}
	p.cache.results.WithLabelValues("miss").Inc()
	if p.limiter.Allow(r.Context(), ratelimit.Read, p.proxies.Of(r).Group()) != nil {
		p.rest.ServeHTTP(w, r) // refuses the request and gives the reason
		return
	}
	p.fill(w, r, key, now)
}

// mayBeKept tells whether the cache has anything to do with a request: its address may be
// that of a page that everybody gets alike. Which of these are, their handlers say.
func mayBeKept(r *http.Request) bool {
	if r.Method != http.MethodGet && r.Method != http.MethodHead {
		return false
	}
	path := r.URL.Path
	if !strings.HasPrefix(r.RequestURI, "/") { // only what speaks to proxies names a host there
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

// isPlain tells whether an address is one that a link of ours has: its path is not written in
// another way, and of all that may be asked of a page it asks for nothing but its number. A
// page under ever other addresses would drive others out of the cache.
func isPlain(u *url.URL) bool {
	if u.RawPath != "" || u.ForceQuery {
		return false
	}
	number, numbered := strings.CutPrefix(u.RawQuery, "page=")
	return u.RawQuery == "" || numbered && site.PageOf(number) > 1
}

// key is that of a page: what its bytes depend on beside the data.
func (p *Middleware) key(kind entryKind, r *http.Request) cacheKey {
	key := cacheKey{kind: kind, name: r.RequestURI}
	if p.url == "" {
		key.host, key.tls = r.Host, p.encrypted(r)
	}
	return key
}

func (p *Middleware) encrypted(r *http.Request) bool {
	if r.TLS == nil && len(r.Header["X-Forwarded-Proto"]) == 0 {
		return false
	}
	return p.proxies.Of(r).Tls
}

// hasSession reports whether the request has a session cookie with a valid signature. The session
// may have ended.
func (p *Middleware) hasSession(r *http.Request) bool {
	if !hasOwnCookie(r) {
		return false
	}
	name := session.PlainCookie
	if p.encrypted(r) {
		name = session.SecureCookie
	}
	userID, _ := p.sessions.Claimed(r, name)
	return userID != ""
}

// bypasses reports whether the request comes from a browser that has just changed something.
func (p *Middleware) bypasses(r *http.Request) bool {
	return hasOwnCookie(r) && p.writes.bypassCache(r, p.proxies.Of(r))
}

// hasOwnCookie reports whether the request may have a cookie of this site, whose names all begin
// alike. It avoids parsing the cookies of other requests.
func hasOwnCookie(r *http.Request) bool {
	return slices.ContainsFunc(r.Header["Cookie"],
		func(line string) bool { return strings.Contains(line, session.PlainCookie) })
}

func isFragmentRequest(r *http.Request) bool { return len(r.Header["Hx-Request"]) > 0 }

const (
	cacheMiss   = "Inkfeed; fwd=miss"
	cacheStored = "Inkfeed; fwd=miss; stored"
)

var (
	hitStatus = []string{site.CacheHit}
	hitTiming = []string{`cache;desc="hit"`}
)

// hit answers from memory. It is logged, and has an id for that, for whoever debugs only: at
// the pace of hits the log would take more than the answer, and the metrics count them.
func (p *Middleware) hit(w http.ResponseWriter, r *http.Request, page *preparedResponse, began time.Time) {
	h := w.Header()
	h["Cache-Status"], h["Server-Timing"] = hitStatus, hitTiming
	ctx := r.Context()
	if !p.logger.Enabled(ctx, slog.LevelDebug) {
		p.send(w, r, page)
		return
	}
	p.name(w)
	status, written := p.send(w, r, page)
	p.logger.LogAttrs(ctx, slog.LevelDebug, "request", slog.String("method", r.Method), slog.String("cache", "hit"),
		slog.Int("status", status), slog.Duration("duration", time.Since(began)), slog.Int("bytes", written),
		slog.String("request_id", h.Get(site.RequestIDHeader)))
}

// name gives a request its id.
func (p *Middleware) name(w http.ResponseWriter) {
	w.Header()[site.RequestIDHeader] = []string{rand.Text()[:16]}
}

func (p *Middleware) send(w http.ResponseWriter, r *http.Request, page *preparedResponse) (status, written int) {
	if p.strict != "" && p.encrypted(r) {
		w.Header().Set("Strict-Transport-Security", p.strict)
	}
	return page.write(w, r)
}

// maxFills is how often an answer is made anew that was overtaken by changes, before it is
// sent as it is: of a moment ago.
const maxFills = 3

// fill makes the answer, once however many ask, and keeps it.
func (p *Middleware) fill(w http.ResponseWriter, r *http.Request, key cacheKey, began time.Time) {
	var made filled
	for range maxFills {
		made = p.cache.fill(key, func() (*entry, bool) { return p.make(r.Context(), key) })
		if !made.overtaken {
			break
		}
	}
	page := made.value.(*preparedResponse)
	if page == nil { // not the same for everybody
		p.rest.ServeHTTP(w, r)
		return
	}
	h := w.Header()
	h.Set("Cache-Status", cacheMiss)
	if made.stored {
		h.Set("Cache-Status", cacheStored)
	}
	p.name(w)
	h.Set("Server-Timing", fmt.Sprintf("fill;dur=%.1f", float64(time.Since(began).Microseconds())/1000))
	p.send(w, r, page)
}

// fillTime is what a fill may take. It goes on when the visitor who caused it has gone, for
// the others.
const fillTime = 20 * time.Second

// make asks the router for what a stranger gets: a nil page, when others do not get the same.
func (p *Middleware) make(ctx context.Context, key cacheKey) (made *entry, keep bool) {
	answer, parts := p.ask(ctx, key, nil)
	if answer.personal() {
		return &entry{value: (*preparedResponse)(nil)}, false
	}
	p.allow(answer.header)
	page := newPreparedResponse(answer.status, answer.header, answer.body.Bytes(), p.packers)
	return &entry{value: page, weight: page.weight(), parts: parts, life: answer.Life}, answer.keepable()
}

// ask asks the router for a page as a stranger would and notes what it reads.
func (p *Middleware) ask(ctx context.Context, key cacheKey,
	framing *site.ShellRequest) (*answerRecorder, map[dependency.PartitionRef]dependency.Facets) {
	var parts dependency.Recorder
	answer := &answerRecorder{header: make(http.Header), status: http.StatusOK,
		Cacheability: site.Cacheability{Shell: framing}}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), fillTime)
	defer cancel()
	ctx = site.WithCacheability(dependency.WithRecorder(ctx, &parts), &answer.Cacheability)
	r := key.request(ctx)
	p.answer.ServeHTTP(answer, r)
	if r.URL.RawQuery != "" && (!answer.Numbered || answer.status != http.StatusOK) {
		answer.Shared = false // there are as many of these as numbers
	}
	return answer, parts.Recorded()
}

// request asks for a page, and tells nothing but what is in the key: so that is all that the
// page can depend on, whoever is the first to ask for it.
func (key cacheKey) request(ctx context.Context) *http.Request {
	r := &http.Request{Method: http.MethodGet, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: make(http.Header), Body: http.NoBody, Host: key.host, RequestURI: key.name}
	if key.tls {
		r.TLS = new(tls.ConnectionState)
	}
	var err error
	if r.URL, err = url.ParseRequestURI(key.name); err != nil {
		r.URL = &url.URL{Path: "/"} // it was one when it was a key
	}
	return r.WithContext(ctx)
}

// answerRecorder keeps an answer.
type answerRecorder struct {
	header http.Header
	status int
	wrote  bool
	body   bytes.Buffer
	site.Cacheability
}

func (a *answerRecorder) Header() http.Header { return a.header }

func (a *answerRecorder) WriteHeader(status int) {
	if !a.wrote {
		a.status, a.wrote = status, true
	}
}

func (a *answerRecorder) Write(b []byte) (int, error) {
	a.wrote = true
	return a.body.Write(b)
}

// keepable tells whether others may get the same answer later.
func (a *answerRecorder) keepable() bool {
	return a.Shared && !a.Incomplete && !a.personal() && shareable(a.status)
}

// personal tells whether an answer is for the one who asked alone.
func (a *answerRecorder) personal() bool { return len(a.header["Set-Cookie"]) > 0 }

// cacheShared lets a proxy answer for the site within a second, which is about as long as this
// cache takes to hear of a change; a browser asks each time, and is told mostly that it has
// the page already. Whoever has written something has a cookie, and so gets no proxy's copy.
const cacheShared = "public, max-age=0, s-maxage=1, must-revalidate"

// allow says who may keep an answer for others.
func (p *Middleware) allow(h http.Header) {
	h.Set("Vary", strings.Join(append(h.Values("Vary"), "Accept-Encoding", "Cookie"), ", "))
	if p.url != "" && h.Get("Cache-Control") == site.CachePrivate { // it does not depend on what the request says
		h.Set("Cache-Control", cacheShared)
	}
}

// shareable are the answers worth keeping: pages, where they have moved to, and that there
// is none.
func shareable(status int) bool {
	switch status {
	case http.StatusOK, http.StatusMovedPermanently, http.StatusNotFound, http.StatusGone:
		return true
	}
	return false
}
