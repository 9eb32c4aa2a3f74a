package pages

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/views"
	view "inkfeed/views/pages"
	"inkfeed/web/site"
)

// staticPage serves the static pages, at addresses where the site has nothing else.
type staticPage struct{ handler }

// serve is middleware that answers a request for a missing page with the static page at its address. It redirects from
// a former address, and from another spelling.
func (h staticPage) serve(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		missing := next(c)
		method := c.Request().Method
		if missing == nil || c.Response().Committed || method != http.MethodGet && method != http.MethodHead {
			return missing
		}
		// A path that only takes forms, such as /subscribe, may have been a page before.
		if status, _ := site.StatusAndMessage(missing); status != http.StatusNotFound &&
			status != http.StatusMethodNotAllowed {
			return missing
		}
		requested, pages := c.Request().URL.Path, h.StaticPages()
		if p, ok := pages.At(requested); ok {
			return h.SharedShell(func(c echo.Context) error { return h.page(c, p.PostID) })(c)
		}
		path, err := domain.CleanPagePath(requested)
		if err != nil {
			return missing
		}
		p, ok := pages.At(path)
		if !ok {
			p, ok = pages.FormerlyAt(path)
		}
		if !ok || !p.Published {
			return missing
		}
		return site.MovedPermanently(c, p.Path)
	}
}

// descriptionLength is about the length in characters that search engines show.
const descriptionLength = 155

// page serves the page with an id.
func (h staticPage) page(c echo.Context, postID string) error {
	p, err := h.store.Posts.Latest(c.Request().Context(), postID)
	if domain.Is(err, domain.NotFound) || err == nil && !p.Open() {
		return site.ErrNoPage
	}
	if err != nil {
		return err
	}
	page, err := h.ReadingLayout(c, p.Title)
	if err != nil {
		return err
	}
	text, err := h.RenderText(c.Request().Context(), p, p.Details.Language)
	if err != nil {
		return err
	}
	text = site.ShowEmbeds(c, text, p.Embeds)
	page.Description = p.Details.Extract(text.Excerpt(descriptionLength))
	if entry, listed := h.StaticPages().ByID(postID); listed {
		page.Canonical = h.Info().PagePath(entry)
	}
	return h.Render(c, http.StatusOK, view.Static(view.StaticPage{LayoutData: page,
		RenderedPost: views.NewRenderedPost(p.Title, p.Details, text)}))
}
