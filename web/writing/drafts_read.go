package writing

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/plaintext"
	view "inkfeed/views/writing"
	"inkfeed/web/site"
)

// draftRead shows a draft to an author who may no longer write. Other authors continue it in the editor.
type draftRead struct{ handler }

func (h draftRead) register(e *echo.Echo) { site.Get(e, "/drafts/:id", h.show) }

func (h draftRead) show(c echo.Context) error {
	author, err := h.AuthorOf(c, c.Param("id"))
	if err != nil {
		return err
	}
	if !domain.IsTextID(c.Param("id")) {
		return errNoDraft
	}
	ctx := c.Request().Context()
	d, _, err := h.store.Drafts.Open(ctx, author.ID, c.Param("id"))
	switch {
	case domain.Is(err, domain.NotFound), err == nil && d.Version == 0:
		return errNoDraft
	case err != nil:
		return err
	case author.Role.MayWrite():
		return site.SeeOther(c, "/posts/"+d.PostID+"/edit")
	}
	rendered, err := h.Preview(ctx, author, d)
	if err != nil {
		return err
	}
	title := d.Title
	if !plaintext.Shown(title) {
		title = site.T(c, "Untitled")
	}
	return h.RenderForm(c, http.StatusOK, view.DraftRead(view.PreviewPage{LayoutData: h.FallbackLayout(c, title),
		RenderedPost: rendered, Author: author.Username, DisplayName: author.DisplayName, Draft: d}))
}
