package cosmos

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/names"
)

// ReservationTime is how long a username stays reserved for a sign-up or rename that did not
// complete.
const ReservationTime = 5 * time.Minute

// usernameItem reserves a username or a skeleton for its owner. All usernames that look alike have
// the same skeleton. Each reservation has a partition of its own.
type usernameItem struct {
	ID      string `json:"id"`
	Type    string `json:"type"`
	UserID  string `json:"userId"` // equal to the id, and the partition key
	OwnerID string `json:"ownerId"`
	// Skeleton is the reserved skeleton, of which the id contains a digest.
	Skeleton string `json:"skeleton,omitempty"`
	// TTL is in seconds: positive until the reservation is confirmed, then -1.
	TTL  int    `json:"ttl"`
	ETag string `json:"_etag,omitempty"`
}

// nameReservation returns the reservation of a username. It makes the username unique, and finds the
// user by it.
func nameReservation(ownerID, username string) usernameItem {
	name := names.NameKey(username)
	return usernameItem{ID: name, Type: schema.TypeUsername, UserID: name, OwnerID: ownerID,
		TTL: int(ReservationTime.Seconds())}
}

// skeletonReservation returns the reservation of a username's skeleton. It prevents other users from
// taking names that look alike. All names of one user that look alike share it.
func skeletonReservation(ownerID, username string) usernameItem {
	skeleton := names.Skeleton(username)
	id := schema.SkeletonID(skeleton)
	return usernameItem{ID: id, Type: schema.TypeSkeleton, UserID: id, OwnerID: ownerID, Skeleton: skeleton,
		TTL: int(ReservationTime.Seconds())}
}

// reserve reserves a username and its skeleton for a user, unless the user has them already. It does
// not reserve the skeleton if the user's present username has the same one. The present username is
// empty for a sign-up.
func (u *Users) reserve(ctx context.Context, userID, username, present string) error {
	name := nameReservation(userID, username)
	taken, err := u.reserveOne(ctx, name)
	if err != nil {
		return err
	}
	if taken == reservedByOther {
		return domain.ErrUsernameTaken(username)
	}
	skeleton := skeletonReservation(userID, username)
	if present != "" && skeleton.Skeleton == names.Skeleton(present) {
		return nil
	}
	other, err := u.reserveOne(ctx, skeleton)
	if err == nil && other == reservedByOther {
		err = domain.ErrUsernameConfusable(username)
		if taken == reservedNow {
			_ = u.freeReservation(ctx, name.ID, userID) // after a failure, it expires
		}
	}
	return err
}

// CheckAvailable returns the error of a sign-up with this username if the name, or one that looks like it, is reserved.
// It reserves nothing.
func (u *Users) CheckAvailable(ctx context.Context, username string) error {
	for _, check := range []struct {
		id    string
		taken error
	}{
		{nameReservation("", username).ID, domain.ErrUsernameTaken(username)},
		{skeletonReservation("", username).ID, domain.ErrUsernameConfusable(username)},
	} {
		_, err := client.Read[usernameItem](readingUser.In(ctx), u.c, check.id, check.id)
		if err == nil {
			return check.taken
		}
		if !client.Missing(err) {
			return client.Translate(err)
		}
	}
	return nil
}

// reservation is the result of an attempt to reserve.
type reservation int

const (
	reservedNow reservation = iota
	reservedBefore
	reservedByOther
)

// reserveOne creates a reservation. A reservation that an earlier attempt has left gets its full time
// again, so that it cannot expire before the user is written.
func (u *Users) reserveOne(ctx context.Context, want usernameItem) (reservation, error) {
	err := u.c.Create(ctx, want.ID, want)
	if client.StatusOf(err) != http.StatusConflict {
		return reservedNow, err
	}
	item, err := client.Read[usernameItem](ctx, u.c, want.ID, want.ID)
	switch {
	case err == nil && (item.OwnerID != want.OwnerID || item.Type != want.Type):
		return reservedByOther, nil
	case err == nil && item.TTL == schema.Forever:
		return reservedBefore, nil
	case err == nil:
		err = u.setTTL(ctx, want, want.TTL)
	}
	if client.Missing(err) || client.ConditionFailed(err) {
		return reservedBefore, domain.NewError(domain.Conflict,
			"This username has just become available. Please try again.")
	}
	return reservedBefore, err
}

// setTTL changes the time to live of a reservation if the user still owns it. The reservation may
// have expired or been freed, and another user may have taken it since it was read.
func (u *Users) setTTL(ctx context.Context, item usernameItem, seconds int) error {
	var ops azcosmos.PatchOperations
	ops.SetCondition(fmt.Sprintf("from c where c.ownerId = '%s'", item.OwnerID))
	ops.AppendSet("/ttl", seconds)
	return u.c.Patch(ctx, item.ID, item.ID, ops)
}

// tryConfirm confirms the reservations of a username after the user was written. It ignores errors:
// the sign-up or rename has succeeded, and the users projector, which sees the user in the change
// feed, confirms the reservations too.
func (u *Users) tryConfirm(ctx context.Context, userID, username string) {
	_ = u.setTTL(ctx, nameReservation(userID, username), schema.Forever)
	_ = u.setTTL(ctx, skeletonReservation(userID, username), schema.Forever)
}

// ConfirmName makes sure that a user's username is reserved permanently, and so completes a sign-up
// or rename. It reports false if another user owns the name, which is possible only after the
// reservation has expired because no worker was running. verify reports this.
//
// ConfirmName also reserves the skeleton, which accounts from before skeletons lack. If another user
// has reserved the skeleton, both users keep their names.
func (u *Users) ConfirmName(ctx context.Context, user domain.User) (bool, error) {
	ctx = client.Writes("confirm-name").In(ctx)
	own, err := u.confirm(ctx, nameReservation(user.ID, user.Username))
	if err != nil || !own {
		return own, err
	}
	_, err = u.confirm(ctx, skeletonReservation(user.ID, user.Username))
	return true, err
}

// confirm makes sure that a user has a permanent reservation, unless the account was deleted in the
// meantime. It reports false if another user has the reservation.
func (u *Users) confirm(ctx context.Context, want usernameItem) (bool, error) {
	own, err := client.RewriteReturning(ctx, func() (bool, error) {
		item, err := client.Read[usernameItem](ctx, u.c, want.ID, want.ID)
		switch {
		case client.Missing(err):
			err = u.c.Create(ctx, want.ID, want)
			if err == nil {
				return u.confirmReserved(ctx, want)
			}
			if client.StatusOf(err) == http.StatusConflict {
				// Another user has taken it, or an earlier attempt of this call has created it.
				return false, client.AgainLaterIf(true, errContestedName(err))
			}
			return false, err
		case err != nil:
			return false, err
		case item.OwnerID != want.OwnerID || item.Type != want.Type:
			return false, nil
		case item.TTL == schema.Forever:
			return true, nil
		default:
			return u.confirmReserved(ctx, want)
		}
	})
	return own, client.Translate(err)
}

// confirmReserved makes a reservation permanent, or deletes it if the account has been deleted. A
// deletion marks the user before it looks for the user's reservations. So if the user is not marked
// here, a later deletion will find this reservation.
func (u *Users) confirmReserved(ctx context.Context, item usernameItem) (bool, error) {
	// A suspended user keeps the name.
	owner, err := client.Read[userItem](ctx, u.c, item.OwnerID, item.OwnerID)
	if client.Missing(err) || err == nil && owner.DeletionDate != nil {
		return true, client.Translate(u.freeReservation(ctx, item.ID, item.OwnerID))
	}
	if err != nil {
		return false, client.Translate(err)
	}
	err = u.setTTL(ctx, item, schema.Forever)
	if client.ConditionFailed(err) {
		return false, nil
	}
	return true, client.Translate(err)
}

// freeReservation deletes a reservation if the user still owns it. Another worker may have freed it
// already, and another user may have taken it since.
func (u *Users) freeReservation(ctx context.Context, name, ownerID string) error {
	return client.Rewrite(ctx, func() error {
		item, err := client.Read[usernameItem](ctx, u.c, name, name)
		if err == nil && item.OwnerID != ownerID {
			return nil
		}
		if err == nil {
			err = u.c.DeleteVersion(ctx, name, name, item.ETag)
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

// errContestedName reports that other requests kept changing a reservation. The caller may try
// again later.
func errContestedName(err error) error {
	return &domain.Error{Kind: domain.Unavailable,
		Message: locale.M("This username is being changed right now. Please try again in a moment."), Err: err}
}
