package web

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/views"
)

type (
	userDeleter interface {
		// Delete deletes the account, and in time everything the user wrote. It does
		// nothing when the account is deleted already. It answers Conflict when nobody would
		// be left who administers the site.
		Delete(ctx context.Context, userID string) error
	}
	leaver interface {
		// Leave is Delete at a time, unless Stay comes before it. One who is leaving already
		// keeps the time.
		Leave(ctx context.Context, userID string, at time.Time) (domain.User, error)
		// Stay keeps an account, and takes away what is said of one that could not go.
		// NotFound says that it is too late.
		Stay(ctx context.Context, userID string) error
	}
)

// settingsDelete is where users delete their accounts, at once or after a time in which they
// may think again.
type settingsDelete struct {
	mailing
	users interface {
		passwordKeeper
		credentialsKeeper
		accountGetter
		userDeleter
		leaver
	}
	passwords passwordHasher
	grace     time.Duration
}

func (h settingsDelete) register(e *echo.Echo) {
	get(e, deletePage, h.show)
	e.POST(deletePage, h.submit)
	e.POST("/settings/delete/cancel", h.cancel)
	get(e, "/goodbye", h.goodbye)
}

func (h settingsDelete) show(c echo.Context) error {
	u, err := h.signedIn(c)
	if err != nil {
		return err
	}
	if !u.Leaving.IsZero() {
		return h.departure(c, u)
	}
	hash, err := h.users.PasswordHash(c.Request().Context(), u.ID)
	if err == nil && hash == "" {
		err = h.confirmed(c)
	}
	if err != nil {
		return err
	}
	return h.form(c, http.StatusOK, hash != "", views.Complaints{})
}

// departure says when an account goes that is to be deleted.
func (h settingsDelete) departure(c echo.Context, u domain.User) error {
	page := views.DeparturePage{Page: h.frame(c, "Your account will be deleted"), Asked: c.QueryParam("asked") == "yes"}
	page.Page.Reminded = true
	if page.Asked && h.mailer.Sends() {
		credentials, err := h.users.Credentials(c.Request().Context(), u.ID)
		if err != nil {
			return err
		}
		page.Mailed = credentials.EmailVerified
	}
	return h.render(c, http.StatusOK, views.Departure(page))
}

func (h settingsDelete) submit(c echo.Context) error {
	sent, err := form(c)
	if err != nil {
		return err
	}
	gone, err := h.gone(c)
	if err != nil {
		return err
	}
	if gone {
		return h.leave(c) // the second half of a double click: the account is gone
	}
	u, err := h.signedIn(c)
	if err != nil {
		return err
	}
	if !u.Leaving.IsZero() {
		return seeOther(c, deletePage)
	}
	typed := sent.Get("password")
	err = h.prove(c, u, typed)
	switch {
	case err == nil && h.grace > 0:
		err = h.leaveLater(c, u)
	case err == nil:
		err = h.users.Delete(c.Request().Context(), u.ID)
	case err == errLeft:
		err = nil
	}
	switch {
	case domain.Is(err, domain.Invalid), domain.Is(err, domain.TooMany), domain.Is(err, domain.Conflict):
		complaints, status, _ := h.complain(c, err)
		return h.form(c, status, typed != "" || !domain.Is(err, domain.Conflict), complaints)
	case err != nil || c.Response().Committed:
		return err
	}
	return h.leave(c)
}

// leaveLater lets an account be deleted after the time of grace. Sessions elsewhere go on:
// wherever the user looks, each page tells of it, and takes it back.
func (h settingsDelete) leaveLater(c echo.Context, u domain.User) error {
	leaving, err := h.users.Leave(c.Request().Context(), u.ID, time.Now().Add(h.grace))
	if err != nil {
		return err
	}
	h.tellLeaving(c, leaving)
	return seeOther(c, deletePage+"?asked=yes")
}

// cancel keeps an account that was to be deleted. Nobody who comes by it could do harm, so
// being signed in is enough.
func (h settingsDelete) cancel(c echo.Context) error {
	gone, err := h.gone(c)
	if err != nil {
		return err
	}
	if gone {
		return h.leave(c) // too late
	}
	u, err := h.signedIn(c)
	if err != nil {
		return err
	}
	err = h.users.Stay(c.Request().Context(), u.ID)
	if domain.Is(err, domain.NotFound) {
		return h.leave(c)
	}
	if err != nil {
		return err
	}
	if u.Leaving.IsZero() {
		return seeOther(c, "/settings")
	}
	h.tellStaying(c, u)
	return seeOther(c, "/settings?kept=yes")
}

// gone tells whether whoever asks was signed in to an account that is deleted by now. That of
// a user who is suspended is not.
func (h settingsDelete) gone(c echo.Context) (bool, error) {
	u, err := h.viewer(c)
	former := h.sessions.claimedUser(c.Request())
	if err != nil || u.ID != "" || former == "" {
		return false, err
	}
	_, err = h.users.Account(c.Request().Context(), former)
	return domain.Is(err, domain.NotFound), nil
}

var (

	// errLeft says that the account was deleted meanwhile, with its password.
	errLeft = domain.Errorf(domain.NotFound, "This account was deleted.")
)

// prove is nil if that is the user's password or, for one who has none but a passkey, if that
// one has just used it.
func (h settingsDelete) prove(c echo.Context, u domain.User, password string) error {
	ctx := c.Request().Context()
	if password == "" {
		return h.proveWithout(c, u)
	}
	if domain.CheckPassword(password) != nil {
		return errNotYours // nobody's, and perhaps too long to hash
	}
	hash, err := h.users.PasswordHash(ctx, u.ID)
	if err != nil && !domain.Is(err, domain.NotFound) {
		return err
	}
	if err := h.limiter.allow(ctx, ruleConfirm, u.ID); err != nil {
		return err
	}
	match, err := h.passwords.verify(ctx, password, hash)
	if err != nil {
		h.limiter.settle(ctx, ruleConfirm, u.ID, err)
		return err
	}
	if match {
		h.limiter.forgive(ctx, ruleConfirm, u.ID)
		return nil
	}
	// A password goes with its account: the form may have been sent twice.
	if _, err := h.site.users.ByID(ctx, u.ID); domain.Is(err, domain.NotFound) {
		return errLeft
	}
	return errNotYours
}

func (h settingsDelete) proveWithout(c echo.Context, u domain.User) error {
	hash, err := h.users.PasswordHash(c.Request().Context(), u.ID)
	if err == nil && hash != "" {
		err = errNoPassword
	}
	if err == nil {
		err = h.confirmed(c)
	}
	return err
}

func (h settingsDelete) form(c echo.Context, status int, password bool, complaints views.Complaints) error {
	return h.renderForm(c, status, views.AccountDelete(views.AccountDeletePage{
		Page: h.frame(c, "Delete your account?"), Complaints: complaints, Password: password, Grace: h.grace}))
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
	return h.render(c, http.StatusOK, views.Goodbye(h.strangers("Goodbye", "")))
}
