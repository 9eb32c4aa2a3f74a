package comments

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/views"
	"inkfeed/web/site"
)

// commentHide lets the author of a post hide comments on it and show them again.
type commentHide struct{ handler }

func (h commentHide) register(e *echo.Echo) {
	e.POST("/posts/:id/comments/:comment/hide", func(c echo.Context) error {
		return h.change(c, func(ctx context.Context, comment domain.Comment) (domain.Post, error) {
			return h.store.Posts.HoldComment(ctx, comment.PostID, comment.ID, domain.HeldByAuthor)
		})
	})
	e.POST("/posts/:id/comments/:comment/show", func(c echo.Context) error {
		return h.change(c, h.reveal)
	})
}

// reveal shows a comment again. If a new user edited it while it was hidden, it is held for review
// as usual.
func (h commentHide) reveal(ctx context.Context, comment domain.Comment) (domain.Post, error) {
	author, err := h.store.Users.Account(ctx, comment.AuthorID)
	if err != nil {
		return domain.Post{}, err
	}
	hold, err := h.Screening.Comment(ctx, author, domain.Comment{}, comment.Content, time.Now())
	if err != nil {
		return domain.Post{}, err
	}
	return h.store.Posts.ShowComment(ctx, comment.PostID, comment.ID, comment.Edited, hold)
}

func (h commentHide) change(c echo.Context, do func(context.Context, domain.Comment) (domain.Post, error)) error {
	p, err := h.finder.OwnPost(c, locale.M("You can only hide comments on your own posts."))
	if err != nil {
		return err
	}
	viewer, err := h.SignedIn(c)
	if err != nil {
		return err
	}
	before, err := site.CommentAt(c, h.store.Posts.Comment)
	switch {
	case err != nil:
		return err
	case !before.Deleted.IsZero(), !before.ShownTo(viewer, p):
		return site.ErrNoComment
	}
	p, err = do(c.Request().Context(), before)
	if domain.Is(err, domain.NotFound) {
		return site.ErrNoComment
	}
	if err != nil {
		return err
	}
	after, err := site.CommentAt(c, h.store.Posts.Comment)
	if err != nil {
		return h.RedirectStored(c, views.CommentPath(p.ID, before.ID), err)
	}
	if !site.IsFragment(c) {
		return h.redirectToComment(c, p, after)
	}
	list, err := h.comments.List(c.Request().Context(), viewer, p, domain.ListPage[domain.Comment]{})
	if err != nil {
		return err
	}
	view, _ := h.comments.For(c.Request().Context(), viewer, p, after)
	return h.Render(c, http.StatusOK, views.CommentHidden(view, list, p.CommentCount))
}
