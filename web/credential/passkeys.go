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

// The purposes of challenges. An answer to a challenge for one purpose is invalid for another.
const (
	ForLogin        = "login"
	ForSecondFactor = "second"
	ForConfirmation = "confirm"
	ForNewPasskey   = "new"
	ForSignup       = "signup"
)

// pendingChallenge is the stored payload of a challenge until it is answered.
type pendingChallenge struct {
	For   string          `json:"for"`
	State json.RawMessage `json:"state"`
}

// SaveChallenge stores a challenge until it is answered. The user id is empty for a log-in whose
// user is not yet known. -
func (f *Factors) SaveChallenge(ctx context.Context, userID, purpose string, asked factor.Challenge) error {
	payload, err := json.Marshal(pendingChallenge{purpose, asked.State})
	if err != nil {
		return err
	}
	return f.Secrets.Put(ctx, domain.Secret{Kind: domain.SecretPasskey, Digest: domain.SecretDigest(asked.ID),
		UserID:  userID,
		Payload: payload, Expires: time.Now().Add(factor.ChallengeLifetime)})
}

var (
	errNoPasskey = domain.FieldError("passkey", "No passkey was used. Try again or log in another way.")
	// ErrPasskeyTooLate is the form error for an expired or used challenge.
	ErrPasskeyTooLate = domain.FieldError("passkey", "This took too long or was sent twice. Use your passkey again.")
	// ErrUnknownPasskey is the form error for a passkey of no account, or not of the expected one.
	ErrUnknownPasskey = domain.FieldError("passkey",
		"This passkey doesn't belong to any account here. It may have been removed.")
)

// takeChallenge removes the challenge that the response answers, which must have this purpose. It
// returns the challenge's user or, if that is not known, the user that the response claims to be
// from.
func (f *Factors) takeChallenge(ctx context.Context, purpose, answer string) (userID string, state []byte, err error) {
	if answer == "" {
		return "", nil, errNoPasskey
	}
	id, claimed, err := factor.ParseAnswer([]byte(answer))
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
	var what pendingChallenge
	if json.Unmarshal(secret.Payload, &what) != nil || what.For != purpose {
		return "", nil, ErrPasskeyTooLate
	}
	if secret.UserID == "" {
		return claimed, what.State, nil
	}
	return secret.UserID, what.State, nil
}

// CheckPasskey checks the response of a passkey, stores its new state and returns its user. asked
// is the user whose passkey it must be; empty: any user's.
func (f *Factors) CheckPasskey(ctx context.Context, at factor.Site, purpose, asked,
	answer string) (userID string, err error) {
	if at == (factor.Site{}) {
		return "", errNoPasskey // the site has no passkeys
	}
	userID, state, err := f.takeChallenge(ctx, purpose, answer)
	if err != nil {
		return "", err
	}
	if asked != "" && userID != asked || !domain.IsUserID(userID) {
		return "", ErrUnknownPasskey
	}
	err = f.Change(ctx, userID, func(c *domain.Credentials) error {
		used, err := at.FinishLogin(factor.Account{ID: userID, Passkeys: c.Passkeys}, state, []byte(answer), time.Now())
		if err != nil {
			return err
		}
		for i, p := range c.Passkeys {
			if p.ID == used.ID {
				c.Passkeys = append(append(c.Passkeys[:i:i], used), c.Passkeys[i+1:]...)
			}
		}
		return nil
	}, nil)
	if domain.Is(err, domain.NotFound) {
		err = ErrUnknownPasskey // the account was deleted
	}
	return userID, err
}

// FinishRegistration checks the response to a challenge for a new passkey. It returns the passkey
// and its user.
func (f *Factors) FinishRegistration(c echo.Context, s *site.Site, purpose,
	answer string) (p domain.Passkey, userID string, err error) {
	at, ok := PasskeySite(s, c)
	if !ok {
		return domain.Passkey{}, "", errNoPasskey
	}
	userID, state, err := f.takeChallenge(c.Request().Context(), purpose, answer)
	if err != nil {
		return domain.Passkey{}, "", err
	}
	p, err = at.FinishRegistration(factor.Account{ID: userID}, state, []byte(answer), time.Now())
	return p, userID, err
}

// PasskeySite returns the site that passkeys are created for at this address. It reports false if
// there can be none.
func PasskeySite(s *site.Site, c echo.Context) (factor.Site, bool) {
	return factor.ParseSite(s.BaseURL(c), s.Info().Title())
}

// SupportsPasskeys reports whether the site can have passkeys at this address.
func SupportsPasskeys(s *site.Site, c echo.Context) bool {
	_, ok := PasskeySite(s, c)
	return ok
}
