// Package reading serves the pages for readers: the front page, posts, users, tags, archives,
// search, likes, bookmarks and pictures.
package reading

import (
	"github.com/labstack/echo/v4"

	"inkfeed/web/site"
	"inkfeed/web/site/events"
)

// handler has what the handlers of this package share.
type handler struct {
	*site.Site
	store    Store
	finder   site.PostFinder
	comments site.CommentViews
	reasons  site.HidingReasons
}

// Register registers the routes for readers. showPage shows a static page. Register returns the
// renderer of a post's page, which has the form for comments.
func Register(e *echo.Echo, s *site.Site, showPage func(c echo.Context, postID string) error,
	store Store) site.PostRenderer {
	h := handler{s, store, site.PostFinder{Site: s, Posts: store.Posts}, site.CommentViews{Site: s},
		site.HidingReasons{Reports: store.Reports, Logger: s.Logger}}
	front := home{h, user{h}, showPage}
	front.register(e)
	s.ShowFront = front.front
	policy := site.ResponsePolicy{Finder: h.finder, Blocks: store.Blocks.Has}
	post{h, policy}.register(e)
	like{h, policy}.register(e)
	s.Reactions = postponed{like{h, policy}, bookmark{h}}
	likes{h}.register(e)
	bookmark{h}.register(e)
	bookmarks{h}.register(e)
	notifications{h, events.Reader{Posts: store.Posts, Users: store.Users, Blocks: store.Blocks, Mutes: store.Mutes,
		Follows: store.Follows, Drafts: store.Drafts, Markdown: s.Markdown}}.register(e)
	notificationSettings{h}.register(e)
	mutes{h}.register(e)
	tag{h}.register(e)
	directory{h}.register(e)
	tagSuggest{tag{h}}.register(e)
	user{h}.register(e)
	archive{h}.register(e)
	series{h}.register(e)
	search{h, site.HalfOfCPUs()}.register(e)
	newMediaFiles(h).register(e)
	return post{h, policy}.render
}
