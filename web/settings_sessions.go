package web

import (
	"context"
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/views"
)

// settingsSessions is where users see in which browsers they are signed in, and end that.
type settingsSessions struct {
	*site
	users allSessionsEnder
}

type allSessionsEnder interface {
	// EndSessions ends all sessions of a user, and the log-ins that are under way.
	EndSessions(ctx context.Context, userID string) error
}

func (h settingsSessions) register(e *echo.Echo) {
	get(e, sessionsPage, h.show)
	e.POST("/settings/sessions/end", h.end)
	e.POST("/settings/sessions/end-others", h.endOthers)
}

func (h settingsSessions) show(c echo.Context) error {
	u, err := h.signedIn(c)
	if err != nil {
		return err
	}
	this, err := h.session(c)
	if err != nil {
		return err
	}
	all, err := h.sessions.kept.List(c.Request().Context(), u.ID)
	if err != nil {
		return err
	}
	all = slices.DeleteFunc(all, func(one domain.Session) bool { return one.EndedFor(u) })
	page, err := h.page(c, "Active sessions")
	if err != nil {
		return err
	}
	return h.render(c, http.StatusOK, views.SessionList(views.SessionsPage{Page: page, Sessions: all, This: this.ID,
		Ended: c.QueryParam("ended") == "yes", Password: c.QueryParam("password") == "yes"}))
}

func (h settingsSessions) end(c echo.Context) error {
	sent, err := form(c)
	if err != nil {
		return err
	}
	u, err := h.signedIn(c)
	if err != nil {
		return err
	}
	this, err := h.session(c)
	if err != nil {
		return err
	}
	id := sent.Get("session")
	if len(id) != len(domain.SecretDigest("")) {
		return domain.Errorf(domain.NotFound, "There is no such session.")
	}
	if id == this.ID {
		if err := h.endSession(c); err != nil {
			return err
		}
		return seeOther(c, "/")
	}
	if err := h.sessions.sessionStore.end(c.Request().Context(), u.ID, id); err != nil {
		return err
	}
	return seeOther(c, sessionsPage+"?ended=yes")
}

func (h settingsSessions) endOthers(c echo.Context) error {
	u, err := h.signedIn(c)
	if err != nil {
		return err
	}
	if err := h.users.EndSessions(c.Request().Context(), u.ID); err != nil {
		return err
	}
	if err := h.sessions.outlast(c); err != nil {
		return endedWithOthers("Your sessions have ended.", err)
	}
	return seeOther(c, sessionsPage+"?ended=yes")
}
