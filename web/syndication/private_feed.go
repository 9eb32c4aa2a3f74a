package syndication

import (
	"context"
	"crypto/subtle"
	"strings"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/names"
	"inkfeed/views"
	"inkfeed/web/site"
)

// privateFeed serves the personal feeds of users for feed readers. Their addresses contain a secret.
type privateFeed struct {
	feeds
	newest func(context.Context, domain.User) ([]domain.Summary, error)
}

func (h privateFeed) register(e *echo.Echo) {
	site.Get(e, site.PrivateFeedRoute, h.show(feedFormats[0], h.load))
}

var errNoFeed = domain.NewError(domain.NotFound, "There is no feed at this address. Its owner may have changed it.")

// load reads the feed at the address of the request. The address names the user, who is usually in the query cache, so
// a wrong secret costs a point read at most.
func (h privateFeed) load(c echo.Context) (feed, []domain.Summary, error) {
	header := c.Response().Header()
	header.Set("X-Robots-Tag", "noindex, nofollow, noarchive")
	header.Set("Referrer-Policy", "no-referrer")
	key, ok := strings.CutSuffix(c.Param("feed"), feedFormats[0].ext)
	end := strings.LastIndexByte(key, '.')
	if !ok || end < 0 || !domain.IsUserID(key[:end]) {
		return feed{}, nil, errNoFeed
	}
	ctx := c.Request().Context()
	u, err := h.Users.ByID(ctx, key[:end]) // not found if the account is suspended or deleted
	if domain.Is(err, domain.NotFound) {
		return feed{}, nil, errNoFeed
	}
	if err != nil {
		return feed{}, nil, err
	}
	if own := u.FeedKey(); own == "" || subtle.ConstantTimeCompare([]byte(own), []byte(key)) != 1 {
		return feed{}, nil, errNoFeed
	}
	list, err := h.newest(ctx, u)
	title := site.T(c, "What {name} follows", "name", names.Called(u.Username, u.DisplayName))
	return feed{id: "/users/" + u.ID + "/following", title: title, description: h.Info().Title(), private: true,
		page: views.FollowedPostsPath, path: views.PrivateFeedPrefix + key, begun: u.Created}, list, err
}
