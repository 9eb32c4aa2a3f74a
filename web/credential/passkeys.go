package credential

import (
	"context"
	"encoding/json"
	"time"

	"github.com/labstack/echo/v4"

	"inkfeed/domain"
	"inkfeed/web/factor"
	"inkfeed/web/site"
)

// What an answer of a passkey is for: one to one challenge is none to another.
const (
	ForLogin        = "login"
	ForSecondFactor = "second"
	ForConfirmation = "confirm"
	ForNewPasskey   = "new"
	ForSignup       = "signup"
)

// ceremony is what is kept of a challenge until it is answered.
type ceremony struct {
	For   string          `json:"for"`
	State json.RawMessage `json:"state"`
}

// Expect keeps a challenge until it is answered. Of a log-in nobody knows the user.
func (f *Factors) Expect(ctx context.Context, userID, purpose string, asked factor.Challenge) error {
	payload, err := json.Marshal(ceremony{purpose, asked.State})
	if err != nil {
		return err
	}
	return f.Secrets.Put(ctx, domain.Secret{Kind: domain.SecretPasskey, Digest: domain.SecretDigest(asked.ID),
		UserID:  userID,
		Payload: payload, Expires: time.Now().Add(factor.ChallengeTime)})
}

var (
	errNoPasskey      = domain.FieldError("passkey", "No passkey was used. Try again or log in another way.")
	ErrPasskeyTooLate = domain.FieldError("passkey", "This took too long or was sent twice. Use your passkey again.")
	ErrUnknownPasskey = domain.FieldError("passkey",
		"This passkey doesn't belong to any account here. It may have been removed.")
)

// answered takes the challenge that an answer is to, which must be of that purpose, and
// says whose answer it is to be.
func (f *Factors) answered(ctx context.Context, purpose, answer string) (userID string, state []byte, err error) {
	if answer == "" {
		return "", nil, errNoPasskey
	}
	id, claimed, err := factor.Answerer([]byte(answer))
	if err != nil {
		return "", nil, err
	}
	secret, err := f.Secrets.Take(ctx, domain.SecretPasskey, domain.SecretDigest(id))
	if domain.Is(err, domain.NotFound) {
		return "", nil, ErrPasskeyTooLate
	}
	if err != nil {
		return "", nil, err
	}
	var what ceremony
	if json.Unmarshal(secret.Payload, &what) != nil || what.For != purpose {
		return "", nil, ErrPasskeyTooLate
	}
	if secret.UserID == "" {
		return claimed, what.State, nil
	}
	return secret.UserID, what.State, nil
}

// ProvePasskey checks the answer of a passkey and notes its use. It is the user's whose
// passkey it is; asked is who must be that user, empty: anybody.
func (f *Factors) ProvePasskey(ctx context.Context, at factor.Site, purpose, asked,
	answer string) (userID string, err error) {
	if at == (factor.Site{}) {
		return "", errNoPasskey // where there are none
	}
	userID, state, err := f.answered(ctx, purpose, answer)
	if err != nil {
		return "", err
	}
	if asked != "" && userID != asked || !domain.IsUserID(userID) {
		return "", ErrUnknownPasskey
	}
	err = f.Change(ctx, userID, func(c *domain.Credentials) error {
		used, err := at.Answered(factor.Holder{ID: userID, Passkeys: c.Passkeys}, state, []byte(answer), time.Now())
		if err != nil {
			return err
		}
		for i, p := range c.Passkeys {
			if p.ID == used.ID {
				c.Passkeys = append(append(c.Passkeys[:i:i], used), c.Passkeys[i+1:]...)
			}
		}
		return nil
	})
	if domain.Is(err, domain.NotFound) {
		err = ErrUnknownPasskey // the account is deleted
	}
	return userID, err
}

// Registered checks the answer to a challenge for a new passkey, and says whose it is.
func (f *Factors) Registered(c echo.Context, s *site.Site, purpose,
	answer string) (p domain.Passkey, userID string, err error) {
	at, ok := PasskeySite(s, c)
	if !ok {
		return domain.Passkey{}, "", errNoPasskey
	}
	userID, state, err := f.answered(c.Request().Context(), purpose, answer)
	if err != nil {
		return domain.Passkey{}, "", err
	}
	p, err = at.Registered(factor.Holder{ID: userID}, state, []byte(answer), time.Now())
	return p, userID, err
}

// PasskeySite is what passkeys are made for at this address, and whether there can be any.
func PasskeySite(s *site.Site, c echo.Context) (factor.Site, bool) {
	return factor.SiteAt(s.BaseURL(c))
}

// TakesPasskeys tells whether a page offers what passkeys do.
func TakesPasskeys(s *site.Site, c echo.Context) bool {
	_, ok := PasskeySite(s, c)
	return ok
}
