package web

import (
	"context"
	"net/http"
	"net/url"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/names"
	"inkfeed/views"
)

// login signs users in.
type login struct {
	*site
	users interface {
		accountFinder
		credentialsKeeper
	}
	passwords passwordHasher
	guard     *guard
	factors   *factors
}

func (h login) register(e *echo.Echo) {
	get(e, "/login", h.show)
	e.POST("/login", h.submit)
}

func (h login) show(c echo.Context) error {
	return accountForm(h.site, c, "Log in", views.Login)
}

// accountForm shows an empty log-in or sign-up form; who is signed in already
// goes where it would have led.
func accountForm(s *site, c echo.Context, title string, view func(views.AccountPage) templ.Component) error {
	viewer, err := s.viewer(c)
	if err != nil {
		return err
	}
	next := safeNext(c.QueryParam("next"))
	if viewer.ID != "" {
		return seeOther(c, nextOr(next, "/"))
	}
	return s.renderForm(c, http.StatusOK, view(views.AccountPage{Page: s.strangers(title, next), Passkeys: takesPasskeys(s, c)}))
}

// errNoMatch does not say which of the two is wrong. It stands at the password
// because that is what to type again.
var errNoMatch = domain.FieldError("password", "Wrong username or password.")

func (h login) submit(c echo.Context) error {
	sent, err := form(c)
	if err != nil {
		return err
	}
	to, err := h.logIn(c, sent)
	if complaints, status, ok := h.complain(c, err); ok {
		page := views.AccountPage{Page: h.strangers("Log in", safeNext(sent.Get("next"))),
			Username: sent.Get("username"), Passkeys: takesPasskeys(h.site, c), Complaints: complaints}
		return h.renderForm(c, status, views.Login(page))
	}
	if err != nil {
		return err
	}
	return seeOther(c, to)
}

// logIn returns where to go from here.
func (h login) logIn(c echo.Context, sent url.Values) (to string, err error) {
	next := nextOr(sent.Get("next"), "/")
	if answer := sent.Get("passkey"); answer != "" {
		u, err := h.byPasskey(c, answer)
		if err != nil {
			return "", err
		}
		return next, enter(h.site, c, u)
	}
	u, credentials, err := h.authenticate(c, strings.TrimSpace(sent.Get("username")), sent.Get("password"))
	if err != nil {
		return "", err
	}
	if needsSecond(credentials) {
		return "/login/second?next=" + url.QueryEscape(next), awaitSecond(h.factors, c, u)
	}
	return next, enter(h.site, c, u)
}

// enter signs in a user who has given every proof that a log-in requires. The user must have been
// read before the first proof was checked: see sessions.start. Every session begins here, except
// one that begins with a sign-up. enter alone refuses suspended users.
func enter(s *site, c echo.Context, u domain.User) error {
	if err := notSuspended(u); err != nil {
		return err
	}
	return s.sessions.start(c, u)
}

// authenticate takes the same time whether or not the user exists. The user may be
// suspended, and may need a second factor.
func (h login) authenticate(c echo.Context, username, password string) (domain.User, domain.Credentials, error) {
	failed := func(err error) (domain.User, domain.Credentials, error) {
		return domain.User{}, domain.Credentials{}, err
	}
	if username == "" || password == "" {
		return failed(missing(username, password))
	}
	if domain.CheckPassword(password) != nil || len(username) > names.MaxTypedUsername {
		return failed(errNoMatch) // no account has it, and it may be too long to hash or to normalise
	}
	settle, err := h.guard.admit(c, username)
	if err != nil {
		return failed(err)
	}
	u, credentials, err := h.match(c.Request().Context(), username, password)
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
	match, err := h.passwords.verify(ctx, password, credentials.PasswordHash)
	if err == nil && !match {
		err = errNoMatch
	}
	return u, credentials, err
}

// lookUp reads the user and then the credentials, in the order that enter requires. Both are empty
// if there is no such user.
func (h login) lookUp(ctx context.Context, username string) (domain.User, domain.Credentials, error) {
	username, err := domain.CleanUsername(username)
	if err != nil {
		return domain.User{}, domain.Credentials{}, domain.Errorf(domain.NotFound, "There is no such user.")
	}
	u, err := h.users.AccountByName(ctx, username)
	if err != nil {
		return domain.User{}, domain.Credentials{}, err
	}
	credentials, err := h.users.Credentials(ctx, u.ID)
	return u, credentials, err
}

func missing(username, password string) error {
	var errs []error
	if username == "" {
		errs = append(errs, domain.FieldError("username", "Enter your username."))
	}
	if password == "" {
		errs = append(errs, domain.FieldError("password", "Enter your password."))
	}
	return domain.JoinErrors(errs...)
}
