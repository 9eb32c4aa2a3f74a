package writing

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/plaintext"
	"inkfeed/domain/screening"
	"inkfeed/views"
	view "inkfeed/views/writing"
	"inkfeed/web/site"
)

// previewLink serves the drafts of private links.
type previewLink struct{ handler }

func (h previewLink) register(e *echo.Echo) { site.Get(e, previewPath(":secret"), h.show) }

func previewPath(secret string) string { return "/preview/" + secret }

var errNoPreview = domain.NewError(domain.NotFound, "This private link doesn't work. Its author may have revoked it.")

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
	if !plaintext.Shown(title) {
		title = site.T(c, "Untitled")
	}
	page, err := h.ReadingLayout(c, title)
	if err != nil {
		return err
	}
	return h.RenderForm(c, http.StatusOK, view.Preview(view.PreviewPage{LayoutData: page,
		RenderedPost: rendered, Author: shared.Author.Username, DisplayName: shared.Author.DisplayName, Draft: d}))
}

// preview renders a draft. For other viewers it removes the links of new authors, whose published
// links need a moderator's approval, and those of a post in review.
func (h previewLink) preview(c echo.Context, shared domain.Shared) (views.RenderedPost, error) {
	rendered, err := h.Preview(c.Request().Context(), shared.Author, shared.Draft)
	if err != nil {
		return rendered, err
	}
	viewer, err := h.Viewer(c)
	if err != nil || viewer.ID == shared.Author.ID {
		return rendered, err
	}
	doubted := shared.InReview
	if !doubted {
		doubted, err = h.Screening.Doubts(c.Request().Context(), shared.Author, time.Now())
	}
	if doubted {
		rendered.Text.HTML = screening.WithoutLinks(rendered.Text.HTML)
	}
	return rendered, err
}

// private sets headers that keep the page's address secret.
func (previewLink) private(c echo.Context) {
	c.Response().Header().Set("X-Robots-Tag", "noindex, nofollow, noarchive")
	c.Response().Header().Set("Referrer-Policy", "no-referrer")
}
