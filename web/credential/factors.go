// Package credential checks passwords, second factors and passkeys, and mails the secrets and
// notices about them.
package credential

import (
	"context"
	"slices"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/web/factor"
	"inkfeed/web/seal"
)

// Factors checks passwords, codes and passkeys. It makes sure that each code and each challenge is
// accepted once.
type Factors struct {
	Store
	Sealer    *seal.Sealer
	Passwords Hasher
}

// changeAttempts is how often Change tries when concurrent changes conflict.
const changeAttempts = 5

// Change applies a function to a user's current credentials and stores them, with the deliveries that notice returns
// for the credentials before the change, unless notice is nil. It tries again after concurrent changes. An error of the
// function is returned, and nothing is stored.
func (f *Factors) Change(ctx context.Context, userID string, change func(*domain.Credentials) error,
	notice func(before domain.Credentials) []domain.Delivery) error {
	for attempt := 1; ; attempt++ {
		c, err := f.Credentials.Get(ctx, userID)
		if err != nil {
			return err
		}
		before := c
		if err := change(&c); err != nil {
			return err
		}
		var outgoing []domain.Delivery
		if notice != nil {
			outgoing = notice(before)
		}
		_, err = f.Credentials.Set(ctx, c, outgoing...)
		if attempt == changeAttempts || !domain.Is(err, domain.Conflict) {
			return err
		}
	}
}

// Purposes of sealed secrets, so that a secret for one purpose is invalid for another.
const (
	SealTOTP      = "totp"
	SealEnrolment = "enrol" // a secret that the user has not yet confirmed with a code
)

var (
	// ErrNoCode is the form error for a missing code.
	ErrNoCode = domain.FieldError("code", "Enter a code.")
	// errWrongCode does not reveal whether the code was valid before.
	errWrongCode = domain.FieldError("code",
		"This code is wrong or was already used. Codes in an app change every 30 seconds.")
)

// TakeCode checks a code of the user's app, or a recovery code, and marks it as used.
func (f *Factors) TakeCode(ctx context.Context, userID, typed string) error {
	if typed == "" {
		return ErrNoCode
	}
	return f.Change(ctx, userID, func(c *domain.Credentials) error {
		if len(c.TOTP) == 0 {
			return errWrongCode // turned off in the meantime
		}
		if code, ok := factor.ParseRecoveryCode(typed); ok {
			i := slices.Index(c.Recovery, factor.RecoveryDigest(userID, code))
			if i < 0 {
				return errWrongCode
			}
			c.Recovery = slices.Delete(slices.Clone(c.Recovery), i, i+1)
			return nil
		}
		secret, err := f.Sealer.Open(userID, SealTOTP, c.TOTP)
		if err != nil {
			return &domain.Error{Kind: domain.Invalid, Err: err, Fields: map[string]locale.Message{
				"code": locale.M("We can't check codes from your app any more. Use a recovery code or a passkey.")}}
		}
		step, ok := factor.MatchTOTP(secret, typed, time.Now(), c.TOTPStep)
		if !ok {
			return errWrongCode
		}
		// Encrypted again with the first key, so that older keys can be removed from the
		// configuration.
		c.TOTP, c.TOTPStep = f.Sealer.Seal(userID, SealTOTP, secret), step
		return nil
	}, nil)
}

// ErrNoPassword is the form error for a missing password.
var ErrNoPassword = domain.FieldError("password", "Enter your password.")

// CheckPassword fails with ErrNoPassword or ErrWrongPassword unless the password is the user's. It
// takes the same time for a user without a password.
func (f *Factors) CheckPassword(ctx context.Context, c domain.Credentials, password string) error {
	if password == "" {
		return ErrNoPassword
	}
	if domain.CheckPassword(password) != nil {
		return ErrWrongPassword // no user can have it, and it may be too long to hash
	}
	match, err := f.Passwords.Verify(ctx, password, c.PasswordHash)
	if err == nil && !match {
		err = ErrWrongPassword
	}
	return err
}

// ErrWrongPassword is the form error for a password that is not the user's.
var ErrWrongPassword = domain.FieldError("password", "Wrong password.")
