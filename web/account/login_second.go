package account

import (
	"bytes"
	"crypto/rand"
	"net/http"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/views"
	view "inkfeed/views/account"
	"inkfeed/web/credential"
	"inkfeed/web/site"
	"inkfeed/web/site/ratelimit"
	"inkfeed/web/site/remote"
	"inkfeed/web/site/session"
)

const (
	pendingTime  = 10 * time.Minute // how long a log-in waits for its second factor
	pendingTries = 5
)

// needsSecondFactor reports whether logging in requires a second factor beside the password.
func needsSecondFactor(c domain.Credentials) bool { return len(c.TOTP) > 0 }

// awaitSecondFactor stores a log-in whose password was right until the second factor arrives. The browser gets a random
// secret, signed with the user's id; the log-in is stored under its digest. The log-in becomes invalid when the user's
// sessions are ended, for example by a new password. u must have been read before the password was checked.
func (h handler) awaitSecondFactor(c echo.Context, u domain.User) error {
	token := rand.Text()
	signed, err := h.Sessions.Encode(session.LoginCookie(c.Request()), u.ID, token)
	if err != nil {
		return err
	}
	err = h.factors.Secrets.Put(c.Request().Context(), domain.Secret{Kind: domain.SecretLogin,
		Digest: domain.SecretDigest(token),
		UserID: u.ID, Payload: pendingPayload(u), Expires: time.Now().Add(pendingTime)})
	if err == nil {
		c.SetCookie(loginCookie(c, signed, int(pendingTime/time.Second)))
	}
	return err
}

// pendingPayload returns the payload of a waiting log-in: the user's session version.
func pendingPayload(u domain.User) []byte { return strconv.AppendInt(nil, int64(u.SessionVersion), 10) }

func loginCookie(c echo.Context, token string, age int) *http.Cookie {
	return &http.Cookie{Name: session.LoginCookie(c.Request()), Value: token, Path: "/", MaxAge: age, HttpOnly: true,
		Secure: remote.TLS(c.Request()), SameSite: http.SameSiteLaxMode}
}

// pendingDigest returns the digest under which the browser's waiting log-in is stored.
func (h handler) pendingDigest(c echo.Context) string {
	_, token := h.Sessions.ParseCookie(c.Request(), session.LoginCookie(c.Request()))
	return domain.SecretDigest(token)
}

// pendingLogin returns the user whose log-in waits in this browser. It fails with NotFound if there is
// none.
func (h handler) pendingLogin(c echo.Context) (userID string, err error) {
	secret, err := h.factors.Secrets.Get(c.Request().Context(), domain.SecretLogin, h.pendingDigest(c))
	return secret.UserID, err
}

// loginSecond is the second step of a log-in: a code, a recovery code or a passkey.
type loginSecond struct{ handler }

func (h loginSecond) register(e *echo.Echo) {
	site.Get(e, "/login/second", h.show)
	e.POST("/login/second", h.submit)
}

func (h loginSecond) show(c echo.Context) error {
	next := site.SafeNext(c.QueryParam("next"))
	if viewer, err := h.Viewer(c); err != nil {
		return err
	} else if viewer.ID != "" {
		return site.SeeOther(c, site.NextOr(next, "/"))
	}
	userID, err := h.pendingLogin(c)
	if domain.Is(err, domain.NotFound) {
		return site.SeeOther(c, views.LoginPath(next))
	}
	if err != nil {
		return err
	}
	return h.form(c, http.StatusOK, userID, next, views.FormErrors{})
}

func (h loginSecond) submit(c echo.Context) error {
	sent, err := site.ParseForm(c)
	if err != nil {
		return err
	}
	ctx, digest, next := c.Request().Context(), h.pendingDigest(c), site.SafeNext(sent.Get("next"))
	// Count before checking, so that concurrent requests get no more than pendingTries guesses.
	waiting, err := h.factors.Secrets.Try(ctx, domain.SecretLogin, digest, pendingTries)
	if domain.Is(err, domain.NotFound) {
		return h.restart(c, next)
	}
	var u domain.User
	if err == nil {
		u, err = h.store.Users.Account(ctx, waiting.UserID)
		if domain.Is(err, domain.NotFound) || err == nil && !bytes.Equal(waiting.Payload, pendingPayload(u)) {
			return h.restart(c, next) // the account is deleted, or its sessions were ended
		}
	}
	if err == nil {
		err = h.checkFactor(c, waiting.UserID, sent.Get("code"), sent.Get("passkey"))
	}
	if err == nil {
		// A waiting log-in can be completed once.
		if _, err = h.factors.Secrets.Take(ctx, domain.SecretLogin, digest); domain.Is(err, domain.NotFound) {
			return h.restart(c, next)
		}
	}
	if err == nil {
		err = signIn(h.Site, c, u, next)
	}
	if domain.Is(err, domain.Forbidden) { // suspended: the log-in ends here
		c.SetCookie(loginCookie(c, "", -1))
	}
	if errs, status, ok := h.FormErrors(c, err); ok {
		return h.form(c, status, waiting.UserID, next, errs)
	}
	if err != nil {
		return err
	}
	c.SetCookie(loginCookie(c, "", -1))
	return site.SeeOther(c, site.NextOr(next, "/"))
}

func (h loginSecond) checkFactor(c echo.Context, userID, code, answer string) error {
	ctx := c.Request().Context()
	if answer == "" {
		// The limit applies across all log-ins of the user.
		if err := h.Limiter.Allow(ctx, ratelimit.SecondFactor, userID); err != nil {
			return err
		}
		err := h.factors.TakeCode(ctx, userID, code)
		h.Limiter.Settle(ctx, ratelimit.SecondFactor, userID, err)
		return err
	}
	at, _ := credential.PasskeySite(h.Site, c)
	_, err := h.factors.CheckPasskey(ctx, at, credential.ForSecondFactor, userID, answer)
	return err
}

// restart shows the log-in form, because the log-in has expired or too many codes were wrong.
func (h loginSecond) restart(c echo.Context, next string) error {
	c.SetCookie(loginCookie(c, "", -1))
	return h.loginForm(c, http.StatusForbidden, view.AccountPage{
		LayoutData: h.AnonymousLayout(site.T(c, "Log in"), next),
		FormErrors: views.FormErrors{Summary: locale.M("This took too long, or you entered too many wrong codes. " +
			"Please log in again.")}})
}

func (h loginSecond) form(c echo.Context, status int, userID, next string, errs views.FormErrors) error {
	page := view.LoginSecondPage{LayoutData: h.AnonymousLayout(site.T(c, "Two-step verification"), next),
		FormErrors: errs}
	credentials, err := h.factors.Credentials.Get(c.Request().Context(), userID)
	if err != nil && status == http.StatusOK {
		return err
	}
	page.HasPasskeys = len(credentials.Passkeys) > 0 && credential.SupportsPasskeys(h.Site, c)
	return h.RenderForm(c, status, view.LoginSecond(page))
}
