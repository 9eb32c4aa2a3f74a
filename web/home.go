package web

import (
	"github.com/labstack/echo/v4"

	"inkfeed/views"
)

// home is the front page.
type home struct {
	*site
	feed frontPager
}

func (h home) register(e *echo.Echo) {
	get(e, "/", h.framed(h.show))
}

func (h home) show(c echo.Context) error {
	number, err := pageNumber(c)
	if err != nil {
		return err
	}
	page, err := h.page(c, "Newest posts")
	if err != nil {
		return err
	}
	posts, err := h.feed.FrontPage(c.Request().Context(), number)
	if err := listed(posts, err); err != nil {
		return err
	}
	if len(posts.Items) == 0 { // each is asked to write the first one otherwise
		noFrame(c)
	}
	page.Description = "The newest posts on Inkfeed."
	page.Canonical = canonical("/", number)
	return h.render(c, 200, views.Home(views.HomePage{Page: page, Posts: posts}))
}
