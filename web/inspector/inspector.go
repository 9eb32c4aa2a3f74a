// Package inspector is the cost inspector: an administrator turns it on for their own session, and then sees under each
// page the storage operations that made it.
package inspector

import (
	"context"
	"crypto/hkdf"
	"crypto/sha256"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/a-h/templ"
	"github.com/gorilla/securecookie"
	"github.com/labstack/echo/v4"

	"inkfeed/cosmos/operations"
	"inkfeed/domain/locale"
	view "inkfeed/views/inspector"
	"inkfeed/web/site"
)

// Cache is the page cache, as far as the cost inspector uses it.
type Cache interface {
	// Reads reports whether queries under this context may be answered from the cache.
	Reads(ctx context.Context) bool
	// Bypass returns a context whose queries are not answered from the cache.
	Bypass(ctx context.Context) context.Context
	// Holds reports whether the page of a request can be cached, and which forms of it the cache holds now for viewers
	// with a language setting.
	Holds(r *http.Request, language string) (cacheable, page, shell bool)
}

// Inspector records the storage operations of requests and shows them.
type Inspector struct {
	*site.Site
	cache     Cache // nil: there is no page cache
	codecs    []securecookie.Codec
	submitted submissions
}

// New returns an Inspector. The cache is nil if there is no page cache. The inspector's cookie is signed with a key
// derived from the first secret; signatures with keys of all secrets are accepted.
func New(s *site.Site, cache Cache, secrets [][]byte) (*Inspector, error) {
	i := &Inspector{Site: s, cache: cache}
	for _, secret := range secrets {
		key, err := hkdf.Key(sha256.New, secret, nil, "inkfeed cost inspector: HMAC-SHA256", 32)
		if err != nil {
			return nil, fmt.Errorf("derive the key of the cost inspector: %w", err)
		}
		codec := securecookie.New(key, nil).SetSerializer(securecookie.NopEncoder{}).MaxAge(int(maxTime / time.Second))
		i.codecs = append(i.codecs, codec)
	}
	return i, nil
}

// Record is middleware that records the storage operations of sessions with the inspector turned on. Other requests
// cost a look at their cookies and no allocation.
func (i *Inspector) Record(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		if !i.MayInspect(r) {
			return next(c)
		}
		session, mode := i.modeOf(r)
		if mode == view.ModeOff {
			return next(c)
		}
		recording := new(operations.Recording)
		ctx := operations.With(r.Context(), recording)
		if mode == view.ModeFresh && i.cache != nil {
			ctx = i.cache.Bypass(ctx)
		}
		c.SetRequest(r.WithContext(ctx))
		c.Response().Before(func() { i.beforeAnswer(c, session, recording) })
		return next(c)
	}
}

// beforeAnswer sets the header Server-Timing, and remembers the operations of a form for the page that it leads to. No
// cache may store an answer with this header, because a shared cache would send it to other visitors.
func (i *Inspector) beforeAnswer(c echo.Context, session string, recording *operations.Recording) {
	report := reportOf(c, recording)
	// After a server error, reading the viewer might fail as well.
	if len(report.Operations) == 0 || c.Response().Status >= http.StatusInternalServerError {
		return
	}
	if viewer, err := i.Viewer(c); err != nil || !viewer.Role.MayAdminister() {
		return
	}
	h := c.Response().Header()
	h.Set("Cache-Control", site.CacheNever)
	h.Add("Server-Timing", fmt.Sprintf(`storage;dur=%.1f;desc="%d requests, %.2f RU"`,
		float64(report.Totals.Waiting)/float64(time.Millisecond), report.Totals.Requests, report.Totals.Charge))
	if c.Request().Method == http.MethodPost && c.Response().Status == http.StatusSeeOther &&
		c.Path() != site.InspectorPath {
		i.submitted.put(session, report, time.Now())
	}
}

func reportOf(c echo.Context, recording *operations.Recording) view.Report {
	report := view.Report{Method: c.Request().Method, Route: site.Route(c)}
	report.Operations, report.Totals = recording.Operations()
	return report
}

// Panel returns the panel below a page.
func (i *Inspector) Panel(c echo.Context, recording *operations.Recording) templ.Component {
	return templ.ComponentFunc(func(ctx context.Context, w io.Writer) error {
		session, mode := i.modeOf(c.Request())
		p := view.PanelModel{Report: reportOf(c, recording), Fresh: mode == view.ModeFresh, Caches: i.caches(c, mode)}
		if c.Request().Method == http.MethodGet {
			p.Next = site.SafeNext(c.Request().URL.RequestURI())
		}
		if report, ok := i.submitted.take(session, time.Now()); ok {
			p.Submitted = &report
		}
		return view.Panel(p).Render(ctx, w)
	})
}

// Fragment returns what a fragment adds to the panel of its page.
func (i *Inspector) Fragment(c echo.Context, recording *operations.Recording) templ.Component {
	return view.Fragment(reportOf(c, recording))
}

// caches describes how the caches serve the page of a request.
func (i *Inspector) caches(c echo.Context, mode string) view.Caches {
	if i.cache == nil {
		return view.Caches{None: true, Query: locale.M("This server has no caches (--cache-mb 0).")}
	}
	r := c.Request()
	said := view.Caches{Query: locale.M("Not used: forms and pages right after a change read the storage.")}
	switch {
	case i.cache.Reads(r.Context()):
		said.Query = locale.M("Used. Results in memory cost nothing.")
	case mode == view.ModeFresh:
		said.Query = locale.M("Not used: you chose to read past it.")
	}
	viewer, _ := i.Viewer(c) // has been read for the page
	cacheable, page, shell := i.cache.Holds(r, viewer.Language)
	said.Anonymous = locale.M("This page is not cached as a whole.")
	said.SignedIn = locale.M("This page has no shell in the cache.")
	switch {
	case page:
		said.Anonymous = locale.M("Page cache hit: they get this page from memory, without any storage request.")
	case cacheable:
		said.Anonymous = locale.M("Page cache miss: the next visitor's request makes the page and may store it.")
	}
	switch {
	case shell:
		said.SignedIn = locale.M("Shell hit: without this panel, you would get this page from memory, with your own " +
			"menu.")
	case cacheable:
		said.SignedIn = locale.M("Shell miss: the page is made from the results above, or its shell is made and " +
			"stored.")
	}
	return said
}
