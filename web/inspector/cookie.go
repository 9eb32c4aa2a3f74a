package inspector

import (
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gorilla/securecookie"
	"github.com/labstack/echo/v4"

	view "inkfeed/views/inspector"
	"inkfeed/web/site/remote"
	"inkfeed/web/site/session"
)

// maxTime is how long the inspector stays on in a session.
const maxTime = 12 * time.Hour

// cookieSuffix ends the name of the cookie that turns the inspector on. It begins with the name of the session cookie.
// The cookie has the mode and the id of the session, signed. So it has no effect in another session.
const cookieSuffix = "-inspector"

func cookieName(r *http.Request) string {
	if remote.TLS(r) {
		return session.SecureCookie + cookieSuffix
	}
	return session.PlainCookie + cookieSuffix
}

// MayInspect reports whether a request may have the inspector's cookie, without parsing its cookies.
func (i *Inspector) MayInspect(r *http.Request) bool {
	return slices.ContainsFunc(r.Header["Cookie"], func(line string) bool {
		return strings.Contains(line, session.PlainCookie+cookieSuffix)
	})
}

// modeOf returns the id of the session of a request's cookie, and the mode of the inspector in it.
func (i *Inspector) modeOf(r *http.Request) (sessionID, mode string) {
	cookie, err := r.Cookie(cookieName(r))
	if err != nil {
		return "", view.ModeOff
	}
	var text []byte
	if securecookie.DecodeMulti(cookie.Name, cookie.Value, &text, i.codecs...) != nil {
		return "", view.ModeOff
	}
	mode, sessionID, _ = strings.Cut(string(text), " ")
	if sessionID == "" || sessionID != i.Sessions.CookieSession(r) {
		return "", view.ModeOff
	}
	return sessionID, mode
}

// setMode turns the inspector on or off in the session of a request.
func (i *Inspector) setMode(c echo.Context, mode string) error {
	r := c.Request()
	cookie := &http.Cookie{Name: cookieName(r), Path: "/", MaxAge: -1, Secure: remote.TLS(r), HttpOnly: true,
		SameSite: http.SameSiteLaxMode}
	if mode != view.ModeOff {
		text := mode + " " + i.Sessions.CookieSession(r)
		signed, err := securecookie.EncodeMulti(cookie.Name, []byte(text), i.codecs...)
		if err != nil {
			return err
		}
		cookie.Value, cookie.MaxAge = signed, int(maxTime/time.Second)
	}
	http.SetCookie(c.Response(), cookie)
	return nil
}
