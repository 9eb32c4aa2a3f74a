package syndication

import (
	"net/url"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/names"
	"inkfeed/views"
	"inkfeed/web/site"
)

// seriesFeed is the feed of a series, with its newest posts first like every feed.
func (h feeds) seriesFeed(c echo.Context) (feed, []domain.Summary, error) {
	key, otherKey, err := site.SeriesAt(c)
	if err != nil {
		return feed{}, nil, err
	}
	u, otherName, err := site.UserAt(c, h.store.Users.ByName)
	if err != nil {
		return feed{}, nil, err
	}
	ctx := c.Request().Context()
	if otherKey || otherName {
		return feed{}, nil, errMoved{site.SeriesFeed(ctx, u.Username, key, "").Path}
	}
	list, err := h.store.UserCopies.NewestOfSeries(ctx, u.ID, key)
	if err == nil && len(list) == 0 {
		err = site.ErrNoSeries
		if to, readErr := h.store.UserCopies.RenamedSeries(ctx, u.ID, key); readErr != nil {
			err = readErr
		} else if to != "" {
			err = errMoved{site.SeriesFeed(ctx, u.Username, to, "").Path}
		}
	}
	title, called := domain.SeriesTitle(list), names.Called(u.Username, u.DisplayName)
	about := site.SeriesFeed(ctx, u.Username, key, title)
	return feed{id: "/users/" + u.ID + "/series/" + url.PathEscape(key), title: about.Title,
		description: site.T(c, "“{series}”: a series of posts by {author} on {site}.", "series", title,
			"author", called, "site", h.Info().Title()),
		page: views.SeriesPath(u.Username, key), path: about.Path, author: u.Username, called: called,
		begun: u.Created, language: u.WritingLanguage}, list, err
}
