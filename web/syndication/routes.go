package syndication

import (
	"github.com/labstack/echo/v4"

	"inkfeed/web/site"
)

// Store is the storage that feeds, sitemaps and redirects use.
type Store struct {
	Feed      site.FrontPager
	Users     Users
	Tags      site.TagLister
	Posts     Posts
	Drafts    site.DraftGetter
	Search    PostIndex
	Redirects RedirectFinder
}

type Users interface {
	feedUsers
	site.UserByID
}

type Posts interface {
	site.PostGetter
	site.LatestGetter
}

// Register registers the routes for other programs: feeds, sitemap, oEmbed, robots.txt and the manifest.
func Register(e *echo.Echo, s *site.Site, store Store) {
	newFeeds(s, store.Feed, store.Users, store.Tags, store.Posts).register(e)
	oembed{s, store.Posts}.register(e)
	robots{s}.register(e)
	sitemap{s, store.Search, make(site.Slots, 1)}.register(e)
	manifest{}.register(e)
}

// FollowLegacyRedirects returns a middleware that redirects the former addresses of imported posts.
func FollowLegacyRedirects(store Store) echo.MiddlewareFunc {
	return legacyRedirects{store.Redirects, store.Posts, store.Drafts, store.Users}.follow
}
