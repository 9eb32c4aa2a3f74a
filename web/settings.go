package web

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/views"
)

type renamer interface {
	// Rename fails with Invalid about "username" when the name is taken.
	Rename(ctx context.Context, userID, username string) (domain.User, error)
}

// settings is where users change what is theirs.
type settings struct {
	*site
	users renamer
}

func (h settings) register(e *echo.Echo) {
	get(e, "/settings", h.show)
	e.POST("/settings/username", h.rename)
}

func (h settings) show(c echo.Context) error {
	u, err := h.signedIn(c)
	if err != nil {
		return err
	}
	return h.form(c, http.StatusOK, views.SettingsPage{Username: u.Username, Renamed: c.QueryParam("renamed") == "yes", Kept: c.QueryParam("kept") == "yes" && u.ScheduledDeletion.IsZero()})
}

func (h settings) rename(c echo.Context) error {
	sent, err := form(c)
	if err != nil {
		return err
	}
	u, err := h.signedIn(c)
	if err != nil {
		return err
	}
	username, err := domain.CleanUsername(sent.Get("username"))
	if username == u.Username {
		return seeOther(c, "/settings")
	}
	if err == nil {
		err = h.limiter.allow(c.Request().Context(), ruleRename, u.ID)
	}
	if err == nil {
		_, err = h.users.Rename(c.Request().Context(), u.ID, username)
	}
	if complaints, status, ok := h.complain(c, err); ok {
		return h.form(c, status, views.SettingsPage{Username: username, Complaints: complaints})
	}
	if err != nil {
		return err
	}
	return seeOther(c, "/settings?renamed=yes")
}

func (h settings) form(c echo.Context, status int, p views.SettingsPage) error {
	p.Page = h.frame(c, "Settings")
	return h.renderForm(c, status, views.Settings(p))
}
