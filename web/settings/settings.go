package settings

import (
	"net/http"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	view "inkfeed/views/settings"
	"inkfeed/web/site"
)

// settings serves the overview of the settings and changes usernames.
type settings struct{ handler }

// settingsPath is the path of the settings, a page that requires no confirmation.
const settingsPath = "/settings"

func (h settings) register(e *echo.Echo) {
	site.Get(e, settingsPath, h.show)
	e.POST("/settings/username", h.rename)
	e.POST("/settings/language", h.setLanguage)
}

func (h settings) show(c echo.Context) error {
	u, err := h.SignedIn(c)
	if err != nil {
		return err
	}
	naming, err := h.namingTime(c.Request().Context(), u)
	if err != nil {
		return err
	}
	return h.form(c, http.StatusOK, view.SettingsPage{Username: u.Username, NamingTime: naming,
		Renamed:           c.QueryParam("renamed") == "yes",
		DeletionCancelled: c.QueryParam("kept") == "yes" && u.ScheduledDeletion.IsZero()})
}

func (h settings) rename(c echo.Context) error {
	sent, u, err := site.ReadForm(c, h.SignedIn)
	if err != nil {
		return err
	}
	username, err := domain.CleanUsername(sent.Get("username"))
	if username == u.Username {
		return site.SeeOther(c, settingsPath)
	}
	if err == nil {
		ctx := c.Request().Context()
		err = h.limitPropagation(ctx, u, func() error {
			_, err := h.store.Usernames.Rename(ctx, u.ID, username)
			return err
		})
	}
	if err != nil {
		return site.Redisplay(h.Site, c, err, h.form, view.SettingsPage{Username: username})
	}
	return site.SeeOther(c, "/settings?renamed=yes")
}

func (h settings) form(c echo.Context, status int, p view.SettingsPage) error {
	p.LayoutData, p.Languages = h.FallbackLayout(c, site.T(c, "Settings")), h.Languages.Languages()
	return h.RenderForm(c, status, view.Settings(p))
}

// setLanguage changes the language of the interface for the user. An empty one is that of the browser.
func (h settings) setLanguage(c echo.Context) error {
	sent, u, err := site.ReadForm(c, h.SignedIn)
	if err != nil {
		return err
	}
	code := sent.Get("language")
	if code != "" && h.Languages.Get(code) == nil {
		err = domain.FieldError("language", "Choose one of the languages.")
	} else if code != u.Language {
		err = h.store.Profiles.SetLanguage(c.Request().Context(), u.ID, code)
	}
	if err != nil {
		return site.Redisplay(h.Site, c, err, h.form, view.SettingsPage{Username: u.Username})
	}
	return site.SeeOther(c, "/settings#language")
}
