package account

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/web/credential"
	"inkfeed/web/factor"
	"inkfeed/web/site"
	"inkfeed/web/site/ratelimit"
	"inkfeed/web/site/remote"
	"inkfeed/web/site/session"
)

// passkeyChallenge issues WebAuthn challenges to the scripts of pages.
type passkeyChallenge struct{ handler }

func (h passkeyChallenge) register(e *echo.Echo) {
	e.POST("/passkeys/challenge", h.submit)
}

// passkeyReply is the response to a script: a challenge, a message, or an address to go to.
type passkeyReply struct {
	PublicKey json.RawMessage `json:"publicKey,omitempty"`
	Message   string          `json:"message,omitempty"`
	Location  string          `json:"location,omitempty"`
}

func (h passkeyChallenge) submit(c echo.Context) error {
	sent, err := site.ParseForm(c)
	if err != nil {
		return err
	}
	c.Response().Header().Set("Cache-Control", site.CacheNever)
	var asked factor.Challenge
	if err = h.Limiter.AllowFrom(c.Request().Context(), ratelimit.Passkey, "", remote.Of(c.Request())); err == nil {
		asked, err = h.newChallenge(c, sent)
	}
	if err == nil {
		return c.JSON(http.StatusOK, passkeyReply{PublicKey: asked.Options})
	}
	status, text, _ := site.ErrorTexts(c, err)
	h.LogFailure(c, status, err)
	site.SetRetryAfter(c, status, err)
	reply := passkeyReply{Message: text}
	switch {
	case err == site.ErrUnconfirmed:
		status, reply.Location = http.StatusForbidden, "/confirm?next=%2Fsettings%2Fsecurity%2Fpasskeys%2Fnew"
	case status == http.StatusUnauthorized:
		reply.Location = "/login"
	}
	return c.JSON(status, reply)
}

func (h passkeyChallenge) newChallenge(c echo.Context, sent url.Values) (factor.Challenge, error) {
	ctx, purpose := c.Request().Context(), sent.Get("for")
	at, ok := credential.PasskeySite(h.Site, c)
	if !ok {
		return factor.Challenge{}, domain.FieldError("passkey",
			"Passkeys don't work at a numeric address. Use the site's domain name.")
	}
	var holder factor.Account
	var asked factor.Challenge
	var err error
	switch purpose {
	case credential.ForLogin:
		asked, err = at.BeginLogin(factor.Account{})
	case credential.ForSecondFactor, credential.ForConfirmation:
		if holder, err = h.account(c, purpose); err == nil && len(holder.Passkeys) == 0 {
			err = credential.ErrUnknownPasskey
		}
		if err == nil {
			asked, err = at.BeginLogin(holder)
		}
	case credential.ForNewPasskey:
		if holder, err = h.account(c, purpose); err == nil {
			err = h.confirmation.Check(c)
		}
		if err == nil {
			asked, err = at.BeginRegistration(holder)
		}
	case credential.ForSignup:
		// Check first: a device would keep the passkey even if the sign-up then fails.
		if err = h.admission.check(ctx, strings.TrimSpace(sent.Get("invitation"))); err == nil {
			holder, err = h.newAccount(ctx, sent.Get("username"))
		}
		if err == nil {
			asked, err = at.BeginRegistration(holder)
		}
	default:
		err = echo.NewHTTPError(http.StatusBadRequest)
	}
	if err == nil {
		err = h.factors.SaveChallenge(ctx, holder.ID, purpose, asked)
	}
	return asked, err
}

// account returns the account whose passkeys are used: the signed-in user, or the one who is
// logging in.
func (h passkeyChallenge) account(c echo.Context, purpose string) (factor.Account, error) {
	ctx := c.Request().Context()
	var u domain.User
	var err error
	if purpose == credential.ForSecondFactor {
		var userID string
		if userID, err = h.pendingLogin(c); err == nil {
			u, err = h.store.Users.Account(ctx, userID) // a suspended user learns about it after the proof
		}
		if domain.Is(err, domain.NotFound) {
			err = session.ErrNotSignedIn
		}
	} else {
		u, err = h.SignedIn(c)
	}
	if err != nil {
		return factor.Account{}, err
	}
	credentials, err := h.factors.Credentials.Get(ctx, u.ID)
	return accountOf(u, credentials), err
}

func accountOf(u domain.User, c domain.Credentials) factor.Account {
	return factor.Account{ID: u.ID, Username: u.Username, DisplayName: u.DisplayName, Passkeys: c.Passkeys}
}

// newAccount returns a new account with this username. It fails if the username is invalid or
// not available.
func (h passkeyChallenge) newAccount(ctx context.Context, username string) (factor.Account, error) {
	u, err := domain.NewUser(username, time.Now())
	if err != nil {
		return factor.Account{}, err
	}
	if err := h.store.Usernames.CheckAvailable(ctx, u.Username); err != nil {
		return factor.Account{}, err
	}
	return accountOf(u, domain.Credentials{}), nil
}
