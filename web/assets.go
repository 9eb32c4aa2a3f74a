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
}

func (assets) hashed(c echo.Context) error {
	if !static.ServeHashed(c.Response(), c.Request(), c.Param("file")) {
		return echo.ErrNotFound
	}
	return nil
}
