// Package following serves what members follow: the buttons, the personal feed, the lists of followers and the
// settings.
package following

import (
	"context"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/web/site"
)

// handler has what the handlers of this package share.
type handler struct {
	*site.Site
	store Store
}

// Register registers the routes of following. It returns the function that reads the newest posts of a user's personal
// feed, for feed readers.
func Register(e *echo.Echo, s *site.Site, store Store) (newest func(context.Context, domain.User) ([]domain.Summary,
	error)) {
	h := handler{s, store}
	pressed := follow{h}
	pressed.register(e)
	s.Follow = pressed.react
	posts := personal{h, feed{store}}
	posts.register(e)
	s.ShowFollowing = posts.front
	lists{h}.register(e)
	settings := settings{h}
	settings.register(e)
	opml{settings}.register(e)
	return func(ctx context.Context, u domain.User) ([]domain.Summary, error) {
		list, _, err := posts.feed.page(ctx, u, "")
		return list, err
	}
}
