package site

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"strconv"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"inkfeed/domain"
)

// What browsers and proxies may keep. Every page says who is signed in, so none
// may be shared. That of somebody signed in also must not be shown again from a
// history, which asks nobody: it would be as before his comment, or before he
// logged out. Neither must a form.
const (
	CachePrivate  = "private, no-cache"
	CachePersonal = "private, no-store"
	CacheNever    = "no-store"
)

// Render writes a page or a fragment. Nothing is sent before all of it is
// rendered, so that a failure can still become an error page.
func (s *Site) Render(c echo.Context, status int, component templ.Component) error {
	var b bytes.Buffer
	// A page that says that time ran out is rendered after it did.
	if err := component.Render(context.WithoutCancel(c.Request().Context()), &b); err != nil {
		return err
	}
	h := c.Response().Header()
	if h.Get("Cache-Control") == "" {
		h.Set("Cache-Control", cacheControl(c))
	}
	// One address gives a page and a fragment.
	h.Add("Vary", "HX-Request")
	h.Set("Content-Length", strconv.Itoa(b.Len()))
	return c.HTMLBlob(status, b.Bytes())
}

func cacheControl(c echo.Context) string {
	viewer, _ := c.Get(viewerKey).(domain.User)
	if viewer.ID == "" || IsFragment(c) { // no history shows a fragment
		return CachePrivate
	}
	return CachePersonal
}

// RenderForm is render for what may hold something typed.
func (s *Site) RenderForm(c echo.Context, status int, component templ.Component) error {
	c.Response().Header().Set("Cache-Control", CacheNever)
	return s.Render(c, status, component)
}

// Redirect leads to a place on this site. The path may hold any script: it is
// percent-encoded here.
func Redirect(c echo.Context, status int, to string) error {
	u, err := url.Parse(to)
	if err != nil {
		return err
	}
	// Also a permanent redirect is asked for anew: a title or a name that changes
	// back would otherwise make a loop of two remembered ones.
	c.Response().Header().Set("Cache-Control", CachePrivate)
	return c.Redirect(status, u.String())
}

// SeeOther leads from a form that is done to a page.
func SeeOther(c echo.Context, to string) error { return Redirect(c, http.StatusSeeOther, to) }

// MovedPermanently leads from a former or misspelt address to the right one.
func MovedPermanently(c echo.Context, to string) error {
	return Redirect(c, http.StatusMovedPermanently, to)
}

// IsFragment reports whether htmx asks, which wants a part of a page.
func IsFragment(c echo.Context) bool { return c.Request().Header.Get("HX-Request") == "true" }
