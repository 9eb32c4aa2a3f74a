package settings

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	view "inkfeed/views/settings"
	"inkfeed/web/credential"
	"inkfeed/web/site"
)

// settingsSecurity shows and changes the ways to log in.
type settingsSecurity struct{ handler }

func (h settingsSecurity) register(e *echo.Echo) {
	site.Get(e, site.SecurityPath, h.show)
	site.Get(e, site.SecurityPath+"/password", h.askPassword)
	e.POST(site.SecurityPath+"/password", h.removePassword)
}

// securityDone are the messages that confirm a change, by the parameter in the address.
var securityDone = map[string]locale.Message{
	"totp": locale.M("Two-step verification is on. From now on, you need a code from your app to log in with your " +
		"password. Your other devices are logged out."),
	"off": locale.M("Two-step verification is off. Your password alone logs you in. Your other devices are logged " +
		"out."),
	"passkey":  locale.M("Passkey added. You can log in with it."),
	"renamed":  locale.M("Passkey renamed."),
	"removed":  locale.M("Passkey removed. You can no longer log in with it. Your other devices are logged out."),
	"password": locale.M("Password removed. You now log in with a passkey. Your other devices are logged out."),
}

func (h settingsSecurity) show(c echo.Context) error {
	u, err := h.SignedIn(c)
	if err != nil {
		return err
	}
	credentials, err := h.factors.Credentials.Get(c.Request().Context(), u.ID)
	if err != nil {
		return err
	}
	page := view.SecurityPage{LayoutData: h.FallbackLayout(c, site.T(c, "Login and security")),
		Done: securityDone[c.QueryParam("done")], HasPassword: credentials.PasswordHash != "",
		TOTP: len(credentials.TOTP) > 0, RecoveryCodes: len(credentials.Recovery),
		PasskeysSupported:   credential.SupportsPasskeys(h.Site, c),
		PasskeyLimitReached: len(credentials.Passkeys) >= maxPasskeys}
	for _, p := range credentials.Passkeys {
		page.Passkeys = append(page.Passkeys, passkeyView(p, credentials))
	}
	return h.RenderForm(c, http.StatusOK, view.Security(page))
}

func passkeyView(p domain.Passkey, c domain.Credentials) view.Passkey {
	return view.Passkey{Path: passkeyPath(p), Name: p.Name, Created: p.Created, LastUsed: p.LastUsed,
		OnlyWayIn: c.CountLoginMethods() == 1}
}

// confirmedUser returns the signed-in user, who must have confirmed their identity recently. For a submitted form, the
// action says what it does.
func (h settingsSecurity) confirmedUser(c echo.Context, action string) (domain.User, domain.Credentials, error) {
	u, err := h.confirmation.SignedIn(c, action, site.SecurityPath)
	if err != nil {
		return u, domain.Credentials{}, err
	}
	credentials, err := h.factors.Credentials.Get(c.Request().Context(), u.ID)
	return u, credentials, err
}

// change changes the credentials of the signed-in user, and mails the user the notice, if it is not empty. Closing the
// page stops neither. If the change ends all sessions (domain.Credentials.EndsSessions), the session that made it
// stays valid. If that session cannot be kept valid, change logs the error, and the session ends with the others.
func (h settingsSecurity) change(c echo.Context, u domain.User, notice locale.Message,
	change func(*domain.Credentials) error) error {
	defer site.Uninterrupt(c)()
	var before, after domain.Credentials
	err := h.factors.Change(c.Request().Context(), u.ID, func(credentials *domain.Credentials) error {
		if err := h.StillSignedIn(c, u); err != nil {
			return err
		}
		before = *credentials
		err := change(credentials)
		after = *credentials
		return err
	}, func(before domain.Credentials) []domain.Delivery {
		if notice.IsZero() {
			return nil
		}
		return h.ChangeNotice(c, u, before, notice)
	})
	if err != nil {
		return err
	}
	if !notice.IsZero() {
		h.LogChange(c, u, credential.LoginChanged)
	}
	if !before.EndsSessions(after) {
		return nil
	}
	if err := h.Sessions.KeepCurrent(c); err != nil {
		h.Logger.WarnContext(c.Request().Context(), "the current session ended with the other sessions of its user",
			"error", err, "user",
			u.ID)
	}
	return nil
}

func securityDoneAt(c echo.Context, what string) error {
	return site.SeeOther(c, site.SecurityPath+"?done="+what)
}

var errOnlyPassword = domain.NewError(domain.Conflict, "Your password is your only way to log in. Add a passkey first.")

func (h settingsSecurity) askPassword(c echo.Context) error {
	_, credentials, err := h.confirmedUser(c, "")
	if err != nil {
		return err
	}
	if credentials.PasswordHash == "" {
		return site.SeeOther(c, site.SecurityPath)
	}
	if len(credentials.Passkeys) == 0 {
		return errOnlyPassword
	}
	return h.ask(c, http.StatusOK, view.ConfirmationPage{Question: passwordQuestion})
}

func (h settingsSecurity) removePassword(c echo.Context) error {
	u, before, err := h.confirmedUser(c, site.T(c, "Remove your password"))
	if err != nil {
		return err
	}
	if before.PasswordHash == "" {
		return securityDoneAt(c, "password") // the second request of a double click
	}
	notice := locale.M("The password was removed. Logging in now needs a passkey.")
	err = h.change(c, u, notice, func(c *domain.Credentials) error {
		if len(c.Passkeys) == 0 {
			return errOnlyPassword
		}
		c.PasswordHash = ""
		return nil
	})
	if err != nil {
		return h.retry(c, err, passwordQuestion)
	}
	return securityDoneAt(c, "password")
}

var passwordQuestion = view.Question{Title: locale.M("Remove your password?"), Action: site.SecurityPath + "/password",
	Button: locale.M("Remove password"),
	Text: []locale.Message{
		locale.M("After this, you can only log in with a passkey. A passkey can't be guessed, and it only works on " +
			"this site."),
		locale.M("If you lose all your passkeys, you can't log in any more, so add more than one. You can set a " +
			"password again at any time."),
	}}

// ask asks the user to confirm an action.
func (h settingsSecurity) ask(c echo.Context, status int, p view.ConfirmationPage) error {
	p.LayoutData = h.FallbackLayout(c, p.Question.Title.In(c.Request().Context()))
	return h.RenderForm(c, status, view.Confirmation(p))
}

// retry asks again with an error message if the action can be tried again.
func (h settingsSecurity) retry(c echo.Context, err error, q view.Question) error {
	return site.Redisplay(h.Site, c, err, h.ask, view.ConfirmationPage{Question: q})
}
