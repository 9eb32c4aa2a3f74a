package cosmos

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"time"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// administratorsItem is the list of administrators.
type administratorsItem struct {
	ID     string `json:"id"`
	Type   string `json:"type"`
	UserID string `json:"userId"`
	// OwnerID is the user who signed up first. It is empty on sites that had users before there were roles.
	OwnerID string          `json:"ownerId,omitempty"`
	List    []administrator `json:"administrators"`
	Version int             `json:"version"`
	// Vacant is set when the last user of the site has left. The next user to sign up becomes the administrator.
	Vacant bool   `json:"vacant,omitempty"`
	ETag   string `json:"_etag,omitempty"`
}

// administrator is one entry of the list of administrators.
type administrator struct {
	UserID string `json:"userId"`
	// Resigning is when the administrator began to resign. From then on the entry does not count.
	Resigning *schema.Instant `json:"goingDate,omitempty"`
}

// newAdministratorsItem returns an empty list.
func newAdministratorsItem() administratorsItem {
	return administratorsItem{ID: schema.AdministratorsID, Type: schema.TypeAdministrators,
		UserID: schema.AdministratorsID, List: []administrator{}}
}

// allResigning reports whether the list has entries and all of them are resigning. That is so
// while the only user of a site is being deleted.
func (i administratorsItem) allResigning() bool {
	return len(i.List) > 0 && !slices.ContainsFunc(i.List, func(a administrator) bool { return a.Resigning == nil })
}

// has reports whether the list has an entry for the user.
func (i administratorsItem) has(userID string) bool {
	return slices.ContainsFunc(i.List, func(a administrator) bool { return a.UserID == userID })
}

// read reads the list of administrators.
func (s *Administrators) read(ctx context.Context) (administratorsItem, error) {
	return client.Read[administratorsItem](ctx, s.c, schema.AdministratorsID, schema.AdministratorsID)
}

// create creates the list. It fails if there is a list already.
func (s *Administrators) create(ctx context.Context, list administratorsItem) error {
	return s.c.Create(ctx, schema.AdministratorsID, list)
}

// replace replaces the list if it is still the one that was read.
func (s *Administrators) replace(ctx context.Context, list administratorsItem) error {
	etag := list.ETag
	list.ETag = ""
	return s.c.Replace(ctx, schema.AdministratorsID, schema.AdministratorsID, etag, list)
}

// updateList writes the list with or without a user. It writes even if the list stays equal, so that another writer who
// read the list before, and the user in an older state, loses the race. A user who resigns while the site has others
// leaves an administrator in the list: see resign. So the list is vacant once its last entry is removed.
func (s *Administrators) updateList(ctx context.Context, list administratorsItem, absent bool, userID string,
	administrates bool) (vacant bool, err error) {
	if absent {
		list = newAdministratorsItem()
	}
	hadEntries := len(list.List) > 0
	list.List = slices.DeleteFunc(list.List, func(a administrator) bool { return a.UserID == userID })
	if administrates {
		list.List = append(list.List, administrator{UserID: userID})
	}
	if list.List == nil {
		list.List = []administrator{}
	}
	list.Vacant = len(list.List) == 0 && (hadEntries || list.Vacant)
	list.Version++
	if absent {
		return list.Vacant, s.create(ctx, list)
	}
	return list.Vacant, s.replace(ctx, list)
}

// correctEntry updates one entry of the list from its user.
func (s *Administrators) correctEntry(ctx context.Context, list administratorsItem, i int) error {
	userID := list.List[i].UserID
	user, err := client.Read[userItem](ctx, s.c, userID, userID)
	if err != nil && !client.Missing(err) {
		return err
	}
	administrates := err == nil && user.administrates()
	_, err = s.updateList(ctx, list, false, userID, administrates)
	return err
}

var errLastAdministrator = domain.NewError(domain.Conflict,
	"This site has no other administrator. Make someone else an administrator first.")

// resign marks an administrator as resigning. It returns errLastAdministrator unless the list has
// another one who is not resigning. A mark whose writer died becomes stale; resign corrects stale
// entries first, because their users may still be administrators.
func (s *Administrators) resign(ctx context.Context, userID string) error {
	return client.Rewrite(ctx, func() error {
		list, err := s.read(ctx)
		if client.Missing(err) {
			return errLastAdministrator
		}
		if err != nil {
			return err
		}
		isOther := func(a administrator) bool { return a.UserID != userID }
		stale := slices.IndexFunc(list.List, func(a administrator) bool { return isOther(a) && a.stale() })
		switch {
		case stale >= 0:
			// The next attempt reads the corrected list.
			err = cmp.Or(s.correctEntry(ctx, list, stale), errListCorrected)
		case !slices.ContainsFunc(list.List, func(a administrator) bool { return isOther(a) && a.Resigning == nil }):
			return errLastAdministrator
		default:
			err = s.markResigning(ctx, list, userID)
		}
		return client.AgainIf(client.LostRace(err) || err == errListCorrected, err)
	})
}

// markResigning writes the list with the user marked as resigning.
func (s *Administrators) markResigning(ctx context.Context, list administratorsItem, userID string) error {
	list.List = slices.DeleteFunc(list.List, func(a administrator) bool { return a.UserID == userID })
	list.List = append(list.List, administrator{UserID: userID, Resigning: schema.Optional(time.Now())})
	list.Version++
	return s.replace(ctx, list)
}

// resignAsLast marks the last administrator as resigning, which resign refuses.
func (s *Administrators) resignAsLast(ctx context.Context, userID string) error {
	return client.Rewrite(ctx, func() error {
		list, err := s.read(ctx)
		if client.Missing(err) {
			return nil // the site had users before there were roles
		}
		if err == nil {
			err = s.markResigning(ctx, list, userID)
		}
		return client.Lost(err)
	})
}

// cancelResignation removes the mark of an administrator whose resignation did not happen.
func (s *Administrators) cancelResignation(ctx context.Context, userID string) error {
	return client.Rewrite(ctx, func() error {
		list, err := s.read(ctx)
		if client.Missing(err) {
			return nil
		}
		if err != nil {
			return err
		}
		i := slices.IndexFunc(list.List, func(a administrator) bool { return a.UserID == userID && a.Resigning != nil })
		if i < 0 {
			return s.settleClaims(ctx)
		}
		err = s.correctEntry(ctx, list, i)
		return client.AgainIf(err == nil || client.LostRace(err), err)
	})
}

// stale reports whether an administrator is marked as resigning for so long that the marking process must have died.
func (a administrator) stale() bool {
	return a.Resigning != nil && time.Since(a.Resigning.Time()) > ReservationTime
}

// checkSuccessor returns errLastAdministrator if the user is the last administrator. Administrators whose deletion is
// scheduled do not count as successors. An administrator whose resigning mark is stale does count. This check is
// preliminary: resign decides when the account is deleted.
func (s *Administrators) checkSuccessor(ctx context.Context, leaver userItem) error {
	if !leaver.administrates() {
		return nil
	}
	list, err := s.read(ctx)
	if err != nil && !client.Missing(err) {
		return err
	}
	for _, a := range list.List {
		if a.UserID == leaver.UserID || a.Resigning != nil && !a.stale() {
			continue
		}
		other, err := client.Read[userItem](ctx, s.c, a.UserID, a.UserID)
		if err != nil && !client.Missing(err) {
			return err
		}
		if err == nil && other.administrates() && other.LeavingDate == nil {
			return nil
		}
	}
	others, err := s.hasOtherUsers(ctx, leaver.UserID)
	if err == nil && others {
		err = errLastAdministrator
	}
	return err
}

// resignBeforeDeletion marks a user who is about to be deleted as resigning, if the user is an
// administrator. The last steps of the deletion remove the user from the list.
func (s *Administrators) resignBeforeDeletion(ctx context.Context, userID string) error {
	user, err := s.users.accountItem(ctx, userID)
	if err != nil || !user.administrates() {
		if domain.Is(err, domain.NotFound) {
			return nil
		}
		return err
	}
	last := s.resign(ctx, userID)
	if !errors.Is(last, errLastAdministrator) {
		return last
	}
	// The only user of a site needs no successor. Once the list says that all are resigning, every
	// sign-up claims to be the first, so the second look finds each user that signed up before.
	if others, err := s.hasOtherUsers(ctx, userID); err != nil || others {
		return cmp.Or(err, last)
	}
	if err := s.resignAsLast(ctx, userID); err != nil {
		return err
	}
	others, err := s.hasOtherUsers(ctx, userID)
	if err != nil || !others {
		return err
	}
	return cmp.Or(s.cancelResignation(ctx, userID), last)
}

// hasOtherUsers reports whether the site has another user. It ignores sample accounts.
func (s *Administrators) hasOtherUsers(ctx context.Context, userID string) (bool, error) {
	err := client.Scan(ctx, s.c, `SELECT c.id FROM c WHERE c.type = 'user' AND c.userId != @user
		AND NOT IS_DEFINED(c.deletionDate) AND NOT IS_DEFINED(c.sample)`, client.Parameters{"user": userID},
		func(userItem) error { return client.ErrStopScan })
	if errors.Is(err, client.ErrStopScan) {
		return true, nil
	}
	return false, err
}
