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
	return h.list(c, http.StatusOK, view.SessionsPage{})
}

func (h settingsSessions) list(c echo.Context, status int, p view.SessionsPage) error {
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
	if p.LayoutData, err = h.Layout(c, site.T(c, "Active sessions")); err != nil {
		return err
	}
	hash, err := h.store.Credentials.PasswordHash(c.Request().Context(), u.ID)
	if err != nil {
		return err
	}
	p.Sessions, p.CurrentID, p.HasPassword = all, this.ID, hash != ""
	p.SessionEnded, p.PasswordChanged = c.QueryParam("ended") == "yes", c.QueryParam("password") == "yes"
	return h.RenderForm(c, status, view.SessionList(p))
}

func (h settingsSessions) end(c echo.Context) error {
	sent, u, err := site.ReadForm(c, h.SignedIn)
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
	if err := h.confirmation.CheckForm(c, site.T(c, "Log out another device"), site.SessionsPage); err != nil {
		return err
	}
	if err := h.Sessions.EndByID(c.Request().Context(), u.ID, id); err != nil {
		return err
	}
	return site.SeeOther(c, site.SessionsPage+"?ended=yes")
}

// endOthers ends all other sessions of a user who proves who they are. So a thief of a session cannot end those of its
// owner.
func (h settingsSessions) endOthers(c echo.Context) error {
	sent, u, err := site.ReadForm(c, h.SignedIn)
	if err != nil {
		return err
	}
	err = h.checkPassword(c, u, sent.Get("password"))
	if err != nil {
		return site.Redisplay(h.Site, c, err, h.list, view.SessionsPage{})
	}
	defer site.Uninterrupt(c)()
	if err := h.StillSignedIn(c, u); err != nil { // the cached session may be older than a change on another server
		return err
	}
	this, err := h.Session(c)
	if err == nil {
		err = h.store.Credentials.EndSessions(c.Request().Context(), this)
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

// checkPassword checks the password of a user. A user without a password must have confirmed with a passkey.
func (h settingsSessions) checkPassword(c echo.Context, u domain.User, password string) error {
	hash, err := h.store.Credentials.PasswordHash(c.Request().Context(), u.ID)
	if err != nil {
		return err
	}
	if hash == "" {
		return h.confirmation.CheckForm(c, site.T(c, "Log out all other devices"), site.SessionsPage)
	}
	return h.Identities.CheckIdentity(c, password, "")
}
