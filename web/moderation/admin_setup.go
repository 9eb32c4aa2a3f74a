package moderation

import (
	"net/http"
	"net/url"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	view "inkfeed/views/moderation"
	"inkfeed/web/site"
)

// adminSetup leads the first administrator through the settings that a new site needs. Setting up is pending until the
// settings are saved for the first time, here or on their own page, and only while there is one administrator.
type adminSetup struct{ adminSettings }

func (h adminSetup) register(e *echo.Echo) {
	site.Get(e, site.SetupPath, h.show)
	e.POST(site.SetupPath, h.submit)
}

// setupDone is the page that confirms that the site is set up.
const setupDone = site.SetupPath + "?done=yes"

func (h adminSetup) show(c echo.Context) error {
	u, err := h.Administrator(c)
	if err != nil {
		return err
	}
	settings, err := h.store.Settings.Get(c.Request().Context())
	if err != nil {
		return err
	}
	if c.QueryParam("done") == "yes" && settings.Version > 0 {
		return h.showDone(c, u, settings)
	}
	pending, err := h.setupPending(c, settings)
	if err != nil {
		return err
	}
	if !pending {
		return site.SeeOther(c, site.AdminSettingsPath)
	}
	return h.setupForm(c, http.StatusOK, view.SetupPage{Settings: settings, Samples: "yes",
		Mailed: c.QueryParam("asked") == "yes"})
}

func (h adminSetup) showDone(c echo.Context, u domain.User, settings domain.Settings) error {
	samples, err := h.samplesOf(c.Request().Context(), u)
	if err != nil {
		return err
	}
	return h.RenderForm(c, http.StatusOK, view.SetupDone(view.SetupDonePage{
		LayoutData: h.FallbackLayout(c, site.T(c, "Your site is ready")), Samples: samples,
		SamplesFailed: c.QueryParam("samples") == "failed", Registration: settings.Registration,
		OwnFront: settings.Info.FrontUser != "", HasPages: len(h.StaticPages().List) > 0}))
}

// setupPending reports whether the first administrator has neither set up the site nor skipped that.
func (h adminSettings) setupPending(c echo.Context, settings domain.Settings) (bool, error) {
	if settings.Version > 0 {
		return false, nil
	}
	staff, err := h.store.Users.Staff(c.Request().Context())
	administrators := 0
	for _, u := range staff {
		if u.Role.MayAdminister() {
			administrators++
		}
	}
	return administrators == 1, err
}

func (h adminSetup) submit(c echo.Context) error {
	sent, err := site.ParseForm(c)
	if err != nil {
		return err
	}
	u, err := h.Administrator(c)
	if err != nil {
		return h.redisplaySetup(c, sent, err)
	}
	ctx := c.Request().Context()
	stored, err := h.store.Settings.Get(ctx)
	if err != nil {
		return err
	}
	if pending, err := h.setupPending(c, stored); err != nil || !pending {
		if err != nil {
			return err
		}
		return site.SeeOther(c, site.AdminSettingsPath)
	}
	s := stored
	samples := sent.Get("samples")
	if sent.Get("skip") == "yes" {
		samples = "no"
	} else {
		err = setupInfo(sent, u, &s)
	}
	ctx, cancel := site.Uninterrupted(ctx)
	defer cancel()
	if err == nil {
		var written domain.Settings
		if written, err = h.store.Settings.Set(ctx, s); err == nil {
			h.Current.Apply(written)
		}
	}
	if domain.Is(err, domain.Conflict) { // set up in another tab
		return site.SeeOther(c, site.AdminSettingsPath)
	}
	if err != nil {
		return site.Redisplay(h.Site, c, err, h.setupForm, view.SetupPage{Settings: s, Samples: samples})
	}
	h.recordSettings(ctx, u, stored, s)
	if samples != "yes" {
		return site.SeeOther(c, setupDone)
	}
	// After the settings: of two simultaneous setups, only the one that stored its settings publishes its samples.
	if err := h.publishSamples(ctx, u, s.Info.Language); err != nil {
		h.Logger.WarnContext(ctx, "cannot publish the sample posts", "error", err)
		return site.SeeOther(c, setupDone+"&samples=failed")
	}
	return site.SeeOther(c, setupDone)
}

// redisplaySetup shows the form again, without the stored settings, which only administrators may see.
func (h adminSetup) redisplaySetup(c echo.Context, sent url.Values, err error) error {
	var s domain.Settings
	_ = setupInfo(sent, domain.User{ID: "unknown"}, &s) // the form shows only whether the front page has a user
	return site.Redisplay(h.Site, c, err, h.setupForm, view.SetupPage{Settings: s, Samples: sent.Get("samples")})
}

// setupInfo sets what the form says. If it is invalid, the settings are as entered.
func setupInfo(sent url.Values, u domain.User, s *domain.Settings) error {
	var badInfo, badRegistration error
	s.Info.Name, s.Info.Tagline, s.Info.Language = sent.Get("name"), sent.Get("tagline"), sent.Get("language")
	if s.Info.FrontUser = ""; sent.Get("front") == "own" {
		s.Info.FrontUser = u.ID
	}
	s.Registration, badRegistration = domain.ParseRegistration(sent.Get("registration"))
	clean := *s
	clean.Info, badInfo = domain.CleanInfo(s.Info)
	err := domain.JoinErrors(badInfo, badRegistration)
	if err == nil {
		*s = clean
	}
	return err
}

func (h adminSetup) setupForm(c echo.Context, status int, p view.SetupPage) error {
	p.LayoutData, p.Languages = h.FallbackLayout(c, site.T(c, "Set up your site")), h.Languages.Languages()
	return h.RenderForm(c, status, view.Setup(p))
}
