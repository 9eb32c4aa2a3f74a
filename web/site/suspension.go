package site

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
)

// errSuspended is the cause of errors about a suspended account.
var errSuspended = errors.New("web: the account is suspended")

// CheckSuspended returns an error with the reason, and with the people to contact, if an authenticated user's account
// is suspended.
func (s *Site) CheckSuspended(ctx context.Context, u domain.User) error {
	if u.Suspended.IsZero() {
		return nil
	}
	contact := "an administrator of this site"
	names, err := s.Users.Administrators(ctx)
	if err != nil { // the reason is more important
		s.Logger.WarnContext(ctx, "cannot read who administers the site", "error", err)
	}
	if len(names) > 0 {
		contact += " (@" + strings.Join(names, ", @") + ")"
	}
	return &domain.Error{Kind: domain.Forbidden, Err: errSuspended, Message: fmt.Sprintf(
		"This account has been suspended since %s. If you think this is a mistake, contact %s. Reason: %s",
		u.Suspended.UTC().Format("2 January 2006"), contact, u.SuspendedFor)}
}

// suspendedKey is the key, in the request's context, of the error about the suspended user whose session has ended.
const suspendedKey = "suspended"

// noteSuspension finds out whether the session of a visitor ended because the account was suspended. It returns the
// error if the browser opens a page: the page says so instead, once, and the session's cookie is deleted. Other
// requests get the error from SignedIn, so that forms keep what was typed.
func (s *Site) noteSuspension(c echo.Context) error {
	if err, known := c.Get(suspendedKey).(error); known {
		return err
	}
	userID := s.Sessions.CookieUser(c.Request())
	if userID == "" {
		return nil
	}
	u, err := s.Users.Account(c.Request().Context(), userID)
	if domain.Is(err, domain.NotFound) {
		return nil
	}
	if err == nil {
		err = s.CheckSuspended(c.Request().Context(), u)
	}
	if err == nil || !errors.Is(err, errSuspended) {
		return err
	}
	c.Set(suspendedKey, err)
	if !opensPage(c) {
		return nil
	}
	s.Sessions.DeleteCookie(c)
	c.Response().Header().Set("Clear-Site-Data", `"cache"`) // as EndSession does
	return err
}

// opensPage reports whether a browser shows the response as a page.
func opensPage(c echo.Context) bool {
	r := c.Request()
	mode := r.Header.Get("Sec-Fetch-Mode")
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) && !IsFragment(c) &&
		(mode == "" || mode == "navigate")
}
