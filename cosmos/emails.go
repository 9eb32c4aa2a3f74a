package cosmos

import (
	"context"
	"net/http"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// emailItem has a verified e-mail address for one account, in a partition of its own, by a
// digest of the address. It counts only while the owner's credentials say that they have the
// address: what was left by a crash is whoever's next verifies it.
type emailItem struct {
	ID      string `json:"id"`
	Type    string `json:"type"`
	UserID  string `json:"userId"` // the id too: the partition
	OwnerID string `json:"ownerId"`
	// Since is when somebody began to verify the address, and is gone when that is done.
	Since *schema.Instant `json:"sinceDate,omitempty"`
	ETag  string          `json:"_etag,omitempty"`
}

// claims tells whether credentials say that they have the address of that id.
func claims(c domain.Credentials, id string) bool {
	return c.EmailVerified && schema.EmailID(c.Email) == id
}

// VerifyEmail gives a user an e-mail address that was proved to be the user's, in place of
// the former one, which it returns if that was verified. It takes the credentials as the
// caller has read them, and answers Conflict when they have changed since. An address that
// another account has is an Invalid error about "email".
func (u *Users) VerifyEmail(ctx context.Context, c domain.Credentials, email string) (former string, err error) {
	ctx = client.Operation(ctx, "verify-email")
	userID := c.UserID
	if !domain.IsUserID(userID) {
		return "", schema.ErrNoUser()
	}
	id := schema.EmailID(email)
	if err := u.claimEmail(ctx, id, userID); err != nil {
		return "", client.Translate(err)
	}
	if c.EmailVerified && c.Email != email {
		former = c.Email
	}
	c.Email, c.EmailVerified, c.PendingEmail = email, true, ""
	_, err = u.SetCredentials(ctx, c)
	if domain.Is(err, domain.NotFound) { // the account was deleted meanwhile
		_ = u.freeReservation(ctx, id, userID)
		return "", err
	}
	if err != nil {
		return "", err
	}
	// What fails from here on leaves nothing that counts.
	var settled azcosmos.PatchOperations
	settled.SetCondition("from c where c.ownerId = '" + userID + "' and is_defined(c.sinceDate)")
	settled.AppendRemove("/sinceDate")
	_ = u.c.Patch(ctx, id, id, settled)
	if former != "" {
		_ = u.freeEmail(ctx, schema.EmailID(former), userID)
	}
	return former, nil
}

// RemoveEmail removes a user's address, verified or not, and returns it. It takes the
// credentials as the caller has read them, and answers Conflict when they have changed since.
func (u *Users) RemoveEmail(ctx context.Context, c domain.Credentials) (former string, err error) {
	ctx = client.Operation(ctx, "remove-email")
	former, c.Email, c.EmailVerified, c.PendingEmail = c.Email, "", false, ""
	if _, err := u.SetCredentials(ctx, c); err != nil {
		return "", err
	}
	if former != "" {
		_ = u.freeEmail(ctx, schema.EmailID(former), c.UserID)
	}
	return former, nil
}

// AccountByEmail is Account of who has verified an e-mail address: three point reads.
func (u *Users) AccountByEmail(ctx context.Context, email string) (domain.User, error) {
	ctx = client.Operation(ctx, "user-by-email")
	id := schema.EmailID(email)
	item, err := client.Read[emailItem](ctx, u.c, id, id)
	if client.Missing(err) {
		return domain.User{}, schema.ErrNoUser()
	}
	if err != nil {
		return domain.User{}, client.Translate(err)
	}
	c, err := u.Credentials(ctx, item.OwnerID)
	if err == nil && !claims(c, id) {
		err = schema.ErrNoUser()
	}
	if err != nil {
		return domain.User{}, err
	}
	return u.account(ctx, item.OwnerID)
}

// claimEmail takes an address for a user who is about to say so in the credentials. For
// some minutes nobody takes it away, whatever they say.
func (u *Users) claimEmail(ctx context.Context, id, userID string) error {
	now := schema.Instant(time.Now())
	mine := emailItem{ID: id, Type: schema.TypeEmail, UserID: id, OwnerID: userID, Since: &now}
	for attempt := 1; ; attempt++ {
		err := u.c.Create(ctx, id, mine)
		if client.StatusOf(err) != http.StatusConflict {
			return err
		}
		item, err := client.Read[emailItem](ctx, u.c, id, id)
		if err == nil && item.OwnerID != userID {
			if err := u.mayTake(ctx, item); err != nil {
				return err
			}
		}
		if err == nil {
			err = u.c.Replace(ctx, id, id, item.ETag, mine)
		}
		if err == nil || !client.Missing(err) && client.StatusOf(err) != http.StatusPreconditionFailed || attempt == client.RewriteAttempts {
			return err
		}
	}
}

// mayTake tells whether an address that another account has is free nevertheless.
func (u *Users) mayTake(ctx context.Context, item emailItem) error {
	c, err := u.Credentials(ctx, item.OwnerID)
	switch {
	case err != nil && !domain.Is(err, domain.NotFound):
		return err
	case err == nil && claims(c, item.ID):
		return domain.ErrEmailTaken
	case item.underWay():
		return domain.Errorf(domain.Conflict, "Another account is verifying this address right now. Please try again in a few minutes.")
	}
	return nil
}

func (i emailItem) underWay() bool {
	return time.Since(i.Since.Time()) < ReservationTime
}

// freeEmail lets go of an address that the user has no more, unless it is being verified
// again.
func (u *Users) freeEmail(ctx context.Context, id, userID string) error {
	for attempt := 1; ; attempt++ {
		item, err := client.Read[emailItem](ctx, u.c, id, id)
		if client.Missing(err) || err == nil && (item.OwnerID != userID || item.underWay()) {
			return nil
		}
		if err != nil {
			return err
		}
		c, err := u.Credentials(ctx, userID)
		if err == nil && claims(c, id) {
			return nil
		}
		if err == nil || domain.Is(err, domain.NotFound) {
			err = u.c.DeleteVersion(ctx, id, id, item.ETag)
		}
		if client.StatusOf(err) != http.StatusPreconditionFailed || attempt == client.RewriteAttempts {
			return err
		}
		if err := client.PauseAfter(ctx, attempt); err != nil {
			return err
		}
	}
}
