package comments

import (
	"github.com/labstack/echo/v4"

	"inkfeed/web/site"
)

// Store is what the pages of comments need of the storage.
type Store struct {
	Posts Posts
	Users Users
}

type Posts interface {
	site.PostGetter
	site.LatestGetter
	site.OwnPostGetter
	site.CommentLister
	commentFollower
	commentCounter
	site.CommentGetter
	commentAdder
	commentEditor
	commentDeleter
	commentHider
	commentCloser
}

type Users interface {
	site.BlockChecker
	site.AccountGetter
}

// Register registers the pages of comments. The page of a post shows its form again where it has one.
func Register(e *echo.Echo, s *site.Site, store Store, page postPage) {
	comments{s, store.Posts}.register(e)
	comment{s, store.Posts}.register(e)
	commentNew{s, store.Posts, store.Users, page}.register(e)
	commentHide{s, store.Posts, store.Users}.register(e)
	commentsClose{s, store.Posts}.register(e)
	commentReply{s, store.Posts}.register(e)
	commentEdit{s, store.Posts, store.Users}.register(e)
	commentDelete{s, store.Posts}.register(e)
}
