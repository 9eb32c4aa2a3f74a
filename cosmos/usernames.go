package cosmos

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/domain/names"
)

// Usernames stores the reservations of usernames, and renames users. Each reservation has a partition of its own in the
// container users, whose key is the name's. So usernames are unique, a point read finds the user, and no partition is
// hot. The same holds for skeletons, which usernames that look alike share.
type Usernames struct {
	c     *client.Container
	users *Users
}

// ReservationTime is how long a username stays reserved for a sign-up or rename that did not complete.
const ReservationTime = 5 * time.Minute

// usernameItem reserves a username or a skeleton for its owner. All usernames that look alike have the same skeleton.
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

// reservations returns the items that reserve a username: one for each of its names.NameKeys, and that of its skeleton.
// They make the username unique. The first one decides who owns it. Users of earlier releases may share the others.
func reservations(ownerID, username string) (items []usernameItem) {
	ttl := int(ReservationTime.Seconds())
	for _, key := range names.NameKeys(username) {
		items = append(items, usernameItem{ID: key, Type: schema.TypeUsername, UserID: key, OwnerID: ownerID, TTL: ttl})
	}
	skeleton := names.Skeleton(username)
	id := schema.SkeletonID(skeleton)
	return append(items, usernameItem{ID: id, Type: schema.TypeSkeleton, UserID: id, OwnerID: ownerID,
		Skeleton: skeleton, TTL: ttl})
}

// reserve reserves a username for a user, unless the user has it already. It reserves neither the second key nor the
// skeleton if they are the same as those of the user's present username, because another user may have them. The
// present username is empty for a sign-up.
func (s *Usernames) reserve(ctx context.Context, userID, username, present string) error {
	var reserved []string // now, by their ids
	for i, item := range reservations(userID, username) {
		if i > 0 && item.Type == schema.TypeUsername && names.FormerNameKey(username) == names.FormerNameKey(present) ||
			item.Type == schema.TypeSkeleton && item.Skeleton == names.Skeleton(present) {
			continue
		}
		result, err := s.reserveOne(ctx, item)
		if err != nil {
			return err
		}
		if result == reservedByOther {
			for _, id := range reserved {
				_ = freeReservation(ctx, s.c, id, userID) // after a failure, it expires
			}
			return item.taken(username)
		}
		if result == reservedNow {
			reserved = append(reserved, item.ID)
		}
	}
	return nil
}

// taken returns the error of reserving a username if another user has this item.
func (i usernameItem) taken(username string) error {
	if i.Type == schema.TypeSkeleton {
		return domain.ErrUsernameConfusable(username)
	}
	return domain.ErrUsernameTaken(username)
}

// CheckAvailable returns the error of a sign-up with this username if the name, or one that looks like it, is reserved.
// It reserves nothing.
func (s *Usernames) CheckAvailable(ctx context.Context, username string) error {
	for _, wanted := range reservations("", username) {
		_, err := client.Read[usernameItem](readingUser.In(ctx), s.c, wanted.ID, wanted.ID)
		if err == nil {
			return wanted.taken(username)
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
func (s *Usernames) reserveOne(ctx context.Context, want usernameItem) (reservation, error) {
	err := s.c.Create(ctx, want.ID, want)
	if client.StatusOf(err) != http.StatusConflict {
		return reservedNow, err
	}
	item, err := client.Read[usernameItem](ctx, s.c, want.ID, want.ID)
	switch {
	case err == nil && (item.OwnerID != want.OwnerID || item.Type != want.Type):
		return reservedByOther, nil
	case err == nil && item.TTL == schema.Forever:
		return reservedBefore, nil
	case err == nil:
		err = s.setTTL(ctx, want, want.TTL)
	}
	if client.Missing(err) || client.ConditionFailed(err) {
		return reservedBefore, domain.NewError(domain.Conflict,
			"This username has just become available. Please try again.")
	}
	return reservedBefore, err
}

// setTTL changes the time to live of a reservation if the user still owns it. The reservation may
// have expired or been freed, and another user may have taken it since it was read.
func (s *Usernames) setTTL(ctx context.Context, item usernameItem, seconds int) error {
	var ops azcosmos.PatchOperations
	ops.SetCondition(fmt.Sprintf("from c where c.ownerId = '%s'", item.OwnerID))
	ops.AppendSet("/ttl", seconds)
	return s.c.Patch(ctx, item.ID, item.ID, ops)
}

// tryConfirm confirms the reservations of a username after the user was written. It ignores errors: the sign-up or
// rename has succeeded, and the users projector, which sees the user in the change feed, confirms the reservations too.
func (s *Usernames) tryConfirm(ctx context.Context, userID, username string) {
	for _, item := range reservations(userID, username) {
		_ = s.setTTL(ctx, item, schema.Forever)
	}
}

// ConfirmName makes sure that a user's username is reserved permanently, and so completes a sign-up
// or rename. It reports false if another user owns the name, which is possible only after the
// reservation has expired because no worker was running. verify reports this.
//
// ConfirmName also reserves the second key and the skeleton, which accounts of earlier releases lack. If another user
// has one, both keep their names.
func (s *Usernames) ConfirmName(ctx context.Context, user domain.User) (bool, error) {
	ctx = client.Writes("confirm-name").In(ctx)
	for i, item := range reservations(user.ID, user.Username) {
		own, err := s.confirm(ctx, item)
		if err != nil || i == 0 && !own {
			return own, err
		}
	}
	return true, nil
}

// confirm makes sure that a user has a permanent reservation, unless the account was deleted in the
// meantime. It reports false if another user has the reservation.
func (s *Usernames) confirm(ctx context.Context, want usernameItem) (bool, error) {
	own, err := client.RewriteReturning(ctx, func() (bool, error) {
		item, err := client.Read[usernameItem](ctx, s.c, want.ID, want.ID)
		switch {
		case client.Missing(err):
			err = s.c.Create(ctx, want.ID, want)
			if err == nil {
				return s.confirmReserved(ctx, want)
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
			return s.confirmReserved(ctx, want)
		}
	})
	return own, client.Translate(err)
}

// confirmReserved makes a reservation permanent, or deletes it if the account has been deleted. A
// deletion marks the user before it looks for the user's reservations. So if the user is not marked
// here, a later deletion will find this reservation.
func (s *Usernames) confirmReserved(ctx context.Context, item usernameItem) (bool, error) {
	// A suspended user keeps the name.
	owner, err := client.Read[userItem](ctx, s.c, item.OwnerID, item.OwnerID)
	if client.Missing(err) || err == nil && owner.DeletionDate != nil {
		return true, client.Translate(freeReservation(ctx, s.c, item.ID, item.OwnerID))
	}
	if err != nil {
		return false, client.Translate(err)
	}
	err = s.setTTL(ctx, item, schema.Forever)
	if client.ConditionFailed(err) {
		return false, nil
	}
	return true, client.Translate(err)
}

// errContestedName reports that other requests kept changing a reservation. The caller may try again later.
func errContestedName(err error) error {
	return &domain.Error{Kind: domain.Unavailable,
		Message: locale.M("This username is being changed right now. Please try again in a moment."), Err: err}
}

// Rename is request C1 too: it reserves the new name, changes the user in one write and confirms
// the reservation. The users projector then updates the name in everything the user wrote. The old
// name stays reserved for the user, so that its address can redirect. Rename returns an Invalid error for the field
// "username" if another user has the name, or if the name is new and the user has domain.MaxFormerNames former ones.
func (s *Usernames) Rename(ctx context.Context, userID, username string) (domain.User, error) {
	ctx = writingUser.In(ctx)
	username, err := domain.CleanUsername(username)
	if err != nil {
		return domain.User{}, err
	}
	user, err := s.users.ByID(ctx, userID)
	if err != nil || user.Username == username {
		return user, err
	}
	if names.NameKey(username) != names.NameKey(user.Username) {
		if err := domain.CheckReserved(username); err != nil {
			return domain.User{}, err
		}
		if err := s.checkFormerNames(ctx, user, username); err != nil {
			return domain.User{}, client.Translate(err)
		}
	}
	if err := s.reserve(ctx, userID, username, user.Username); err != nil {
		return domain.User{}, client.Translate(err)
	}
	var ops azcosmos.PatchOperations
	ops.SetCondition(fmt.Sprintf("%s and c.nameVersion = %d", schema.IfLive, user.NameVersion))
	ops.AppendSet("/username", username)
	ops.AppendIncrement("/nameVersion", 1)
	item, err := client.PatchReturning[userItem](ctx, s.c, userID, userID, ops)
	if client.ConditionFailed(err) {
		// Another rename came first, an earlier attempt of this call succeeded, or the account was deleted.
		if user, err = s.users.ByID(ctx, userID); err == nil && user.Username != username {
			return domain.User{}, domain.NewError(domain.Conflict,
				"Your username was changed in another tab or on another device.")
		}
		if err == nil {
			s.tryConfirm(ctx, userID, username)
		}
		return user, err
	}
	if err != nil {
		return domain.User{}, client.Translate(err)
	}
	s.tryConfirm(ctx, userID, username)
	return item.domain(), nil
}

// checkFormerNames returns an error if a rename would give a user more than domain.MaxFormerNames former names. Each
// rename raises the version of the name, so a low version needs no query.
func (s *Usernames) checkFormerNames(ctx context.Context, user domain.User, username string) error {
	if user.NameVersion <= domain.MaxFormerNames {
		return nil
	}
	former, own := map[string]bool{}, false // by their keys
	err := client.Scan(ctx, s.c, `SELECT c.id FROM c WHERE c.type = 'username' AND c.ownerId = @user`,
		client.Parameters{"user": user.ID}, func(name usernameItem) error {
			former[names.NameKey(name.ID)] = true
			own = own || slices.Contains(names.NameKeys(username), name.ID)
			return nil
		})
	if err == nil && !own && len(former) > domain.MaxFormerNames {
		err = domain.ErrFormerNames()
	}
	return err
}
