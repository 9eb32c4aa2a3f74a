package comments

import (
	"github.com/labstack/echo/v4"

	"inkfeed/web/site"
)

// Store is the storage that comments use.
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

// Register registers the routes of comments. A rejected comment form is shown again on page, the page of its post.
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
