package settings

import (
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/views"
	view "inkfeed/views/settings"
	"inkfeed/web/credential"
	"inkfeed/web/site"
	"inkfeed/web/site/ratelimit"
)

// settingsDelete deletes accounts, at once or after a grace period in which the user can cancel.
type settingsDelete struct {
	handler
	grace time.Duration
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
	if !u.ScheduledDeletion.IsZero() {
		return h.showScheduled(c, u)
	}
	hash, err := h.store.Credentials.PasswordHash(c.Request().Context(), u.ID)
	if err == nil && hash == "" {
		err = h.confirmation.Check(c)
	}
	if err != nil {
		return err
	}
	return h.form(c, http.StatusOK, hash != "", views.FormErrors{})
}

// showScheduled shows when the account will be deleted.
func (h settingsDelete) showScheduled(c echo.Context, u domain.User) error {
	page := view.ScheduledDeletionPage{LayoutData: h.FallbackLayout(c, site.T(c, "Your account will be deleted")),
		JustScheduled: c.QueryParam("asked") == "yes"}
	page.LayoutData.OmitDeletionNotice = true
	if page.JustScheduled && h.Mailer.Sends() {
		credentials, err := h.store.Credentials.Get(c.Request().Context(), u.ID)
		if err != nil {
			return err
		}
		page.Mailed = credentials.EmailVerified
	}
	return h.Render(c, http.StatusOK, view.ScheduledDeletion(page))
}

func (h settingsDelete) submit(c echo.Context) error {
	sent, err := site.ParseForm(c)
	if err != nil {
		return err
	}
	gone, err := h.accountDeleted(c)
	if err != nil {
		return err
	}
	if gone {
		return h.signOut(c) // the second request of a double click: the account is deleted
	}
	u, err := h.SignedIn(c)
	if err != nil {
		return err
	}
	if !u.ScheduledDeletion.IsZero() {
		return site.SeeOther(c, site.DeletePage)
	}
	typed := sent.Get("password")
	defer site.Uninterrupt(c)()
	err = h.checkIdentity(c, u, typed)
	switch {
	case err == nil && h.grace > 0:
		err = h.schedule(c, u)
	case err == nil:
		err = h.store.AccountDeletions.Delete(c.Request().Context(), u.ID)
	case err == errAccountDeleted:
		err = nil
	}
	switch {
	case domain.Is(err, domain.Invalid), domain.Is(err, domain.TooMany), domain.Is(err, domain.Conflict):
		errs, status, _ := h.FormErrors(c, err)
		return h.form(c, status, typed != "" || !domain.Is(err, domain.Conflict), errs)
	case err != nil || c.Response().Committed:
		return err
	}
	return h.signOut(c)
}

// schedule schedules the deletion of an account after the grace period. Other sessions stay valid:
// each page announces the deletion, and the user can cancel it anywhere.
func (h settingsDelete) schedule(c echo.Context, u domain.User) error {
	at := domain.Timestamp(time.Now().Add(h.grace))
	mail, err := h.mailScheduled(c, u, at)
	if err != nil {
		return err
	}
	leaving, err := h.store.AccountDeletions.ScheduleDeletion(c.Request().Context(), u.ID, at, mail...)
	if err != nil {
		return err
	}
	h.Logger.InfoContext(c.Request().Context(), "the deletion of an account was scheduled", "user", u.ID, "at",
		leaving.ScheduledDeletion, "request_id", site.RequestID(c))
	return site.SeeOther(c, site.DeletePage+"?asked=yes")
}

// cancel cancels a scheduled deletion. Cancelling does no harm, so a session is enough.
func (h settingsDelete) cancel(c echo.Context) error {
	gone, err := h.accountDeleted(c)
	if err != nil {
		return err
	}
	if gone {
		return h.signOut(c) // too late
	}
	u, err := h.SignedIn(c)
	if err != nil {
		return err
	}
	defer site.Uninterrupt(c)()
	mail, err := h.mailCancelled(c, u)
	if err == nil {
		err = h.store.AccountDeletions.CancelDeletion(c.Request().Context(), u.ID, mail...)
	}
	if domain.Is(err, domain.NotFound) {
		return h.signOut(c)
	}
	if err != nil {
		return err
	}
	if u.ScheduledDeletion.IsZero() {
		return site.SeeOther(c, settingsPath)
	}
	h.Logger.InfoContext(c.Request().Context(), "the deletion of an account was cancelled", "user", u.ID, "request_id",
		site.RequestID(c))
	return site.SeeOther(c, "/settings?kept=yes")
}

// accountDeleted reports whether the session is of an account that was deleted. A suspended account
// is not deleted.
func (h settingsDelete) accountDeleted(c echo.Context) (bool, error) {
	u, err := h.Viewer(c)
	userID := h.Sessions.CookieUser(c.Request())
	if err != nil || u.ID != "" || userID == "" {
		return false, err
	}
	_, err = h.store.Users.Account(c.Request().Context(), userID)
	return domain.Is(err, domain.NotFound), nil
}

// errAccountDeleted reports that the account, with its password, was deleted in the meantime.
var errAccountDeleted = domain.NewError(domain.NotFound, "This account was deleted.")

// checkIdentity checks the user's password. A user without a password must have confirmed with a
// passkey.
func (h settingsDelete) checkIdentity(c echo.Context, u domain.User, password string) error {
	ctx := c.Request().Context()
	if password == "" {
		return h.checkConfirmed(c, u)
	}
	if domain.CheckPassword(password) != nil {
		return credential.ErrWrongPassword // no user can have it, and it may be too long to hash
	}
	hash, err := h.store.Credentials.PasswordHash(ctx, u.ID)
	if err != nil && !domain.Is(err, domain.NotFound) {
		return err
	}
	if err := h.Limiter.Allow(ctx, ratelimit.Confirm, u.ID); err != nil {
		return err
	}
	match, err := h.factors.Passwords.Verify(credential.Confirming(c, h.Limiter, u.ID), password, hash)
	if err != nil {
		h.Limiter.Settle(ctx, ratelimit.Confirm, u.ID, err)
		return err
	}
	if match {
		h.Limiter.Refund(ctx, ratelimit.Confirm, u.ID)
		return nil
	}
	// The account, with its password, may have been deleted by the same form sent twice.
	if _, err := h.Site.Users.ByID(ctx, u.ID); domain.Is(err, domain.NotFound) {
		return errAccountDeleted
	}
	return credential.ErrWrongPassword
}

func (h settingsDelete) checkConfirmed(c echo.Context, u domain.User) error {
	hash, err := h.store.Credentials.PasswordHash(c.Request().Context(), u.ID)
	if err == nil && hash != "" {
		err = credential.ErrNoPassword
	}
	if err == nil {
		err = h.confirmation.CheckForm(c, site.T(c, "Delete your account"), settingsPath)
	}
	return err
}

func (h settingsDelete) form(c echo.Context, status int, password bool, errs views.FormErrors) error {
	u, err := h.Viewer(c)
	if err != nil {
		return err
	}
	erasing, err := h.pacedTime(c.Request().Context(), u, erasingPost, erasingResponse)
	if err != nil {
		return err
	}
	return h.RenderForm(c, status, view.AccountDelete(view.AccountDeletePage{
		LayoutData: h.FallbackLayout(c, site.T(c, "Delete your account?")), FormErrors: errs, HasPassword: password,
		Grace: h.grace, ErasureTime: erasing}))
}

// signOut ends the session of a deleted account.
func (h settingsDelete) signOut(c echo.Context) error {
	const goodbye = "/goodbye"
	if err := h.EndSession(c); err != nil { // the account is deleted, so its session is void
		h.ForgetSession(c)
		return h.RedirectStored(c, goodbye, err)
	}
	return site.SeeOther(c, goodbye)
}

func (h settingsDelete) goodbye(c echo.Context) error {
	viewer, err := h.Viewer(c)
	if err != nil {
		return err
	}
	if viewer.ID != "" {
		return site.SeeOther(c, "/")
	}
	return h.Render(c, http.StatusOK, view.Goodbye(h.AnonymousLayout(site.T(c, "Goodbye"), "")))
}
