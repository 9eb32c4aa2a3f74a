package site

import (
	"net/http"
	"net/url"
	"strings"
	"time"
	"unicode"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/siteinfo"
	"inkfeed/views"
	"inkfeed/web/site/remote"
	"inkfeed/web/site/session"
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
	case isFollowRoute(path):
		next, _ := c.Get(nextKey).(string)
		return NextOr(next, followTarget(c))
	case strings.HasPrefix(path, "/admin/users/"):
		return "/admin/users"
	case path == "/settings/username":
		return "/settings"
	case strings.HasPrefix(path, views.FollowingSettingsPath):
		return views.FollowingSettingsPath
	case path == views.FrontChoicePath:
		return "/"
	case strings.HasPrefix(path, SessionsPage):
		return SessionsPage
	case strings.HasPrefix(path, EmailPage):
		return EmailPage
	case path == PasswordPage, path == views.NotificationSettingsPath, strings.HasPrefix(path, "/verify-email/"):
		return SafeNext(c.Request().URL.Path)
	case strings.HasPrefix(path, "/settings/avatar"):
		return "/settings/profile"
	case path == SecurityPath+"/recovery/text":
		return SecurityPath
	case strings.HasPrefix(path, SecurityPath), path == "/confirm":
		return SafeNext(c.Request().URL.Path)
	case path == "/images", path == "/images/:name":
		return "/images"
	case strings.HasSuffix(path, "/mute"), strings.HasSuffix(path, "/unmute"):
		address := c.Request().URL.EscapedPath()
		return SafeNext(address[:strings.LastIndex(address, "/")])
	case strings.HasSuffix(path, "/delete") && !IsFragment(c):
		return SafeNext(c.Request().URL.Path)
	}
	if id := c.Param("id"); domain.IsID(id) {
		return "/posts/" + id
	}
	return ""
}

// Names of the reactions to a post that are performed after a log-in.
const (
	DoLike     = "like"
	DoBookmark = "bookmark"
	DoFollow   = "follow"
)

// isFollowRoute reports whether a route follows an author or a tag, or ceases to.
func isFollowRoute(route string) bool {
	return strings.HasSuffix(route, "/follow") || strings.HasSuffix(route, "/unfollow")
}

// followTarget returns the path of the author or tag that a request follows.
func followTarget(c echo.Context) string {
	path := c.Request().URL.EscapedPath()
	return SafeNext(path[:strings.LastIndex(path, "/")])
}

// nextKey is the key in the request's context of the page with the button that follows.
const nextKey = "next page"

// PostponeFollow is Postpone for following an author or a tag. The log-in leads back to next, the page of the button.
func (s *Site) PostponeFollow(c echo.Context, next string, err error) error {
	c.Set(nextKey, next)
	about := url.Values{"of": {followTarget(c)}, "at": {returnPath(c)}}.Encode()
	if len(about) > maxNext {
		return err
	}
	return s.Postpone(c, DoFollow, about, err)
}

// Reactions performs a visitor's reaction to a post after the log-in.
type Reactions interface {
	// React performs a reaction of a user who has logged in.
	React(c echo.Context, u domain.User, do, postID string) error
	// Title returns the title of a post that the viewer may see.
	Title(c echo.Context, postID string) (string, error)
}

// reactionTime is how long a reaction waits for the log-in.
const reactionTime = 15 * time.Minute

// Postpone makes the browser remember a reaction that failed because nobody is signed in, and returns the error. Only
// a form of this site gets here (RefuseCrossSite), so no link and no other site makes a visitor react.
func (s *Site) Postpone(c echo.Context, do, postID string, err error) error {
	if domain.Is(err, domain.Unauthenticated) && !IsFragment(c) {
		c.SetCookie(reactionCookie(c, do+"."+postID, reactionTime))
	}
	return err
}

func reactionCookie(c echo.Context, value string, age time.Duration) *http.Cookie {
	return &http.Cookie{Name: session.ReactionCookie(c.Request()), Value: value, Path: "/",
		MaxAge: int(age / time.Second), HttpOnly: true, Secure: remote.TLS(c.Request()), SameSite: http.SameSiteLaxMode}
}

// Postponed returns the reaction that waits in this browser for a log-in that leads to next, the page of its post, or
// the page on which an author or tag was followed, which it returns as a path. It returns empty texts for a log-in that
// leads elsewhere.
func Postponed(c echo.Context, next string) (do, about string) {
	cookie, err := c.Cookie(session.ReactionCookie(c.Request()))
	if err != nil {
		return "", ""
	}
	do, about, _ = strings.Cut(cookie.Value, ".")
	if follow, _ := url.ParseQuery(about); do == DoFollow && follow.Get("of") != "" && follow.Get("at") == next {
		return do, follow.Get("of")
	}
	if !domain.IsID(about) || next != "/posts/"+about {
		return "", ""
	}
	return do, about
}

// PerformPostponed performs the reaction that waited for this log-in of a user. If it is not possible, the log-in
// succeeds nevertheless, and the page of the post says why.
func (s *Site) PerformPostponed(c echo.Context, u domain.User, next string) {
	do, about := Postponed(c, next)
	if _, err := c.Cookie(session.ReactionCookie(c.Request())); err == nil {
		c.SetCookie(reactionCookie(c, "", -time.Second))
	}
	if do == "" {
		return
	}
	react := s.Reactions.React
	if do == DoFollow {
		react = s.Follow
	}
	if err := react(c, u, do, about); err != nil {
		status, _ := StatusAndMessage(err)
		s.LogFailure(c, status, err)
	}
}

// LoginReason returns why a visitor is on the page for logging in or signing up, as far as that follows from the page
// that follows and from a waiting reaction. It may be zero.
func (s *Site) LoginReason(c echo.Context, next string) locale.Message {
	path, _, _ := strings.Cut(next, "#")
	path, _, _ = strings.Cut(path, "?")
	postID, isPost := domain.PostIDIn(path)
	do, about := Postponed(c, next)
	comments := strings.HasSuffix(next, views.CommentFormFragment)
	switch {
	case do == DoFollow:
		name, _ := url.PathUnescape(strings.TrimPrefix(strings.TrimPrefix(about, "/"), "tags/"))
		return locale.M("You need an account to follow {name}.", "name", name)
	case !isPost:
		return locale.Message{}
	case strings.HasSuffix(next, "/report"):
		return locale.M("You need an account to report this.")
	case do == "" && !comments:
		return locale.Message{}
	}
	title, err := s.Reactions.Title(c, postID)
	switch {
	case err != nil:
		return locale.Message{}
	case comments:
		return locale.M("You need an account to comment on “{post}”.", "post", title)
	case do == DoBookmark:
		return locale.M("You need an account to bookmark “{post}”.", "post", title)
	}
	return locale.M("You need an account to like “{post}”.", "post", title)
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

// SubscribersImportPath and SubscribersExportPath are the paths of the import and the export of an author's
// subscribers.
const (
	SubscribersImportPath = views.NewsletterPath + "/import"
	SubscribersExportPath = views.NewsletterPath + "/export"
)

// UnfollowPath is the path of the form that ends a follow in the settings.
const UnfollowPath = views.FollowingSettingsPath + "/remove"

// OPMLPath is the path of the list of what a user follows, for feed readers.
const OPMLPath = views.FollowingSettingsPath + "/opml"

// OPMLImportPath is the path of the form that imports such a list.
const OPMLImportPath = views.FollowingSettingsPath + "/import"

// PrivateFeedRoute is the route of the private feeds of users.
const PrivateFeedRoute = views.PrivateFeedPrefix + ":feed"

// BrandRoute is the route of the site's logo and icons.
const BrandRoute = siteinfo.PicturePrefix + ":file"

// CardRoute is the route of the picture of a post without a cover in previews of links.
const CardRoute = "/posts/:id/card.png"

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
