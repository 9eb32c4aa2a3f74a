package web

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/views"
)

type commentLister interface {
	// Comments gives a page of comments, oldest first.
	Comments(ctx context.Context, postID string, page int) (domain.Page[domain.Comment], error)
}

// comments is a page of a post's comments, or for htmx the same as a fragment.
type comments struct {
	*site
	posts interface {
		postGetter
		commentLister
	}
}

func (h comments) register(e *echo.Echo) {
	get(e, "/posts/:id/comments", h.show)
}

func (h comments) show(c echo.Context) error {
	number, err := pageNumber(c)
	if err != nil {
		return err
	}
	p, err := getPost(c, h.posts)
	if err != nil {
		return err
	}
	found, err := h.posts.Comments(c.Request().Context(), p.ID, number)
	if err := listed(found, err); err != nil {
		return err
	}
	page, err := h.page(c, "Comments on "+p.Title)
	if err != nil {
		return err
	}
	list := h.commentList(page.Viewer.ID, p.ID, found)
	if isFragment(c) {
		return h.render(c, http.StatusOK, views.CommentsFragment(list))
	}
	list.Paged = true
	page.Canonical = views.CommentsPath(p.ID, number)
	return h.render(c, http.StatusOK, views.Comments(views.CommentsPage{Page: page, Post: p, Comments: list,
		Form:    views.CommentForm{PostID: p.ID, Attempt: domain.NewID()},
		Deleted: page.Viewer.ID != "" && isDeleteDone(c)}))
}
