package settings

import (
	"cmp"
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	view "inkfeed/views/settings"
	"inkfeed/web/credential"
	"inkfeed/web/site"
)

// settingsEmail changes, verifies and removes a user's email address.
type settingsEmail struct{ handler }

func (h settingsEmail) register(e *echo.Echo) {
	site.Get(e, site.EmailPage, h.show)
	e.POST(site.EmailPage, h.submit)
	e.POST("/settings/email/cancel", h.cancel)
	e.POST("/settings/email/remove", h.remove)
	site.Get(e, "/verify-email/:token", h.showVerification)
	e.POST("/verify-email/:token", h.verify)
}

func (h settingsEmail) show(c echo.Context) error {
	u, err := h.confirmation.SignedIn(c, "", "")
	if err != nil {
		return err
	}
	credentials, err := h.store.Credentials.Get(c.Request().Context(), u.ID)
	if err != nil {
		return err
	}
	p := emailPage(credentials, cmp.Or(credentials.AwaitedEmail(), credentials.Email))
	p.Requested, p.Done = c.QueryParam("asked") == "yes", c.QueryParam("done") == "yes"
	p.Cancelled, p.Removed = c.QueryParam("cancelled") == "yes", c.QueryParam("removed") == "yes"
	return h.form(c, http.StatusOK, p)
}

func (h settingsEmail) submit(c echo.Context) error {
	sent, err := site.ParseForm(c)
	if err != nil {
		return err
	}
	u, err := h.confirmation.SignedIn(c, site.T(c, "Change your email address to {address}", "address",
		strings.TrimSpace(sent.Get("email"))),
		settingsPath)
	if err != nil {
		return err
	}
	credentials, err := h.store.Credentials.Get(c.Request().Context(), u.ID)
	if err != nil {
		return err
	}
	email, err := domain.CleanEmail(sent.Get("email"))
	if err == nil && credentials.EmailVerified && credentials.Email == email {
		return site.SeeOther(c, site.EmailPage)
	}
	if err == nil {
		err = h.StillSignedIn(c, u)
	}
	if err == nil {
		err = h.AskToVerify(c, h.store.Credentials, u, credentials, email)
	}
	if err != nil {
		return site.Redisplay(h.Site, c, err, h.form, emailPage(credentials, sent.Get("email")))
	}
	return site.SeeOther(c, site.EmailPage+"?asked=yes")
}

// cancel removes an address that is not yet verified and invalidates the link that was mailed
// there.
func (h settingsEmail) cancel(c echo.Context) error {
	u, err := h.confirmation.SignedIn(c, site.T(c, "Cancel the change of your email address"), settingsPath)
	if err != nil {
		return err
	}
	credentials, err := h.store.Credentials.Get(c.Request().Context(), u.ID)
	if err == nil {
		err = h.StillSignedIn(c, u)
	}
	if err == nil && credentials.AwaitedEmail() != "" {
		_, err = h.store.Credentials.Set(c.Request().Context(), credentials.WithAwaitedEmail(""))
	}
	if err != nil {
		return site.Redisplay(h.Site, c, err, h.form, emailPage(credentials, ""))
	}
	return site.SeeOther(c, site.EmailPage+"?cancelled=yes")
}

func (h settingsEmail) remove(c echo.Context) error {
	u, err := h.confirmation.SignedIn(c, site.T(c, "Remove your email address"), settingsPath)
	if err != nil {
		return err
	}
	credentials, err := h.store.Credentials.Get(c.Request().Context(), u.ID)
	if err == nil {
		err = h.StillSignedIn(c, u)
	}
	defer site.Uninterrupt(c)()
	if err == nil {
		_, err = h.store.EmailAddresses.Remove(c.Request().Context(), credentials, h.AddressNotice(c, u, credentials,
			locale.M("This email address was removed from your account."))...)
	}
	if err != nil {
		return site.Redisplay(h.Site, c, err, h.form, emailPage(credentials, ""))
	}
	if credentials.EmailVerified {
		h.LogChange(c, u, credential.AddressChanged)
	}
	return site.SeeOther(c, site.EmailPage+"?removed=yes")
}

// showVerification only shows a button, because programs that scan mails follow links but press no buttons.
func (h settingsEmail) showVerification(c echo.Context) error {
	v, err := h.verification(c)
	if err == nil && v.done() {
		return h.renderVerified(c, v.Email)
	}
	return h.renderVerification(c, v.Email, err)
}

// emailVerification is a request to verify an address, with the credentials that it changes.
type emailVerification struct {
	credential.Purpose
	user        domain.User
	secret      domain.Secret
	credentials domain.Credentials
}

// done reports whether the address has been verified, for example by the first request of a double click.
func (v emailVerification) done() bool {
	return v.credentials.EmailVerified && v.credentials.Email == v.Email
}

// verification finds the secret of a link. The secret must belong to the user who is signed
// in: otherwise a mistyped address could take over an account.
func (h settingsEmail) verification(c echo.Context) (v emailVerification, err error) {
	if v.user, err = h.SignedIn(c); err != nil {
		return v, err
	}
	v.secret, v.Purpose, err = h.FindSecret(c.Request().Context(), domain.SecretVerifyEmail, c.Param("token"))
	if err == nil && v.secret.UserID != v.user.ID {
		err = domain.NewError(domain.Forbidden,
			"This link is for another account. Log in to that account and open the link again.")
	}
	if err == nil {
		v.credentials, err = h.store.Credentials.Get(c.Request().Context(), v.user.ID)
	}
	if err == nil && v.credentials.AwaitedEmail() != v.Email && !v.done() {
		err = domain.NewError(domain.NotFound, "The email address of this account has changed since.")
	}
	return v, err
}

func (h settingsEmail) verify(c echo.Context) error {
	v, err := h.verification(c)
	if err != nil {
		return h.renderVerification(c, "", err)
	}
	if v.done() {
		return h.renderVerified(c, v.Email)
	}
	defer site.Uninterrupt(c)()
	previous := ""
	if err = h.StillSignedIn(c, v.user); err == nil {
		previous, err = h.store.EmailAddresses.Verify(c.Request().Context(), v.credentials, v.Email,
			h.AddressNotice(c, v.user, v.credentials,
				locale.M("Your account now has another email address. We no longer use this one."))...)
	}
	if domain.Is(err, domain.NotFound) {
		return h.renderVerification(c, "", err)
	}
	if err != nil {
		return site.Redisplay(h.Site, c, err, h.verifyForm, view.EmailVerifyPage{Email: v.Email})
	}
	// The secret stays until it expires, so that a second request finds it. Using it again is harmless.
	if previous != "" {
		h.LogChange(c, v.user, credential.AddressChanged)
	}
	return h.renderVerified(c, v.Email)
}

func (h settingsEmail) renderVerified(c echo.Context, email string) error {
	return h.RenderForm(c, http.StatusOK, view.EmailVerify(view.EmailVerifyPage{LayoutData: h.FallbackLayout(c,
		site.T(c, "Email verified")), Email: email, Done: true}))
}

func (h settingsEmail) renderVerification(c echo.Context, email string, err error) error {
	status := http.StatusOK
	if domain.Is(err, domain.NotFound) {
		status, email = http.StatusNotFound, ""
	} else if err != nil {
		return err
	}
	return h.verifyForm(c, status, view.EmailVerifyPage{Email: email})
}

func (h settingsEmail) verifyForm(c echo.Context, status int, p view.EmailVerifyPage) error {
	p.LayoutData, p.Secret = h.FallbackLayout(c, site.T(c, "Verify your email")), c.Param("token")
	return h.RenderForm(c, status, view.EmailVerify(p))
}

// emailPage returns the page of the form for a user with these credentials. The form shows the address typed.
func emailPage(credentials domain.Credentials, typed string) view.EmailPage {
	p := view.EmailPage{Email: typed, Pending: credentials.AwaitedEmail()}
	if credentials.EmailVerified {
		p.Verified = credentials.Email
	}
	return p
}

func (h settingsEmail) form(c echo.Context, status int, p view.EmailPage) error {
	p.LayoutData, p.MailWorks = h.FallbackLayout(c, site.T(c, "Email")), h.Mailer.Sends()
	return h.RenderForm(c, status, view.Email(p))
}
