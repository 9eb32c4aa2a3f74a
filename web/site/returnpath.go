package site

import (
	"net/url"
	"strings"
	"unicode"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/siteinfo"
	"inkfeed/views"
)

// maxNext is the maximum length of the address to return to after a log-in.
const maxNext = 2000

// SafeNext returns next if it is a path on this site, and otherwise "". A link on another site
// could contain any value.
func SafeNext(next string) string {
	if len(next) > maxNext || !strings.HasPrefix(next, "/") || strings.Contains(next, "//") ||
		strings.ContainsFunc(next, func(r rune) bool {
			return r == '\\' || unicode.IsControl(r) ||
				r == unicode.ReplacementChar
		}) {
		return ""
	}
	// Reject addresses that a lenient browser could interpret differently.
	u, err := url.Parse(next)
	if err != nil || u.IsAbs() || u.Host != "" || u.User != nil {
		return ""
	}
	return next
}

// NextOr returns next if it is a path on this site, and otherwise the given default.
func NextOr(next, otherwise string) string {
	if safe := SafeNext(next); safe != "" {
		return safe
	}
	return otherwise
}

// returnPath returns the page to come back to after a log-in: the requested page or, for a
// submitted form, the page that contains the form.
func returnPath(c echo.Context) string {
	if p := currentPath(c); p != "" {
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

// SessionsPage is the path of the list of active sessions.
const SessionsPage = "/settings/sessions"

// EmailPage is the path of the email settings.
const EmailPage = "/settings/email"

// PasswordPage is the path of the password form.
const PasswordPage = "/settings/password"

// DeletePage is the path of the form to delete the account.
const DeletePage = "/settings/delete"

// SecurityPath is the path of the security settings.
const SecurityPath = "/settings/security"

// ExportRoute is the route of a user's export.
const ExportRoute = "/settings/export"

// ImportPage is the path of the page for importing a blog.
const ImportPage = views.ImportPath

// BrandRoute is the route of the site's logo and icons.
const BrandRoute = siteinfo.PicturePrefix + ":file"

// MediaRoute is the route of the files of pictures.
const MediaRoute = domain.MediaPrefix + ":file"

// NewestPostsPath is the path of the newest posts where the front page is something else.
const NewestPostsPath = views.NewestPostsPath

// SitemapPath is the path of the sitemap or, for several files, of their index.
const SitemapPath = "/sitemap.xml"

// SetupPath is the path of the page that leads the first administrator through the site's settings.
const SetupPath = "/admin/setup"

// AdminSettingsPath is the path of the site's settings.
const AdminSettingsPath = "/admin/settings"

// InspectorPath is the path of the page that turns the cost inspector on and off.
const InspectorPath = views.InspectorPath
