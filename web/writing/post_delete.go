package writing

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/names"
	view "inkfeed/views/writing"
	"inkfeed/web/site"
)

// postDelete deletes an author's own posts.
type postDelete struct{ handler }

func (h postDelete) register(e *echo.Echo) {
	site.Get(e, "/posts/:id/delete", h.show)
	e.POST("/posts/:id/delete", h.submit)
}

func (h postDelete) show(c echo.Context) error {
	p, err := h.finder.OwnPost(c, locale.M("You can only delete your own posts."))
	if err != nil {
		return err
	}
	if _, listed := h.StaticPages().ByID(p.ID); listed {
		return site.SeeOther(c, site.AdminPagesPath+"/"+p.ID+"/delete")
	}
	return h.RenderForm(c, http.StatusOK, view.PostDelete(view.PostDeletePage{
		LayoutData: h.FallbackLayout(c, site.T(c, "Delete your post?")), Post: p}))
}

func (h postDelete) submit(c echo.Context) error {
	postID := c.Param("id")
	if !domain.IsTextID(postID) {
		return site.ErrNoPost
	}
	author, err := h.AuthorOf(c, postID)
	if err != nil {
		return err
	}
	viewer, err := h.SignedIn(c)
	if err != nil {
		return err
	}
	err = h.store.Posts.Delete(c.Request().Context(), postID, author.ID)
	if domain.Is(err, domain.NotFound) {
		return site.ErrNoPost
	}
	if err != nil {
		return err
	}
	if domain.IsPageID(postID) {
		h.recordPage(c.Request().Context(), viewer, domain.AuditPageDeleted, postID) // while its address is known
		h.refreshPage(c.Request().Context(), postID)
		return site.SeeOther(c, site.DeletedPath(site.AdminPagesPath, ""))
	}
	return site.SeeOther(c, site.DeletedPath(names.UserPath(author.Username), ""))
}
