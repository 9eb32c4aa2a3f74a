package site

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

// SafeNext returns next when it is a path on this site, and "" otherwise: what a
// link from elsewhere puts there must not lead off the site.
func SafeNext(next string) string {
	if len(next) > maxNext || !strings.HasPrefix(next, "/") || strings.Contains(next, "//") ||
		strings.ContainsFunc(next, func(r rune) bool {
			return r == '\\' || unicode.IsControl(r) ||
				r == unicode.ReplacementChar
		}) {
		return ""
	}
	// What a lenient browser could read differently than we do is refused too.
	u, err := url.Parse(next)
	if err != nil || u.IsAbs() || u.Host != "" || u.User != nil {
		return ""
	}
	return next
}

// NextOr is where to go after a log-in.
func NextOr(next, otherwise string) string {
	if safe := SafeNext(next); safe != "" {
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
	switch path := Route(c); {
	case strings.HasPrefix(path, "/admin/users/"):
		return "/admin/users"
	case path == "/settings/username":
		return "/settings"
	case strings.HasPrefix(path, SessionsPage):
		return SessionsPage
	case strings.HasPrefix(path, EmailPage):
		return EmailPage
	case path == PasswordPage, strings.HasPrefix(path, "/verify-email/"):
		return SafeNext(c.Request().URL.Path)
	case strings.HasPrefix(path, "/settings/avatar"):
		return "/settings/profile"
	case path == SecurityPath+"/recovery/text":
		return SecurityPath
	case strings.HasPrefix(path, SecurityPath), path == "/confirm":
		return SafeNext(c.Request().URL.Path)
	case path == "/images", path == "/images/:name":
		return "/images"
	case strings.HasSuffix(path, "/delete") && !IsFragment(c):
		return SafeNext(c.Request().URL.Path)
	}
	if id := c.Param("id"); domain.IsID(id) {
		return "/posts/" + id
	}
	return ""
}

const SessionsPage = "/settings/sessions"

const EmailPage = "/settings/email"

const PasswordPage = "/settings/password"

const DeletePage = "/settings/delete"

const SecurityPath = "/settings/security"

// ExportRoute is where a user's export is downloaded.
const ExportRoute = "/settings/export"

// ImportPage is the address of the page for importing a blog.
const ImportPage = views.ImportPath

const MediaRoute = domain.MediaPrefix + ":file"

// SitemapPath is the address of the first file, or of the index of several.
const SitemapPath = "/sitemap.xml"

const AdminSettingsPath = "/admin/settings"
