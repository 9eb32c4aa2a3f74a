package credential

import (
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/web/site"
	"inkfeed/web/site/remote"
)

// A change of the ways to log in is followed by a mail to the address that was verified before, so
// that the user notices a change by an intruder. The mail says what was changed, when and with
// which device. It contains no secrets. If the mail cannot be sent, the change stands and the
// mailer logs the failure.

// NotifyChange mails and logs that something about the account has changed. before are the
// credentials before the change; what says what was changed. The log does not contain the new
// values.
func (m Mailing) NotifyChange(c echo.Context, u domain.User, before domain.Credentials, what locale.Message) {
	m.Logger.InfoContext(c.Request().Context(), "ways to log in changed", "user", u.ID, "route", site.Route(c),
		"request_id", site.RequestID(c))
	if before.EmailVerified {
		m.sendNotice(c, u, before.Email, what,
			locale.M("If this was you, you don't need to do anything. If it wasn't, someone else has access to your "+
				"account. Choose a new password at once:"),
			locale.Verbatim(m.Link(c, "/reset")),
			locale.M("This logs out all devices. Then check your login methods and remove any that you didn't add:"),
			locale.Verbatim(m.Link(c, site.SecurityPath)))
	}
}

// NotifyPreviousAddress mails the user at the previous address of the account. That address can no
// longer be used to reset the password.
func (m Mailing) NotifyPreviousAddress(c echo.Context, u domain.User, previous string, what locale.Message) {
	m.Logger.InfoContext(c.Request().Context(), "verified address changed", "user", u.ID, "route", site.Route(c),
		"request_id", site.RequestID(c))
	m.sendNotice(c, u, previous, what,
		locale.M("If this was you, you don't need to do anything. If it wasn't, someone else has access to your "+
			"account. Log in, choose a new password and add your email address again:"),
		locale.Verbatim(m.Link(c, site.PasswordPage)+"\n"+m.Link(c, site.EmailPage)),
		locale.M("If you can't log in any more, ask the site's administrator for help."))
}

// sendNotice mails what was changed, and what to do if it was an intruder.
func (m Mailing) sendNotice(c echo.Context, u domain.User, to string, what locale.Message,
	otherwise ...locale.Message) {
	ctx := m.MailContext(c, u)
	facts := locale.M("When: {time}\nBrowser: {browser}", "time", locale.DateTime(ctx, time.Now().UTC()),
		"browser", domain.DeviceName(remote.Device(c.Request().UserAgent())))
	Write(ctx, m.Mailer, to, u, locale.M("Your account was changed"),
		append([]locale.Message{what, facts}, otherwise...)...)
}
