package web

import "github.com/labstack/echo/v4"

// readingStore is what the pages for readers need of the storage.
type readingStore struct {
	Feed   frontPager
	Posts  readingPosts
	Users  readingUsers
	Tags   readingTags
	Search readingSearch
	Files  fileOpener
	Images imageOwner
}

type readingPosts interface {
	postPageReader
	ownPostGetter
	latestGetter
	liker
	likeLister
	likeChecker
	bookmarker
}

type readingUsers interface {
	neighbourFinder
	bookmarkSaver
	bookmarkLister
	userByName
	postLister
	blockChecker
	archiver
}

type readingTags interface {
	tagLister
	relatedFinder
}

type readingSearch interface {
	searcher
	tagSuggester
}

// registerReading registers the pages for readers, and returns the page of a post.
func registerReading(e *echo.Echo, s *site, store readingStore) post {
	posts := post{s, store.Posts, around{store.Users, store.Tags}}
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
	search{s, store.Search, halfOfCPUs()}.register(e)
	newMediaFiles(s, store.Files, store.Images).register(e)
	return posts
}
