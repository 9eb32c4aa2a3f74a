package following

import (
	"net/http"
	"slices"
	"strconv"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/names"
	view "inkfeed/views/following"
	"inkfeed/web/site"
)

// lists serves the lists of whom a user follows and who follows the user.
type lists struct{ handler }

func (h lists) register(e *echo.Echo) {
	h.GetShared(e, "/@:username/followers", h.followers)
	h.GetShared(e, "/@:username/following", h.following)
}

// errHiddenList is the error for a list that its user hides.
var errHiddenList = domain.NewError(domain.NotFound, "This list is private.")

// begin returns the page of a list, or answers with a redirect to the present address.
func (h lists) begin(c echo.Context, list string) (shown view.FollowListPage, answered bool, err error) {
	u, other, err := site.UserAt(c, h.store.Users.ByName)
	if err != nil {
		return shown, false, err
	}
	path := names.UserPath(u.Username) + "/" + list
	if other {
		return shown, true, site.MovedPermanently(c, path)
	}
	shown.User, shown.Path = u, path
	if shown.LayoutData, err = h.ReadingLayout(c, names.Called(u.Username, u.DisplayName)); err != nil {
		return shown, false, err
	}
	shown.NoIndex = true
	if viewer := shown.Viewer; u.HidesFollows && viewer.ID != u.ID && !viewer.Role.MayModerate() {
		return shown, false, errHiddenList
	}
	return shown, false, nil
}

func (h lists) followers(c echo.Context) error {
	shown, answered, err := h.begin(c, "followers")
	if err != nil || answered {
		return err
	}
	from := domain.Place(c.QueryParam("from"))
	if _, _, ok := from.Split(); !ok && from != "" {
		return site.ErrNoPage
	}
	ctx, of := c.Request().Context(), domain.AuthorSource(shown.User.ID)
	followers, err := h.store.Follows.Followers(ctx, of)
	if err != nil {
		return err
	}
	list, next, err := h.store.Follows.ListFollowers(ctx, of, from)
	if err != nil {
		return err
	}
	shown.Title = site.T(c, "Followers of {name}", "name", shown.Title)
	shown.Followers, shown.Count, shown.Next, shown.First = true, followers.Count, next, from == ""
	if viewer := shown.Viewer; viewer.ID != shown.User.ID && !viewer.Role.MayModerate() {
		list = slices.DeleteFunc(list, func(f domain.Follow) bool { // what they follow is private
			return f.Person.HidesFollows && f.UserID != viewer.ID
		})
	}
	return h.render(c, shown, targetsOf(list, true))
}

func (h lists) following(c echo.Context) error {
	shown, answered, err := h.begin(c, "following")
	if err != nil || answered {
		return err
	}
	number, err := site.PageNumber(c)
	if err != nil {
		return err
	}
	list, err := h.store.Follows.List(c.Request().Context(), shown.User.ID, number)
	if err := site.PageOrNotFound(list, err); err != nil {
		return err
	}
	shown.Title = site.T(c, "What {name} follows", "name", shown.Title)
	shown.Count, shown.First, shown.Number, shown.More = shown.User.Following, number == 1, number, list.More
	return h.render(c, shown, targetsOf(list.Items, false))
}

// targetsOf returns the people and tags of a list, without the people whose accounts are deleted, suspended or about to
// be deleted.
func targetsOf(list []domain.Follow, followers bool) (targets []target) {
	for _, f := range list {
		if followers {
			f.Source = domain.AuthorSource(f.UserID)
		}
		if f.Person.ID != "" || f.Source.Tag != "" {
			targets = append(targets, target{f.Source, f.Person})
		}
	}
	return targets
}

func (h lists) render(c echo.Context, shown view.FollowListPage, targets []target) (err error) {
	next := shown.Path
	if shown.Number > 1 {
		next += "?page=" + strconv.Itoa(shown.Number)
	} else if from := c.QueryParam("from"); from != "" {
		next = view.FromPath(next, domain.Place(from))
	}
	if shown.Rows, err = h.rows(c.Request().Context(), shown.Viewer, targets, next); err != nil {
		return err
	}
	return h.Render(c, http.StatusOK, view.FollowList(shown))
}
