package settings

import (
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	view "inkfeed/views/settings"
	"inkfeed/web/site"
	"inkfeed/web/site/session"
)

// settingsSessions lists and ends a user's sessions.
type settingsSessions struct{ handler }

func (h settingsSessions) register(e *echo.Echo) {
	site.Get(e, site.SessionsPage, h.show)
	e.POST("/settings/sessions/end", h.end)
	e.POST("/settings/sessions/end-others", h.endOthers)
}

func (h settingsSessions) show(c echo.Context) error {
	u, err := h.SignedIn(c)
	if err != nil {
		return err
	}
	this, err := h.Session(c)
	if err != nil {
		return err
	}
	all, err := h.Sessions.List(c.Request().Context(), u.ID)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(one domain.Session) bool { return one.EndedFor(u) })
	page, err := h.Layout(c, site.T(c, "Active sessions"))
	if err != nil {
		return err
	}
	return h.Render(c, http.StatusOK, view.SessionList(view.SessionsPage{Page: page, Sessions: all, CurrentID: this.ID,
		SessionEnded: c.QueryParam("ended") == "yes", PasswordChanged: c.QueryParam("password") == "yes"}))
}

func (h settingsSessions) end(c echo.Context) error {
	sent, err := site.ParseForm(c)
	if err != nil {
		return err
	}
	u, err := h.SignedIn(c)
	if err != nil {
		return err
	}
	this, err := h.Session(c)
	if err != nil {
		return err
	}
	id := sent.Get("session")
	if len(id) != len(domain.SecretDigest("")) {
		return domain.NewError(domain.NotFound, "There is no such session.")
	}
	if id == this.ID {
		if err := h.EndSession(c); err != nil {
			return err
		}
		return site.SeeOther(c, "/")
	}
	if err := h.Sessions.EndByID(c.Request().Context(), u.ID, id); err != nil {
		return err
	}
	return site.SeeOther(c, site.SessionsPage+"?ended=yes")
}

func (h settingsSessions) endOthers(c echo.Context) error {
	u, err := h.SignedIn(c)
	if err != nil {
		return err
	}
	defer site.Uninterrupt(c)()
	if err := h.StillSignedIn(c, u); err != nil { // the cached session may be older than a change on another server
		return err
	}
	this, err := h.Session(c)
	if err == nil {
		err = h.store.Users.EndSessions(c.Request().Context(), this)
	}
	if domain.Is(err, domain.NotFound) {
		err = session.ErrNotSignedIn
	}
	if err != nil {
		return err
	}
	if err := h.Sessions.KeepCurrent(c); err != nil {
		return errSessionsEnded(locale.M("Your sessions have ended."), err)
	}
	return site.SeeOther(c, site.SessionsPage+"?ended=yes")
}
