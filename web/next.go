package web

import (
	"net/url"
	"strings"
	"unicode"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/views"
)

// maxNext bounds the address that a log-in carries along.
const maxNext = 2000

// safeNext returns next when it is a path on this site, and "" otherwise: what a
// link from elsewhere puts there must not lead off the site.
func safeNext(next string) string {
	if len(next) > maxNext || !strings.HasPrefix(next, "/") || strings.Contains(next, "//") ||
		strings.ContainsFunc(next, func(r rune) bool { return r == '\\' || unicode.IsControl(r) || r == unicode.ReplacementChar }) {
		return ""
	}
	// What a lenient browser could read differently than we do is refused too.
	u, err := url.Parse(next)
	if err != nil || u.IsAbs() || u.Host != "" || u.User != nil {
		return ""
	}
	return next
}

// nextOr is where to go after a log-in.
func nextOr(next, otherwise string) string {
	if safe := safeNext(next); safe != "" {
		return safe
	}
	return otherwise
}

// returnPath is the page to come back to after a log-in: the one asked for, or
// the one that the form stands on.
func returnPath(c echo.Context) string {
	if p := here(c); p != "" {
		return p
	}
	switch path := route(c); {
	case strings.HasPrefix(path, "/admin/users/"):
		return "/admin/users"
	case path == "/settings/username":
		return "/settings"
	case strings.HasPrefix(path, sessionsPage):
		return sessionsPage
	case strings.HasPrefix(path, emailPage):
		return emailPage
	case path == passwordPage, strings.HasPrefix(path, "/verify-email/"):
		return safeNext(c.Request().URL.Path)
	case strings.HasPrefix(path, "/settings/avatar"):
		return "/settings/profile"
	case path == securityPath+"/recovery/text":
		return securityPath
	case strings.HasPrefix(path, securityPath), path == "/confirm":
		return safeNext(c.Request().URL.Path)
	case path == "/images", path == "/images/:name":
		return "/images"
	case strings.HasSuffix(path, "/delete") && !isFragment(c):
		return safeNext(c.Request().URL.Path)
	}
	if id := c.Param("id"); domain.IsID(id) {
		return "/posts/" + id
	}
	return ""
}

const sessionsPage = "/settings/sessions"

const emailPage = "/settings/email"

const passwordPage = "/settings/password"

const deletePage = "/settings/delete"

const securityPath = "/settings/security"

// exportRoute is where a user's export is downloaded.
const exportRoute = "/settings/export"

// importPage is the address of the page for importing a blog.
const importPage = views.ImportPath

const mediaRoute = domain.MediaPrefix + ":file"

// sitemapPath is the address of the first file, or of the index of several.
const sitemapPath = "/sitemap.xml"

const adminSettingsPath = "/admin/settings"
