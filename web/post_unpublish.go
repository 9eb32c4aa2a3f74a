package web

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/views"
)

type unpublisher interface {
	// Unpublish makes a draft of the post, which only its author finds from then on. A
	// draft that is there stays as it is. NotFound: the user has no such post.
	Unpublish(ctx context.Context, userID, postID string) (domain.Draft, error)
}

// postUnpublish is where authors take a post back.
type postUnpublish struct {
	*site
	drafts unpublisher
	posts  interface {
		postGetter
		ownPostGetter
	}
}

func (h postUnpublish) register(e *echo.Echo) {
	get(e, "/posts/:id/unpublish", h.show)
	e.POST("/posts/:id/unpublish", h.submit)
}

func (h postUnpublish) show(c echo.Context) error {
	p, err := h.ownPost(c, h.posts, notYoursToUnpublish)
	if err != nil {
		return err
	}
	return h.renderForm(c, http.StatusOK, views.Unpublish(views.UnpublishPage{
		Page: h.frame(c, "Unpublish your post?"), Post: p}))
}

const notYoursToUnpublish = "You can only unpublish your own posts."

func (h postUnpublish) submit(c echo.Context) error {
	author, err := h.signedIn(c)
	if err != nil {
		return err
	}
	if !domain.IsID(c.Param("id")) {
		return errNoPost
	}
	_, err = h.drafts.Unpublish(c.Request().Context(), author.ID, c.Param("id"))
	if domain.Is(err, domain.NotFound) {
		if _, err := getPost(c, h.posts); err != nil {
			return err
		}
		return domain.Errorf(domain.Forbidden, "%s", notYoursToUnpublish)
	}
	if err != nil {
		return err
	}
	return seeOther(c, editPath(c.Param("id"), "unpublished"))
}
