package site

import (
	"context"
	"net/url"
	"path"
	"strings"
	"sync"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/siteinfo"
	"inkfeed/web/site/session"
)

// Keys in the request's context.
const (
	viewerKey      = "viewer"
	viewerErrorKey = "viewer error" // an error that Viewer repeats, so that a failed read bypasses no check
)

// Viewer returns the signed-in user, or the zero user for an anonymous visitor. An error says that
// the viewer could not be read.
func (s *Site) Viewer(c echo.Context) (domain.User, error) {
	if err, ok := c.Get(viewerErrorKey).(error); ok {
		return domain.User{}, err
	}
	if u, ok := c.Get(viewerKey).(domain.User); ok {
		return u, nil
	}
	if f := ShellRequestOf(c); f != nil {
		return s.shellViewer(c, f)
	}
	current, err := s.Session(c)
	if err != nil {
		return domain.User{}, err
	}
	var u domain.User
	if current.UserID != "" {
		u, err = s.Users.ByID(c.Request().Context(), current.UserID)
		valid := false
		switch {
		case err == nil:
			valid, err = s.Sessions.IsValid(c, u)
		case domain.Is(err, domain.NotFound):
			err = s.noteSuspension(c, current.UserID)
		}
		if err != nil {
			return domain.User{}, err
		}
		if !valid {
			u = domain.User{}
		}
	}
	c.Set(viewerKey, u)
	return u, nil
}

// shellViewer returns the user for whom a shell is rendered. Reading the user makes an own shell depend on the account.
func (s *Site) shellViewer(c echo.Context, f *ShellRequest) (u domain.User, err error) {
	u = OrdinaryViewer()
	if f.ViewerID != "" {
		u, err = s.Users.ByID(c.Request().Context(), f.ViewerID)
	}
	if err == nil {
		c.Set(viewerKey, u)
	}
	return u, err
}

// Session returns the session of a request, or the zero session if there is none. The session may
// have ended, or its user may be deleted; see Viewer.
func (s *Site) Session(c echo.Context) (domain.Session, error) {
	return s.Sessions.Current(c)
}

// Users reads users.
type Users interface {
	// ByID returns a user. The error is of kind NotFound for a user who is suspended or deleted.
	ByID(ctx context.Context, userID string) (domain.User, error)
	// ByName returns the user with this username, present or former, in any case of letters.
	ByName(ctx context.Context, username string) (domain.User, error)
	// Account returns a user, also a suspended one.
	Account(ctx context.Context, userID string) (domain.User, error)
}

// Administrators lists the administrators.
type Administrators interface {
	// Names returns the names of some administrators.
	Names(ctx context.Context) ([]string, error)
}

// Blocks reads which users a user has blocked.
type Blocks interface {
	// Has reports whether a user has blocked another.
	Has(ctx context.Context, userID, otherID string) (bool, error)
}

// SignedIn returns the signed-in user, or an Unauthenticated error if there is none. The error of a suspended user is
// Forbidden and says why.
func (s *Site) SignedIn(c echo.Context) (domain.User, error) {
	u, err := s.Viewer(c)
	if err == nil && u.ID == "" {
		err = session.ErrNotSignedIn
		if suspended, ok := c.Get(suspendedKey).(error); ok {
			err = suspended
		}
	}
	return u, err
}

// errOtherUser is the error for forms that were made for another user than the viewer.
var errOtherUser = domain.NewError(domain.Forbidden,
	"Another user is logged in now. Log out in another tab, log in to your own account, then try again.")

// CheckSender returns a Forbidden error if a form was made for another user than the viewer. Otherwise a tab
// that a user left open would change the account of the next user. The form's field "user" has the id of its user.
// Forms without that field pass.
func CheckSender(field string, viewer domain.User) error {
	if field != "" && field != viewer.ID {
		return errOtherUser
	}
	return nil
}

// Sender returns the signed-in user, like SignedIn, if they sent the form: see CheckSender.
func (s *Site) Sender(c echo.Context, sent url.Values) (domain.User, error) {
	u, err := s.SignedIn(c)
	if err == nil {
		err = CheckSender(sent.Get("user"), u)
	}
	return u, err
}

// StillSignedIn reads the user and the session again and returns an error if the session has ended since the
// request began. A request that changes credentials calls it after reading them and before writing
// them. The write fails if the credentials have changed since they were read, so a request of an
// ended session changes nothing.
func (s *Site) StillSignedIn(c echo.Context, u domain.User) error {
	now, err := s.Users.ByID(c.Request().Context(), u.ID)
	if domain.Is(err, domain.NotFound) {
		return session.ErrNotSignedIn
	}
	if err != nil {
		return err
	}
	valid, err := s.Sessions.IsStillValid(c, now)
	if err == nil && !valid {
		err = session.ErrNotSignedIn
	}
	return err
}

// EndSession ends the session and makes the browser delete its cached pages.
func (s *Site) EndSession(c echo.Context) error {
	if err := s.Sessions.End(c); err != nil {
		return err
	}
	clearCache(c)
	return nil
}

// ForgetSession makes the browser forget a session that is void. The session itself stays in the store.
func (s *Site) ForgetSession(c echo.Context) {
	s.Sessions.DeleteCookie(c)
	clearCache(c)
}

// clearCache makes the browser drop its cached pages, so that its back button does not show those of the previous user.
func clearCache(c echo.Context) { c.Response().Header().Set("Clear-Site-Data", `"cache"`) }

// Describe is middleware that puts what the site says about itself, and the language of the response, into the context.
// The language is chosen when the first text is translated, so that requests without texts do not read the viewer.
func (s *Site) Describe(next echo.HandlerFunc) echo.HandlerFunc {
	return func(c echo.Context) error {
		r := c.Request()
		ctx := s.WithInfo(r.Context())
		c.SetRequest(r.WithContext(locale.WithFunc(ctx, sync.OnceValue(func() *locale.Language {
			if SameInAllLanguages(r.URL.Path) {
				return s.LanguageFor("", nil)
			}
			viewer, _ := s.Viewer(c) // if the viewer cannot be read, the browser's language is the best guess
			return s.LanguageFor(viewer.Language, r.Header["Accept-Language"])
		}))))
		return next(c)
	}
}

// WithInfo returns a context with what the site says about itself, and its static pages.
func (s *Site) WithInfo(ctx context.Context) context.Context {
	return siteinfo.WithPages(siteinfo.With(ctx, &s.Current.Current().Info), s.StaticPages())
}

// LanguageFor returns the language for a viewer's own setting and a header Accept-Language, both of which may be empty.
func (s *Site) LanguageFor(own string, accept []string) *locale.Language {
	return s.Languages.Choose(own, accept, s.Current.Current().Info.Language)
}

// MailContext returns the context for the texts of a mail that a request causes. They are in the language of the
// recipient's own setting, else in that of the request, which the recipient has sent.
func (s *Site) MailContext(c echo.Context, recipient domain.User) context.Context {
	r := c.Request()
	return locale.With(r.Context(), s.LanguageFor(recipient.Language, r.Header["Accept-Language"]))
}

// SameInAllLanguages reports whether a path is that of a feed, a sitemap or another document for programs, which share
// them, so they are in the site's default language.
func SameInAllLanguages(requestPath string) bool {
	switch requestPath {
	case SitemapPath, "/manifest.webmanifest", "/oembed":
		return true
	}
	switch path.Base(requestPath) {
	case "feed.atom", "feed.rss", "feed.json":
		return true
	}
	return strings.HasPrefix(requestPath, "/sitemap-") && strings.HasSuffix(requestPath, ".xml")
}

// T translates a text into the language of a request: see [locale.T].
func T(c echo.Context, text string, args ...any) string {
	return locale.T(c.Request().Context(), text, args...)
}
