// Package syndication serves other programs: feeds, the sitemap, oEmbed, robots.txt, the web app
// manifest and the redirects of imported posts.
package syndication

import (
	"github.com/labstack/echo/v4"

	"inkfeed/web/site"
)

// Register registers the routes for other programs: feeds, sitemap, oEmbed, robots.txt, the manifest, the style
// sheets of accents and the site, the site's logo and icons, and the cards of posts.
func Register(e *echo.Echo, s *site.Site, store Store) {
	newFeeds(s, store).register(e)
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
