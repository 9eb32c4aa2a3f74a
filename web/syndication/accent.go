package syndication

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"inkfeed/domain/palette"
	"inkfeed/web/site"
)

// accents serves a style sheet for each accent colour. Pages link to it with palette.Version, so browsers keep it for
// ever.
type accents struct{}

func (h accents) register(e *echo.Echo) { site.Get(e, "/accent/:file", h.show) }

func (accents) show(c echo.Context) error {
	digits, ok := strings.CutSuffix(c.Param("file"), ".css")
	colour, err := palette.Normalise(digits)
	if !ok || err != nil || colour != "#"+digits {
		return echo.ErrNotFound
	}
	p, err := palette.Of(colour)
	if err != nil {
		return err
	}
	c.Response().Header().Set("Cache-Control", site.CacheForever)
	return c.Blob(http.StatusOK, "text/css; charset=utf-8", []byte(p.CSS()))
}
