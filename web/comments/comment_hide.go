package comments

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/views"
	"inkfeed/web/site"
)

// commentHider returns the post as it has become. What is so already changes nothing.
type commentHider interface {
	HoldComment(ctx context.Context, postID, commentID string, hold domain.Hold) (domain.Post, error)
	// ShowComment undoes HeldByAuthor, and no other hold; the comment is held otherwise then,
	// or not at all. Conflict: it was edited last at another time.
	ShowComment(ctx context.Context, postID, commentID string, edited time.Time, instead domain.Hold) (domain.Post,
		error)
}

// commentHide is where the author of a post hides comments on it, and shows them again.
type commentHide struct {
	*site.Site
	posts interface {
		site.PostGetter
		site.OwnPostGetter
		site.CommentGetter
		commentCounter
		commentHider
	}
	users site.AccountGetter
}

func (h commentHide) register(e *echo.Echo) {
	e.POST("/posts/:id/comments/:comment/hide", func(c echo.Context) error {
		return h.change(c, func(ctx context.Context, comment domain.Comment) (domain.Post, error) {
			return h.posts.HoldComment(ctx, comment.PostID, comment.ID, domain.HeldByAuthor)
		})
	})
	e.POST("/posts/:id/comments/:comment/show", func(c echo.Context) error {
		return h.change(c, h.reveal)
	})
}

// reveal shows a comment again. What somebody new wrote into it while it was hidden waits for
// a moderator, as it would have done.
func (h commentHide) reveal(ctx context.Context, comment domain.Comment) (domain.Post, error) {
	author, err := h.users.Account(ctx, comment.AuthorID)
	if err != nil {
		return domain.Post{}, err
	}
	hold, err := h.Screening.Comment(ctx, author, "", comment.Content, time.Now())
	if err != nil {
		return domain.Post{}, err
	}
	return h.posts.ShowComment(ctx, comment.PostID, comment.ID, comment.Edited, hold)
}

func (h commentHide) change(c echo.Context, do func(context.Context, domain.Comment) (domain.Post, error)) error {
	p, err := h.OwnPost(c, h.posts, "You can only hide comments on your own posts.")
	if err != nil {
		return err
	}
	viewer, err := h.SignedIn(c)
	if err != nil {
		return err
	}
	before, err := site.CommentAt(c, h.posts)
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
	after, err := site.CommentAt(c, h.posts)
	if err != nil {
		return err
	}
	if !site.IsFragment(c) {
		return toComment(h.Site, c, h.posts, p, after)
	}
	list := h.CommentList(viewer, p, domain.Page[domain.Comment]{})
	view, _ := h.CommentFor(viewer, p, after)
	return h.Render(c, http.StatusOK, views.CommentHidden(view, list, p.CommentCount))
}
