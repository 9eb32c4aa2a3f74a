package writing

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/views"
	view "inkfeed/views/writing"
	"inkfeed/web/site"
)

// preview renders a text as a post, for the editor's script.
type preview struct{ *site.Site }

func (h preview) register(e *echo.Echo) { e.POST("/preview", h.submit) }

func (h preview) submit(c echo.Context) error {
	sent, err := site.ParseForm(c)
	if err != nil {
		return err
	}
	c.Response().Header().Set("Cache-Control", site.CacheNever)
	author, err := h.SignedIn(c)
	if domain.Is(err, domain.Unauthenticated) || domain.Is(err, domain.Forbidden) {
		// From this status the editor's script learns that the session has expired. It has no use for the log-in page.
		return h.Render(c, http.StatusUnauthorized, views.ErrorNotice(site.ErrorPage(c, http.StatusUnauthorized,
			locale.Message{})))
	}
	if err != nil {
		return err
	}
	rendered, err := h.Preview(c.Request().Context(), author, readPostForm(sent, "").draft)
	if err != nil {
		return err
	}
	return h.Render(c, http.StatusOK, view.PreviewFragment(rendered))
}
