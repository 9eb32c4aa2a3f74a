package web

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
)

// health tells whoever watches over the process whether it lives, and whether it
// should be sent visitors.
type health struct{ ready func(context.Context) error }

func (h health) register(e *echo.Echo) {
	get(e, "/healthz", h.alive)
	get(e, "/readyz", h.readiness)
}

func (h health) alive(c echo.Context) error { return plain(c, http.StatusOK, "ok") }

func (h health) readiness(c echo.Context) error {
	if err := h.ready(c.Request().Context()); err != nil {
		return plain(c, statusOf(domain.Unavailable), "not ready")
	}
	return plain(c, http.StatusOK, "ok")
}

func plain(c echo.Context, status int, text string) error {
	c.Response().Header().Set("Cache-Control", cacheNever)
	return c.String(status, text)
}
