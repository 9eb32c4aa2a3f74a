package credential

import (
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/web/site"
	"inkfeed/web/site/remote"
)

// A change of the ways to log in is stored together with a mail to the address that was verified before, so that the
// user notices a change by an intruder. The mail says what was changed, when and with which device. It contains no
// secrets.

// NoticeTime is how long a mail about a change of an account is tried to be sent.
const NoticeTime = 3 * 24 * time.Hour

// ChangeNotice returns the mail about a change of the ways to log in, if the account has a verified address. before are
// the credentials before the change; what says what was changed.
func (m Mailing) ChangeNotice(c echo.Context, u domain.User, before domain.Credentials,
	what locale.Message) []domain.Delivery {
	return m.notice(c, u, before, what,
		locale.M("If this was you, you don't need to do anything. If it wasn't, someone else has access to your "+
			"account. Choose a new password at once:"),
		locale.Verbatim(m.Link(c, "/reset")),
		locale.M("This logs out all devices. Then check your login methods and remove any that you didn't add:"),
		locale.Verbatim(m.Link(c, site.SecurityPath)))
}

// AddressNotice returns the mail to the previous address of the account, if that was verified. The address can no
// longer be used to reset the password.
func (m Mailing) AddressNotice(c echo.Context, u domain.User, before domain.Credentials,
	what locale.Message) []domain.Delivery {
	return m.notice(c, u, before, what,
		locale.M("If this was you, you don't need to do anything. If it wasn't, someone else has access to your "+
			"account. Log in, choose a new password and add your email address again:"),
		locale.Verbatim(m.Link(c, site.PasswordPage)+"\n"+m.Link(c, site.EmailPage)),
		locale.M("If you can't log in any more, ask the site's administrator for help."))
}

// notice returns a mail that says what was changed, and what to do if it was an intruder.
func (m Mailing) notice(c echo.Context, u domain.User, before domain.Credentials, what locale.Message,
	otherwise ...locale.Message) []domain.Delivery {
	if !before.EmailVerified {
		return nil
	}
	ctx := m.MailContext(c, u)
	facts := locale.M("When: {time}\nBrowser: {browser}", "time", locale.DateTime(ctx, time.Now().UTC()),
		"browser", domain.DeviceName(remote.Device(c.Request().UserAgent())))
	return []domain.Delivery{m.Mailer.Seal(domain.DeliverMail, u.ID, NoticeTime, Letter(ctx, before.Email, u,
		locale.M("Your account was changed"), append([]locale.Message{what, facts}, otherwise...)...))}
}

// Changes, as the log names them.
const (
	LoginChanged   = "ways to log in changed"
	AddressChanged = "verified address changed"
)

// LogChange logs that something about the account has changed. The log does not contain the new values.
func (m Mailing) LogChange(c echo.Context, u domain.User, what string) {
	m.Logger.InfoContext(c.Request().Context(), what, "user", u.ID, "route", site.Route(c), "request_id",
		site.RequestID(c))
}
