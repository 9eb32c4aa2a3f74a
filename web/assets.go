package web

import (
	"github.com/labstack/echo/v4"

	"inkfeed/static"
	"inkfeed/web/site"
)

// assets serves the embedded files.
type assets struct{}

func (h assets) register(e *echo.Echo) {
	site.Get(e, static.Prefix+":file", h.hashed)
	site.Get(e, "/favicon.ico", h.named("favicon.ico"))
	site.Get(e, "/favicon.svg", h.named("favicon.svg"))
}

func (assets) hashed(c echo.Context) error {
	if !static.ServeHashed(c.Response(), c.Request(), c.Param("file")) {
		return echo.ErrNotFound
	}
	return nil
}

func (assets) named(name string) echo.HandlerFunc {
	return func(c echo.Context) error {
		static.Serve(c.Response(), c.Request(), name)
		return nil
	}
}
