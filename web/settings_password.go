package web

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/views"
)

// settingsPassword is where users change their password, or get one besides a passkey.
type settingsPassword struct {
	mailing
	users     credentialsKeeper
	passwords passwordHasher
}

func (h settingsPassword) register(e *echo.Echo) {
	get(e, passwordPage, h.show)
	e.POST(passwordPage, h.submit)
}

func (h settingsPassword) show(c echo.Context) error {
	u, err := h.signedIn(c)
	if err != nil {
		return err
	}
	credentials, err := h.users.Credentials(c.Request().Context(), u.ID)
	if err != nil {
		return err
	}
	if credentials.PasswordHash == "" { // there is none to ask for
		if err := h.confirmed(c); err != nil {
			return err
		}
	}
	return h.form(c, http.StatusOK, credentials, views.Complaints{})
}

func (h settingsPassword) submit(c echo.Context) error {
	sent, err := form(c)
	if err != nil {
		return err
	}
	u, err := h.signedIn(c)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	credentials, err := h.users.Credentials(ctx, u.ID)
	if err != nil {
		return err
	}
	if credentials.PasswordHash == "" {
		if err := h.confirmed(c); err != nil {
			return err
		}
	}
	err = h.change(c, u, credentials, sent.Get("current"), sent.Get("password"))
	if complaints, status, ok := h.complain(c, err); ok {
		return h.form(c, status, credentials, complaints)
	}
	if err != nil {
		return err
	}
	h.tell(c, u, credentials, "The password was changed.")
	if err := h.sessions.outlast(c); err != nil {
		return endedWithOthers("Password changed.", err)
	}
	return seeOther(c, sessionsPage+"?password=yes")
}

// change checks both passwords before it hashes the new one.
func (h settingsPassword) change(c echo.Context, u domain.User, credentials domain.Credentials,
	current, password string) error {
	ctx := c.Request().Context()
	err := checkNewPassword(h.site, c, password, passwordNames(u, credentials)...)
	if credentials.PasswordHash != "" {
		err = domain.JoinErrors(err, h.checkCurrent(ctx, credentials, current))
	}
	if err == nil {
		err = h.stillSignedIn(c, u)
	}
	if err != nil {
		return err
	}
	if credentials.PasswordHash, err = h.passwords.hash(ctx, password); err != nil {
		return err
	}
	_, err = h.users.SetCredentials(ctx, credentials)
	return err
}

// endedWithOthers returns an error for a change that succeeded and ended all sessions of the user.
// The current session ended too, because the storage failed before it got the new version. The text
// done says what was changed.
func endedWithOthers(done string, err error) error {
	return &domain.Error{Kind: domain.KindOf(err), Err: err,
		Message: done + " You have been logged out on all devices. Please log in again."}
}

func (h settingsPassword) checkCurrent(ctx context.Context, c domain.Credentials, current string) error {
	if current == "" {
		return domain.FieldError("current", "Enter your current password.")
	}
	if domain.CheckPassword(current) != nil {
		return errNotCurrent // nobody's, and perhaps too long to hash
	}
	if err := h.limiter.allow(ctx, ruleConfirm, c.UserID); err != nil {
		return err
	}
	match, err := h.passwords.verify(ctx, current, c.PasswordHash)
	if err == nil && !match {
		err = errNotCurrent
	}
	h.limiter.settle(ctx, ruleConfirm, c.UserID, err)
	return err
}

var errNotCurrent = domain.FieldError("current", "Wrong password.")

func (h settingsPassword) form(c echo.Context, status int, credentials domain.Credentials, complaints views.Complaints) error {
	title := "Change your password"
	if credentials.PasswordHash == "" {
		title = "Choose a password"
	}
	return h.renderForm(c, status, views.PasswordChange(views.PasswordPage{
		Page: h.frame(c, title), HasOne: credentials.PasswordHash != "", Complaints: complaints}))
}
