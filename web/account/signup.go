package account

import (
	"cmp"
	"context"
	"net/url"
	"strings"
	"time"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/names"
	view "inkfeed/views/account"
	"inkfeed/web/credential"
	"inkfeed/web/site"
	"inkfeed/web/site/botcheck"
	"inkfeed/web/site/ratelimit"
	"inkfeed/web/site/remote"
)

// signup creates accounts.
type signup struct {
	handler
	mailing credential.Mailing
	checker botcheck.Checker
	audit   site.AuditRecorder
}

func (h signup) register(e *echo.Echo) {
	site.Get(e, "/signup", h.show)
	e.POST("/signup", h.submit)
}

func (h signup) show(c echo.Context) error {
	settings, err := h.admission.settings.Get(c.Request().Context())
	if err != nil {
		return err
	}
	return accountForm(h.Site, c, site.T(c, "Sign up"), func(page view.AccountPage) templ.Component {
		page.FormToken = h.checker.SignUnique(time.Now())
		page.Registration, page.Invitation = settings.Registration, c.QueryParam("invitation")
		return view.Signup(page)
	})
}

func (h signup) submit(c echo.Context) error {
	sent, err := site.ParseForm(c)
	if err != nil {
		return err
	}
	email, emailErr := sent.Get("email"), error(nil)
	if strings.TrimSpace(email) != "" { // any spelling of the address
		email, emailErr = domain.CleanEmail(email)
	}
	token, hasty, err := h.checker.Check(sent, time.Now())
	var u domain.User
	if err == nil {
		ctx := c.Request().Context()
		next, usedErr := h.checker.Use(token, func(token string) bool {
			return h.Limiter.Once(ctx, token, botcheck.MaxSignupFormAge)
		})
		token = next
		u, err = h.create(c, sent, hasty, emailErr, usedErr)
	}
	if err != nil {
		return site.Redisplay(h.Site, c, err, h.form, view.AccountPage{FormToken: token, Email: sent.Get("email"),
			Username: sent.Get("username"), Invitation: sent.Get("invitation"),
			LayoutData: h.AnonymousLayout(site.T(c, "Sign up"), site.SafeNext(sent.Get("next")))})
	}
	// the version of a new user: a later change of the credentials ends this session; see
	// session.Manager.Start
	u.SessionVersion = 0
	if err := h.Sessions.Start(c, u); err != nil {
		return &domain.Error{Kind: domain.KindOf(err),
			Message: locale.M("Your account was created, but we couldn't log you in. Please log in."), Err: err}
	}
	h.PerformPostponed(c, u, sent.Get("next"))
	asked := strings.TrimSpace(email) != "" && h.requestVerification(c, u, email)
	otherwise := site.EmailPage
	switch {
	case u.Role.MayAdminister(): // the first user, who sets up the site before anything else
		path := site.SetupPath
		if asked && h.mailing.Mailer.Sends() {
			path += "?asked=yes"
		}
		return site.SeeOther(c, path)
	case asked || strings.TrimSpace(email) == "":
		otherwise = welcomePath(strings.TrimSpace(sent.Get("invitation")), asked)
	}
	return site.SeeOther(c, site.NextOr(sent.Get("next"), otherwise))
}

// form shows the form again after it was rejected.
func (h signup) form(c echo.Context, status int, p view.AccountPage) error {
	p.PasskeysSupported, p.Reason = credential.SupportsPasskeys(h.Site, c), h.LoginReason(c, p.Next)
	if settings, err := h.admission.settings.Get(c.Request().Context()); err == nil {
		p.Registration = settings.Registration
	}
	return h.RenderForm(c, status, view.Signup(p))
}

// requestVerification sends a verification mail to a new user's address and reports whether it did. The sign-up is
// complete, so a failure is logged only.
func (h signup) requestVerification(c echo.Context, u domain.User, email string) bool {
	credentials, err := h.store.Credentials.Get(c.Request().Context(), u.ID)
	if err == nil {
		err = h.mailing.AskToVerify(c, h.store.Credentials, u, credentials, email)
	}
	if err != nil {
		h.Logger.WarnContext(c.Request().Context(), "cannot ask a new user to verify an address", "error", err)
	}
	return err == nil
}

// create creates the account of a form, which may have been sent in haste. If usedErr is not nil, the form
// was sent before. Then create only returns it
// with all other errors, such as that the first request has taken the username.
func (h signup) create(c echo.Context, sent url.Values, hasty bool,
	emailErr, usedErr error) (domain.User, error) {
	if answer := sent.Get("passkey"); answer != "" {
		return h.createByPasskey(c, sent, answer, hasty, emailErr, usedErr)
	}
	ctx, code := c.Request().Context(), strings.TrimSpace(sent.Get("invitation"))
	password := sent.Get("password")
	u, err := domain.NewUser(sent.Get("username"), time.Now())
	if err := domain.JoinErrors(h.checkInvitation(c, code), err,
		credential.CheckNewPassword(h.Site, c, password, sent.Get("username"),
			sent.Get("email")), emailErr); err != nil {
		return domain.User{}, err
	}
	if err := h.allow(c, u, usedErr); err != nil {
		return domain.User{}, err
	}
	hash, err := h.factors.Passwords.Hash(ctx, password)
	if err != nil {
		return domain.User{}, err
	}
	u.Hasty = hasty
	if u, err = h.storeUser(ctx, code, u, domain.Credentials{PasswordHash: hash}); err != nil {
		return domain.User{}, err
	}
	h.guard.remember(c, names.NameKey(u.Username))
	return u, nil
}

func (h signup) storeUser(ctx context.Context, code string, u domain.User,
	credentials domain.Credentials) (domain.User, error) {
	u, err := h.admission.admit(ctx, code, u, func(u domain.User) (domain.User, error) {
		return h.store.Accounts.SignUp(ctx, u, credentials)
	})
	if err == nil && u.Role.MayAdminister() {
		h.audit.Record(ctx, domain.NewAuditEntry(u, domain.AuditFirst, time.Now()))
	}
	return u, err
}

// checkInvitation checks early whether the visitor may sign up, and limits guesses of invitation
// codes.
func (h signup) checkInvitation(c echo.Context, code string) error {
	ctx := c.Request().Context()
	if code == "" {
		return h.admission.check(ctx, code)
	}
	from := remote.Of(c.Request())
	if err := h.Limiter.AllowFrom(ctx, ratelimit.Invitation, "", from); err != nil {
		return err
	}
	err := h.admission.check(ctx, code)
	h.Limiter.SettleFrom(ctx, ratelimit.Invitation, "", from, err)
	return err
}

// allow limits how many accounts are created, one by each form.
func (h signup) allow(c echo.Context, u domain.User, usedErr error) error {
	ctx := c.Request().Context()
	if usedErr != nil {
		return cmp.Or(h.store.Usernames.CheckAvailable(ctx, u.Username), usedErr)
	}
	if err := h.Limiter.AllowFrom(ctx, ratelimit.Signup, "", remote.Of(c.Request())); err != nil {
		return err
	}
	return h.Limiter.Allow(ctx, ratelimit.Signups, "")
}

// createByPasskey creates the account that a passkey was made for, under its id. If the user has
// changed the username since, the passkey still shows the previous one.
func (h signup) createByPasskey(c echo.Context, sent url.Values, answer string, hasty bool,
	emailErr, usedErr error) (domain.User, error) {
	ctx, code := c.Request().Context(), strings.TrimSpace(sent.Get("invitation"))
	u, err := domain.NewUser(sent.Get("username"), time.Now())
	if err := domain.JoinErrors(h.checkInvitation(c, code), err, emailErr); err != nil {
		return domain.User{}, err
	}
	if err := h.allow(c, u, usedErr); err != nil {
		return domain.User{}, err
	}
	p, userID, err := h.factors.FinishRegistration(c, h.Site, credential.ForSignup, answer)
	if err != nil {
		return domain.User{}, err
	}
	u.ID, u.Hasty = userID, hasty
	p.Name = remote.Device(c.Request().UserAgent())
	if u, err = h.storeUser(ctx, code, u, domain.Credentials{Passkeys: []domain.Passkey{p}}); err == nil {
		h.guard.remember(c, names.NameKey(u.Username))
	}
	return u, err
}
