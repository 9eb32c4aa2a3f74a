package pagecache

import (
	"context"
	"fmt"
	"net/http"
	"strings"
	"time"

	"go.opentelemetry.io/otel/trace"

	"inkfeed/cosmos/dependency"
	"inkfeed/domain"
	"inkfeed/web/site"
	"inkfeed/web/site/tracing"
)

// maxFills is how often a response is rendered when changes overtake it. Then it is sent although
// it may lack a change of the last moment.
const maxFills = 3

// serveMiss renders the response, once for all concurrent requests, and stores it if possible and asked for.
func (p *Middleware) serveMiss(w http.ResponseWriter, r *http.Request, key cacheKey, began time.Time, store bool) {
	from := p.proxies.Of(r)
	if p.site.Limiter.CheckUnits(domain.User{}, from) != nil ||
		p.site.Limiter.AllowFrom(r.Context(), site.ReadRule(r.URL.Path), "", from) != nil {
		p.compressed.ServeHTTP(w, r) // refuses the request and gives the reason
		return
	}
	ctx, charge := p.site.Metered(r.Context())
	defer func() { charge(domain.User{}, from, 1) }()
	ctx, span := tracing.Start(ctx, "page cache miss")
	var made fillResult
	for range maxFills {
		var err error
		made, err = p.cache.fill(ctx, key, func() (*entry, bool) {
			made, keep := p.prepare(ctx, key)
			return made, keep && store
		})
		if err != nil { // the visitor has gone, or the server is stopping: the router reports that to the visitor
			span.End()
			p.compressed.ServeHTTP(w, r)
			return
		}
		if !made.overtaken {
			break
		}
	}
	if !made.own && made.span.IsSampled() {
		span.AddLink(trace.Link{SpanContext: made.span})
	}
	span.End()
	page := made.value.(*preparedResponse)
	if page == nil { // personal
		p.compressed.ServeHTTP(w, r)
		return
	}
	tracing.SetRoute(ctx, page.route)
	h := w.Header()
	switch {
	case !store:
		h.Set("Cache-Status", bypassStatus+"behind")
	case made.stored:
		h.Set("Cache-Status", cacheStored)
	default:
		h.Set("Cache-Status", cacheMiss)
	}
	if page.requestID != "" { // requests that share a response share its line in the log
		h.Set(site.RequestIDHeader, page.requestID)
	}
	h.Set("Server-Timing", fmt.Sprintf("fill;dur=%.1f", float64(time.Since(began).Microseconds())/1000))
	p.send(w, r, page)
}

// fillTime is the time limit of a fill. A fill continues after its first visitor has gone, because
// others may wait for it.
const fillTime = 20 * time.Second

// prepare renders the response to an anonymous visitor. The value is a nil *preparedResponse if the
// response is personal.
func (p *Middleware) prepare(ctx context.Context, key cacheKey) (made *entry, keep bool) {
	answer, dependencies := p.render(ctx, key, nil)
	if answer.isPersonal() {
		return &entry{value: (*preparedResponse)(nil)}, false
	}
	p.setSharedHeader(answer.header)
	page := newPreparedResponse(answer.status, answer.header, answer.body.Bytes(), p.encoders)
	page.route = answer.Route
	made = &entry{value: page, weight: page.weight(), dependencies: dependencies, maxAge: answer.MaxAge}
	return made, answer.isCacheable()
}

// render passes the request of a key to the router and records the response and the partitions that
// were read. With a shell request, it renders the shell of the page.
func (p *Middleware) render(ctx context.Context, key cacheKey,
	shell *site.ShellRequest) (*responseRecorder, map[dependency.PartitionRef]dependency.Facets) {
	var recorded dependency.Recorder
	answer := &responseRecorder{header: make(http.Header), status: http.StatusOK,
		Cacheability: site.Cacheability{Shell: shell}}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), fillTime)
	defer cancel()
	ctx = site.WithCacheability(dependency.WithRecorder(ctx, &recorded), &answer.Cacheability)
	r := key.request(ctx)
	p.plain.ServeHTTP(answer, r)
	if r.URL.RawQuery != "" && (!answer.Numbered || answer.status != http.StatusOK) {
		answer.Shared = false // every number would be an entry
	}
	return answer, recorded.Recorded()
}

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
