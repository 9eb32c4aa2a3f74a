package web

import (
	"context"
	"net/http"
	"strings"

	"github.com/a-h/templ"
	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/views"
)

type passwordKeeper interface {
	PasswordHash(ctx context.Context, userID string) (string, error)
}

// login signs users in.
type login struct {
	*site
	users interface {
		userByName
		passwordKeeper
	}
	passwords *passwords
}

func (h login) register(e *echo.Echo) {
	get(e, "/login", h.show)
	e.POST("/login", h.submit)
}

func (h login) show(c echo.Context) error {
	return h.accountForm(c, "Log in", views.Login)
}

// accountForm shows an empty log-in or sign-up form; who is signed in already
// goes where it would have led.
func (s *site) accountForm(c echo.Context, title string, view func(views.AccountPage) templ.Component) error {
	viewer, err := s.viewer(c)
	if err != nil {
		return err
	}
	next := safeNext(c.QueryParam("next"))
	if viewer.ID != "" {
		return seeOther(c, nextOr(next, "/"))
	}
	return s.renderForm(c, http.StatusOK, view(views.AccountPage{Page: views.Page{Title: title, Next: next}}))
}

// errNoMatch does not say which of the two is wrong. It stands at the password
// because that is what to type again.
var errNoMatch = domain.FieldError("password", "This username and password do not belong together.")

func (h login) submit(c echo.Context) error {
	sent, err := form(c)
	if err != nil {
		return err
	}
	u, err := h.authenticate(c.Request().Context(), strings.TrimSpace(sent.Get("username")), sent.Get("password"))
	if complaints, status, ok := h.complain(c, err); ok {
		page := views.AccountPage{Page: views.Page{Title: "Log in", Next: safeNext(sent.Get("next"))},
			Username: sent.Get("username"), Complaints: complaints}
		return h.renderForm(c, status, views.Login(page))
	}
	if err != nil {
		return err
	}
	if err := h.sessions.start(c, u.ID); err != nil {
		return err
	}
	return seeOther(c, nextOr(sent.Get("next"), "/"))
}

// authenticate takes the same time whether or not the user exists.
func (h login) authenticate(ctx context.Context, username, password string) (domain.User, error) {
	if username == "" || password == "" {
		return domain.User{}, missing(username, password)
	}
	if domain.CheckPassword(password) != nil {
		return domain.User{}, errNoMatch // nobody's, and perhaps too long to hash
	}
	u, hash, err := h.lookUp(ctx, username)
	if err != nil && !domain.Is(err, domain.NotFound) {
		return domain.User{}, err
	}
	match, err := h.passwords.verify(ctx, password, hash)
	if err != nil {
		return domain.User{}, err
	}
	if !match {
		return domain.User{}, errNoMatch
	}
	return u, nil
}

func (h login) lookUp(ctx context.Context, username string) (domain.User, string, error) {
	if domain.CheckUsername(username) != nil {
		return domain.User{}, "", domain.Errorf(domain.NotFound, "There is no such user.")
	}
	u, err := h.users.ByName(ctx, username)
	if err != nil {
		return domain.User{}, "", err
	}
	hash, err := h.users.PasswordHash(ctx, u.ID)
	return u, hash, err
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
