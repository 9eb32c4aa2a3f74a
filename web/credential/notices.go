package credential

import (
	"fmt"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/web/site"
	"inkfeed/web/site/client"
)

// A change of the ways to log in is followed by a mail to the address that was verified before, so
// that the user notices a change by an intruder. The mail says what was changed, when and with
// which device. It contains no secrets. If the mail cannot be sent, the change stands and the
// mailer logs the failure.

// NotifyChange mails and logs that something about the account has changed. before are the
// credentials before the change; what says what was changed. The log does not contain the new
// values.
func (m Mailing) NotifyChange(c echo.Context, u domain.User, before domain.Credentials, what string) {
	m.Logger.InfoContext(c.Request().Context(), "ways to log in changed", "user", u.ID, "route", site.Route(c),
		"request_id", site.RequestID(c))
	if before.EmailVerified {
		m.sendNotice(c, u, before.Email, what, fmt.Sprintf(`Choose a new password at once:

%s

This logs out all devices. Then check your login methods and remove any that
you didn't add:

%s`, m.Link(c, "/reset"), m.Link(c, site.SecurityPath)))
	}
}

// NotifyPreviousAddress mails the user at the previous address of the account. That address can no
// longer be used to reset the password.
func (m Mailing) NotifyPreviousAddress(c echo.Context, u domain.User, previous, what string) {
	m.Logger.InfoContext(c.Request().Context(), "verified address changed", "user", u.ID, "route", site.Route(c),
		"request_id", site.RequestID(c))
	m.sendNotice(c, u, previous, what, fmt.Sprintf(`Log in, choose a new
password and add your email address again:

%s
%s

If you can't log in any more, ask the site's administrator for help.`,
		m.Link(c, site.PasswordPage), m.Link(c, site.EmailPage)))
}

func (m Mailing) sendNotice(c echo.Context, u domain.User, to, what, otherwise string) {
	m.Mailer.Send(to, "Your account was changed", fmt.Sprintf(`Hello %s,

%s

When: %s
Browser: %s

If this was you, you don't need to do anything. If it wasn't, someone else has
access to your account. %s
`, u.Username, what, time.Now().UTC().Format("2 January 2006, 15:04 MST"), client.Device(c.Request().UserAgent()),
		otherwise))
}
