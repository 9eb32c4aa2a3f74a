package credential

import (
	"context"
	"slices"
	"time"

	"inkfeed/domain"
	"inkfeed/web/factor"
)

// Factors checks what proves who somebody is, and has each code taken once.
type Factors struct {
	Store
	Sealer    *factor.Sealer
	Passwords Hasher
}

// changeAttempts is how often a change is tried that others keep coming before.
const changeAttempts = 5

// Change changes a user's credentials as they are, however often others come first. The
// error of change is returned, and then nothing is written.
func (f *Factors) Change(ctx context.Context, userID string, change func(*domain.Credentials) error) error {
	for attempt := 1; ; attempt++ {
		c, err := f.Users.Credentials(ctx, userID)
		if err != nil {
			return err
		}
		if err := change(&c); err != nil {
			return err
		}
		_, err = f.Users.SetCredentials(ctx, c)
		if attempt == changeAttempts || !domain.Is(err, domain.Conflict) {
			return err
		}
	}
}

// What a sealed secret is for, so that none can be taken for another.
const (
	SealedTOTP  = "totp"
	SealedEnrol = "enrol" // shown to a user who has not proved to have it
)

var (
	ErrNoCode = domain.FieldError("code", "Enter a code.")
	// errWrongCode does not say whether the code was right once.
	errWrongCode = domain.FieldError("code",
		"This code is wrong or was already used. Codes in an app change every 30 seconds.")
)

// TakeCode takes a code of the user's app, or a recovery code: each is good once.
func (f *Factors) TakeCode(ctx context.Context, userID, typed string) error {
	if typed == "" {
		return ErrNoCode
	}
	return f.Change(ctx, userID, func(c *domain.Credentials) error {
		if len(c.TOTP) == 0 {
			return errWrongCode // turned off meanwhile
		}
		if code, ok := factor.ParseRecoveryCode(typed); ok {
			i := slices.Index(c.Recovery, factor.RecoveryDigest(userID, code))
			if i < 0 {
				return errWrongCode
			}
			c.Recovery = slices.Delete(slices.Clone(c.Recovery), i, i+1)
			return nil
		}
		secret, err := f.Sealer.Open(userID, SealedTOTP, c.TOTP)
		if err != nil {
			return &domain.Error{Kind: domain.Invalid, Err: err, Fields: map[string]string{
				"code": "We can't check codes from your app any more. Use a recovery code or a passkey."}}
		}
		step, ok := factor.TOTPStep(secret, typed, time.Now(), c.TOTPStep)
		if !ok {
			return errWrongCode
		}
		// Sealed anew, so that former keys of the site are needed no longer.
		c.TOTP, c.TOTPStep = f.Sealer.Seal(userID, SealedTOTP, secret), step
		return nil
	})
}

var ErrNoPassword = domain.FieldError("password", "Enter your password.")

// CheckPassword reports whether a password is the user's, as an Invalid error about it. It
// takes the same time for a user who has none.
func (f *Factors) CheckPassword(ctx context.Context, c domain.Credentials, password string) error {
	if password == "" {
		return ErrNoPassword
	}
	if domain.CheckPassword(password) != nil {
		return ErrNotYours // nobody's, and perhaps too long to hash
	}
	match, err := f.Passwords.Verify(ctx, password, c.PasswordHash)
	if err == nil && !match {
		err = ErrNotYours
	}
	return err
}

// ErrNotYours says that the password is not the user's.
var ErrNotYours = domain.FieldError("password", "Wrong password.")
