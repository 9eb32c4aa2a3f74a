package web

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/views"
)

type userByName interface {
	// ByName finds a user by the present or a former name, in any case of letters.
	ByName(ctx context.Context, username string) (domain.User, error)
}

type postLister interface {
	PostsOf(ctx context.Context, userID string, page int) (domain.Page[domain.Summary], error)
}

// user is the page of a user with what the user has written.
type user struct {
	*site
	users interface {
		userByName
		postLister
	}
}

func (h user) register(e *echo.Echo) {
	get(e, "/@:username", h.show)
}

var errNoUser = domain.Errorf(domain.NotFound, "There is nobody of this name here.")

func (h user) show(c echo.Context) error {
	number, err := pageNumber(c)
	if err != nil {
		return err
	}
	name := c.Param("username")
	if domain.CheckUsername(name) != nil {
		return errNoUser
	}
	u, err := h.users.ByName(c.Request().Context(), name)
	if domain.Is(err, domain.NotFound) {
		return errNoUser
	}
	if err != nil {
		return err
	}
	path := canonical("/@"+u.Username, number)
	if u.Username != name {
		return moved(c, path)
	}
	posts, err := h.users.PostsOf(c.Request().Context(), u.ID, number)
	if err := listed(posts, err); err != nil {
		return err
	}
	page, err := h.page(c, "@"+u.Username)
	if err != nil {
		return err
	}
	page.Canonical, page.Description = path, "What @"+u.Username+" writes on Inkfeed."
	return h.render(c, http.StatusOK, views.User(views.UserPage{Page: page, User: u, Posts: posts,
		Deleted: isDeleteDone(c)}))
}
