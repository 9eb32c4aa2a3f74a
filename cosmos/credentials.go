package cosmos

import (
	"context"
	"crypto/rand"
	"net/http"

	"inkfeed/domain"
)

// credentialsItem is apart from the user so that reading one never carries a secret. The
// change feed shows it to the users projector, which passes it over.
type credentialsItem struct {
	ID            string           `json:"id"`
	Type          string           `json:"type"`
	UserID        string           `json:"userId"`
	PasswordHash  string           `json:"passwordHash,omitempty"`
	Email         string           `json:"email,omitempty"`
	EmailVerified bool             `json:"emailVerified,omitempty"`
	PendingEmail  string           `json:"pendingEmail,omitempty"`
	TOTP          []byte           `json:"totp,omitempty"`
	TOTPStep      int64            `json:"totpStep,omitempty"`
	Recovery      []string         `json:"recovery,omitempty"`
	Passkeys      []domain.Passkey `json:"passkeys,omitempty"`
	Version       int              `json:"version,omitempty"` // absent: 0, of an account from before there were versions
	// Write is random, and each write's own: it tells one whose answer was lost from
	// another's that changed the same.
	Write string `json:"write,omitempty"`
	ETag  string `json:"_etag,omitempty"`
}

const credentialsID = "credentials"

func credentialsItemOf(c domain.Credentials) credentialsItem {
	return credentialsItem{ID: credentialsID, Type: typeCredentials, UserID: c.UserID, PasswordHash: c.PasswordHash,
		Email: c.Email, EmailVerified: c.EmailVerified, PendingEmail: c.PendingEmail, TOTP: c.TOTP, TOTPStep: c.TOTPStep, Recovery: c.Recovery,
		Passkeys: c.Passkeys, Version: c.Version}
}

func (i credentialsItem) domain() domain.Credentials {
	return domain.Credentials{UserID: i.UserID, PasswordHash: i.PasswordHash, Email: i.Email, EmailVerified: i.EmailVerified, PendingEmail: i.PendingEmail,
		TOTP: i.TOTP, TOTPStep: i.TOTPStep, Recovery: i.Recovery, Passkeys: i.Passkeys, Version: i.Version}
}

// Credentials reads how a user proves to be one: a point read.
func (u *Users) Credentials(ctx context.Context, userID string) (domain.Credentials, error) {
	if !domain.IsUserID(userID) {
		return domain.Credentials{}, errNoUser()
	}
	item, err := read[credentialsItem](operation(ctx, "credentials"), u.c, userID, credentialsID)
	return item.domain(), translate(err)
}

// PasswordHash is that of Credentials, empty: the user has no password.
func (u *Users) PasswordHash(ctx context.Context, userID string) (string, error) {
	credentials, err := u.Credentials(ctx, userID)
	return credentials.PasswordHash, err
}

// SetCredentials writes what Credentials read and its caller changed, and returns it as
// it has become. It answers Conflict when another change came first.
func (u *Users) SetCredentials(ctx context.Context, c domain.Credentials) (domain.Credentials, error) {
	ctx = operation(ctx, "set-credentials")
	item, err := read[credentialsItem](ctx, u.c, c.UserID, credentialsID)
	if err != nil {
		return domain.Credentials{}, translate(err)
	}
	if item.Version != c.Version {
		return domain.Credentials{}, errCredentialsChanged()
	}
	c.Version++
	next := credentialsItemOf(c)
	next.Write = rand.Text()
	err = u.c.replace(ctx, c.UserID, credentialsID, item.ETag, next)
	if statusOf(err) != http.StatusPreconditionFailed {
		return c, translate(err)
	}
	now, err := read[credentialsItem](ctx, u.c, c.UserID, credentialsID)
	if err != nil {
		return domain.Credentials{}, translate(err)
	}
	if now.Write != next.Write {
		return domain.Credentials{}, errCredentialsChanged()
	}
	return c, nil // this call's own earlier attempt
}

func errCredentialsChanged() error {
	return domain.Errorf(domain.Conflict, "The ways to log in were changed meanwhile. Please look at them again.")
}

// SetPassword gives a user a password, besides the other ways to log in.
func (u *Users) SetPassword(ctx context.Context, userID, hash string) error {
	return u.changeCredentials(operation(ctx, "set-password"), userID, func(c *domain.Credentials) { c.PasswordHash = hash })
}

// ClearFactors takes away what a user has besides the password, for one who has lost it
// all: the codes, their recovery codes and the passkeys. Who has no password keeps the
// passkeys, which are the only way in.
func (u *Users) ClearFactors(ctx context.Context, userID string) (domain.Credentials, error) {
	for {
		c, err := u.Credentials(ctx, userID)
		if err != nil {
			return domain.Credentials{}, err
		}
		c, changed := c.WithoutFactors()
		if !changed {
			return c, nil
		}
		c, err = u.SetCredentials(ctx, c)
		if !domain.Is(err, domain.Conflict) {
			return c, err
		}
	}
}
