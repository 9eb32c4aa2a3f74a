package syndication

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"inkfeed/domain/customcss"
	"inkfeed/domain/palette"
	"inkfeed/domain/siteinfo"
	"inkfeed/web/site"
)

// accents serves a style sheet for each accent colour. The address contains palette.Version, so browsers keep it for
// ever and an instance of another release does not answer. Pages of older releases have addresses without the version.
type accents struct{ *site.Site }

func (h accents) register(e *echo.Echo) {
	site.Get(e, "/accent/:file", h.show)
	site.Get(e, siteinfo.CSSPath+":file", h.showCSS)
}

func (accents) show(c echo.Context) error {
	name, ok := strings.CutSuffix(c.Param("file"), ".css")
	digits, version, versioned := strings.Cut(name, "-")
	colour, err := palette.Normalise(digits)
	if !ok || err != nil || colour != "#"+digits || versioned && version != palette.Version {
		return echo.ErrNotFound
	}
	caching := cacheHour
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

// showCSS serves the site's custom CSS. The address contains a hash of it, so browsers keep it for ever. If the hash
// is that of other CSS, pages and sheet come from instances of which one has not read the settings yet.
func (h accents) showCSS(c echo.Context) error {
	sheet, _ := customcss.Clean(h.Info().CSS) // which an earlier release may have accepted
	caching := site.CacheNever
	if c.Request().URL.Path == siteinfo.CSSAddress(sheet) {
		caching = site.CacheForever
	}
	c.Response().Header().Set("Cache-Control", caching)
	return c.Blob(http.StatusOK, "text/css; charset=utf-8", []byte(sheet))
}
