package reading

import (
	"github.com/labstack/echo/v4"

	view "inkfeed/views/reading"
	"inkfeed/web/site"
)

// home serves the front page.
type home struct{ handler }

func (h home) register(e *echo.Echo) {
	site.Get(e, "/", h.SharedShell(h.show))
}

func (h home) show(c echo.Context) error {
	number, err := site.PageNumber(c)
	if err != nil {
		return err
	}
	page, err := h.Layout(c, "Newest posts")
	if err != nil {
		return err
	}
	posts, err := h.store.Feed.FrontPage(c.Request().Context(), number)
	if err := site.PageOrNotFound(posts, err); err != nil {
		return err
	}
	if len(posts.Items) == 0 { // an empty page invites each viewer differently to write the first post
		site.RefuseShell(c)
	}
	page.Description = h.Info().Description
	if page.Description == "" {
		page.Description = site.T(c, "The newest posts on {site}.", "site", h.Info().Title())
	}
	page.Canonical = site.CanonicalPath("/", number)
	return h.Render(c, 200, view.Home(view.HomePage{Page: page, Posts: posts}))
}
