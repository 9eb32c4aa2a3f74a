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

// Each user's role says whether the user administers the site. In addition, one item of the
// container users lists all administrators, so that a site always keeps one. Conditional writes
// of that list decide two questions, even when several instances ask at once: which user is the
// first administrator (the one whose sign-up creates the list), and whether an administrator may
// resign (only if the list has another one who is not resigning).
//
// A change of a user that the list does not reflect yet sets the user's property administration
// in the same write. The request that made the change then updates the list. If its process
// dies, the users projector does.

// Values of a user's property administration.
const (
	// administrationClaimed marks a user who signed up on a site without an administrator. The
	// user becomes the administrator if the list accepts the claim.
	administrationClaimed = "claimed"
	// administrationChanged marks a user who started or stopped administering the site.
	administrationChanged = "changed"
)

// SignUp creates an account for a person, as CreateWith does, and returns the user as written.
// The first user of a site becomes its administrator, and so does the first one after all others
// have left. Of several simultaneous sign-ups, one becomes the administrator. On a site that has
// users but no administrator, no sign-up does.
func (u *Users) SignUp(ctx context.Context, user domain.User, credentials domain.Credentials) (domain.User, error) {
	ctx = writingUser.In(ctx)
	administration := ""
	first, err := u.mayBecomeFirst(ctx)
	if err != nil {
		return domain.User{}, client.Translate(err)
	}
	if first {
		administration = administrationClaimed
	}
	if err := u.create(ctx, user, credentials, administration); err != nil {
		return domain.User{}, err
	}
	if administration == "" {
		return user, nil
	}
	_ = u.SettleAdministration(ctx, user.ID) // after a failure, the users projector does it
	if written, err := u.account(ctx, user.ID); err == nil {
		return written, nil
	}
	return user, nil
}

// MayBecomeFirst reports whether a user who signs up now may become the first administrator.
func (u *Users) MayBecomeFirst(ctx context.Context) (bool, error) {
	first, err := u.mayBecomeFirst(administrating.In(ctx))
	return first, client.Translate(err)
}

// mayBecomeFirst reports whether a user who signs up now may become the first administrator.
func (u *Users) mayBecomeFirst(ctx context.Context) (bool, error) {
	list, err := u.readAdministrators(ctx)
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
	inhabited, err := u.hasUsers(ctx)
	if err != nil || !inhabited || !absent {
		return !inhabited, err
	}
	// The site has had users since before there were roles, so no sign-up is the first one.
	list = newAdministratorsItem()
	list.Version = 1
	if err = u.createAdministrators(ctx, list); err != nil && client.StatusOf(err) != http.StatusConflict {
		return false, err
	}
	return false, nil
}

// hasUsers reports whether the site has users. It ignores sample accounts, and accounts whose own
// claim to be the first is not settled.
func (u *Users) hasUsers(ctx context.Context) (bool, error) {
	err := client.Scan(ctx, u.c, `SELECT c.id FROM c WHERE c.type = 'user' AND NOT IS_DEFINED(c.deletionDate)
		AND NOT IS_DEFINED(c.sample) AND NOT IS_DEFINED(c.administration)`, nil,
		func(userItem) error { return client.ErrStopScan })
	if errors.Is(err, client.ErrStopScan) {
		return true, nil
	}
	return false, err
}

// HasAdministrator reports whether the site has an administrator.
func (u *Users) HasAdministrator(ctx context.Context) (bool, error) {
	list, err := u.readAdministrators(administrating.In(ctx))
	if client.Missing(err) {
		return false, nil
	}
	return len(list.List) > 0, client.Translate(err)
}

// SettleAdministration updates the list of administrators after a change of a user. Repeated calls
// change nothing.
func (u *Users) SettleAdministration(ctx context.Context, userID string) error {
	ctx = client.Writes("settle-administration").In(ctx)
	return client.Rewrite(ctx, func() error {
		vacant, err := u.settle(ctx, userID)
		if err == nil && vacant {
			err = u.settleClaims(ctx)
		}
		return client.AgainIf(client.LostRace(err) || err == errListCorrected, client.Translate(err))
	})
}

// settleClaims settles the claims of users who signed up while it was undecided whether the site
// keeps its administrator.
func (u *Users) settleClaims(ctx context.Context) error {
	var claiming []string
	err := client.Scan(ctx, u.c, `SELECT c.userId FROM c WHERE c.type = 'user' AND c.administration = 'claimed'
		AND NOT IS_DEFINED(c.deletionDate)`, nil, func(item userItem) error {
		claiming = append(claiming, item.UserID)
		return nil
	})
	for _, userID := range claiming {
		err = errors.Join(err, u.SettleAdministration(ctx, userID))
	}
	return err
}

// errListCorrected reports that the list of administrators was corrected and has to be read again.
var errListCorrected = errors.New("cosmos: the list of administrators was corrected")

// settle makes one attempt of SettleAdministration. It returns an error for a lost race if the list
// or the user changed in the meantime. If the user is deleted, vacant reports whether the site has
// lost its last administrator.
func (u *Users) settle(ctx context.Context, userID string) (vacant bool, err error) {
	list, err := u.readAdministrators(ctx)
	absent := client.Missing(err)
	if err != nil && !absent {
		return false, err
	}
	user, err := client.Read[userItem](ctx, u.c, userID, userID)
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
		won, err := u.claim(ctx, list, absent, userID)
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
		if vacant, err = u.updateList(ctx, list, absent, userID, user.administrates()); err != nil {
			return false, err
		}
	}
	if user.Administration == "" {
		return vacant, nil
	}
	ops.AppendRemove("/administration")
	return vacant, u.c.PatchVersion(ctx, userID, userID, user.ETag, ops)
}

// errUndecided reports that the only administrator is resigning, which may still fail. The claim
// is settled once that is known: see settleClaims.
var errUndecided = errors.New("cosmos: it is undecided whether the site keeps its administrator")

// claim makes a user the first administrator if the site has no other user.
func (u *Users) claim(ctx context.Context, list administratorsItem, absent bool, userID string) (won bool, err error) {
	switch {
	case list.allResigning():
		for i, a := range list.List {
			if a.stale() {
				return false, cmp.Or(u.correctEntry(ctx, list, i), errListCorrected)
			}
		}
		return false, errUndecided
	case len(list.List) > 0:
		return false, nil
	case !absent && !list.Vacant:
		inhabited, err := u.hasUsers(ctx)
		if err != nil || inhabited {
			return false, err
		}
	}
	first := newAdministratorsItem()
	first.OwnerID, first.List = userID, []administrator{{UserID: userID}}
	first.Version, first.ETag = list.Version+1, list.ETag
	if absent {
		return true, u.createAdministrators(ctx, first)
	}
	return true, u.replaceAdministrators(ctx, first)
}
