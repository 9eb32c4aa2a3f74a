package moderation

import (
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	view "inkfeed/views/moderation"
	"inkfeed/web/site"
)

// adminSettings lets administrators change the site's settings.
type adminSettings struct{ handler }

func (h adminSettings) register(e *echo.Echo) {
	site.Get(e, site.AdminSettingsPath, h.show)
	e.POST(site.AdminSettingsPath, h.submit)
}

func (h adminSettings) show(c echo.Context) error {
	if _, err := h.Administrator(c); err != nil {
		return err
	}
	settings, err := h.store.Settings.Get(c.Request().Context())
	if err != nil {
		return err
	}
	return h.form(c, http.StatusOK, view.AdminSettingsPage{Settings: settings, Days: newAccountDays(settings),
		Saved: c.QueryParam("done") == "yes", FirstAdministrator: site.IsFirstVisit(c)})
}

func (h adminSettings) submit(c echo.Context) error {
	sent, err := site.ParseForm(c)
	if err != nil {
		return err
	}
	actor, err := h.Administrator(c)
	if err != nil {
		return err
	}
	var s domain.Settings
	var badRegistration, badRole, badDays error
	s.Registration, badRegistration = domain.ParseRegistration(sent.Get("registration"))
	s.NewRole, badRole = domain.ParseRole(sent.Get("role"))
	s.NewDays, badDays = domain.ParseNewDays(sent.Get("days"))
	s.DoubtInvited = sent.Get("invited") != "trusted"
	s.Version, _ = strconv.Atoi(sent.Get("version"))
	days := sent.Get("days")
	if err = domain.JoinErrors(badRegistration, badRole, badDays); err == nil {
		_, err = h.store.Settings.Set(c.Request().Context(), s)
	}
	if errs, status, ok := h.FormErrors(c, err); ok {
		if domain.Is(err, domain.Conflict) { // show the current settings
			if s, err = h.store.Settings.Get(c.Request().Context()); err != nil {
				return err
			}
			days = newAccountDays(s)
		}
		return h.form(c, status, view.AdminSettingsPage{Settings: s, Days: days, FormErrors: errs})
	}
	if err != nil {
		return err
	}
	e := domain.NewAuditEntry(actor, domain.AuditSettings, time.Now())
	e.TargetKind = domain.AuditsSite
	e.Detail = "registration " + s.Registration.String() + ", new accounts: " + s.NewRole.String() +
		", new-account period: " + newAccountDays(s) + " days"
	if s.DoubtInvited {
		e.Detail += ", invited accounts reviewed"
	} else {
		e.Detail += ", invited accounts trusted"
	}
	h.audit.Record(c.Request().Context(), e)
	return site.SeeOther(c, site.AdminSettingsPath+"?done=yes")
}

// newAccountDays returns the review period for new accounts in days, for the form.
func newAccountDays(s domain.Settings) string {
	return strconv.Itoa(int(s.ReviewPeriod().Hours() / 24))
}

func (h adminSettings) form(c echo.Context, status int, p view.AdminSettingsPage) error {
	p.Page = h.FallbackLayout(c, "Site settings")
	return h.RenderForm(c, status, view.AdminSettings(p))
}
