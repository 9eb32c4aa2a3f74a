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
	passwords *passwords
}

func (h settingsPassword) register(e *echo.Echo) {
	get(e, passwordPage, h.show)
	e.POST(passwordPage, h.submit)
}

const passwordPage = "/settings/password"

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
	err = h.change(ctx, credentials, sent.Get("current"), sent.Get("password"))
	if complaints, status, ok := h.complain(c, err); ok {
		return h.form(c, status, credentials, complaints)
	}
	if err != nil {
		return err
	}
	h.tell(c, u, credentials, "The password was changed.")
	this, err := h.session(c)
	if err == nil {
		err = h.sessions.endOthers(ctx, u.ID, this.ID)
	}
	if err != nil {
		return &domain.Error{Kind: domain.KindOf(err), Err: err,
			Message: "Your password is changed, but where else you are logged in could not be ended yet. Do so in the settings."}
	}
	return seeOther(c, sessionsPage+"?password=yes")
}

// change does not hash what is wrong anyway.
func (h settingsPassword) change(ctx context.Context, c domain.Credentials, current, password string) error {
	err := domain.CheckPassword(password)
	if c.PasswordHash != "" {
		if err = domain.JoinErrors(err, h.checkCurrent(ctx, c, current)); err != nil {
			return err
		}
	}
	if err != nil {
		return err
	}
	if c.PasswordHash, err = h.passwords.hash(ctx, password); err != nil {
		return err
	}
	_, err = h.users.SetCredentials(ctx, c)
	return err
}

func (h settingsPassword) checkCurrent(ctx context.Context, c domain.Credentials, current string) error {
	if current == "" {
		return domain.FieldError("current", "Enter the password that you have now.")
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

var errNotCurrent = domain.FieldError("current", "This is not your password.")

func (h settingsPassword) form(c echo.Context, status int, credentials domain.Credentials, complaints views.Complaints) error {
	title := "Change your password"
	if credentials.PasswordHash == "" {
		title = "Choose a password"
	}
	return h.renderForm(c, status, views.PasswordChange(views.PasswordPage{
		Page: h.frame(c, title), HasOne: credentials.PasswordHash != "", Complaints: complaints}))
}
