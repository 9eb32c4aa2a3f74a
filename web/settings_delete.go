package web

import (
	"context"
	"net/http"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/views"
)

type userDeleter interface {
	// Delete deletes the account, and in time everything the user wrote. It does
	// nothing when the account is deleted already.
	Delete(ctx context.Context, userID string) error
}

// settingsDelete is where users delete their accounts.
type settingsDelete struct {
	*site
	users interface {
		passwordKeeper
		userDeleter
	}
	passwords *passwords
}

func (h settingsDelete) register(e *echo.Echo) {
	get(e, "/settings/delete", h.show)
	e.POST("/settings/delete", h.submit)
	get(e, "/goodbye", h.goodbye)
}

func (h settingsDelete) show(c echo.Context) error {
	if _, err := h.signedIn(c); err != nil {
		return err
	}
	return h.form(c, http.StatusOK, views.Complaints{})
}

func (h settingsDelete) submit(c echo.Context) error {
	sent, err := form(c)
	if err != nil {
		return err
	}
	u, err := h.viewer(c)
	if err != nil {
		return err
	}
	if u.ID == "" && h.sessions.userID(c.Request()) != "" {
		return h.leave(c) // the second half of a double click: the account is gone
	}
	if u, err = h.signedIn(c); err != nil {
		return err
	}
	err = h.delete(c.Request().Context(), u, sent.Get("password"))
	if domain.Is(err, domain.Invalid) {
		complaints, status, _ := h.complain(c, err)
		return h.form(c, status, complaints)
	}
	if err != nil {
		return err
	}
	return h.leave(c)
}

// errNotYours says that the password is not the user's.
var errNotYours = domain.FieldError("password", "This is not your password.")

func (h settingsDelete) delete(ctx context.Context, u domain.User, password string) error {
	if password == "" {
		return domain.FieldError("password", "Enter your password.")
	}
	if domain.CheckPassword(password) != nil {
		return errNotYours // nobody's, and perhaps too long to hash
	}
	hash, err := h.users.PasswordHash(ctx, u.ID)
	if err != nil && !domain.Is(err, domain.NotFound) {
		return err
	}
	match, err := h.passwords.verify(ctx, password, hash)
	if err != nil {
		return err
	}
	if match {
		return h.users.Delete(ctx, u.ID)
	}
	// A password goes with its account: the form may have been sent twice.
	if _, err := h.site.users.ByID(ctx, u.ID); domain.Is(err, domain.NotFound) {
		return nil
	}
	return errNotYours
}

func (h settingsDelete) form(c echo.Context, status int, complaints views.Complaints) error {
	return h.renderForm(c, status, views.AccountDelete(views.AccountDeletePage{
		Page: h.frame(c, "Delete your account?"), Complaints: complaints}))
}

// leave signs out whoever has no account any more.
func (h settingsDelete) leave(c echo.Context) error {
	if err := h.endSession(c); err != nil {
		return err
	}
	return seeOther(c, "/goodbye")
}

func (h settingsDelete) goodbye(c echo.Context) error {
	viewer, err := h.viewer(c)
	if err != nil {
		return err
	}
	if viewer.ID != "" {
		return seeOther(c, "/")
	}
	return h.render(c, http.StatusOK, views.Goodbye(views.Page{Title: "Goodbye"}))
}
