package credential

import (
	"fmt"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/web/site"
	"inkfeed/web/site/client"
)

// What a change of how to log in is followed by, so that one that was somebody else's is
// noticed: a mail to the address that the account had verified before it. It says what was
// done, when and with what, and nothing that lets anybody in. That it cannot be sent is no
// reason to fail what was done, and the mailer says so in the log.

// NotifyChange mails a user that something about the account has changed, by the credentials from
// before. It is in the log as well, without what was changed to.
func (m Mailing) NotifyChange(c echo.Context, u domain.User, before domain.Credentials, what string) {
	m.Logger.InfoContext(c.Request().Context(), "ways to log in changed", "user", u.ID, "route", site.Route(c),
		"request_id", site.RequestID(c))
	if before.EmailVerified {
		m.sendNotice(c, u, before.Email, what, fmt.Sprintf(`Choose a new password at once:

%s

That logs everybody out. Then look at the other ways to log in, and remove
what is not yours:

%s`, m.Link(c, "/reset"), m.Link(c, site.SecurityPath)))
	}
}

// NotifyFormerAddress mails a user at an address that was the account's, and so is no way to a new
// password any more.
func (m Mailing) NotifyFormerAddress(c echo.Context, u domain.User, former, what string) {
	m.Logger.InfoContext(c.Request().Context(), "verified address changed", "user", u.ID, "route", site.Route(c),
		"request_id", site.RequestID(c))
	m.sendNotice(c, u, former, what, fmt.Sprintf(`Log in, choose a new
password and give your address again:

%s
%s

If you can't log in any more, ask the site's administrator for help.`,
		m.Link(c, site.PasswordPage), m.Link(c, site.EmailPage)))
}

func (m Mailing) sendNotice(c echo.Context, u domain.User, to, what, otherwise string) {
	m.Mailer.Send(to, "Your account was changed", fmt.Sprintf(`Hello %s,

%s

When: %s
With: %s

If this was you, there is nothing to do. If it wasn't, someone else has access
to your account. %s
`, u.Username, what, time.Now().UTC().Format("2 January 2006, 15:04 MST"), client.Device(c.Request().UserAgent()),
		otherwise))
}
