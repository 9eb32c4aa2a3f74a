package cosmos

import (
	"cmp"
	"context"
	"errors"
	"net/http"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/domain"
)

// Administrators stores the list of administrators: one item, in a partition of its own in the container users.
type Administrators struct {
	c     *client.Container
	users *Users
}

// Each user's role says whether the user administers the site. In addition, one item of the container users lists all
// administrators, so that a site always keeps one. Conditional writes of that list decide two questions, even when
// several instances ask at once: which user is the first administrator (the one whose sign-up creates the list), and
// whether an administrator may resign (only if the list has another one who is not resigning).
//
// A change of a user that the list does not reflect yet sets the user's property administration in the same write. The
// request that made the change then updates the list. If its process dies, the users projector does.

// Values of a user's property administration.
const (
	// administrationClaimed marks a user who signed up on a site without an administrator. The
	// user becomes the administrator if the list accepts the claim.
	administrationClaimed = "claimed"
	// administrationChanged marks a user who started or stopped administering the site.
	administrationChanged = "changed"
)

// mayBecomeFirst reports whether a user who signs up now may become the first administrator.
func (s *Administrators) mayBecomeFirst(ctx context.Context) (bool, error) {
	list, err := s.read(ctx)
	absent := client.Missing(err)
	if err != nil && !absent {
		return false, err
	}
	if list.Vacant || list.allResigning() {
		return true, nil
	}
	if len(list.List) > 0 {
		return false, nil
	}
	inhabited, err := s.hasUsers(ctx)
	if err != nil || !inhabited || !absent {
		return !inhabited, err
	}
	// The site has had users since before there were roles, so no sign-up is the first one.
	list = newAdministratorsItem()
	list.Version = 1
	if err = s.create(ctx, list); err != nil && client.StatusOf(err) != http.StatusConflict {
		return false, err
	}
	return false, nil
}

// hasUsers reports whether the site has users. It ignores sample accounts, and accounts whose own
// claim to be the first is not settled.
func (s *Administrators) hasUsers(ctx context.Context) (bool, error) {
	err := client.Scan(ctx, s.c, `SELECT c.id FROM c WHERE c.type = 'user' AND NOT IS_DEFINED(c.deletionDate)
		AND NOT IS_DEFINED(c.sample) AND NOT IS_DEFINED(c.administration)`, nil,
		func(userItem) error { return client.ErrStopScan })
	if errors.Is(err, client.ErrStopScan) {
		return true, nil
	}
	return false, err
}

// HasAny reports whether the site has an administrator.
func (s *Administrators) HasAny(ctx context.Context) (bool, error) {
	list, err := s.read(administrating.In(ctx))
	if client.Missing(err) {
		return false, nil
	}
	return len(list.List) > 0, client.Translate(err)
}

// Names returns the usernames of at most three administrators, in the order in which they became
// administrators. It omits deleted accounts and administrators who are resigning.
func (s *Administrators) Names(ctx context.Context) ([]string, error) {
	ctx = administrating.In(ctx)
	list, err := s.read(ctx)
	if client.Missing(err) {
		return nil, nil
	}
	if err != nil {
		return nil, client.Translate(err)
	}
	var ids []string
	for _, a := range list.List {
		if a.Resigning == nil {
			ids = append(ids, a.UserID)
		}
	}
	authors, err := s.users.Authors(ctx, ids)
	var names []string
	for _, id := range ids {
		if a, ok := authors[id]; ok && !a.Deleted && len(names) < 3 {
			names = append(names, a.Name)
		}
	}
	return names, err
}

// Settle updates the list of administrators after a change of a user. Repeated calls change nothing.
func (s *Administrators) Settle(ctx context.Context, userID string) error {
	ctx = client.Writes("settle-administration").In(ctx)
	return client.Rewrite(ctx, func() error {
		vacant, err := s.settleOnce(ctx, userID)
		if err == nil && vacant {
			err = s.settleClaims(ctx)
		}
		return client.AgainIf(client.LostRace(err) || err == errListCorrected, client.Translate(err))
	})
}

// settleClaims settles the claims of users who signed up while it was undecided whether the site
// keeps its administrator.
func (s *Administrators) settleClaims(ctx context.Context) error {
	var claiming []string
	err := client.Scan(ctx, s.c, `SELECT c.userId FROM c WHERE c.type = 'user' AND c.administration = 'claimed'
		AND NOT IS_DEFINED(c.deletionDate)`, nil, func(item userItem) error {
		claiming = append(claiming, item.UserID)
		return nil
	})
	for _, userID := range claiming {
		err = errors.Join(err, s.Settle(ctx, userID))
	}
	return err
}

// errListCorrected reports that the list of administrators was corrected and has to be read again.
var errListCorrected = errors.New("cosmos: the list of administrators was corrected")

// settleOnce makes one attempt of Settle. It returns an error for a lost race if the list or the user changed in the
// meantime. If the user is deleted, vacant reports whether the site has lost its last administrator.
func (s *Administrators) settleOnce(ctx context.Context, userID string) (vacant bool, err error) {
	list, err := s.read(ctx)
	absent := client.Missing(err)
	if err != nil && !absent {
		return false, err
	}
	user, err := client.Read[userItem](ctx, s.c, userID, userID)
	switch {
	case client.Missing(err):
		user = userItem{ID: userID}
	case err != nil:
		return false, err
	case user.Administration == "" && user.DeletionDate == nil:
		return false, nil
	}
	var ops azcosmos.PatchOperations
	claimed := user.Administration == administrationClaimed && user.DeletionDate == nil
	switch {
	case claimed && list.OwnerID == userID:
		ops.AppendSet("/role", string(domain.RoleAdministrator))
	case claimed:
		won, err := s.claim(ctx, list, absent, userID)
		switch {
		case errors.Is(err, errUndecided):
			return false, nil
		case err != nil:
			return false, err
		case won:
			ops.AppendSet("/role", string(domain.RoleAdministrator))
		}
	case user.Administration == "" && !list.has(userID):
		return list.Vacant, nil // the account is deleted, and the list has no entry for it
	default:
		if vacant, err = s.updateList(ctx, list, absent, userID, user.administrates()); err != nil {
			return false, err
		}
	}
	if user.Administration == "" {
		return vacant, nil
	}
	ops.AppendRemove("/administration")
	return vacant, s.c.PatchVersion(ctx, userID, userID, user.ETag, ops)
}

// errUndecided reports that the only administrator is resigning, which may still fail. The claim
// is settled once that is known: see settleClaims.
var errUndecided = errors.New("cosmos: it is undecided whether the site keeps its administrator")

// claim makes a user the first administrator if the site has no other user.
func (s *Administrators) claim(ctx context.Context, list administratorsItem, absent bool,
	userID string) (won bool, err error) {
	switch {
	case list.allResigning():
		for i, a := range list.List {
			if a.stale() {
				return false, cmp.Or(s.correctEntry(ctx, list, i), errListCorrected)
			}
		}
		return false, errUndecided
	case len(list.List) > 0:
		return false, nil
	case !absent && !list.Vacant:
		inhabited, err := s.hasUsers(ctx)
		if err != nil || inhabited {
			return false, err
		}
	}
	first := newAdministratorsItem()
	first.OwnerID, first.List = userID, []administrator{{UserID: userID}}
	first.Version, first.ETag = list.Version+1, list.ETag
	if absent {
		return true, s.create(ctx, first)
	}
	return true, s.replace(ctx, first)
}
