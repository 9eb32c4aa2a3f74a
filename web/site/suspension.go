package site

import (
	"context"
	"errors"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/locale"
)

// errSuspended is the cause of errors about a suspended account.
var errSuspended = errors.New("web: the account is suspended")

// CheckSuspended returns an error with the reason, and with the people to contact, if an authenticated user's account
// is suspended.
func (s *Site) CheckSuspended(ctx context.Context, u domain.User) error {
	if u.Suspended.IsZero() {
		return nil
	}
	reason := locale.M("This account has been suspended since {date}. If you think this is a mistake, contact an "+
		"administrator of this site. Reason: {reason}", "date", u.Suspended.UTC(), "reason",
		u.SuspendedFor)
	names, err := s.Administrators.Names(ctx)
	if err != nil { // the reason is more important
		s.Logger.WarnContext(ctx, "cannot read the administrators", "error", err)
	}
	if len(names) > 0 {
		reason = locale.M("This account has been suspended since {date}. If you think this is a mistake, contact an "+
			"administrator of this site ({names}). Reason: {reason}", "date", u.Suspended.UTC(),
			"names", "@"+strings.Join(names, ", @"), "reason", u.SuspendedFor)
	}
	return &domain.Error{Kind: domain.Forbidden, Err: errSuspended, Message: reason}
}

// suspendedKey is the key, in the request's context, of the error about the suspended user whose session has ended.
const suspendedKey = "suspended"

// noteSuspension finds out whether a session is void only because the account of its user was suspended. If the browser
// opens a page, noteSuspension deletes the session's cookie and returns an error with the reason, which the browser
// then shows once instead of the page. Other requests get the error from SignedIn, so that forms keep what was typed.
// An account that cannot be read counts as not suspended, so that public pages work.
func (s *Site) noteSuspension(c echo.Context, userID string) error {
	if err, known := c.Get(suspendedKey).(error); known {
		return err
	}
	ctx := c.Request().Context()
	u, err := s.Users.Account(ctx, userID)
	if err != nil {
		if !domain.Is(err, domain.NotFound) {
			s.Logger.WarnContext(ctx, "cannot read whether an account is suspended", "error", err, "user", userID)
		}
		return nil
	}
	// A session that had ended before learns nothing about the account.
	if valid, err := s.Sessions.IsValid(c, u); err != nil || !valid {
		return nil
	}
	if err = s.CheckSuspended(ctx, u); err == nil {
		return nil
	}
	c.Set(suspendedKey, err)
	if !opensPage(c) {
		return nil
	}
	s.ForgetSession(c)
	return err
}

// opensPage reports whether a browser shows the response as a page.
func opensPage(c echo.Context) bool {
	r := c.Request()
	mode := r.Header.Get("Sec-Fetch-Mode")
	return (r.Method == http.MethodGet || r.Method == http.MethodHead) && !IsFragment(c) &&
		(mode == "" || mode == "navigate")
}
