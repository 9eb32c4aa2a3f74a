package reading

import (
	"net/http"
	"slices"
	"strings"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/views"
	view "inkfeed/views/reading"
	"inkfeed/web/site"
)

// notificationSettings switches kinds of notifications on and off.
type notificationSettings struct{ handler }

func (h notificationSettings) register(e *echo.Echo) {
	site.Get(e, views.NotificationSettingsPath, h.show)
	e.POST(views.NotificationSettingsPath, h.save)
}

func (h notificationSettings) show(c echo.Context) error {
	viewer, err := h.SignedIn(c)
	if err != nil {
		return err
	}
	return h.form(c, http.StatusOK, view.NotificationSettingsPage{Quiet: viewer.QuietKinds,
		Saved: c.QueryParam("saved") == "yes"})
}

func (h notificationSettings) form(c echo.Context, status int, p view.NotificationSettingsPage) error {
	p.LayoutData = h.FallbackLayout(c, site.T(c, "Notification settings"))
	return h.RenderForm(c, status, view.NotificationSettings(p))
}

// save switches off the kinds that are not checked in the form.
func (h notificationSettings) save(c echo.Context) error {
	sent, viewer, err := site.ReadForm(c, h.SignedIn)
	if err != nil {
		return err
	}
	var off []string
	for _, k := range domain.OptionalNotifications() {
		if !slices.Contains(sent["kind"], string(k)) {
			off = append(off, string(k))
		}
	}
	quiet := domain.NotificationKinds(strings.Join(off, ","))
	if err := h.store.Notifications.SetQuiet(c.Request().Context(), viewer.ID, quiet); err != nil {
		return site.Redisplay(h.Site, c, err, h.form, view.NotificationSettingsPage{Quiet: quiet})
	}
	return site.SeeOther(c, views.NotificationSettingsPath+"?saved=yes")
}
