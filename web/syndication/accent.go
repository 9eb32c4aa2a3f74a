package syndication

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"inkfeed/domain/palette"
	"inkfeed/web/site"
)

// accents serves a style sheet for each accent colour. The address contains palette.Version, so browsers keep it for
// ever and an instance of another release does not answer. Pages of older releases have addresses without the version.
type accents struct{}

func (h accents) register(e *echo.Echo) { site.Get(e, "/accent/:file", h.show) }

func (accents) show(c echo.Context) error {
	name, ok := strings.CutSuffix(c.Param("file"), ".css")
	digits, version, versioned := strings.Cut(name, "-")
	colour, err := palette.Normalise(digits)
	if !ok || err != nil || colour != "#"+digits || versioned && version != palette.Version {
		return echo.ErrNotFound
	}
	caching := "public, max-age=3600"
	if versioned {
		caching = site.CacheForever
	}
	p, err := palette.Of(colour)
	if err != nil {
		return err
	}
	c.Response().Header().Set("Cache-Control", caching)
	return c.Blob(http.StatusOK, "text/css; charset=utf-8", []byte(p.CSS()))
}
