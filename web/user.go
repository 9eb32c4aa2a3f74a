package web

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/names"
	"inkfeed/domain/screening"
	"inkfeed/views"
)

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
	return screening.WithoutLinks(html), true, nil
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
	path := canonical(names.UserPath(u.Username), number)
	if other {
		return moved(c, path)
	}
	posts, err := h.users.PostsOf(c.Request().Context(), u.ID, number)
	if err := listed(posts, err); err != nil {
		return err
	}
	page, err := h.page(c, names.Called(u.Username, u.DisplayName))
	if err != nil {
		return err
	}
	page.Canonical, page.Description = path, "What "+names.Called(u.Username, u.DisplayName)+" writes on Inkfeed."
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
