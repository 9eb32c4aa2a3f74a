package writing

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	view "inkfeed/views/writing"
	"inkfeed/web/site"
)

// postUnpublish turns an author's own post into a draft.
type postUnpublish struct{ handler }

func (h postUnpublish) register(e *echo.Echo) {
	site.Get(e, "/posts/:id/unpublish", h.show)
	e.POST("/posts/:id/unpublish", h.submit)
}

func (h postUnpublish) show(c echo.Context) error {
	p, err := h.finder.OwnPost(c, unpublishRefusal)
	if err != nil {
		return err
	}
	title := site.T(c, "Unpublish your post?")
	if p.IsPage() {
		title = site.T(c, "Unpublish this page?")
	}
	return h.RenderForm(c, http.StatusOK, view.Unpublish(view.UnpublishPage{
		LayoutData: h.FallbackLayout(c, title), Post: p}))
}

var unpublishRefusal = locale.M("You can only unpublish your own posts.")

func (h postUnpublish) submit(c echo.Context) error {
	author, err := h.AuthorOf(c, c.Param("id"))
	if err != nil {
		return err
	}
	if !domain.IsTextID(c.Param("id")) {
		return site.ErrNoPost
	}
	_, err = h.store.Drafts.Unpublish(c.Request().Context(), author.ID, c.Param("id"))
	if domain.Is(err, domain.NotFound) {
		if _, err := h.finder.Post(c); err != nil {
			return err
		}
		return &domain.Error{Kind: domain.Forbidden, Message: unpublishRefusal}
	}
	if err != nil {
		return err
	}
	if domain.IsPageID(c.Param("id")) {
		viewer, err := h.SignedIn(c)
		if err != nil {
			return err
		}
		h.refreshPage(c.Request().Context(), c.Param("id"))
		h.recordPage(c.Request().Context(), viewer, domain.AuditUnpublishPage, c.Param("id"))
		return site.SeeOther(c, editPath(c.Param("id"), "withdrawn"))
	}
	return site.SeeOther(c, editPath(c.Param("id"), "unpublished"))
}
