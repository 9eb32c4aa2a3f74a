package account

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/names"
	view "inkfeed/views/account"
	"inkfeed/web/credential"
	"inkfeed/web/site"
	"inkfeed/web/site/remote"
)

// login logs users in.
type login struct{ handler }

func (h login) register(e *echo.Echo) {
	site.Get(e, "/login", h.show)
	e.POST("/login", h.submit)
}

func (h login) show(c echo.Context) error {
	return accountForm(h.Site, c, site.T(c, "Log in"), view.Login)
}

// accountForm shows an empty log-in or sign-up form. It redirects a signed-in user to where the
// form would have led.
func accountForm(s *site.Site, c echo.Context, title string, form func(view.AccountPage) templ.Component) error {
	viewer, err := s.Viewer(c)
	if err != nil {
		return err
	}
	next := site.SafeNext(c.QueryParam("next"))
	if viewer.ID != "" {
		return site.SeeOther(c, site.NextOr(next, "/"))
	}
	return s.RenderForm(c, http.StatusOK, form(view.AccountPage{LayoutData: s.AnonymousLayout(title, next),
		Reason:            s.LoginReason(c, next),
		PasskeysSupported: credential.SupportsPasskeys(s, c)}))
}

// errNoMatch does not reveal whether the username or the password is wrong. It is an error of the
// password, because that is the field to fill in again.
var errNoMatch = domain.FieldError("password", "Wrong username or password.")

func (h login) submit(c echo.Context) error {
	sent, err := site.ParseForm(c)
	if err != nil {
		return err
	}
	to, err := h.logIn(c, sent)
	if err != nil {
		return site.Redisplay(h.Site, c, err, h.loginForm, view.AccountPage{Username: sent.Get("username"),
			LayoutData: h.AnonymousLayout(site.T(c, "Log in"), site.SafeNext(sent.Get("next")))})
	}
	return site.SeeOther(c, to)
}

// loginForm shows the log-in form again after it was rejected.
func (h handler) loginForm(c echo.Context, status int, p view.AccountPage) error {
	p.PasskeysSupported, p.Reason = credential.SupportsPasskeys(h.Site, c), h.LoginReason(c, p.Next)
	return h.RenderForm(c, status, view.Login(p))
}

// logIn checks the form and returns where to go next.
func (h login) logIn(c echo.Context, sent url.Values) (to string, err error) {
	next := site.NextOr(sent.Get("next"), "/")
	if answer := sent.Get("passkey"); answer != "" {
		var u domain.User
		if err = h.Limiter.CheckUnits(u, remote.Of(c.Request())); err == nil {
			u, err = h.byPasskey(c, answer)
		}
		if err != nil {
			return "", err
		}
		return next, signIn(h.Site, c, u, next)
	}
	u, credentials, err := h.authenticate(c, strings.TrimSpace(sent.Get("username")), sent.Get("password"))
	if err != nil {
		return "", err
	}
	if needsSecondFactor(credentials) {
		return "/login/second?next=" + url.QueryEscape(next), h.awaitSecondFactor(c, u)
	}
	return next, signIn(h.Site, c, u, next)
}

// signIn signs in a user, who goes to next and has given every proof that a log-in requires. The user must have been
// read before the first proof was checked; see session.Manager.Start. Every session begins here,
// except after a sign-up. Only signIn rejects suspended users.
func signIn(s *site.Site, c echo.Context, u domain.User, next string) error {
	err := s.CheckSuspended(c.Request().Context(), u)
	if err == nil {
		err = s.Sessions.Start(c, u)
	}
	if err == nil {
		s.PerformPostponed(c, u, next)
	}
	return err
}

// authenticate checks a username and a password. It takes the same time whether or not the user
// exists. The user may be suspended, and may need a second factor.
func (h login) authenticate(c echo.Context, username, password string) (domain.User, domain.Credentials, error) {
	failed := func(err error) (domain.User, domain.Credentials, error) {
		return domain.User{}, domain.Credentials{}, err
	}
	if username == "" || password == "" {
		return failed(missingFields(username, password))
	}
	if domain.CheckPassword(password) != nil || len(username) > names.MaxTypedUsername {
		return failed(errNoMatch) // no account has it, and it may be too long to hash or to normalise
	}
	known, settle, err := h.guard.admit(c, username)
	if err != nil {
		return failed(err)
	}
	ctx := c.Request().Context()
	if known {
		ctx = credential.Preferred(c)
	}
	u, credentials, err := h.match(ctx, username, password)
	if settle(err); err != nil {
		return failed(err)
	}
	return u, credentials, nil
}

func (h login) match(ctx context.Context, username, password string) (domain.User, domain.Credentials, error) {
	u, credentials, err := h.lookUp(ctx, username)
	if err != nil && !domain.Is(err, domain.NotFound) {
		return u, credentials, err
	}
	match, err := h.factors.Passwords.Verify(ctx, password, credentials.PasswordHash)
	if err == nil && !match {
		err = errNoMatch
	}
	return u, credentials, err
}

// lookUp reads the user and then the credentials, in the order that signIn requires. Both are empty
// if there is no such user.
func (h login) lookUp(ctx context.Context, username string) (domain.User, domain.Credentials, error) {
	username, err := domain.CleanUsername(username)
	if err != nil {
		return domain.User{}, domain.Credentials{}, domain.NewError(domain.NotFound, "There is no such user.")
	}
	u, err := h.store.Users.AccountByName(ctx, username)
	if err != nil {
		return domain.User{}, domain.Credentials{}, err
	}
	credentials, err := h.store.Credentials.Get(ctx, u.ID)
	return u, credentials, err
}

func missingFields(username, password string) error {
	var errs []error
	if username == "" {
		errs = append(errs, domain.FieldError("username", "Enter your username."))
	}
	if password == "" {
		errs = append(errs, domain.FieldError("password", "Enter your password."))
	}
	return domain.JoinErrors(errs...)
}
