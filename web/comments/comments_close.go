package comments

import (
	"context"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/web/site"
)

type commentCloser interface {
	// CloseComments changes nothing when it is so already, and fails with Forbidden when
	// the post is somebody else's.
	CloseComments(ctx context.Context, postID, userID string, closed bool) (domain.Post, error)
}

// commentsClose is where the author of a post takes no more comments, or takes them again.
type commentsClose struct {
	*site.Site
	posts interface {
		site.PostGetter
		site.OwnPostGetter
		commentCloser
	}
}

func (h commentsClose) register(e *echo.Echo) {
	e.POST("/posts/:id/comments/close", func(c echo.Context) error { return h.change(c, true) })
	e.POST("/posts/:id/comments/open", func(c echo.Context) error { return h.change(c, false) })
}

func (h commentsClose) change(c echo.Context, closed bool) error {
	p, err := h.OwnPost(c, h.posts, "You can only open or close comments on your own posts.")
	if err != nil {
		return err
	}
	if p, err = h.posts.CloseComments(c.Request().Context(), p.ID, p.AuthorID, closed); err != nil {
		return err
	}
	return site.SeeOther(c, p.Path()+"#Page-comments")
}
