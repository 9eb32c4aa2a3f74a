package settings

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	view "inkfeed/views/settings"
	"inkfeed/web/credential"
	"inkfeed/web/site"
	"inkfeed/web/site/ratelimit"
)

// settingsPassword changes a user's password, or adds one to an account with only passkeys.
type settingsPassword struct{ handler }

func (h settingsPassword) register(e *echo.Echo) {
	site.Get(e, site.PasswordPage, h.show)
	e.POST(site.PasswordPage, h.submit)
	site.Get(e, "/.well-known/change-password", h.find)
}

// find leads password managers to the form, as "A Well-Known URL for Changing Passwords" of the W3C describes.
func (settingsPassword) find(c echo.Context) error { return site.SeeOther(c, site.PasswordPage) }

func (h settingsPassword) show(c echo.Context) error {
	u, err := h.SignedIn(c)
	if err != nil {
		return err
	}
	credentials, err := h.store.Credentials.Get(c.Request().Context(), u.ID)
	if err != nil {
		return err
	}
	if credentials.PasswordHash == "" { // the account has no password to ask for
		if err := h.confirmation.Check(c); err != nil {
			return err
		}
	}
	return h.form(c, http.StatusOK, view.PasswordPage{HasPassword: credentials.PasswordHash != ""})
}

func (h settingsPassword) submit(c echo.Context) error {
	sent, u, err := site.ReadForm(c, h.SignedIn)
	if err != nil {
		return err
	}
	ctx := c.Request().Context()
	credentials, err := h.store.Credentials.Get(ctx, u.ID)
	if err != nil {
		return err
	}
	if credentials.PasswordHash == "" {
		if err := h.confirmation.CheckForm(c, site.T(c, "Choose a password"), site.SecurityPath); err != nil {
			return err
		}
	}
	defer site.Uninterrupt(c)()
	err = h.change(c, u, credentials, sent.Get("current"), sent.Get("password"))
	if err != nil {
		return site.Redisplay(h.Site, c, err, h.form, view.PasswordPage{HasPassword: credentials.PasswordHash != ""})
	}
	h.LogChange(c, u, credential.LoginChanged)
	if err := h.Sessions.KeepCurrent(c); err != nil {
		return errSessionsEnded(locale.M("Password changed."), err)
	}
	return site.SeeOther(c, site.SessionsPage+"?password=yes")
}

// change checks both passwords before it hashes the new one.
func (h settingsPassword) change(c echo.Context, u domain.User, credentials domain.Credentials,
	current, password string) error {
	ctx := credential.Confirming(c, h.Limiter, u.ID)
	err := credential.CheckNewPassword(h.Site, c, password, credential.PasswordNames(u, credentials)...)
	if credentials.PasswordHash != "" {
		err = domain.JoinErrors(err, h.checkCurrent(ctx, credentials, current))
	}
	if err == nil {
		err = h.StillSignedIn(c, u)
	}
	if err != nil {
		return err
	}
	notice := h.ChangeNotice(c, u, credentials, locale.M("The password was changed."))
	if credentials.PasswordHash, err = h.factors.Passwords.Hash(ctx, password); err != nil {
		return err
	}
	_, err = h.store.Credentials.Set(ctx, credentials, notice...)
	return err
}

// errSessionsEnded returns the error for a change that succeeded and ended all sessions of the
// user. The current session ended too, because the storage failed before it got the new version.
// done says what was changed.
func errSessionsEnded(done locale.Message, err error) error {
	return &domain.Error{Kind: domain.KindOf(err), Err: err,
		Message: locale.M("{done} You have been logged out on all devices. Please log in again.", "done", done)}
}

func (h settingsPassword) checkCurrent(ctx context.Context, c domain.Credentials, current string) error {
	if current == "" {
		return domain.FieldError("current", "Enter your current password.")
	}
	if domain.CheckPassword(current) != nil {
		return errNotCurrent // no user can have it, and it may be too long to hash
	}
	if err := h.Limiter.Allow(ctx, ratelimit.Confirm, c.UserID); err != nil {
		return err
	}
	match, err := h.factors.Passwords.Verify(ctx, current, c.PasswordHash)
	if err == nil && !match {
		err = errNotCurrent
	}
	h.Limiter.Settle(ctx, ratelimit.Confirm, c.UserID, err)
	return err
}

var errNotCurrent = domain.FieldError("current", "Wrong password.")

func (h settingsPassword) form(c echo.Context, status int, p view.PasswordPage) error {
	title := site.T(c, "Change your password")
	if !p.HasPassword {
		title = site.T(c, "Choose a password")
	}
	p.LayoutData = h.FallbackLayout(c, title)
	return h.RenderForm(c, status, view.PasswordChange(p))
}
