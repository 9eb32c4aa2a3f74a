package reading

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/names"
	"inkfeed/domain/screening"
	view "inkfeed/views/reading"
	"inkfeed/web/site"
)

// user serves the page of a user with the user's posts.
type user struct{ handler }

func (h user) register(e *echo.Echo) {
	site.Get(e, "/@:username", site.Shared(h.show))
}

// bio renders a user's biography, for a new account without links.
func (h user) bio(c echo.Context, u domain.User) (html string, unlinked bool, err error) {
	if u.Bio == "" {
		return "", false, nil
	}
	html = h.Markdown.BioHTML(u.Bio)
	if hold, err := h.Screening.Comment(c.Request().Context(), u, domain.Comment{}, u.Bio, time.Now()); err != nil ||
		hold == domain.NotHeld {
		return html, false, err
	}
	return screening.WithoutLinks(html), true, nil
}

func (h user) show(c echo.Context) error {
	u, other, err := site.UserAt(c, h.store.Users.ByName)
	if err != nil {
		return err
	}
	if !other {
		return h.page(c, u, names.UserPath(u.Username))
	}
	number, err := site.PageNumber(c)
	if err != nil {
		return err
	}
	return site.MovedPermanently(c, site.CanonicalPath(names.UserPath(u.Username), number))
}

// page shows the page of a user at a path.
func (h user) page(c echo.Context, u domain.User, path string) error {
	number, err := site.PageNumber(c)
	if err != nil {
		return err
	}
	posts, err := h.store.Users.PostsOf(c.Request().Context(), u.ID, number)
	if err := site.PageOrNotFound(posts, err); err != nil {
		return err
	}
	page, err := h.Layout(c, names.Called(u.Username, u.DisplayName))
	if err != nil {
		return err
	}
	page.Canonical, page.Description = site.CanonicalPath(path, number), site.T(c, "Posts by {author} on {site}.",
		"author", names.Called(u.Username, u.DisplayName), "site", h.Info().Title())
	page.Feeds = append(page.Feeds, site.UserFeed(c.Request().Context(), u.Username))
	blocked := false
	if viewer := page.Viewer.ID; viewer != "" && viewer != u.ID {
		if blocked, err = h.store.Users.Blocks(c.Request().Context(), viewer, u.ID); err != nil {
			return err
		}
	}
	bio, unlinked, err := h.bio(c, u)
	if err != nil {
		return err
	}
	shown := view.UserPage{Page: page, Path: path, User: u, Blocked: blocked, Bio: bio, LinksDisabled: unlinked,
		Posts:       posts,
		PostDeleted: site.IsDeleted(c)}
	if page.Viewer.ID == u.ID && number == 1 {
		if shown.Hidden, shown.Holds, err = h.hidden(c.Request().Context(), u.ID); err != nil {
			return err
		}
	}
	return h.Render(c, http.StatusOK, view.User(shown))
}

// hidden returns the first page of a user's hidden posts, and their holds by post id.
func (h user) hidden(ctx context.Context, userID string) (list domain.Page[domain.Summary],
	holds map[string]domain.Hold, err error) {
	if list, err = h.store.Users.HiddenOf(ctx, userID, 1); err == nil {
		holds, err = h.finder.Holds(ctx, list.Items)
	}
	return list, holds, err
}
