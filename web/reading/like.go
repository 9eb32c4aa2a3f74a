package reading

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	view "inkfeed/views/reading"
	"inkfeed/web/site"
)

// like adds and removes likes.
type like struct {
	handler
	policy site.ResponsePolicy
}

func (h like) register(e *echo.Echo) {
	e.POST("/posts/:id/like", h.like)
	e.POST("/posts/:id/unlike", h.unlike)
}

func (h like) like(c echo.Context) error {
	return h.change(c, true, func(_ context.Context, u domain.User, postID string) (domain.Post, error) {
		return h.add(c, u, postID)
	})
}

func (h like) add(c echo.Context, u domain.User, postID string) (domain.Post, error) {
	if err := h.policy.Check(c, u); err != nil {
		return domain.Post{}, err
	}
	return h.store.Posts.Like(c.Request().Context(), domain.NewLike(u, postID, time.Now()))
}

func (h like) unlike(c echo.Context) error {
	return h.change(c, false, func(ctx context.Context, u domain.User, postID string) (domain.Post, error) {
		return h.store.Posts.Unlike(ctx, postID, u.ID)
	})
}

func (h like) change(c echo.Context, liked bool,
	do func(context.Context, domain.User, string) (domain.Post, error)) error {
	postID := c.Param("id")
	if !domain.IsID(postID) {
		return site.ErrNoPost
	}
	u, err := h.SignedIn(c)
	if err != nil && liked {
		return h.Postpone(c, site.DoLike, postID, err)
	}
	if err != nil {
		return err
	}
	p, err := site.OpenOrNotFound(do(c.Request().Context(), u, postID))
	if err != nil {
		return err
	}
	if site.IsFragment(c) {
		return h.Render(c, http.StatusOK, view.Liked(view.LikeButton{PostID: postID, SignedIn: true,
			Liked: liked, Count: p.LikeCount, JustPressed: true}, h.likers(c, p, u.ID, liked)))
	}
	return site.SeeOther(c, p.Path()+"#Page-like")
}
