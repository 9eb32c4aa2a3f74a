package moderation

import (
	"cmp"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/plaintext"
	view "inkfeed/views/moderation"
	"inkfeed/web/credential"
	"inkfeed/web/site"
	"inkfeed/web/site/ratelimit"
	"inkfeed/web/site/remote"
)

// adminInvitations lets administrators create and revoke invitations, and mail them.
type adminInvitations struct {
	handler
	mailing credential.Mailing
}

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
	p.LayoutData, p.Mails = h.FallbackLayout(c, site.T(c, "Invitations")), h.mailing.Mailer.Sends()
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
	p := view.AdminInvitationsPage{Uses: sent.Get("uses"), Days: sent.Get("days"), Note: sent.Get("note"),
		Role: sent.Get("role"), Email: sent.Get("email")}
	uses, _ := strconv.Atoi(strings.TrimSpace(p.Uses)) // an invalid number is 0
	days, _ := strconv.Atoi(strings.TrimSpace(p.Days))
	p.Attempt = site.AttemptID(sent)
	actor, err := h.Administrator(c)
	invitation, invalid := domain.NewInvitation(actor, uses, days, p.Note, time.Now())
	invitation, alsoInvalid := invitation.With(p.Role, p.Email)
	invitation.Code = domain.AttemptID(p.Attempt, actor.ID, p.Uses, p.Days, p.Note, p.Role, p.Email)
	if invitation.Email != "" && !h.mailing.Mailer.Sends() {
		alsoInvalid = domain.FieldError("email", "This site sends no mail. Copy the link and send it yourself.")
	}
	if err = cmp.Or(err, domain.JoinErrors(invalid, alsoInvalid)); err == nil {
		err = h.Limiter.Allow(c.Request().Context(), ratelimit.Invite, actor.ID)
	}
	defer site.Uninterrupt(c)()
	if err == nil && invitation.Email != "" {
		err = h.Limiter.AllowFrom(c.Request().Context(), ratelimit.MailAddress, domain.EmailKey(invitation.Email)+"|",
			remote.Of(c.Request()))
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
	if invitation.RoleName != "" {
		e.Detail += " as " + invitation.RoleName
	}
	h.audit.Record(c.Request().Context(), e.Once(invitation.Code))
	if err := h.mail(c, actor, invitation); err != nil {
		h.Logger.WarnContext(c.Request().Context(), "cannot store the mail of an invitation", "error", err)
		return site.Redisplay(h.Site, c, domain.FieldError("email", "The invitation was created, but it could not be "+
			"mailed. Send this form again, or copy the link below."), h.page, p)
	}
	return site.SeeOther(c, "/admin/invitations?done=made")
}

// mail mails an invitation to its address, if it has one. Repeating it for the same invitation mails nothing again.
func (h adminInvitations) mail(c echo.Context, from domain.User, i domain.Invitation) error {
	if i.Email == "" {
		return nil
	}
	ctx := c.Request().Context()
	language := h.LanguageFor(h.Current.Current().Info.Language, nil)
	mail := credential.Letter(locale.With(ctx, language), i.Email, domain.User{},
		locale.M("You're invited to {site}", "site", h.Info().Title()),
		locale.M("@{name} has invited you to create an account on {site}. To accept, open this page:", "name",
			from.Username, "site", h.Info().Title()),
		locale.Verbatim(h.mailing.Link(c, view.InvitationPath(i.Code))),
		locale.M("The link works until {date}. If you don't know who this is from, ignore this email.", "date",
			locale.Date(locale.With(ctx, language), i.Expires)))
	return h.mailing.Deliveries.Put(ctx, h.mailing.Mailer.SealIn(domain.Delivery{ID: domain.AttemptID(i.Code, from.ID),
		Destination: domain.UrgentMail, Kind: domain.DeliverMail, UserID: from.ID, Created: i.Created,
		Expires: i.Created.AddDate(0, 0, 1), Remember: true}, mail))
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
