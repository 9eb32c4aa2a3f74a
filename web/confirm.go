package web

import (
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/views"
)

// confirm asks for the password, or a passkey.
type confirm struct {
	*site
	factors *factors
}

func (h confirm) register(e *echo.Echo) {
	get(e, "/confirm", h.show)
	e.POST("/confirm", h.submit)
}

func (h confirm) show(c echo.Context) error {
	if _, err := h.signedIn(c); err != nil {
		return err
	}
	next := c.QueryParam("next")
	if err := h.confirmed(c); err == nil {
		return seeOther(c, nextOr(next, "/settings"))
	} else if err != errUnconfirmed {
		return err
	}
	return h.form(c, http.StatusOK, next, views.Complaints{})
}

func (h confirm) submit(c echo.Context) error {
	sent, err := form(c)
	if err != nil {
		return err
	}
	if _, err := h.signedIn(c); err != nil {
		return err
	}
	err = h.prove(c, sent)
	if err == nil {
		err = h.sessions.confirm(c)
	}
	if domain.Is(err, domain.Invalid) || domain.Is(err, domain.TooMany) || domain.Is(err, domain.Unavailable) {
		complaints, status, _ := h.complain(c, err)
		return h.form(c, status, sent.Get("next"), complaints)
	}
	if err != nil {
		return err
	}
	return seeOther(c, nextOr(sent.Get("next"), "/settings"))
}

func (h confirm) prove(c echo.Context, sent url.Values) error {
	ctx := c.Request().Context()
	u, err := h.signedIn(c)
	if err != nil {
		return err
	}
	if answer := sent.Get("passkey"); answer != "" {
		at, _ := passkeySite(h.site, c)
		_, err = h.factors.provePasskey(ctx, at, passkeyConfirm, u.ID, answer)
		return err
	}
	credentials, err := h.factors.users.Credentials(ctx, u.ID)
	if err != nil {
		return err
	}
	if err := h.limiter.allow(ctx, ruleConfirm, u.ID); err != nil {
		return err
	}
	err = h.factors.checkPassword(ctx, credentials, sent.Get("password"))
	h.limiter.settle(ctx, ruleConfirm, u.ID, err)
	return err
}

func (h confirm) form(c echo.Context, status int, next string, complaints views.Complaints) error {
	page := views.ConfirmPage{Page: h.frame(c, "Confirm it's you"), Complaints: complaints, Password: true}
	page.Next = safeNext(next)
	u, err := h.viewer(c)
	if err == nil {
		var credentials domain.Credentials
		if credentials, err = h.factors.users.Credentials(c.Request().Context(), u.ID); err == nil {
			page.Password = credentials.PasswordHash != ""
			page.Passkeys = len(credentials.Passkeys) > 0 && (takesPasskeys(h.site, c) || !page.Password) // whose only way must not look like none
		}
	}
	if err != nil && status == http.StatusOK {
		return err
	}
	return h.renderForm(c, status, views.Confirm(page))
}
