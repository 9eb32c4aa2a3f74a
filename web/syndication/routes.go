package syndication

import (
	"github.com/labstack/echo/v4"

	"inkfeed/web/site"
)

// Store is what feeds, sitemaps and redirects need of the storage.
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

// Register registers what other programs read of the site.
func Register(e *echo.Echo, s *site.Site, store Store) {
	newFeeds(s, store.Feed, store.Users, store.Tags, store.Posts).register(e)
	oembed{s, store.Posts}.register(e)
	robots{s}.register(e)
	sitemap{s, store.Search, make(site.Slots, 1)}.register(e)
	manifest{}.register(e)
}

// FollowLegacyRedirects redirects requests for the addresses that imported posts had elsewhere.
func FollowLegacyRedirects(store Store) echo.MiddlewareFunc {
	return legacyRedirects{store.Redirects, store.Posts, store.Drafts, store.Users}.follow
}
