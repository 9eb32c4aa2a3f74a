package moderation

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/plaintext"
	view "inkfeed/views/moderation"
	"inkfeed/web/site"
	"inkfeed/web/site/ratelimit"
)

// adminInvitations lets administrators create and revoke invitations.
type adminInvitations struct{ handler }

func (h adminInvitations) register(e *echo.Echo) {
	site.Get(e, "/admin/invitations", h.show)
	e.POST("/admin/invitations", h.create)
	e.POST("/admin/invitations/:code/revoke", h.revoke)
}

func (h adminInvitations) show(c echo.Context) error {
	if _, err := h.Administrator(c); err != nil {
		return err
	}
	return h.page(c, http.StatusOK, view.AdminInvitationsPage{Uses: "10", Days: "14", Attempt: domain.NewID(),
		Done: c.QueryParam("done")})
}

func (h adminInvitations) page(c echo.Context, status int, p view.AdminInvitationsPage) (err error) {
	p.LayoutData = h.FallbackLayout(c, site.T(c, "Invitations"))
	if _, err := h.Administrator(c); err != nil { // the form comes back, without what only administrators may see
		return h.RenderForm(c, status, view.AdminInvitations(p))
	}
	if p.Invitations, err = h.store.Invitations.List(c.Request().Context()); err != nil {
		return err
	}
	settings, err := h.store.Settings.Get(c.Request().Context())
	if err != nil {
		return err
	}
	p.Registration, p.Now = settings.Registration, time.Now()
	return h.RenderForm(c, status, view.AdminInvitations(p))
}

func (h adminInvitations) create(c echo.Context) error {
	sent, err := site.ParseForm(c)
	if err != nil {
		return err
	}
	p := view.AdminInvitationsPage{Uses: sent.Get("uses"), Days: sent.Get("days"), Note: sent.Get("note")}
	uses, _ := strconv.Atoi(strings.TrimSpace(p.Uses)) // an invalid number is 0
	days, _ := strconv.Atoi(strings.TrimSpace(p.Days))
	p.Attempt = site.AttemptID(sent)
	actor, err := h.Administrator(c)
	invitation, invalid := domain.NewInvitation(actor, uses, days, p.Note, time.Now())
	invitation.Code = domain.AttemptID(p.Attempt, actor.ID, sent.Get("uses"), sent.Get("days"), sent.Get("note"))
	if err = cmp.Or(err, invalid); err == nil {
		err = h.Limiter.Allow(c.Request().Context(), ratelimit.Invite, actor.ID)
	}
	if err == nil {
		err = h.store.Invitations.Create(c.Request().Context(), invitation)
	}
	if err != nil {
		return site.Redisplay(h.Site, c, err, h.page, p)
	}
	e := domain.NewAuditEntry(actor, domain.AuditInvite, time.Now())
	e.TargetKind, e.TargetName, e.Detail = domain.AuditsInvitation, invitation.Note,
		"for "+plaintext.Count(uses, "person", "people")
	h.audit.Record(c.Request().Context(), e.Once(invitation.Code))
	return site.SeeOther(c, "/admin/invitations?done=made")
}

func (h adminInvitations) revoke(c echo.Context) error {
	actor, err := h.Administrator(c)
	if err != nil {
		return err
	}
	if err := h.store.Invitations.Revoke(c.Request().Context(), c.Param("code")); err != nil {
		return err
	}
	e := domain.NewAuditEntry(actor, domain.AuditRevoke, time.Now())
	e.TargetKind = domain.AuditsInvitation
	h.audit.Record(c.Request().Context(), e)
	return site.SeeOther(c, "/admin/invitations?done=revoked")
}
