package web

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/views"
)

type likeLister interface {
	// Likes gives a page of likes, newest first.
	Likes(ctx context.Context, postID string, page int) (domain.Page[domain.Like], error)
}

// likes says who likes a post.
type likes struct {
	*site
	posts interface {
		postGetter
		likeLister
	}
}

func (h likes) register(e *echo.Echo) {
	get(e, "/posts/:id/likes", h.show)
}

func (h likes) show(c echo.Context) error {
	number, err := pageNumber(c)
	if err != nil {
		return err
	}
	p, err := getPost(c, h.posts)
	if err != nil {
		return err
	}
	found, err := h.posts.Likes(c.Request().Context(), p.ID, number)
	if err := listed(found, err); err != nil {
		return err
	}
	page, err := h.page(c, "Likes of "+p.Title)
	if err != nil {
		return err
	}
	page.Canonical = canonical("/posts/"+p.ID+"/likes", number)
	return h.render(c, http.StatusOK, views.Likes(views.LikesPage{Page: page, Post: p, Likes: found}))
}
