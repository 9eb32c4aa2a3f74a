package account

import (
	"net/http"
	"strings"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/views"
	view "inkfeed/views/account"
	"inkfeed/web/credential"
	"inkfeed/web/site"
	"inkfeed/web/site/ratelimit"
)

// confirm asks signed-in users for their password or passkey again.
type confirm struct{ handler }

func (h confirm) register(e *echo.Echo) {
	site.Get(e, "/confirm", h.show)
	e.POST("/confirm", h.submit)
}

func (h confirm) show(c echo.Context) error {
	if _, err := h.SignedIn(c); err != nil {
		return err
	}
	next := c.QueryParam("next")
	if err := h.confirmation.Check(c); err == nil {
		return site.SeeOther(c, site.NextOr(next, "/settings"))
	} else if err != site.ErrUnconfirmed {
		return err
	}
	return h.form(c, http.StatusOK, next, views.PendingForm{}, views.FormErrors{})
}

func (h confirm) submit(c echo.Context) error {
	sent, _, err := site.ReadForm(c, h.SignedIn)
	if err != nil {
		return err
	}
	err = h.CheckIdentity(c, sent.Get("password"), sent.Get("passkey"))
	if err == nil {
		err = h.Sessions.Confirm(c)
	}
	if domain.Is(err, domain.Invalid) || domain.Is(err, domain.TooMany) || domain.Is(err, domain.Unavailable) {
		errs, status, _ := h.FormErrors(c, err)
		return h.form(c, status, sent.Get("next"), views.PendingForm{}, errs)
	}
	if err != nil {
		return err
	}
	return site.SeeOther(c, site.NextOr(sent.Get("next"), "/settings"))
}

// CheckIdentity checks the password or the passkey's answer of the signed-in user: see site.Identities.
func (h confirm) CheckIdentity(c echo.Context, password, passkey string) error {
	ctx := c.Request().Context()
	u, err := h.SignedIn(c)
	if err != nil {
		return err
	}
	if passkey != "" {
		at, _ := credential.PasskeySite(h.Site, c)
		_, err = h.factors.CheckPasskey(ctx, at, credential.ForConfirmation, u.ID, passkey)
		return err
	}
	credentials, err := h.factors.Credentials.Get(ctx, u.ID)
	if err != nil {
		return err
	}
	if err := h.Limiter.Allow(ctx, ratelimit.Confirm, u.ID); err != nil {
		return err
	}
	err = h.factors.CheckPassword(credential.Confirming(c, h.Limiter, u.ID), credentials, password)
	h.Limiter.Settle(ctx, ratelimit.Confirm, u.ID, err)
	return err
}

// AskIdentity renders the page that asks to confirm a form: see site.Identities.
func (h confirm) AskIdentity(c echo.Context, status int, form views.PendingForm, errs views.FormErrors) error {
	return h.form(c, status, "", form, errs)
}

func (h confirm) form(c echo.Context, status int, next string, pending views.PendingForm,
	errs views.FormErrors) error {
	page := view.ConfirmPage{LayoutData: h.FallbackLayout(c, site.T(c, "Confirm it's you")), FormErrors: errs,
		HasPassword: true, Pending: pending}
	page.Next = site.SafeNext(next)
	if pending.Path == "" {
		page.Pending.Cancel = settingsAbove(page.Next)
	}
	u, err := h.Viewer(c)
	if err == nil {
		var credentials domain.Credentials
		if credentials, err = h.factors.Credentials.Get(c.Request().Context(), u.ID); err == nil {
			page.HasPassword = credentials.PasswordHash != ""
			page.HasPasskeys = len(credentials.Passkeys) > 0 &&
				// passkeys may be the user's only way to confirm
				(credential.SupportsPasskeys(h.Site, c) || !page.HasPassword)
		}
	}
	if err != nil && status == http.StatusOK {
		return err
	}
	return h.RenderForm(c, status, view.Confirm(page))
}

// settingsAbove returns the page of settings that leads to the page next and requires no confirmation.
func settingsAbove(next string) string {
	if strings.HasPrefix(next, site.SecurityPath+"/") || strings.HasPrefix(next, site.PasswordPage) {
		return site.SecurityPath
	}
	return "/settings"
}
