package reading

import (
	"net/http"
	"strconv"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/names"
	"inkfeed/domain/siteinfo"
	view "inkfeed/views/reading"
	"inkfeed/web/site"
)

// archive serves the list of a user's posts by year.
type archive struct{ handler }

func (h archive) register(e *echo.Echo) {
	h.GetShared(e, "/@:username/archive", h.show)
	h.GetShared(e, "/@:username/archive/:year", h.show)
}

func (h archive) show(c echo.Context) error {
	number, err := site.PageNumber(c)
	if err != nil {
		return err
	}
	year, err := archiveYear(c)
	if err != nil {
		return err
	}
	u, other, err := site.UserAt(c, h.store.Users.ByName)
	if err != nil {
		return err
	}
	if other {
		return site.MovedPermanently(c, site.CanonicalPath(view.ArchivePath(u.Username, year), number))
	}
	list, err := h.store.UserCopies.Archive(c.Request().Context(), u.ID, siteinfo.Zone(c.Request().Context()),
		year, number)
	if err := site.PageOrNotFound(list.Posts, err); err != nil {
		return err
	}
	if year != 0 && len(list.Posts.Items) == 0 {
		return domain.NewError(domain.NotFound, "{author} didn't publish anything in {year}.", "author", "@"+u.Username,
			"year", strconv.Itoa(year))
	}
	title := site.T(c, "All posts by {author}", "author", names.Called(u.Username, u.DisplayName))
	if list.Year != 0 {
		title = site.T(c, "{year} by {author}", "year", strconv.Itoa(list.Year), "author",
			names.Called(u.Username, u.DisplayName))
	}
	list.Posts.Items = domain.InLanguage(list.Posts.Items, u.WritingLanguage)
	page, err := h.ReadingLayout(c, title)
	if err != nil {
		return err
	}
	page.Canonical = site.CanonicalPath(view.ArchivePath(u.Username, list.Year), max(list.Posts.Number, 1))
	page.Description = site.T(c, "All posts by {author} on {site}, by year.",
		"author", names.Called(u.Username, u.DisplayName), "site", h.Info().Title())
	page.AnnounceFeed(site.UserFeed(c.Request().Context(), u))
	return h.Render(c, http.StatusOK, view.Archive(view.ArchivePage{LayoutData: page, User: u, Archive: list}))
}

// archiveYear returns the year in the address, or 0 if there is none. Each year has one spelling.
func archiveYear(c echo.Context) (int, error) {
	text := c.Param("year")
	if text == "" {
		return 0, nil
	}
	year, err := strconv.Atoi(text)
	if err != nil || year < domain.FirstYear || year > domain.LastYear || strconv.Itoa(year) != text {
		return 0, site.ErrNoPage
	}
	return year, nil
}
