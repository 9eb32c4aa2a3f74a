package cosmos

import (
	"context"
	"crypto/rand"
	"fmt"
	"slices"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/deliveries"
	"inkfeed/cosmos/dependency"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// Credentials stores passwords, second factors and addresses: one item in each user's partition of the container users.
// It also ends sessions, by raising the version of sessions in the user item.
type Credentials struct {
	c     *client.Container
	users *Users
}

// credentialsItem has a user's credentials. It is separate from the user so that reads of users never
// contain secrets. The users projector, which sees it in the change feed, ignores it.
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
	Version       int              `json:"version,omitempty"` // 0 in accounts from before there were versions
	// Write is a random text that each write sets anew, and EarlierWrites are those of the last writes
	// before it. They tell a call whether its own earlier attempt was carried out.
	Write         string   `json:"write,omitempty"`
	EarlierWrites []string `json:"earlierWrites,omitempty"`
	ETag          string   `json:"_etag,omitempty"`
}

// maxEarlierWrites is the maximum number of earlier writes in a credentials item. A call whose first attempt was
// carried out still fails if more than maxEarlierWrites other calls change the item before its next attempt.
const maxEarlierWrites = 4

// hasWrite reports whether the item is from this write, or from one of the few after it.
func (i credentialsItem) hasWrite(write string) bool {
	return i.Write == write || slices.Contains(i.EarlierWrites, write)
}

func credentialsItemOf(c domain.Credentials) credentialsItem {
	return credentialsItem{ID: schema.CredentialsID, Type: schema.TypeCredentials, UserID: c.UserID,
		PasswordHash: c.PasswordHash, Email: c.Email, EmailVerified: c.EmailVerified, PendingEmail: c.PendingEmail,
		TOTP: c.TOTP, TOTPStep: c.TOTPStep, Recovery: c.Recovery, Passkeys: c.Passkeys, Version: c.Version}
}

func (i credentialsItem) domain() domain.Credentials {
	return domain.Credentials{UserID: i.UserID, PasswordHash: i.PasswordHash, Email: i.Email,
		EmailVerified: i.EmailVerified, PendingEmail: i.PendingEmail, TOTP: i.TOTP, TOTPStep: i.TOTPStep,
		Recovery: i.Recovery, Passkeys: i.Passkeys, Version: i.Version}
}

// Get reads a user's credentials. It is a point read.
func (s *Credentials) Get(ctx context.Context, userID string) (domain.Credentials, error) {
	if !domain.IsUserID(userID) {
		return domain.Credentials{}, schema.ErrNoUser()
	}
	item, err := client.Read[credentialsItem](client.Reads("credentials").In(ctx), s.c, userID, schema.CredentialsID)
	return item.domain(), client.Translate(err)
}

// PasswordHash reads a user's password hash, which is empty if the user has no password.
func (s *Credentials) PasswordHash(ctx context.Context, userID string) (string, error) {
	credentials, err := s.Get(ctx, userID)
	return credentials.PasswordHash, err
}

// Set stores credentials that the caller has read with Get and changed, and returns them with their new version. It
// returns Conflict if another change came first. A change that ends sessions (domain.Credentials.EndsSessions) raises
// the user's session version in the same transaction, so no reader finds the new credentials with the old version. The
// deliveries that the change causes are stored in the same transaction, too.
func (s *Credentials) Set(ctx context.Context, c domain.Credentials,
	outgoing ...domain.Delivery) (domain.Credentials, error) {
	outer := ctx
	ctx = client.WritesOnly("set-credentials", 0).In(ctx)
	item, err := client.Read[credentialsItem](ctx, s.c, c.UserID, schema.CredentialsID)
	if err != nil {
		return domain.Credentials{}, client.Translate(err)
	}
	if item.Version != c.Version {
		return domain.Credentials{}, errCredentialsChanged()
	}
	ends := item.domain().EndsSessions(c)
	c.Version++
	next := credentialsItemOf(c)
	next.Write = rand.Text()
	if item.Write != "" {
		writes := append(item.EarlierWrites, item.Write)
		next.EarlierWrites = writes[max(0, len(writes)-maxEarlierWrites):]
	}
	batch := s.c.Batch(c.UserID)
	batch.ReplaceItem(schema.CredentialsID, client.Encode(next), client.IfMatch(item.ETag))
	if ends {
		ctx = client.WritesOnly("replace-credentials", dependency.FacetAccount).In(outer) // also updates the user
		var ops azcosmos.PatchOperations
		ops.AppendIncrement("/sessionVersion", 1)
		batch.PatchItem(c.UserID, ops, nil)
	}
	deliveries.AddTo(&batch, c.UserID, outgoing...)
	if ends || len(outgoing) > 0 {
		_, err = s.c.Execute(ctx, batch, false)
	} else { // a batch would make the page cache drop what shows the account
		err = s.c.Replace(ctx, c.UserID, schema.CredentialsID, item.ETag, next)
	}
	if !client.ConditionFailed(err) {
		return c, client.Translate(err)
	}
	now, err := client.Read[credentialsItem](ctx, s.c, c.UserID, schema.CredentialsID)
	if err != nil {
		return domain.Credentials{}, client.Translate(err)
	}
	if !now.hasWrite(next.Write) {
		return domain.Credentials{}, errCredentialsChanged()
	}
	return c, nil // written by an earlier attempt of this call
}

func errCredentialsChanged() error {
	return domain.NewError(domain.Conflict,
		"Your login settings were changed in another tab or on another device. Please check them again.")
}

// SetPassword sets a user's password and keeps the other credentials. It repeats the change if another one came first.
func (s *Credentials) SetPassword(ctx context.Context, userID, hash string) error {
	ctx = client.WritesOnly("set-password", dependency.FacetAccount).In(ctx)
	return client.Rewrite(ctx, func() error {
		c, err := s.Get(ctx, userID)
		if err != nil {
			return err
		}
		c.PasswordHash = hash
		_, err = s.Set(ctx, c)
		return client.AgainIf(domain.Is(err, domain.Conflict), err)
	})
}

// ClearFactors removes the second factors of a user who has lost them: the authenticator app, the recovery codes and
// the passkeys. A user without a password keeps the passkeys, which are the only way to log in.
func (s *Credentials) ClearFactors(ctx context.Context, userID string) (domain.Credentials, error) {
	cleared, err := client.RewriteReturning(ctx, func() (domain.Credentials, error) {
		c, err := s.Get(ctx, userID)
		if err != nil {
			return domain.Credentials{}, err
		}
		c, changed := c.WithoutFactors()
		if !changed {
			return c, nil
		}
		c, err = s.Set(ctx, c)
		return c, client.AgainLaterIf(domain.Is(err, domain.Conflict), err)
	})
	return cleared, client.Translate(err)
}

// EndSessions ends all sessions of a user, and the log-ins in progress, on behalf of one of the sessions. To keep that
// session, the caller raises its version by one with Sessions.SetVersion. Repeating a call changes nothing. EndSessions
// returns NotFound if the user is deleted or the session has ended.
func (s *Credentials) EndSessions(ctx context.Context, current domain.Session) error {
	userID, version := current.UserID, current.SessionVersion
	if !domain.IsUserID(userID) {
		return schema.ErrNoUser()
	}
	ctx = client.WritesOnly("end-sessions", dependency.FacetAccount).In(ctx)
	unchanged := fmt.Sprintf("c.sessionVersion = %d", version)
	if version == 0 {
		unchanged = "(not is_defined(c.sessionVersion) or " + unchanged + ")"
	}
	endedBy := fmt.Sprintf("%s %d", current.ID, version+1)
	var ops azcosmos.PatchOperations
	ops.SetCondition(schema.IfLive + " and " + unchanged)
	ops.AppendIncrement("/sessionVersion", 1)
	ops.AppendSet("/sessionsEndedBy", endedBy)
	err := s.c.Patch(ctx, userID, userID, ops)
	if !client.ConditionFailed(err) {
		return client.Translate(err)
	}
	item, err := s.users.accountItem(ctx, userID)
	if err == nil && (item.SessionVersion != version+1 || item.SessionsEndedBy != endedBy) {
		err = errNoSession()
	}
	return err // nil after an earlier attempt, or another request of the same session
}
