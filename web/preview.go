package web

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"inkfeed/views"
)

// preview renders a text as its post would be, for the script of the editor.
type preview struct{ *site }

func (h preview) register(e *echo.Echo) { e.POST("/preview", h.submit) }

func (h preview) submit(c echo.Context) error {
	sent, err := form(c)
	if err != nil {
		return err
	}
	c.Response().Header().Set("Cache-Control", cacheNever)
	if _, err := h.signedIn(c); err != nil {
		// Not the page to log in on: the script asks for a fragment.
		return h.render(c, http.StatusUnauthorized, views.ErrorNotice(errorPage(http.StatusUnauthorized, "")))
	}
	rendered, err := h.previewOf(c.Request().Context(), sent.Get("title"), lineEnds.Replace(sent.Get("content")))
	if err != nil {
		return err
	}
	return h.render(c, http.StatusOK, views.Rendering(rendered))
}
