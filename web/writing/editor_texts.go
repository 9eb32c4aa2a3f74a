package writing

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"inkfeed/domain/locale"
	view "inkfeed/views/writing"
	"inkfeed/web/site"
)

// editorTexts serves the texts of the editor's script, which browsers keep for ever. They are in a file of their own,
// so that each page with an editor is 2 KB smaller.
type editorTexts struct{ *site.Site }

func (h editorTexts) register(e *echo.Echo) { site.Get(e, view.TextsPath+":file", h.show) }

func (h editorTexts) show(c echo.Context) error {
	code, _, _ := strings.Cut(c.Param("file"), ".")
	language := h.Languages.Get(code)
	if language == nil {
		return echo.ErrNotFound
	}
	file, script := view.TextsScript(locale.With(c.Request().Context(), language))
	if file != c.Param("file") {
		return echo.ErrNotFound
	}
	c.Response().Header().Set("Cache-Control", site.CacheForever)
	return c.Blob(http.StatusOK, "text/javascript; charset=utf-8", script)
}
