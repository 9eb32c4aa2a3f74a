package web

import (
	"context"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/views"
)

type userCreator interface {
	// Create fails with Invalid about "username" when the name is taken.
	Create(ctx context.Context, u domain.User, passwordHash string) error
}

// signup makes accounts.
type signup struct {
	*site
	users     userCreator
	passwords *passwords
}

func (h signup) register(e *echo.Echo) {
	get(e, "/signup", h.show)
	e.POST("/signup", h.submit)
}

func (h signup) show(c echo.Context) error {
	return h.accountForm(c, "Sign up", views.Signup)
}

func (h signup) submit(c echo.Context) error {
	sent, err := form(c)
	if err != nil {
		return err
	}
	u, err := h.create(c.Request().Context(), sent.Get("username"), sent.Get("password"))
	if complaints, status, ok := h.complain(c, err); ok {
		page := views.AccountPage{Page: views.Page{Title: "Sign up", Next: safeNext(sent.Get("next"))},
			Username: sent.Get("username"), Complaints: complaints}
		return h.renderForm(c, status, views.Signup(page))
	}
	if err != nil {
		return err
	}
	if err := h.sessions.start(c, u.ID); err != nil {
		return err
	}
	return seeOther(c, nextOr(sent.Get("next"), "/"))
}

func (h signup) create(ctx context.Context, username, password string) (domain.User, error) {
	u, err := domain.NewUser(username, time.Now())
	if err := domain.JoinErrors(err, domain.CheckPassword(password)); err != nil {
		return domain.User{}, err
	}
	hash, err := h.passwords.hash(ctx, password)
	if err != nil {
		return domain.User{}, err
	}
	return u, h.users.Create(ctx, u, hash)
}
