package reading

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/names"
	"inkfeed/views"
	view "inkfeed/views/reading"
	"inkfeed/web/site"
)

// series serves the series of an author: the list of them, and the parts of each.
type series struct{ handler }

func (h series) register(e *echo.Echo) {
	h.GetShared(e, "/@:username/series", h.list)
	h.GetShared(e, "/@:username/series/:series", h.show)
}

func (h series) list(c echo.Context) error {
	u, other, err := site.UserAt(c, h.store.Users.ByName)
	if err != nil {
		return err
	}
	path := views.SeriesListPath(u.Username)
	if other {
		return site.MovedPermanently(c, path)
	}
	all, err := h.store.UserCopies.AllSeries(c.Request().Context(), u.ID)
	if err != nil {
		return err
	}
	called := names.Called(u.Username, u.DisplayName)
	page, err := h.ReadingLayout(c, site.T(c, "Series by {author}", "author", called))
	if err != nil {
		return err
	}
	page.Canonical, page.NoIndex = path, len(all) == 0
	page.Description = site.T(c, "Series of posts by {author} on {site}.", "author", called, "site", h.Info().Title())
	page.AnnounceFeed(site.UserFeed(c.Request().Context(), u))
	return h.Render(c, http.StatusOK, view.SeriesList(view.SeriesListPage{LayoutData: page, User: u, Series: all,
		Renamed: c.QueryParam("renamed") == "yes"}))
}

func (h series) show(c echo.Context) error {
	key, otherKey, err := site.SeriesAt(c)
	if err != nil {
		return err
	}
	u, otherName, err := site.UserAt(c, h.store.Users.ByName)
	if err != nil {
		return err
	}
	path := views.SeriesPath(u.Username, key)
	if otherKey || otherName {
		return site.MovedPermanently(c, path)
	}
	ctx := c.Request().Context()
	posts, err := h.store.UserCopies.Series(ctx, u.ID, key)
	if err != nil {
		return err
	}
	if len(posts) == 0 {
		return h.renamed(c, u, key)
	}
	posts = domain.InLanguage(posts, u.WritingLanguage)
	title, called := domain.SeriesTitle(posts), names.Called(u.Username, u.DisplayName)
	page, err := h.ReadingLayout(c, site.T(c, "{series} by {author}", "series", title, "author", called))
	if err != nil {
		return err
	}
	page.Canonical = path
	page.Description = site.T(c, "“{series}”: a series of posts by {author} on {site}.", "series", title,
		"author", called, "site", h.Info().Title())
	page.AnnounceFeed(site.SeriesFeed(ctx, u.Username, key, title))
	return h.Render(c, http.StatusOK, view.Series(view.SeriesPage{LayoutData: page, User: u, Key: key, Name: title,
		Language: domain.SeriesLanguage(posts), Posts: posts, More: len(posts) == domain.MaxSeriesPosts}))
}

// renamed redirects from the former address of a series. Another series can take that address later, so the redirect is
// temporary.
func (h series) renamed(c echo.Context, u domain.User, key string) error {
	to, err := h.store.UserCopies.RenamedSeries(c.Request().Context(), u.ID, key)
	if err != nil {
		return err
	}
	if to == "" {
		return site.ErrNoSeries
	}
	return site.Redirect(c, http.StatusFound, views.SeriesPath(u.Username, to))
}
