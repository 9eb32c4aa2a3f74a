package syndication

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"inkfeed/web/site"
)

// robots tells crawlers what is not for them: what belongs to a reader, and lists without
// end. Pages about a post that only repeat it say so themselves.
type robots struct{ *site.Site }

func (h robots) register(e *echo.Echo) { site.Get(e, "/robots.txt", h.show) }

// private are the beginnings of paths that no crawler needs.
var private = []string{"/bookmarks", "/drafts", "/login", "/logout", "/moderation", "/new", "/preview/", "/search",
	"/settings", "/signup", "/oembed",
	"/posts/*/edit", "/posts/*/delete", "/posts/*/likes", "/posts/*/report", "/posts/*/versions"}

func (h robots) show(c echo.Context) error {
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	for _, path := range private {
		b.WriteString("Disallow: " + path + "\n")
	}
	b.WriteString("\nSitemap: " + h.BaseURL(c) + "/sitemap.xml\n")
	c.Response().Header().Set("Cache-Control", site.CachePrivate)
	return c.String(http.StatusOK, b.String())
}
