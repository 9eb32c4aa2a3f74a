package pagecache

import (
	"bytes"
	"context"
	"crypto/tls"
	"net/http"
	"net/url"
	"time"

	"inkfeed/domain/dependency"
	"inkfeed/web/site"
)

// prepare renders the response to an anonymous visitor. The value is a nil *preparedResponse if the
// response is personal.
func (p *Middleware) prepare(ctx context.Context, key cacheKey) (made *entry, keep bool) {
	answer, parts := p.render(ctx, key, nil)
	if answer.isPersonal() {
		return &entry{value: (*preparedResponse)(nil)}, false
	}
	p.setSharedHeader(answer.header)
	page := newPreparedResponse(answer.status, answer.header, answer.body.Bytes(), p.encoders)
	return &entry{value: page, weight: page.weight(), parts: parts, maxAge: answer.Life}, answer.isCacheable()
}

// fillTime is the time limit of a fill. A fill continues after its first visitor has gone, because
// others may wait for it.
const fillTime = 20 * time.Second

// render passes the request of a key to the router and records the response and the partitions that
// were read. With a shell request, it renders the shell of the page.
func (p *Middleware) render(ctx context.Context, key cacheKey,
	framing *site.ShellRequest) (*responseRecorder, map[dependency.PartitionRef]dependency.Facets) {
	var parts dependency.Recorder
	answer := &responseRecorder{header: make(http.Header), status: http.StatusOK,
		Cacheability: site.Cacheability{Shell: framing}}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), fillTime)
	defer cancel()
	ctx = site.WithCacheability(dependency.WithRecorder(ctx, &parts), &answer.Cacheability)
	r := key.request(ctx)
	p.plain.ServeHTTP(answer, r)
	if r.URL.RawQuery != "" && (!answer.Numbered || answer.status != http.StatusOK) {
		answer.Shared = false // every number would be an entry
	}
	return answer, parts.Recorded()
}

// request returns a GET request that contains only what is in the key. So the response can depend
// on nothing else, whichever visitor caused it.
func (key cacheKey) request(ctx context.Context) *http.Request {
	r := &http.Request{Method: http.MethodGet, Proto: "HTTP/1.1", ProtoMajor: 1, ProtoMinor: 1,
		Header: make(http.Header), Body: http.NoBody, Host: key.host, RequestURI: key.name}
	if key.tls {
		r.TLS = new(tls.ConnectionState)
	}
	var err error
	if r.URL, err = url.ParseRequestURI(key.name); err != nil {
		r.URL = &url.URL{Path: "/"} // unreachable: the key was made from a parsed address
	}
	return r.WithContext(ctx)
}

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
