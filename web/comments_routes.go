package web

import "github.com/labstack/echo/v4"

// commentsStore is what the pages of comments need of the storage.
type commentsStore struct {
	Posts commentsPosts
	Users commentsUsers
}

type commentsPosts interface {
	postGetter
	latestGetter
	ownPostGetter
	commentLister
	commentFollower
	commentCounter
	commentGetter
	commentAdder
	commentEditor
	commentDeleter
	commentHider
	commentCloser
}

type commentsUsers interface {
	blockChecker
	accountGetter
}

// registerComments registers the pages of comments. The page of a post shows its form again where it has one.
func registerComments(e *echo.Echo, s *site, store commentsStore, page postPage) {
	comments{s, store.Posts}.register(e)
	comment{s, store.Posts}.register(e)
	commentNew{s, store.Posts, store.Users, page}.register(e)
	commentHide{s, store.Posts, store.Users}.register(e)
	commentsClose{s, store.Posts}.register(e)
	commentReply{s, store.Posts}.register(e)
	commentEdit{s, store.Posts, store.Users}.register(e)
	commentDelete{s, store.Posts}.register(e)
}
