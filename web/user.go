package web

import (
	"context"
	"net/http"
	"net/url"
	"time"

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
		blockChecker
	}
}

func (h user) register(e *echo.Echo) {
	get(e, "/@:username", shared(h.show))
}

// bio is what a user says of themselves, rendered: of a new account without links.
func (h user) bio(c echo.Context, u domain.User) (html string, unlinked bool, err error) {
	if u.Bio == "" {
		return "", false, nil
	}
	html = h.markdown.BioHTML(u.Bio)
	if hold, err := h.screening.Comment(c.Request().Context(), u, "", u.Bio, time.Now()); err != nil || hold == domain.NotHeld {
		return html, false, err
	}
	return domain.WithoutLinks(html), true, nil
}

var errNoUser = domain.Errorf(domain.NotFound, "There is no one with this username.")

// named finds whom the address names. Other says that it does so in another spelling, or by
// a former name.
func named(c echo.Context, users userByName) (u domain.User, other bool, err error) {
	typed, err := url.PathUnescape(c.Param("username")) // where the address does not say it as usual
	if err != nil {
		return domain.User{}, false, errNoUser
	}
	name, err := domain.CleanUsername(typed)
	if err != nil {
		return domain.User{}, false, errNoUser
	}
	u, err = users.ByName(c.Request().Context(), name)
	if domain.Is(err, domain.NotFound) {
		return domain.User{}, false, errNoUser
	}
	return u, u.Username != typed, err
}

func (h user) show(c echo.Context) error {
	number, err := pageNumber(c)
	if err != nil {
		return err
	}
	u, other, err := named(c, h.users)
	if err != nil {
		return err
	}
	path := canonical(domain.UserPath(u.Username), number)
	if other {
		return moved(c, path)
	}
	posts, err := h.users.PostsOf(c.Request().Context(), u.ID, number)
	if err := listed(posts, err); err != nil {
		return err
	}
	page, err := h.page(c, domain.Called(u.Username, u.DisplayName))
	if err != nil {
		return err
	}
	page.Canonical, page.Description = path, "Posts by "+domain.Called(u.Username, u.DisplayName)+" on Inkfeed."
	page.Feeds = append(page.Feeds, userFeed(u.Username))
	blocked := false
	if viewer := page.Viewer.ID; viewer != "" && viewer != u.ID {
		if blocked, err = h.users.Blocks(c.Request().Context(), viewer, u.ID); err != nil {
			return err
		}
	}
	bio, unlinked, err := h.bio(c, u)
	if err != nil {
		return err
	}
	return h.render(c, http.StatusOK, views.User(views.UserPage{Page: page, User: u, Blocked: blocked, Bio: bio, Unlinked: unlinked, Posts: posts,
		Deleted: isDeleteDone(c)}))
}
