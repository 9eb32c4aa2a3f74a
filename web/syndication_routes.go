package web

import "github.com/labstack/echo/v4"

// syndicationStore is what feeds, sitemaps and redirects need of the storage.
type syndicationStore struct {
	Feed      frontPager
	Users     syndicationUsers
	Tags      tagLister
	Posts     syndicationPosts
	Drafts    draftGetter
	Search    postIndex
	Redirects redirectFinder
}

type syndicationUsers interface {
	feedUsers
	userByID
}

type syndicationPosts interface {
	postGetter
	latestGetter
}

// registerSyndication registers what other programs read of the site.
func registerSyndication(e *echo.Echo, s *site, store syndicationStore) {
	newFeeds(s, store.Feed, store.Users, store.Tags, store.Posts).register(e)
	oembed{s, store.Posts}.register(e)
	robots{s}.register(e)
	sitemap{s, store.Search, make(slots, 1)}.register(e)
	manifest{}.register(e)
}

// followFormer redirects requests for the addresses that imported posts had elsewhere.
func followFormer(store syndicationStore) echo.MiddlewareFunc {
	return former{store.Redirects, store.Posts, store.Drafts, store.Users}.follow
}
