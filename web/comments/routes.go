// Package comments serves the comments on posts: reading, writing, editing, hiding and deleting
// them.
package comments

import (
	"github.com/labstack/echo/v4"

	"inkfeed/web/site"
)

// handler has what the handlers of this package share.
type handler struct {
	*site.Site
	store    Store
	finder   site.PostFinder
	policy   site.ResponsePolicy
	comments site.CommentViews
	reasons  site.HidingReasons
}

// Register registers the routes of comments. A rejected comment form is shown again on the page of its post, which
// renderPost renders.
func Register(e *echo.Echo, s *site.Site, store Store, renderPost site.PostRenderer) {
	finder := site.PostFinder{Site: s, Posts: store.Posts}
	h := handler{s, store, finder, site.ResponsePolicy{Finder: finder, Blocks: store.Blocks.Has},
		site.CommentViews{Site: s}, site.HidingReasons{Reports: store.Reports, Logger: s.Logger}}
	comments{h}.register(e)
	comment{h}.register(e)
	commentNew{h, renderPost}.register(e)
	commentHide{h}.register(e)
	commentsClose{h}.register(e)
	commentReply{h}.register(e)
	commentEdit{h}.register(e)
	commentDelete{h}.register(e)
}
