package settings

import (
	"context"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/views"
	"inkfeed/web/credential"
	"inkfeed/web/site"
	"inkfeed/web/site/ratelimit"
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
	credential.Mailing
	users interface {
		credential.PasswordKeeper
		credential.CredentialsKeeper
		site.AccountGetter
		userDeleter
		leaver
	}
	passwords credential.Hasher
	grace     time.Duration
}

func (h settingsDelete) register(e *echo.Echo) {
	site.Get(e, site.DeletePage, h.show)
	e.POST(site.DeletePage, h.submit)
	e.POST("/settings/delete/cancel", h.cancel)
	site.Get(e, "/goodbye", h.goodbye)
}

func (h settingsDelete) show(c echo.Context) error {
	u, err := h.SignedIn(c)
	if err != nil {
		return err
	}
	if !u.Leaving.IsZero() {
		return h.departure(c, u)
	}
	hash, err := h.users.PasswordHash(c.Request().Context(), u.ID)
	if err == nil && hash == "" {
		err = h.Confirmed(c)
	}
	if err != nil {
		return err
	}
	return h.form(c, http.StatusOK, hash != "", views.Complaints{})
}

// departure says when an account goes that is to be deleted.
func (h settingsDelete) departure(c echo.Context, u domain.User) error {
	page := views.DeparturePage{Page: h.FallbackLayout(c, "Your account will be deleted"), Asked: c.QueryParam("asked") == "yes"}
	page.Page.Reminded = true
	if page.Asked && h.Mailer.Sends() {
		credentials, err := h.users.Credentials(c.Request().Context(), u.ID)
		if err != nil {
			return err
		}
		page.Mailed = credentials.EmailVerified
	}
	return h.Render(c, http.StatusOK, views.Departure(page))
}

func (h settingsDelete) submit(c echo.Context) error {
	sent, err := site.ParseForm(c)
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
	u, err := h.SignedIn(c)
	if err != nil {
		return err
	}
	if !u.Leaving.IsZero() {
		return site.SeeOther(c, site.DeletePage)
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
		complaints, status, _ := h.FormErrors(c, err)
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
	return site.SeeOther(c, site.DeletePage+"?asked=yes")
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
	u, err := h.SignedIn(c)
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
		return site.SeeOther(c, "/settings")
	}
	h.tellStaying(c, u)
	return site.SeeOther(c, "/settings?kept=yes")
}

// gone tells whether whoever asks was signed in to an account that is deleted by now. That of
// a user who is suspended is not.
func (h settingsDelete) gone(c echo.Context) (bool, error) {
	u, err := h.Viewer(c)
	former := h.Sessions.ClaimedUser(c.Request())
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
		return credential.ErrNotYours // nobody's, and perhaps too long to hash
	}
	hash, err := h.users.PasswordHash(ctx, u.ID)
	if err != nil && !domain.Is(err, domain.NotFound) {
		return err
	}
	if err := h.Limiter.Allow(ctx, ratelimit.Confirm, u.ID); err != nil {
		return err
	}
	match, err := h.passwords.Verify(ctx, password, hash)
	if err != nil {
		h.Limiter.Settle(ctx, ratelimit.Confirm, u.ID, err)
		return err
	}
	if match {
		h.Limiter.Forgive(ctx, ratelimit.Confirm, u.ID)
		return nil
	}
	// A password goes with its account: the form may have been sent twice.
	if _, err := h.Site.Users.ByID(ctx, u.ID); domain.Is(err, domain.NotFound) {
		return errLeft
	}
	return credential.ErrNotYours
}

func (h settingsDelete) proveWithout(c echo.Context, u domain.User) error {
	hash, err := h.users.PasswordHash(c.Request().Context(), u.ID)
	if err == nil && hash != "" {
		err = credential.ErrNoPassword
	}
	if err == nil {
		err = h.Confirmed(c)
	}
	return err
}

func (h settingsDelete) form(c echo.Context, status int, password bool, complaints views.Complaints) error {
	return h.RenderForm(c, status, views.AccountDelete(views.AccountDeletePage{
		Page: h.FallbackLayout(c, "Delete your account?"), Complaints: complaints, Password: password, Grace: h.grace}))
}

// leave signs out whoever has no account any more.
func (h settingsDelete) leave(c echo.Context) error {
	if err := h.EndSession(c); err != nil {
		return err
	}
	return site.SeeOther(c, "/goodbye")
}

func (h settingsDelete) goodbye(c echo.Context) error {
	viewer, err := h.Viewer(c)
	if err != nil {
		return err
	}
	if viewer.ID != "" {
		return site.SeeOther(c, "/")
	}
	return h.Render(c, http.StatusOK, views.Goodbye(h.AnonymousLayout("Goodbye", "")))
}
