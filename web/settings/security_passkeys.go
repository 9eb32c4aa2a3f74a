package settings

import (
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/plaintext"
	view "inkfeed/views/settings"
	"inkfeed/web/credential"
	"inkfeed/web/site"
	"inkfeed/web/site/remote"
)

// settingsPasskeys registers, renames and removes passkeys.
type settingsPasskeys struct{ settingsSecurity }

const (
	passkeysPath = site.SecurityPath + "/passkeys"
	maxPasskeys  = 20
)

func (h settingsPasskeys) register(e *echo.Echo) {
	site.Get(e, passkeysPath+"/new", h.new)
	e.POST(passkeysPath+"/new", h.create)
	site.Get(e, passkeysPath+"/:passkey", h.show)
	e.POST(passkeysPath+"/:passkey", h.rename)
	site.Get(e, passkeysPath+"/:passkey/delete", h.askDelete)
	e.POST(passkeysPath+"/:passkey/delete", h.delete)
}

// passkeyPath returns the address of a passkey. It is shorter than the id, which may have a
// thousand bytes.
func passkeyPath(p domain.Passkey) string { return passkeysPath + "/" + domain.SecretDigest(p.ID)[:24] }

func passkeyIndex(c domain.Credentials, path string) int {
	return slices.IndexFunc(c.Passkeys, func(p domain.Passkey) bool { return passkeyPath(p) == path })
}

var errNoSuchPasskey = domain.NewError(domain.NotFound, "There is no such passkey. It may have been removed.")

// passkeyAt returns the passkey in the address, whose user must have confirmed their identity recently. For a submitted
// form, the action says what it does with the passkey of this name.
func (h settingsPasskeys) passkeyAt(c echo.Context, action func(string) locale.Message) (u domain.User,
	p domain.Passkey, credentials domain.Credentials, err error) {
	if u, err = h.SignedIn(c); err == nil {
		credentials, err = h.factors.Credentials.Get(c.Request().Context(), u.ID)
	}
	if err != nil {
		return u, p, credentials, err
	}
	i := passkeyIndex(credentials, passkeysPath+"/"+c.Param("passkey"))
	if i < 0 {
		return u, p, credentials, errNoSuchPasskey
	}
	p = credentials.Passkeys[i]
	return u, p, credentials, h.confirmation.CheckForm(c, action(p.Name).In(c.Request().Context()), site.SecurityPath)
}

func showPasskey(string) locale.Message { return locale.Message{} }

func removePasskey(name string) locale.Message {
	return locale.M("Remove the passkey “{name}”", "name", name)
}

func (h settingsPasskeys) new(c echo.Context) error {
	if _, _, err := h.confirmedUser(c, ""); err != nil {
		return err
	}
	device := domain.DeviceName(remote.Device(c.Request().UserAgent()))
	return h.newForm(c, http.StatusOK, view.PasskeyPage{Name: device.In(c.Request().Context())})
}

func (h settingsPasskeys) newForm(c echo.Context, status int, p view.PasskeyPage) error {
	p.LayoutData = h.FallbackLayout(c, site.T(c, "Add a passkey"))
	return h.RenderForm(c, status, view.PasskeyNew(p))
}

func (h settingsPasskeys) create(c echo.Context) error {
	sent, err := site.ParseForm(c)
	if err != nil {
		return err
	}
	u, _, err := h.confirmedUser(c, site.T(c, "Add a passkey"))
	if err != nil {
		return err
	}
	name, err := domain.CleanPasskeyName(sent.Get("name"))
	if err == nil {
		err = h.add(c, u, name, sent.Get("passkey"))
	}
	if err != nil {
		return site.Redisplay(h.Site, c, err, h.newForm, view.PasskeyPage{Name: sent.Get("name")})
	}
	return securityDoneAt(c, "passkey")
}

func (h settingsPasskeys) add(c echo.Context, u domain.User, name, answer string) error {
	p, userID, err := h.factors.FinishRegistration(c, h.Site, credential.ForNewPasskey, answer)
	if err != nil {
		return err
	}
	if userID != u.ID {
		return credential.ErrPasskeyTooLate // another user has logged in with this browser in the meantime
	}
	p.Name = name
	return h.change(c, u, locale.M("A passkey was added: {name}", "name", name), func(c *domain.Credentials) error {
		if len(c.Passkeys) >= maxPasskeys {
			return domain.NewError(domain.Conflict, "You can have up to {n} passkeys. Remove one first.", "n",
				maxPasskeys)
		}
		if slices.ContainsFunc(c.Passkeys, func(o domain.Passkey) bool { return o.ID == p.ID }) {
			return domain.FieldError("passkey", "This passkey is already in your list.")
		}
		c.Passkeys = append(slices.Clip(c.Passkeys), p)
		return nil
	})
}

func (h settingsPasskeys) show(c echo.Context) error {
	_, p, credentials, err := h.passkeyAt(c, showPasskey)
	if err != nil {
		return err
	}
	return h.form(c, http.StatusOK, view.PasskeyPage{Name: p.Name, Passkey: passkeyView(p, credentials)})
}

func (h settingsPasskeys) form(c echo.Context, status int, p view.PasskeyPage) error {
	p.LayoutData = h.FallbackLayout(c, site.T(c, "Passkey"))
	return h.RenderForm(c, status, view.PasskeyEdit(p))
}

func (h settingsPasskeys) rename(c echo.Context) error {
	sent, err := site.ParseForm(c)
	if err != nil {
		return err
	}
	u, p, credentials, err := h.passkeyAt(c, func(name string) locale.Message {
		return locale.M("Rename the passkey “{old}” to “{new}”", "old", name, "new",
			plaintext.CleanLine(sent.Get("name")))
	})
	if err != nil {
		return err
	}
	name, err := domain.CleanPasskeyName(sent.Get("name"))
	if err == nil {
		err = h.changeOne(c, u, p, locale.Message{}, func(c *domain.Credentials, i int) error {
			c.Passkeys = slices.Clone(c.Passkeys)
			c.Passkeys[i].Name = name
			return nil
		})
	}
	if err != nil {
		return site.Redisplay(h.Site, c, err, h.form, view.PasskeyPage{Name: sent.Get("name"),
			Passkey: passkeyView(p, credentials)})
	}
	return securityDoneAt(c, "renamed")
}

func (h settingsPasskeys) changeOne(c echo.Context, u domain.User, p domain.Passkey, notice locale.Message,
	change func(*domain.Credentials, int) error) error {
	return h.change(c, u, notice, func(c *domain.Credentials) error {
		i := passkeyIndex(*c, passkeyPath(p))
		if i < 0 {
			return errNoSuchPasskey
		}
		return change(c, i)
	})
}

func deleteQuestion(p domain.Passkey) view.Question {
	return view.Question{Title: locale.M("Remove this passkey?"), Action: passkeyPath(p) + "/delete",
		Button: locale.M("Remove passkey"),
		Text: []locale.Message{locale.M("“{name}” will no longer log you in.", "name", p.Name),
			locale.M("Your device or password manager will keep offering it until you delete it there too.")}}
}

var errOnlyPasskey = domain.NewError(domain.Conflict,
	"This passkey is your only way to log in. Set a password or add another passkey first.")

func (h settingsPasskeys) askDelete(c echo.Context) error {
	_, p, credentials, err := h.passkeyAt(c, showPasskey)
	if err != nil {
		return err
	}
	if credentials.CountLoginMethods() == 1 {
		return errOnlyPasskey
	}
	return h.ask(c, http.StatusOK, view.ConfirmationPage{Question: deleteQuestion(p)})
}

func (h settingsPasskeys) delete(c echo.Context) error {
	u, p, _, err := h.passkeyAt(c, removePasskey)
	if domain.Is(err, domain.NotFound) {
		return securityDoneAt(c, "removed") // the second request of a double click
	}
	if err != nil {
		return err
	}
	notice := locale.M("A passkey was removed: {name}", "name", p.Name)
	err = h.changeOne(c, u, p, notice, func(c *domain.Credentials, i int) error {
		if c.CountLoginMethods() == 1 {
			return errOnlyPasskey
		}
		c.Passkeys = slices.Delete(slices.Clone(c.Passkeys), i, i+1)
		return nil
	})
	if err != nil && !domain.Is(err, domain.NotFound) {
		return h.retry(c, err, deleteQuestion(p))
	}
	return securityDoneAt(c, "removed")
}
