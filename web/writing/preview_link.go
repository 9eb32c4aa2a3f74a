package writing

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/screening"
	"inkfeed/views"
	view "inkfeed/views/writing"
	"inkfeed/web/site"
)

// previewLink is what a private link leads to.
type previewLink struct{ handler }

func (h previewLink) register(e *echo.Echo) { site.Get(e, previewPath(":secret"), h.show) }

func previewPath(secret string) string { return "/preview/" + secret }

var errNoPreview = domain.Errorf(domain.NotFound, "This private link doesn't work. Its author may have revoked it.")

func (h previewLink) show(c echo.Context) error {
	h.private(c)
	if !domain.IsID(c.Param("secret")) {
		return errNoPreview
	}
	shared, err := h.store.Drafts.Shared(c.Request().Context(), c.Param("secret"))
	if domain.Is(err, domain.NotFound) {
		return errNoPreview
	}
	if err != nil {
		return err
	}
	if shared.Post != nil {
		return site.SeeOther(c, shared.Post.Path())
	}
	rendered, err := h.preview(c, shared)
	if err != nil {
		return err
	}
	d := shared.Draft
	title := d.Title
	if title == "" {
		title = "Untitled"
	}
	return h.RenderForm(c, http.StatusOK, view.Preview(view.PreviewPage{Page: h.FallbackLayout(c, title),
		RenderedPost: rendered, Author: shared.Author.Username, DisplayName: shared.Author.DisplayName, Draft: d}))
}

// preview is what a draft looks like. Links by accounts that nobody knows yet wait for a
// moderator when they are published, so others are not led to them before.
func (h previewLink) preview(c echo.Context, shared domain.Shared) (views.RenderedPost, error) {
	rendered, err := h.Preview(c.Request().Context(), shared.Draft.Title, shared.Draft.Content)
	if err != nil {
		return rendered, err
	}
	viewer, err := h.Viewer(c)
	if err != nil || viewer.ID == shared.Author.ID {
		return rendered, err
	}
	doubted, err := h.Screening.Doubts(c.Request().Context(), shared.Author, time.Now())
	if doubted {
		rendered.Text.HTML = screening.WithoutLinks(rendered.Text.HTML)
	}
	return rendered, err
}

// private keeps the address of the page, which is its secret, to those who have it.
func (previewLink) private(c echo.Context) {
	c.Response().Header().Set("X-Robots-Tag", "noindex, nofollow, noarchive")
	c.Response().Header().Set("Referrer-Policy", "no-referrer")
}
