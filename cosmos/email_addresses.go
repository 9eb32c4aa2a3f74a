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

// EmailAddresses stores verified e-mail addresses: each in its owner's credentials, and as a reservation in a partition
// of its own in the container users.
type EmailAddresses struct {
	c           *client.Container
	users       *Users
	credentials *Credentials
}

// emailItem reserves a verified e-mail address for one account. It is in a partition of its own, whose
// key contains a digest of the address. The reservation counts only while the owner's credentials have
// the address. Another user can take over a reservation that was left by a crash.
type emailItem struct {
	ID      string `json:"id"`
	Type    string `json:"type"`
	UserID  string `json:"userId"` // the id too: the partition
	OwnerID string `json:"ownerId"`
	// Since is when the owner began to verify the address. It is removed when that is done.
	Since *schema.Instant `json:"sinceDate,omitempty"`
	ETag  string          `json:"_etag,omitempty"`
}

// claims reports whether credentials have the verified address of the reservation with that id.
func claims(c domain.Credentials, id string) bool {
	return c.EmailVerified && schema.EmailID(c.Email) == id
}

// Verify sets a user's verified e-mail address. It returns the former address if that was
// verified. The credentials are those that the caller has read; Verify returns Conflict if they
// have changed since. An address that another account has is an Invalid error for the field "email". The deliveries
// that the change causes are stored with it: see Credentials.Set.
func (s *EmailAddresses) Verify(ctx context.Context, c domain.Credentials, email string,
	outgoing ...domain.Delivery) (former string, err error) {
	ctx = client.Writes("verify-email").In(ctx)
	userID := c.UserID
	if !domain.IsUserID(userID) {
		return "", schema.ErrNoUser()
	}
	id := schema.EmailID(email)
	if err := s.claim(ctx, id, userID); err != nil {
		return "", client.Translate(err)
	}
	if c.EmailVerified && c.Email != email {
		former = c.Email
	}
	c.Email, c.EmailVerified, c.PendingEmail = email, true, ""
	_, err = s.credentials.Set(ctx, c, outgoing...)
	if domain.Is(err, domain.NotFound) { // the account was deleted meanwhile
		_ = freeReservation(ctx, s.c, id, userID)
		return "", err
	}
	if err != nil {
		return "", err
	}
	// The address is set. If the following writes fail, the reservations that remain do not count.
	var settled azcosmos.PatchOperations
	settled.SetCondition("from c where c.ownerId = '" + userID + "' and is_defined(c.sinceDate)")
	settled.AppendRemove("/sinceDate")
	_ = s.c.Patch(ctx, id, id, settled)
	if former != "" {
		_ = s.free(ctx, schema.EmailID(former), userID)
	}
	return former, nil
}

// Remove removes a user's address, verified or not, and returns it. The credentials are those
// that the caller has read; Remove returns Conflict if they have changed since. The deliveries that the change causes
// are stored with it.
func (s *EmailAddresses) Remove(ctx context.Context, c domain.Credentials,
	outgoing ...domain.Delivery) (former string, err error) {
	ctx = client.Writes("remove-email").In(ctx)
	former, c.Email, c.EmailVerified, c.PendingEmail = c.Email, "", false, ""
	if _, err := s.credentials.Set(ctx, c, outgoing...); err != nil {
		return "", err
	}
	if former != "" {
		_ = s.free(ctx, schema.EmailID(former), c.UserID)
	}
	return former, nil
}

// Owner reads the owner of a verified e-mail address, as Account does. It makes three point reads.
func (s *EmailAddresses) Owner(ctx context.Context, email string) (domain.User, error) {
	ctx = client.Reads("user-by-email").In(ctx)
	id := schema.EmailID(email)
	item, err := client.Read[emailItem](ctx, s.c, id, id)
	if client.Missing(err) {
		return domain.User{}, schema.ErrNoUser()
	}
	if err != nil {
		return domain.User{}, client.Translate(err)
	}
	c, err := s.credentials.Get(ctx, item.OwnerID)
	if err == nil && !claims(c, id) {
		err = schema.ErrNoUser()
	}
	if err != nil {
		return domain.User{}, err
	}
	return s.users.account(ctx, item.OwnerID)
}

// claim reserves an address for a user whose credentials are about to get it. For
// ReservationTime, no other user can take the reservation over.
func (s *EmailAddresses) claim(ctx context.Context, id, userID string) error {
	now := schema.Instant(time.Now())
	mine := emailItem{ID: id, Type: schema.TypeEmail, UserID: id, OwnerID: userID, Since: &now}
	return client.Rewrite(ctx, func() error {
		err := s.c.Create(ctx, id, mine)
		if client.StatusOf(err) != http.StatusConflict {
			return err
		}
		item, err := client.Read[emailItem](ctx, s.c, id, id)
		if err == nil && item.OwnerID != userID {
			if err := s.checkTakeover(ctx, item); err != nil {
				return err
			}
		}
		if err == nil {
			err = s.c.Replace(ctx, id, id, item.ETag, mine)
		}
		return client.AgainIf(client.Missing(err) || client.ConditionFailed(err), err)
	})
}

// checkTakeover returns an error if another account's reservation of an address still counts.
func (s *EmailAddresses) checkTakeover(ctx context.Context, item emailItem) error {
	c, err := s.credentials.Get(ctx, item.OwnerID)
	switch {
	case err != nil && !domain.Is(err, domain.NotFound):
		return err
	case err == nil && claims(c, item.ID):
		return domain.ErrEmailTaken
	case item.verifying():
		return domain.NewError(domain.Conflict,
			"Another account is verifying this address right now. Please try again in a few minutes.")
	}
	return nil
}

// verifying reports whether the owner may still be verifying the address.
func (i emailItem) verifying() bool {
	return time.Since(i.Since.Time()) < ReservationTime
}

// free deletes the reservation of an address that the user no longer has, unless the user is verifying it again.
func (s *EmailAddresses) free(ctx context.Context, id, userID string) error {
	return client.Rewrite(ctx, func() error {
		item, err := client.Read[emailItem](ctx, s.c, id, id)
		if client.Missing(err) || err == nil && (item.OwnerID != userID || item.verifying()) {
			return nil
		}
		if err != nil {
			return err
		}
		c, err := s.credentials.Get(ctx, userID)
		if err == nil && claims(c, id) {
			return nil
		}
		if err == nil || domain.Is(err, domain.NotFound) {
			err = s.c.DeleteVersion(ctx, id, id, item.ETag)
		}
		return client.AgainLaterIf(client.ConditionFailed(err), err)
	})
}

// freeReservation deletes a reservation if the user still owns it. Another worker may have freed it
// already, and another user may have taken it since.
func freeReservation(ctx context.Context, c *client.Container, name, ownerID string) error {
	return client.Rewrite(ctx, func() error {
		item, err := client.Read[usernameItem](ctx, c, name, name)
		if err == nil && item.OwnerID != ownerID {
			return nil
		}
		if err == nil {
			err = c.DeleteVersion(ctx, name, name, item.ETag)
		}
		if client.Missing(err) {
			return nil
		}
		// A failed precondition means that the reservation was confirmed, or taken by another user.
		if client.ConditionFailed(err) {
			return client.AgainLaterIf(true, errContestedName(err))
		}
		return err
	})
}

// eraseReservations deletes the items of a user that have partitions of their own: usernames, skeletons, the e-mail
// address, and links to drafts that were published or deleted while the link was created.
func (s *AccountDeletions) eraseReservations(ctx context.Context, userID string) error {
	var reservations, links []string
	err := client.Scan(ctx, s.c, `SELECT c.id, c.type FROM c
		WHERE c.type IN ('username', 'skeleton', 'preview', 'email') AND c.ownerId = @user`,
		client.Parameters{"user": userID}, func(owned usernameItem) error {
			if owned.Type == schema.TypePreview {
				links = append(links, owned.ID)
			} else {
				reservations = append(reservations, owned.ID)
			}
			return nil
		})
	if err != nil {
		return err
	}
	for _, link := range links {
		if err := s.c.Delete(ctx, link, link); err != nil && !client.Missing(err) {
			return err
		}
	}
	for _, reservation := range reservations {
		if err := freeReservation(ctx, s.c, reservation, userID); err != nil {
			return err
		}
	}
	return nil
}
