package web

import (
	"context"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/web/site"
)

// health reports to operators whether the process is alive, and whether it is ready for visitors.
type health struct {
	ready  func(context.Context) error
	behind func(context.Context) []string
}

func (h health) register(e *echo.Echo) {
	site.Get(e, "/healthz", h.alive)
	site.Get(e, "/readyz", h.readiness)
}

func (h health) alive(c echo.Context) error { return plain(c, http.StatusOK, "ok") }

func (h health) readiness(c echo.Context) error {
	if err := h.ready(c.Request().Context()); err != nil {
		return plain(c, site.StatusOf(domain.Unavailable), "not ready")
	}
	// Lags of the workers are listed, but the instance stays ready: all instances read the same
	// data.
	lines := append([]string{"ok"}, h.behind(c.Request().Context())...)
	return plain(c, http.StatusOK, strings.Join(lines, "\n")+"\n")
}

func plain(c echo.Context, status int, text string) error {
	c.Response().Header().Set("Cache-Control", site.CacheNever)
	return c.String(status, text)
}
