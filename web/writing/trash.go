package writing

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/names"
	view "inkfeed/views/writing"
	"inkfeed/web/site"
)

// trash moves an author's own posts to the trash, lists and restores them, and deletes them for good. Static pages have
// no trash.
type trash struct{ handler }

func (h trash) register(e *echo.Echo) {
	site.Get(e, view.TrashPath, h.list)
	site.Get(e, "/posts/:id/delete", h.show)
	e.POST("/posts/:id/delete", h.submit)
	e.POST("/posts/:id/restore", h.restore)
	site.Get(e, "/posts/:id/erase", h.showErase)
	e.POST("/posts/:id/erase", h.erase)
}

func (h trash) list(c echo.Context) error {
	author, err := h.SignedIn(c)
	if err != nil {
		return err
	}
	number, err := site.PageNumber(c)
	if err != nil {
		return err
	}
	list, err := h.store.UserCopies.Trash(c.Request().Context(), author.ID, number)
	if err := site.PageOrNotFound(list, err); err != nil {
		return err
	}
	page, err := h.Layout(c, site.T(c, "Trash"))
	if err != nil {
		return err
	}
	return h.Render(c, http.StatusOK, view.Trash(view.TrashPage{LayoutData: page, Posts: list,
		Deleted: site.IsDeleted(c)}))
}

var deletionRefusal = locale.M("You can only delete your own posts.")

// own returns the post to its author, also from the trash.
func (h trash) own(c echo.Context) (domain.Post, error) {
	return h.finder.OwnPostBy(c, deletionRefusal, h.store.Posts.OwnOrTrashed)
}

func (h trash) show(c echo.Context) error {
	p, err := h.own(c)
	switch _, listed := h.StaticPages().ByID(p.ID); {
	case err != nil:
		return err
	case listed:
		return site.SeeOther(c, site.AdminPagesPath+"/"+p.ID+"/delete")
	case p.IsPage(), p.InTrash():
		return site.SeeOther(c, view.ErasePath(p.ID))
	}
	return h.RenderForm(c, http.StatusOK, view.PostDelete(view.PostDeletePage{
		LayoutData: h.FallbackLayout(c, site.T(c, "Move your post to the trash?")), Post: p}))
}

func (h trash) submit(c echo.Context) error {
	if domain.IsPageID(c.Param("id")) {
		return h.erase(c)
	}
	author, err := h.SignedIn(c)
	if err != nil {
		return err
	}
	p, err := h.store.Posts.Trash(c.Request().Context(), c.Param("id"), author.ID, domain.Timestamp(time.Now()))
	if err != nil {
		return refused(err)
	}
	return site.SeeOther(c, names.UserPath(author.Username)+"?trashed="+p.ID)
}

// refused explains why a post was neither moved nor deleted.
func refused(err error) error {
	switch domain.KindOf(err) {
	case domain.NotFound:
		return site.ErrNoPost
	case domain.Forbidden:
		return &domain.Error{Kind: domain.Forbidden, Message: deletionRefusal}
	}
	return err
}

func (h trash) restore(c echo.Context) error {
	author, err := h.SignedIn(c)
	if err != nil {
		return err
	}
	p, err := h.store.Posts.Restore(c.Request().Context(), c.Param("id"), author.ID)
	if err != nil {
		return refused(err)
	}
	return site.SeeOther(c, p.Path())
}

func (h trash) showErase(c echo.Context) error {
	p, err := h.own(c)
	if err != nil {
		return err
	}
	return h.RenderForm(c, http.StatusOK, view.PostErase(view.PostDeletePage{
		LayoutData: h.FallbackLayout(c, site.T(c, "Delete your post for good?")), Post: p}))
}

func (h trash) erase(c echo.Context) error {
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
	if err := h.store.Posts.Delete(c.Request().Context(), postID, author.ID); err != nil {
		return refused(err)
	}
	if domain.IsPageID(postID) {
		h.recordPage(c.Request().Context(), viewer, domain.AuditPageDeleted, postID) // while its address is known
		h.refreshPage(c.Request().Context(), postID)
		return site.SeeOther(c, site.DeletedPath(site.AdminPagesPath, ""))
	}
	return site.SeeOther(c, site.DeletedPath(view.TrashPath, ""))
}
