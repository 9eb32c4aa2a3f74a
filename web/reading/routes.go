package reading

import (
	"github.com/labstack/echo/v4"

	"inkfeed/web/site"
)

// Store is the storage that the pages for readers use.
type Store struct {
	Feed   site.FrontPager
	Posts  Posts
	Users  Users
	Tags   Tags
	Search Search
	Files  site.FileOpener
	Images site.ImageOwner
}

type Posts interface {
	postPageReader
	site.OwnPostGetter
	site.LatestGetter
	liker
	likeLister
	likeChecker
	bookmarker
}

type Users interface {
	neighbourFinder
	bookmarkSaver
	bookmarkLister
	site.UserByName
	site.PostLister
	site.BlockChecker
	archiver
}

type Tags interface {
	site.TagLister
	relatedFinder
}

type Search interface {
	searcher
	tagSuggester
}

// Register registers the routes for readers, and returns the page of a post, on which comments show their forms.
func Register(e *echo.Echo, s *site.Site, store Store) post {
	posts := post{s, store.Posts, relatedPosts{store.Users, store.Tags}}
	home{s, store.Feed}.register(e)
	posts.register(e)
	like{s, store.Posts, store.Users}.register(e)
	likes{s, store.Posts}.register(e)
	bookmark{s, store.Posts, store.Users}.register(e)
	bookmarks{s, store.Users}.register(e)
	tag{s, store.Tags}.register(e)
	tagSuggest{store.Search, tag{s, store.Tags}}.register(e)
	user{s, store.Users}.register(e)
	archive{s, store.Users}.register(e)
	search{s, store.Search, site.HalfOfCPUs()}.register(e)
	newMediaFiles(s, store.Files, store.Images).register(e)
	return posts
}
