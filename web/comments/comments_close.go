package comments

import (
	"github.com/labstack/echo/v4"

	"inkfeed/domain/locale"
	"inkfeed/web/site"
)

// commentsClose lets the author of a post close and open its comments.
type commentsClose struct{ handler }

func (h commentsClose) register(e *echo.Echo) {
	e.POST("/posts/:id/comments/close", func(c echo.Context) error { return h.change(c, true) })
	e.POST("/posts/:id/comments/open", func(c echo.Context) error { return h.change(c, false) })
}

func (h commentsClose) change(c echo.Context, closed bool) error {
	p, err := h.finder.OwnPost(c, locale.M("You can only open or close comments on your own posts."))
	if err != nil {
		return err
	}
	if p, err = h.store.Posts.CloseComments(c.Request().Context(), p.ID, p.AuthorID, closed); err != nil {
		return err
	}
	return site.SeeOther(c, p.Path()+"#Page-comments")
}
