package comments

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/names"
	"inkfeed/views"
	view "inkfeed/views/comments"
	"inkfeed/web/site"
)

// comments serves a page of a post's comments, and for htmx the comments that follow those shown.
type comments struct{ handler }

func (h comments) register(e *echo.Echo) {
	h.GetShared(e, "/posts/:id/comments", h.show)
}

func (h comments) show(c echo.Context) error {
	number, err := site.PageNumber(c)
	if err != nil {
		return err
	}
	p, err := h.finder.VisiblePost(c)
	if err != nil {
		return err
	}
	if site.IsFragment(c) {
		return h.renderFollowing(c, p, number)
	}
	found, err := h.store.Posts.Comments(c.Request().Context(), p.ID, number)
	if err := site.PageOrNotFound(found, err); err != nil {
		return err
	}
	return h.render(c, http.StatusOK, p, found, h.NewCommentForm(c, p.ID))
}

func (h comments) render(c echo.Context, status int, p domain.Post, found domain.ListPage[domain.Comment],
	form views.CommentForm) error {
	page, err := h.ReadingLayout(c, site.T(c, "Comments on {post}", "post", p.Title))
	if err != nil {
		return err
	}
	list, err := h.list(c, page.Viewer, p, found)
	if err != nil {
		return err
	}
	list.Paged = true
	h.reasons.AddTo(c.Request().Context(), &list)
	page.Canonical = views.CommentsPath(p.ID, found.Number)
	page.Description, page.NoIndex = site.T(c, "Comments on “{post}” by {author}.", "post", p.Title, "author",
		names.Called(p.AuthorName, p.AuthorDisplayName)), !p.Listed()
	return h.Render(c, status, view.Comments(view.CommentsPage{LayoutData: page, Post: p, Comments: list,
		Form: form, CommentDeleted: page.Viewer.ID != "" && site.IsDeleted(c)}))
}

// renderFollowing writes the comments after a place, for htmx, as part of the page with this number.
func (h comments) renderFollowing(c echo.Context, p domain.Post, number int) error {
	viewer, err := h.Viewer(c)
	if err != nil {
		return err
	}
	found, err := h.store.Posts.CommentsAfter(c.Request().Context(), p.ID, c.QueryParam("after"))
	if err != nil {
		return err
	}
	found.Number = number
	list, err := h.list(c, viewer, p, found)
	if err != nil {
		return err
	}
	h.reasons.AddTo(c.Request().Context(), &list)
	return h.Render(c, http.StatusOK, view.CommentsFragment(list))
}

// list returns a page of a post's comments as the viewer sees them, without forms if the post's author has blocked the
// viewer.
func (h handler) list(c echo.Context, viewer domain.User, p domain.Post,
	found domain.ListPage[domain.Comment]) (views.CommentList, error) {
	list, err := h.comments.List(c.Request().Context(), viewer, p, found)
	if err == nil {
		list.BlockedByAuthor, err = h.policy.Blocked(c.Request().Context(), p.AuthorID, viewer)
	}
	return list, err
}

// commentPlace returns the address at which a comment is shown: on its post's page or a page of
// comments.
func (h handler) commentPlace(ctx context.Context, p domain.Post, comment domain.Comment) (string, error) {
	before, err := h.store.Posts.CommentsBefore(ctx, p.ID, comment.Place())
	if err != nil {
		return "", err
	}
	path := p.Path()
	if page := before/domain.CommentsPerPage + 1; page > 1 {
		path = views.CommentsPath(p.ID, page)
	}
	return path + views.CommentAnchor(comment.ID), nil
}

// redirectToComment redirects from a submitted form to its comment.
func (h handler) redirectToComment(c echo.Context, p domain.Post, comment domain.Comment) error {
	path, err := h.commentPlace(c.Request().Context(), p, comment)
	if err != nil { // the permanent address finds the comment
		return h.RedirectStored(c, views.CommentPath(p.ID, comment.ID), err)
	}
	return site.SeeOther(c, path)
}
