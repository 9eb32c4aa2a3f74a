package site

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/locale"
)

// Values of Cache-Control for pages. Pages show the viewer, so no proxy may share them. A browser
// must not show a signed-in user's page from its history either: that would be the page as it was
// before the user's last comment, or before the user logged out. The same is true of forms.
const (
	CachePrivate  = "private, no-cache"
	CachePersonal = "private, no-store"
	CacheNever    = "no-store"
)

// CacheForever is the value of Cache-Control for files at addresses that change with their content.
const CacheForever = "public, max-age=31536000, immutable"

// Render writes a page or a fragment. It sends nothing before everything is rendered, so that a
// failure can still become an error page.
func (s *Site) Render(c echo.Context, status int, component templ.Component) error {
	b, ok := s.buffers.Get().(*bytes.Buffer)
	if !ok {
		b = new(bytes.Buffer)
	}
	defer func() {
		if b.Cap() <= maxReusedBuffer {
			b.Reset()
			s.buffers.Put(b)
		}
	}()
	// The page about a timeout is rendered after the context has ended.
	if err := component.Render(context.WithoutCancel(c.Request().Context()), b); err != nil {
		return fmt.Errorf("render the page: %w", err)
	}
	if IsFragment(c) {
		if err := s.addInspectorFragment(c, b); err != nil {
			return fmt.Errorf("render the cost inspector: %w", err)
		}
	}
	h := c.Response().Header()
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", cacheControl(c))
	}
	s.SetLanguageHeaders(c)
	h.Set("Content-Length", strconv.Itoa(b.Len()))
	body := b.Bytes()
	if CacheabilityOf(c.Request().Context()) == nil { // the page cache makes a copy of its own
		// The page is sent from a copy: HTTP/2 may still send from it after a cancelled request has ended.
		body = bytes.Clone(body)
	}
	return c.HTMLBlob(status, body)
}

// maxReusedBuffer is the maximum size of a buffer that another page is rendered in, in bytes.
const maxReusedBuffer = 1 << 20

// SetLanguageHeaders sets the headers that say in which language a page or a fragment is, and which headers of the
// request the response depends on.
func (s *Site) SetLanguageHeaders(c echo.Context) {
	h := c.Response().Header()
	h.Set("Content-Language", locale.From(c.Request().Context()).Code())
	h.Add("Vary", "HX-Request") // the same address serves a page and a fragment
	if len(s.Languages.Languages()) > 1 {
		h.Add("Vary", "Accept-Language")
	}
}

func cacheControl(c echo.Context) string {
	viewer, _ := c.Get(viewerKey).(domain.User)
	if viewer.ID == "" || IsFragment(c) { // a browser's history shows no fragments
		return CachePrivate
	}
	return CachePersonal
}

// RenderForm is Render for pages that may contain the user's input.
func (s *Site) RenderForm(c echo.Context, status int, component templ.Component) error {
	c.Response().Header().Set("Cache-Control", CacheNever)
	return s.Render(c, status, component)
}

// Redirect redirects to a path on this site. It percent-encodes the path.
func Redirect(c echo.Context, status int, to string) error {
	u, err := url.Parse(to)
	if err != nil {
		return fmt.Errorf("redirect: %w", err)
	}
	// Permanent redirects are revalidated too: otherwise a title or name that changes back would
	// leave two cached redirects in a loop.
	c.Response().Header().Set("Cache-Control", CachePrivate)
	return c.Redirect(status, u.String())
}

// SeeOther redirects from a submitted form to a page.
func SeeOther(c echo.Context, to string) error { return Redirect(c, http.StatusSeeOther, to) }

// RedirectStored logs a failure and redirects to a page. It is for a change that is stored, but whose result cannot be
// shown. An error page would tell the user that the change failed.
func (s *Site) RedirectStored(c echo.Context, to string, failure error) error {
	s.Logger.WarnContext(c.Request().Context(), "cannot show a stored change", "error", failure, "route", Route(c),
		"request_id", RequestID(c))
	if IsFragment(c) {
		c.Response().Header().Set("HX-Redirect", to)
		return c.NoContent(http.StatusOK)
	}
	return SeeOther(c, to)
}

// MovedPermanently redirects from an old or misspelt address to the current one.
func MovedPermanently(c echo.Context, to string) error {
	return Redirect(c, http.StatusMovedPermanently, to)
}

// IsFragment reports whether htmx sent the request and expects a fragment.
func IsFragment(c echo.Context) bool { return c.Request().Header.Get("HX-Request") == "true" }
