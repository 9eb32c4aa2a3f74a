// Package syndication serves other programs: feeds, the sitemap, oEmbed, robots.txt, the web app
// manifest and the redirects of imported posts.
package syndication

import (
	"context"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/web/site"
)

// Register registers the routes for other programs: feeds, sitemap, oEmbed, robots.txt, the manifest, the style
// sheets of accents and the site, the site's logo and icons, and the cards of posts.
//
// newest reads the newest posts of a user's personal feed.
func Register(e *echo.Echo, s *site.Site, store Store, newest func(context.Context, domain.User) ([]domain.Summary,
	error)) {
	feeds := newFeeds(s, store)
	feeds.register(e)
	privateFeed{feeds, newest}.register(e)
	oembed{s, store.Posts}.register(e)
	robots{s}.register(e)
	sitemap{s, store.Search, make(site.Slots, 1)}.register(e)
	manifest{s}.register(e)
	accents{s}.register(e)
	newBrand(s, store.Pictures).register(e)
	newCards(s, store.Posts).register(e)
}

// FollowLegacyRedirects returns a middleware that redirects the former addresses of imported posts.
func FollowLegacyRedirects(store Store) echo.MiddlewareFunc { return legacyRedirects{store}.follow }
