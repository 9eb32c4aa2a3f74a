package web

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/web/site"
)

// health reports whether the process is alive, and whether it is ready for visitors. Its answers are public, so they
// say no more: package ops tells operators about the workers.
type health struct {
	ready func(context.Context) error
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
	return plain(c, http.StatusOK, "ok\n")
}

func plain(c echo.Context, status int, text string) error {
	c.Response().Header().Set("Cache-Control", site.CacheNever)
	return c.String(status, text)
}
