package web

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/web/factor"
)

// passkeyChallenge is where the script of a page asks what to ask an authenticator.
type passkeyChallenge struct {
	*site
	factors *factors
	users   interface {
		userByName
		accountFinder
	}
	admission admission
}

func (h passkeyChallenge) register(e *echo.Echo) {
	e.POST("/passkeys/challenge", h.submit)
}

// passkeyReply is the answer to the script: what to ask, or what to say or where to go.
type passkeyReply struct {
	PublicKey json.RawMessage `json:"publicKey,omitempty"`
	Message   string          `json:"message,omitempty"`
	Location  string          `json:"location,omitempty"`
}

func (h passkeyChallenge) submit(c echo.Context) error {
	sent, err := form(c)
	if err != nil {
		return err
	}
	c.Response().Header().Set("Cache-Control", cacheNever)
	var asked factor.Challenge
	if err = h.limiter.allow(c.Request().Context(), rulePasskey, clientOf(c.Request()).group()); err == nil {
		asked, err = h.ask(c, sent)
	}
	if err == nil {
		return c.JSON(http.StatusOK, passkeyReply{PublicKey: asked.Options})
	}
	status, message := classify(err)
	h.logFailure(c, status, err)
	tellWhen(c, status, err)
	reply := passkeyReply{Message: message}
	if e, ok := err.(*domain.Error); ok {
		for _, said := range e.Fields {
			reply.Message = said
		}
	}
	switch {
	case err == errUnconfirmed:
		status, reply.Location = http.StatusForbidden, "/confirm?next=%2Fsettings%2Fsecurity%2Fpasskeys%2Fnew"
	case status == http.StatusUnauthorized:
		reply.Location = "/login"
	case reply.Message == "":
		_, reply.Message = words(status)
	}
	return c.JSON(status, reply)
}

func (h passkeyChallenge) ask(c echo.Context, sent url.Values) (factor.Challenge, error) {
	ctx, purpose := c.Request().Context(), sent.Get("for")
	at, ok := passkeySite(h.site, c)
	if !ok {
		return factor.Challenge{}, domain.FieldError("passkey", "Passkeys don't work at a numeric address. Use the site's domain name.")
	}
	var holder factor.Holder
	var asked factor.Challenge
	var err error
	switch purpose {
	case passkeyLogin:
		asked, err = at.Ask(factor.Holder{})
	case passkeySecond, passkeyConfirm:
		if holder, err = h.holder(c, purpose); err == nil && len(holder.Passkeys) == 0 {
			err = errUnknownPasskey
		}
		if err == nil {
			asked, err = at.Ask(holder)
		}
	case passkeyNew:
		if holder, err = h.holder(c, purpose); err == nil {
			err = h.confirmed(c)
		}
		if err == nil {
			asked, err = at.Register(holder)
		}
	case passkeySignup:
		// A device that makes a passkey keeps it: nobody should who is then not let in.
		if err = h.admission.check(ctx, strings.TrimSpace(sent.Get("invitation"))); err == nil {
			holder, err = h.newcomer(ctx, sent.Get("username"))
		}
		if err == nil {
			asked, err = at.Register(holder)
		}
	default:
		err = echo.NewHTTPError(http.StatusBadRequest)
	}
	if err == nil {
		err = h.factors.expect(ctx, holder.ID, purpose, asked)
	}
	return asked, err
}

// holder is whose passkeys it is about: who is signed in, or about to be.
func (h passkeyChallenge) holder(c echo.Context, purpose string) (factor.Holder, error) {
	ctx := c.Request().Context()
	var u domain.User
	var err error
	if purpose == passkeySecond {
		var userID string
		if userID, err = pending(h.factors, c); err == nil {
			u, err = h.users.Account(ctx, userID) // who is suspended is told so after the proof
		}
		if domain.Is(err, domain.NotFound) {
			err = errNobody
		}
	} else {
		u, err = h.signedIn(c)
	}
	if err != nil {
		return factor.Holder{}, err
	}
	credentials, err := h.factors.users.Credentials(ctx, u.ID)
	return holderOf(u, credentials), err
}

func holderOf(u domain.User, c domain.Credentials) factor.Holder {
	return factor.Holder{ID: u.ID, Username: u.Username, DisplayName: u.DisplayName, Passkeys: c.Passkeys}
}

// newcomer is who would sign up by that name, and is told at once when that cannot be.
func (h passkeyChallenge) newcomer(ctx context.Context, username string) (factor.Holder, error) {
	u, err := domain.NewUser(username, time.Now())
	if err != nil {
		return factor.Holder{}, err
	}
	if _, err := h.users.ByName(ctx, u.Username); err == nil {
		return factor.Holder{}, domain.ErrUsernameTaken(u.Username)
	} else if !domain.Is(err, domain.NotFound) {
		return factor.Holder{}, err
	}
	return holderOf(u, domain.Credentials{}), nil
}
