package web

import (
	"context"
	"net/url"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/names"
	"inkfeed/views"
)

type userCreator interface {
	// SignUp fails with Invalid about "username" when the name is taken. The user that it
	// returns may be the first, and so administers the site.
	SignUp(ctx context.Context, u domain.User, credentials domain.Credentials) (domain.User, error)
}

// signup makes accounts.
type signup struct {
	mailing
	users interface {
		userCreator
		credentialsKeeper
	}
	passwords passwordHasher
	guard     *guard
	factors   *factors
	trap      trap
	admission admission
	audit     recorder
}

func (h signup) register(e *echo.Echo) {
	get(e, "/signup", h.show)
	e.POST("/signup", h.submit)
}

func (h signup) show(c echo.Context) error {
	settings, err := h.admission.settings.Get(c.Request().Context())
	if err != nil {
		return err
	}
	return accountForm(h.site, c, "Sign up", func(page views.AccountPage) templ.Component {
		page.Stamp = h.trap.stamp(time.Now())
		page.Registration, page.Invitation = settings.Registration, c.QueryParam("invitation")
		return views.Signup(page)
	})
}

func (h signup) submit(c echo.Context) error {
	sent, err := form(c)
	if err != nil {
		return err
	}
	email, emailErr := sent.Get("email"), error(nil)
	if strings.TrimSpace(email) != "" { // as people like
		email, emailErr = domain.CleanEmail(email)
	}
	stamp, err := h.trap.check(sent, time.Now())
	var u domain.User
	if err == nil {
		u, err = h.create(c, sent, emailErr)
	}
	if complaints, status, ok := h.complain(c, err); ok {
		page := views.AccountPage{Page: h.strangers("Sign up", safeNext(sent.Get("next"))),
			Stamp: stamp, Username: sent.Get("username"), Email: sent.Get("email"),
			Invitation: sent.Get("invitation"), Passkeys: takesPasskeys(h.site, c), Complaints: complaints}
		if settings, err := h.admission.settings.Get(c.Request().Context()); err == nil {
			page.Registration = settings.Registration
		}
		return h.renderForm(c, status, views.Signup(page))
	}
	if err != nil {
		return err
	}
	u.SessionVersion = 0 // the first version: a later change of the credentials ends this session, see sessions.start
	if err := h.sessions.start(c, u); err != nil {
		return &domain.Error{Kind: domain.KindOf(err), Message: "Your account was created, but we couldn't log you in. Please log in.", Err: err}
	}
	otherwise := "/"
	if strings.TrimSpace(email) != "" {
		otherwise = h.noteEmail(c, u, email)
	}
	if u.Role.MayAdminister() {
		otherwise = toldFirst(otherwise)
	}
	return seeOther(c, nextOr(sent.Get("next"), otherwise))
}

// toldFirst is a page that tells whoever signed up first to administer the site, which they would
// hardly look for: the one given, if it can, or that of the settings.
func toldFirst(path string) string {
	separator := "?"
	switch {
	case !strings.HasPrefix(path, emailPage):
		path = adminSettingsPath
	case strings.Contains(path, "?"):
		separator = "&"
	}
	return path + separator + "first=yes"
}

// noteEmail asks a new user to verify an address, and returns the page that tells of it.
// That it fails is no reason to fail the sign-up, which is done.
func (h signup) noteEmail(c echo.Context, u domain.User, email string) (page string) {
	credentials, err := h.users.Credentials(c.Request().Context(), u.ID)
	if err == nil {
		err = h.askToVerify(c, h.users, u, credentials, email)
	}
	if err != nil {
		h.logger.WarnContext(c.Request().Context(), "an address that came with a sign-up was not noted", "err", err)
		return emailPage
	}
	return emailPage + "?asked=yes"
}

func (h signup) create(c echo.Context, sent url.Values, emailErr error) (domain.User, error) {
	if answer := sent.Get("passkey"); answer != "" {
		return h.createByPasskey(c, sent, answer, emailErr)
	}
	ctx, code := c.Request().Context(), strings.TrimSpace(sent.Get("invitation"))
	password := sent.Get("password")
	u, err := domain.NewUser(sent.Get("username"), time.Now())
	if err := domain.JoinErrors(h.checkInvitation(c, code), err, checkNewPassword(h.site, c, password, sent.Get("username"), sent.Get("email")), emailErr); err != nil {
		return domain.User{}, err
	}
	if err := h.allow(c); err != nil {
		return domain.User{}, err
	}
	hash, err := h.passwords.hash(ctx, password)
	if err != nil {
		return domain.User{}, err
	}
	if u, err = h.make(ctx, code, u, domain.Credentials{PasswordHash: hash}); err != nil {
		return domain.User{}, err
	}
	h.guard.remember(c, names.NameKey(u.Username))
	return u, nil
}

func (h signup) make(ctx context.Context, code string, u domain.User, credentials domain.Credentials) (domain.User, error) {
	u, err := h.admission.admit(ctx, code, u, func(u domain.User) (domain.User, error) {
		return h.users.SignUp(ctx, u, credentials)
	})
	if err == nil && u.Role.MayAdminister() {
		h.record(ctx, h.audit, domain.NewAuditEntry(u, domain.AuditFirst, time.Now()))
	}
	return u, err
}

// checkInvitation tells early of whom the site will not admit, and keeps codes from being
// guessed.
func (h signup) checkInvitation(c echo.Context, code string) error {
	ctx := c.Request().Context()
	if code == "" {
		return h.admission.check(ctx, code)
	}
	address := clientOf(c.Request()).group()
	if err := h.limiter.allow(ctx, ruleInvitation, address); err != nil {
		return err
	}
	err := h.admission.check(ctx, code)
	h.limiter.settle(ctx, ruleInvitation, address, err)
	return err
}

// allow keeps accounts from being made in bulk.
func (h signup) allow(c echo.Context) error {
	ctx := c.Request().Context()
	if err := h.limiter.allow(ctx, ruleSignup, clientOf(c.Request()).group()); err != nil {
		return err
	}
	return h.limiter.allow(ctx, ruleSignups, "")
}

// createByPasskey makes the account that a passkey was made for, under its id. The name may
// have changed since: the passkey then shows the former one.
func (h signup) createByPasskey(c echo.Context, sent url.Values, answer string, emailErr error) (domain.User, error) {
	ctx, code := c.Request().Context(), strings.TrimSpace(sent.Get("invitation"))
	u, err := domain.NewUser(sent.Get("username"), time.Now())
	if err := domain.JoinErrors(h.checkInvitation(c, code), err, emailErr); err != nil {
		return domain.User{}, err
	}
	if err := h.allow(c); err != nil {
		return domain.User{}, err
	}
	p, userID, err := h.factors.registered(c, h.site, passkeySignup, answer)
	if err != nil {
		return domain.User{}, err
	}
	u.ID = userID
	p.Name = deviceOf(c.Request().UserAgent())
	return h.make(ctx, code, u, domain.Credentials{Passkeys: []domain.Passkey{p}})
}
