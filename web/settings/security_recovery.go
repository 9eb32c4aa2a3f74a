package settings

import (
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	view "inkfeed/views/settings"
	"inkfeed/web/factor"
	"inkfeed/web/site"
)

// settingsRecovery replaces recovery codes.
type settingsRecovery struct{ settingsSecurity }

const recoveryPath = site.SecurityPath + "/recovery"

func (h settingsRecovery) register(e *echo.Echo) {
	site.Get(e, recoveryPath, h.show)
	e.POST(recoveryPath, h.submit)
	e.POST(recoveryPath+"/text", h.text)
}

var recoveryQuestion = view.Question{Title: locale.M("Create new recovery codes?"), Action: recoveryPath,
	Button: locale.M("Create new codes"),
	Text: []locale.Message{
		locale.M("You will get ten new codes. Your current codes stop working, and your other devices are logged " +
			"out.")}}

func (h settingsRecovery) show(c echo.Context) error {
	_, credentials, err := h.confirmedUser(c, "")
	if err != nil {
		return err
	}
	if len(credentials.TOTP) == 0 {
		return site.SeeOther(c, site.SecurityPath)
	}
	return h.ask(c, http.StatusOK, view.ConfirmationPage{Question: recoveryQuestion})
}

func (h settingsRecovery) submit(c echo.Context) error {
	u, credentials, err := h.confirmedUser(c, site.T(c, "Create new recovery codes"))
	if err != nil {
		return err
	}
	if len(credentials.TOTP) == 0 {
		return site.SeeOther(c, site.SecurityPath) // two-step verification is off
	}
	codes, err := h.replaceCodes(c, u)
	if err != nil {
		return h.retry(c, err, recoveryQuestion)
	}
	return h.showCodes(c, "", codes)
}

// replaceCodes replaces the recovery codes of the signed-in user and returns the new ones.
func (h settingsSecurity) replaceCodes(c echo.Context, u domain.User) ([]string, error) {
	codes := factor.NewRecoveryCodes()
	notice := locale.M("New recovery codes were created. The old ones no longer work.")
	return codes, h.change(c, u, notice, func(c *domain.Credentials) error {
		if len(c.TOTP) == 0 {
			return domain.NewError(domain.Conflict,
				"Two-step verification was turned off, so there are no recovery codes.")
		}
		c.Recovery = factor.RecoveryDigests(u.ID, codes)
		return nil
	})
}

// showCodes shows new recovery codes, for the only time.
func (h settingsSecurity) showCodes(c echo.Context, done string, codes []string) error {
	return h.RenderForm(c, http.StatusOK, view.Recovery(view.RecoveryPage{LayoutData: h.FallbackLayout(c,
		site.T(c, "Your recovery codes")),
		Done: securityDone[done], Codes: codes}))
}

// text returns the user's recovery codes as a text file. The page submits them, because the server
// stores only digests.
func (h settingsRecovery) text(c echo.Context) error {
	sent, u, err := site.ReadForm(c, h.SignedIn)
	if err != nil {
		return err
	}
	credentials, err := h.factors.Credentials.Get(c.Request().Context(), u.ID)
	if err != nil {
		return err
	}
	lines := []string{site.T(c, "Recovery codes of @{name} at {site}", "name", u.Username, "site", h.BaseURL(c)),
		site.T(c, "Each code works once, instead of a code from your app."), ""}
	for typed := range strings.FieldsSeq(sent.Get("codes")) {
		code, ok := factor.ParseRecoveryCode(typed)
		if !ok || !slices.Contains(credentials.Recovery, factor.RecoveryDigest(u.ID, code)) {
			return domain.NewError(domain.Conflict,
				"These codes were replaced or used. Create new ones in your settings.")
		}
		lines = append(lines, code)
	}
	header := c.Response().Header()
	header.Set("Cache-Control", site.CacheNever)
	header.Set("Content-Disposition", `attachment; filename="inkfeed-recovery-codes.txt"`)
	return c.Blob(http.StatusOK, "text/plain; charset=utf-8", []byte(strings.Join(lines, "\r\n")+"\r\n"))
}
