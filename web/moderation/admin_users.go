package moderation

import (
	"context"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	view "inkfeed/views/moderation"
	"inkfeed/web/site"
)

// adminUsers lets moderators suspend accounts, and administrators change roles.
type adminUsers struct {
	handler
	confirmation site.Confirmation
}

func (h adminUsers) register(e *echo.Echo) {
	site.Get(e, "/admin", h.redirectToFirst)
	site.Get(e, "/admin/users", h.show)
	e.POST("/admin/users/:id/role", h.role)
	e.POST("/admin/users/:id/suspend", h.suspend)
	e.POST("/admin/users/:id/restore", h.restore)
}

// redirectToFirst redirects to the first administration page that the user may see.
func (h adminUsers) redirectToFirst(c echo.Context) error {
	if _, err := h.Moderator(c); err != nil {
		return err
	}
	return site.SeeOther(c, "/admin/users")
}

func (h adminUsers) show(c echo.Context) error {
	if _, err := h.Moderator(c); err != nil {
		return err
	}
	p := view.AdminUsersPage{Done: c.QueryParam("done"), After: domain.Place(c.QueryParam("after"))}
	name := strings.TrimPrefix(strings.TrimSpace(c.QueryParam("name")), "@")
	if name == "" {
		filter, err := domain.CleanAccountFilter(domain.AccountFilter{Text: c.QueryParam("q"),
			Role: c.QueryParam("role"), State: domain.AccountState(c.QueryParam("state"))})
		if p.Filter = filter; err != nil {
			return site.Redisplay(h.Site, c, err, h.page, p)
		}
		return h.page(c, http.StatusOK, p)
	}
	u, err := h.store.Users.AccountByName(c.Request().Context(), name)
	switch {
	case domain.Is(err, domain.NotFound):
		p.Filter.Text = name
		p.FormErrors.Fields = map[string]locale.Message{"q": locale.M("There is no account with this username.")}
		return h.page(c, http.StatusNotFound, p)
	case err != nil:
		return err
	}
	p.Account, p.Attempt = &u, domain.NewID()
	return h.page(c, http.StatusOK, p)
}

// page shows an account or, without one, the list of accounts.
func (h adminUsers) page(c echo.Context, status int, p view.AdminUsersPage) (err error) {
	title := site.T(c, "Accounts")
	if p.Account != nil {
		title = "@" + p.Account.Username
	}
	if p.LayoutData, err = h.Site.Layout(c, title); err != nil {
		return err
	}
	if p.Account == nil {
		err = h.list(c.Request().Context(), &p)
	} else {
		p.MayDecide = domain.MaySuspend(p.Viewer, *p.Account) == nil
		if !p.Account.Suspended.IsZero() {
			p.MayDecide = domain.MayRestore(p.Viewer, *p.Account) == nil
		}
		p.Posts, p.Drafts, err = h.store.Users.CountPosts(c.Request().Context(), p.Account.ID)
	}
	if err != nil {
		return err
	}
	return h.RenderForm(c, status, view.AdminUsers(p))
}

// list reads the accounts that the filter selects, unless the filter is rejected. The account whose username was
// searched for comes first, also if the list does not have it yet.
func (h adminUsers) list(ctx context.Context, p *view.AdminUsersPage) (err error) {
	if p.Viewer.Role.MayAdminister() {
		if p.Claims, err = site.Claims(ctx, *h.StaticPages(), h.store.Redirects); err != nil {
			return err
		}
	}
	if p.FormErrors.Any() {
		return nil
	}
	rows, err := h.store.AccountRows.List(ctx, p.Filter, p.After)
	if err != nil {
		return err
	}
	if rows.More {
		p.Next = rows.Items[len(rows.Items)-1].Place()
	}
	if p.Rows = rows.Items; p.Filter.Text == "" || p.After != "" {
		return nil
	}
	named, err := h.store.Users.AccountByName(ctx, p.Filter.Text)
	if err != nil {
		if domain.Is(err, domain.NotFound) {
			err = nil
		}
		return err
	}
	if row, _ := domain.AccountRowOf(named); p.Filter.Selects(row) {
		others := slices.DeleteFunc(p.Rows, func(r domain.AccountRow) bool { return r.UserID == row.UserID })
		p.Rows = slices.Concat([]domain.AccountRow{row}, others)
	}
	return nil
}

func (h adminUsers) role(c echo.Context) error {
	sent, actor, err := site.ReadForm(c, h.Administrator)
	if err != nil {
		return err
	}
	role, err := domain.ParseRole(sent.Get("role"))
	return h.decide(c, actor, "role", err, func(ctx context.Context, u domain.User) (domain.AuditEntry, error) {
		action := site.T(c, "Change @{user}'s role to {role}", "user", u.Username, "role", role.Label())
		if err := h.confirmation.CheckForm(c, action, accountPath(u)); err != nil {
			return domain.AuditEntry{}, err
		}
		decision := newDecision(sent, actor, domain.AuditRole, role.String())
		u, err := h.store.Accounts.ChangeRole(ctx, u.ID, role, decision)
		e := entryOf(u, actor, domain.AuditRole, decision)
		e.Detail = u.LastDecision.From.String() + " → " + role.String()
		return e, err
	})
}

// newDecision returns the decision of a submitted form about an account. Submitting it again repeats its id.
func newDecision(sent url.Values, actor domain.User, action domain.AuditAction, to string) domain.AccountDecision {
	return domain.AccountDecision{ID: domain.AttemptID(sent.Get("attempt"), actor.ID, string(action), to),
		At: domain.Timestamp(time.Now())}
}

// entryOf returns the entry for a decision of this request, or of an earlier attempt of it. The entry has no id if the
// account has not been changed by either.
func entryOf(u, actor domain.User, action domain.AuditAction, decision domain.AccountDecision) domain.AuditEntry {
	made := u.LastDecision
	if made.ID != decision.ID {
		return domain.AuditEntry{}
	}
	return domain.NewAuditEntry(actor, action, made.At).About(u).Once(made.At.String())
}

func (h adminUsers) suspend(c echo.Context) error {
	sent, actor, err := site.ReadForm(c, h.Moderator)
	if err != nil {
		return err
	}
	reason, err := domain.CleanReason(sent.Get("reason"))
	return h.decide(c, actor, "suspended", err, func(ctx context.Context, u domain.User) (domain.AuditEntry, error) {
		return domain.AuditEntry{}, h.suspendAccount(ctx, actor, u, reason,
			time.Now())
	})
}

func (h adminUsers) restore(c echo.Context) error {
	sent, actor, err := site.ReadForm(c, h.Moderator)
	if err != nil {
		return err
	}
	return h.decide(c, actor, "restored", nil, func(ctx context.Context, u domain.User) (domain.AuditEntry, error) {
		if err := domain.MayRestore(actor, u); err != nil {
			return domain.AuditEntry{}, err
		}
		decision := newDecision(sent, actor, domain.AuditRestore, u.ID)
		u, err := h.store.Accounts.EndSuspension(ctx, u.ID, decision)
		return entryOf(u, actor, domain.AuditRestore, decision), err
	})
}

// decide carries out a decision about the account in the address, records it and redirects back.
// Errors in the form are shown beside their fields.
func (h adminUsers) decide(c echo.Context, actor domain.User, done string, sent error,
	carryOut func(context.Context, domain.User) (domain.AuditEntry, error)) error {
	ctx := c.Request().Context()
	u, err := h.store.Users.Account(ctx, c.Param("id"))
	if err != nil {
		return err
	}
	entry := domain.AuditEntry{}
	if err = sent; err == nil {
		deciding, cancel := site.Uninterrupted(ctx)
		defer cancel()
		entry, err = carryOut(deciding, u)
	}
	if err != nil {
		posted := c.Request().PostForm
		return site.Redisplay(h.Site, c, err, h.page, view.AdminUsersPage{Account: &u,
			Reason: posted.Get("reason"), Role: posted.Get("role"), Attempt: site.AttemptID(posted)})
	}
	if entry.ID != "" {
		h.audit.Record(ctx, entry)
	}
	return site.SeeOther(c, accountPath(u)+"&done="+done)
}

// accountPath returns the path of the page with the forms about an account.
func accountPath(u domain.User) string { return "/admin/users?name=" + url.QueryEscape(u.Username) }
