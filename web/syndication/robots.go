package syndication

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"inkfeed/web/site"
)

// robots serves robots.txt. It excludes pages of a single user and endless lists. Pages that only
// repeat a post exclude themselves.
type robots struct{ *site.Site }

func (h robots) register(e *echo.Echo) { site.Get(e, "/robots.txt", h.show) }

// disallowedPaths are the paths that crawlers must not visit, with all paths below them.
var disallowedPaths = []string{"/bookmarks", "/drafts", "/login", "/logout", "/moderation", "/new", "/preview",
	"/search", "/settings", "/signup", "/oembed",
	"/posts/*/edit", "/posts/*/delete", "/posts/*/likes", "/posts/*/report", "/posts/*/versions"}

func (h robots) show(c echo.Context) error {
	var b strings.Builder
	b.WriteString("User-agent: *\n")
	for _, path := range disallowedPaths {
		// A rule is a prefix: "/new" alone would also exclude "/newsletter", and "/posts/*/edit" a post's address
		// with a title such as "Editing photos".
		for _, end := range []string{"$", "?", "/"} {
			b.WriteString("Disallow: " + path + end + "\n")
		}
	}
	b.WriteString("\nSitemap: " + h.BaseURL(c) + "/sitemap.xml\n")
	c.Response().Header().Set("Cache-Control", site.CachePrivate)
	return c.String(http.StatusOK, b.String())
}
