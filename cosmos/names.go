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
	"inkfeed/domain/names"
)

// ReservationTime is how long a username stays reserved for a sign-up or rename
// that ended half-way. After it the name is free again.
const ReservationTime = 5 * time.Minute

// usernameItem reserves what nobody but its owner is to have: a username or, as another
// type, what usernames that look alike have in common. It is a partition of its own.
type usernameItem struct {
	ID      string `json:"id"`
	Type    string `json:"type"`
	UserID  string `json:"userId"` // the id: the partition
	OwnerID string `json:"ownerId"`
	// Skeleton is what the id of that type is the digest of.
	Skeleton string `json:"skeleton,omitempty"`
	// TTL in seconds: positive while only reserved, -1 once the user has the name.
	TTL  int    `json:"ttl"`
	ETag string `json:"_etag,omitempty"`
}

// nameReservation is what a username is found by, and unique by.
func nameReservation(ownerID, username string) usernameItem {
	name := names.NameKey(username)
	return usernameItem{ID: name, Type: schema.TypeUsername, UserID: name, OwnerID: ownerID, TTL: int(ReservationTime.Seconds())}
}

// skeletonReservation keeps others from names that look like that one. All names of one
// user that look alike share it.
func skeletonReservation(ownerID, username string) usernameItem {
	skeleton := names.Skeleton(username)
	id := schema.SkeletonID(skeleton)
	return usernameItem{ID: id, Type: schema.TypeSkeleton, UserID: id, OwnerID: ownerID, Skeleton: skeleton, TTL: int(ReservationTime.Seconds())}
}

// reserve takes a name for a user, or finds that the user holds it already, and so it does
// with how the name looks, unless that is how the user's present name, if there is one,
// looks.
func (u *Users) reserve(ctx context.Context, userID, username, present string) error {
	name := nameReservation(userID, username)
	taken, err := u.reserveOne(ctx, name)
	if err != nil {
		return err
	}
	if taken == isAnothers {
		return domain.ErrUsernameTaken(username)
	}
	skeleton := skeletonReservation(userID, username)
	if present != "" && skeleton.Skeleton == names.Skeleton(present) {
		return nil
	}
	other, err := u.reserveOne(ctx, skeleton)
	if err == nil && other == isAnothers {
		err = domain.ErrUsernameConfusable(username)
		if taken == isNew {
			_ = u.freeReservation(ctx, name.ID, userID) // or it goes by itself
		}
	}
	return err
}

// reserved is what came of a reservation.
type reserved int

const (
	isNew reserved = iota
	isOwn
	isAnothers
)

// reserveOne makes a reservation. One left by an earlier attempt is given its full time
// again, so that it cannot expire before the user is written.
func (u *Users) reserveOne(ctx context.Context, want usernameItem) (reserved, error) {
	err := u.c.Create(ctx, want.ID, want)
	if client.StatusOf(err) != http.StatusConflict {
		return isNew, err
	}
	item, err := client.Read[usernameItem](ctx, u.c, want.ID, want.ID)
	switch {
	case err == nil && (item.OwnerID != want.OwnerID || item.Type != want.Type):
		return isAnothers, nil
	case err == nil && item.TTL == schema.Forever:
		return isOwn, nil
	case err == nil:
		err = u.setTTL(ctx, want, want.TTL)
	}
	if client.Missing(err) || client.StatusOf(err) == http.StatusPreconditionFailed {
		return isOwn, domain.Errorf(domain.Conflict, "This username has just become available. Please try again.")
	}
	return isOwn, err
}

// setTTL has the condition that the reservation is the user's: it may have expired, or been
// freed, and be somebody else's since it was read.
func (u *Users) setTTL(ctx context.Context, item usernameItem, seconds int) error {
	var ops azcosmos.PatchOperations
	ops.SetCondition(fmt.Sprintf("from c where c.ownerId = '%s'", item.OwnerID))
	ops.AppendSet("/ttl", seconds)
	return u.c.Patch(ctx, item.ID, item.ID, ops)
}

// tryConfirm confirms a name whose user is written. Its failure is nobody's
// error: the sign-up or rename is done, and the users projector, which sees the
// written user, confirms what this could not.
func (u *Users) tryConfirm(ctx context.Context, userID, username string) {
	_ = u.setTTL(ctx, nameReservation(userID, username), schema.Forever)
	_ = u.setTTL(ctx, skeletonReservation(userID, username), schema.Forever)
}

// ConfirmName makes sure that a user's name is reserved for good: it finishes
// what a sign-up or rename left undone. It reports false when the name belongs
// to somebody else, which only a lost worker and an expired reservation could
// bring about, and which verify reports.
//
// How the name looks it reserves likewise, also for those who signed up before that was
// done. If by then another one's looks the same, both keep their names.
func (u *Users) ConfirmName(ctx context.Context, user domain.User) (bool, error) {
	ctx = client.Operation(ctx, "confirm-name")
	own, err := u.confirm(ctx, nameReservation(user.ID, user.Username))
	if err != nil || !own {
		return own, err
	}
	_, err = u.confirm(ctx, skeletonReservation(user.ID, user.Username))
	return true, err
}

// confirm makes sure that a user has a reservation, which does not expire unless the account
// was deleted meanwhile. It reports false when another user has it.
func (u *Users) confirm(ctx context.Context, want usernameItem) (bool, error) {
	for attempt := 1; ; attempt++ {
		item, err := client.Read[usernameItem](ctx, u.c, want.ID, want.ID)
		switch {
		case client.Missing(err):
			err = u.c.Create(ctx, want.ID, want)
			if err == nil {
				return u.confirmReserved(ctx, want)
			}
			if client.StatusOf(err) != http.StatusConflict {
				return false, client.Translate(err)
			}
			// Another user has taken it, or an earlier attempt of this call has created it.
			if attempt == client.RewriteAttempts {
				return false, errBusyName(err)
			}
			if err := client.PauseAfter(ctx, attempt); err != nil {
				return false, client.Translate(err)
			}
		case err != nil:
			return false, client.Translate(err)
		case item.OwnerID != want.OwnerID || item.Type != want.Type:
			return false, nil
		case item.TTL == schema.Forever:
			return true, nil
		default:
			return u.confirmReserved(ctx, want)
		}
	}
}

// confirmReserved makes a reservation one for good, unless the account was deleted
// since user was read. Whoever deletes it looks for its names after marking it. So a
// user who is live while the reservation is there is not robbed of it, and of one who
// is not the name is taken away here; where that is not reached it expires.
func (u *Users) confirmReserved(ctx context.Context, item usernameItem) (bool, error) {
	// A suspended user, too, keeps the name.
	owner, err := client.Read[userItem](ctx, u.c, item.OwnerID, item.OwnerID)
	if client.Missing(err) || err == nil && owner.DeletionDate != nil {
		return true, client.Translate(u.freeReservation(ctx, item.ID, item.OwnerID))
	}
	if err != nil {
		return false, client.Translate(err)
	}
	err = u.setTTL(ctx, item, schema.Forever)
	if client.StatusOf(err) == http.StatusPreconditionFailed {
		return false, nil
	}
	return true, client.Translate(err)
}

// freeReservation deletes a username's reservation if the user still owns it. Another worker may
// have freed the name already, and another user may have taken it since.
func (u *Users) freeReservation(ctx context.Context, name, ownerID string) error {
	for attempt := 1; ; attempt++ {
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
		// A failed precondition means that the name was confirmed or taken by another user in the meantime.
		if client.StatusOf(err) != http.StatusPreconditionFailed {
			return err
		}
		if attempt == client.RewriteAttempts {
			return errBusyName(err)
		}
		if err := client.PauseAfter(ctx, attempt); err != nil {
			return err
		}
	}
}

// errBusyName reports that other requests kept changing a reservation. The caller may try
// again later.
func errBusyName(err error) error {
	return &domain.Error{Kind: domain.Unavailable,
		Message: "This username is being changed right now. Please try again in a moment.", Err: err}
}
