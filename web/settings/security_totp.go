package settings

import (
	"bytes"
	"encoding/base64"
	"net/http"
	"net/url"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	view "inkfeed/views/settings"
	"inkfeed/web/credential"
	"inkfeed/web/factor"
	"inkfeed/web/site"
)

// settingsTOTP sets up authenticator apps and turns them off. A secret takes effect once the user
// has entered a code of it. Until then only the page contains it, encrypted.
type settingsTOTP struct{ settingsSecurity }

const totpPath = site.SecurityPath + "/totp"

func (h settingsTOTP) register(e *echo.Echo) {
	site.Get(e, totpPath, h.show)
	e.POST(totpPath, h.submit)
	e.GET(totpPath+"/image", h.image)
	site.Get(e, totpPath+"/delete", h.askTurnOff)
	e.POST(totpPath+"/delete", h.turnOff)
}

func (h settingsTOTP) show(c echo.Context) error {
	u, credentials, err := h.confirmedUser(c, "")
	if err != nil {
		return err
	}
	if len(credentials.TOTP) > 0 {
		return site.SeeOther(c, site.SecurityPath)
	}
	return h.form(c, http.StatusOK, h.page(c, u, factor.NewTOTPSecret()))
}

// page returns the page that shows a secret as a QR code and as text, and asks for a code.
func (h settingsTOTP) page(c echo.Context, u domain.User, secret []byte) view.TOTPPage {
	sealed := base64.RawURLEncoding.EncodeToString(h.factors.Sealer.Seal(u.ID, credential.SealEnrolment, secret))
	return view.TOTPPage{Sealed: sealed, Image: totpPath + "/image?of=" + sealed,
		Secret: factor.FormatTOTPSecret(secret), Address: h.address(c, u, secret)}
}

func (h settingsTOTP) form(c echo.Context, status int, p view.TOTPPage) error {
	p.LayoutData = h.FallbackLayout(c, site.T(c, "Set up an authenticator app"))
	return h.RenderForm(c, status, view.TOTP(p))
}

// address returns the otpauth URL of a secret. It names the site's host, since a user may have
// accounts on several sites.
func (h settingsTOTP) address(c echo.Context, u domain.User, secret []byte) string {
	issuer := h.Info().Title()
	if base, err := url.Parse(h.BaseURL(c)); err == nil {
		issuer += " " + base.Hostname()
	}
	return factor.TOTPURL(secret, issuer, u.Username)
}

func (h settingsTOTP) openSecret(u domain.User, sealed string) ([]byte, error) {
	text, err := base64.RawURLEncoding.DecodeString(sealed)
	if err != nil {
		return nil, err
	}
	return h.factors.Sealer.Open(u.ID, credential.SealEnrolment, text)
}

func (h settingsTOTP) image(c echo.Context) error {
	u, err := h.SignedIn(c)
	if err != nil {
		return err
	}
	secret, err := h.openSecret(u, c.QueryParam("of"))
	if err != nil {
		return echo.ErrNotFound
	}
	picture, err := factor.TOTPQRCode(h.address(c, u, secret))
	if err != nil {
		return err
	}
	c.Response().Header().Set("Cache-Control", site.CacheNever)
	return c.Blob(http.StatusOK, "image/png", picture)
}

func (h settingsTOTP) submit(c echo.Context) error {
	sent, err := site.ParseForm(c)
	if err != nil {
		return err
	}
	u, _, err := h.confirmedUser(c, site.T(c, "Turn on two-step verification"))
	if err != nil {
		return err
	}
	secret, err := h.openSecret(u, sent.Get("secret"))
	if err != nil { // the server's keys have changed, or the form was manipulated
		return site.SeeOther(c, totpPath)
	}
	codes, err := h.enrol(c, u, secret, sent.Get("code"))
	if err == errTOTPThere && h.isEnrolled(c, u, secret) {
		// The second request of a double click. The browser has dropped the codes of the first one.
		codes, err = h.replaceCodes(c, u)
	}
	if err != nil {
		return site.Redisplay(h.Site, c, err, h.form, h.page(c, u, secret))
	}
	return h.showCodes(c, "totp", codes)
}

var errTOTPThere = domain.NewError(domain.Conflict,
	"Two-step verification is already on. Turn it off first to set up another app.")

// enrol turns codes on and returns the recovery codes, which are never shown again.
func (h settingsTOTP) enrol(c echo.Context, u domain.User, secret []byte, code string) ([]string, error) {
	if code == "" {
		return nil, credential.ErrNoCode
	}
	step, ok := factor.MatchTOTP(secret, code, time.Now(), 0)
	if !ok {
		return nil, domain.FieldError("code",
			"This code is wrong. Check that your device's clock is right, then enter the current code.")
	}
	codes := factor.NewRecoveryCodes()
	return codes, h.change(c, u, locale.M("Two-step verification was turned on."), func(c *domain.Credentials) error {
		if len(c.TOTP) > 0 {
			return errTOTPThere
		}
		c.TOTP, c.TOTPStep = h.factors.Sealer.Seal(u.ID, credential.SealTOTP, secret), step
		c.Recovery = factor.RecoveryDigests(u.ID, codes)
		return nil
	})
}

// isEnrolled reports whether two-step verification is on with this secret.
func (h settingsTOTP) isEnrolled(c echo.Context, u domain.User, secret []byte) bool {
	credentials, err := h.factors.Credentials.Get(c.Request().Context(), u.ID)
	if err != nil {
		return false
	}
	current, err := h.factors.Sealer.Open(u.ID, credential.SealTOTP, credentials.TOTP)
	return err == nil && bytes.Equal(current, secret)
}

var offQuestion = view.Question{Title: locale.M("Turn off two-step verification?"), Action: totpPath + "/delete",
	Button: locale.M("Turn off"),
	Text: []locale.Message{locale.M("Your password alone will log you in. Your recovery codes and the codes in your " +
		"app stop working.")}}

func (h settingsTOTP) askTurnOff(c echo.Context) error {
	_, credentials, err := h.confirmedUser(c, "")
	if err != nil {
		return err
	}
	if len(credentials.TOTP) == 0 {
		return site.SeeOther(c, site.SecurityPath)
	}
	return h.ask(c, http.StatusOK, view.ConfirmationPage{Question: offQuestion})
}

func (h settingsTOTP) turnOff(c echo.Context) error {
	u, credentials, err := h.confirmedUser(c, site.T(c, "Turn off two-step verification"))
	if err != nil {
		return err
	}
	if len(credentials.TOTP) == 0 {
		return securityDoneAt(c, "off") // the second request of a double click
	}
	err = h.change(c, u, locale.M("Two-step verification was turned off."), func(c *domain.Credentials) error {
		c.TOTP, c.TOTPStep, c.Recovery = nil, 0, nil
		return nil
	})
	if err != nil {
		return h.retry(c, err, offQuestion)
	}
	return securityDoneAt(c, "off")
}
