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

var errLastAdministrator = domain.Errorf(domain.Conflict,
	"This site has no other administrator. Make someone else an administrator first.")

// resign marks an administrator as resigning. It returns errLastAdministrator unless the list has
// another one who is not resigning. A mark whose writer died becomes stale; resign corrects stale
// entries first, because their users may still be administrators.
func (u *Users) resign(ctx context.Context, userID string) error {
	for attempt := 1; ; attempt++ {
		list, err := u.readAdministrators(ctx)
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
			err = cmp.Or(u.correctEntry(ctx, list, stale), errListCorrected)
		case !slices.ContainsFunc(list.List, func(a administrator) bool { return isOther(a) && a.Resigning == nil }):
			return errLastAdministrator
		default:
			if err = u.markResigning(ctx, list, userID); err == nil {
				return nil
			}
		}
		if !client.LostRace(err) && err != errListCorrected || attempt == client.RewriteAttempts {
			return err
		}
	}
}

// markResigning writes the list with the user marked as resigning.
func (u *Users) markResigning(ctx context.Context, list administratorsItem, userID string) error {
	list.List = slices.DeleteFunc(list.List, func(a administrator) bool { return a.UserID == userID })
	list.List = append(list.List, administrator{UserID: userID, Resigning: schema.Optional(time.Now())})
	list.Version++
	return u.replaceAdministrators(ctx, list)
}

// resignAsLast marks the last administrator as resigning, which resign refuses.
func (u *Users) resignAsLast(ctx context.Context, userID string) error {
	for attempt := 1; ; attempt++ {
		list, err := u.readAdministrators(ctx)
		if client.Missing(err) {
			return nil // the site had users before there were roles
		}
		if err == nil {
			err = u.markResigning(ctx, list, userID)
		}
		if !client.LostRace(err) || attempt == client.RewriteAttempts {
			return err
		}
	}
}

// cancelResignation removes the mark of an administrator whose resignation did not happen.
func (u *Users) cancelResignation(ctx context.Context, userID string) error {
	for attempt := 1; ; attempt++ {
		list, err := u.readAdministrators(ctx)
		if client.Missing(err) {
			return nil
		}
		if err != nil {
			return err
		}
		i := slices.IndexFunc(list.List, func(a administrator) bool { return a.UserID == userID && a.Resigning != nil })
		if i < 0 {
			return u.settleClaims(ctx)
		}
		err = u.correctEntry(ctx, list, i)
		if err != nil && !client.LostRace(err) || attempt == client.RewriteAttempts {
			return err
		}
	}
}

// stale reports whether an administrator is marked as resigning for so long that the marking
// process must have died.
func (a administrator) stale() bool {
	return a.Resigning != nil && time.Since(a.Resigning.Time()) > ReservationTime
}

// checkSuccessor returns errLastAdministrator if the user is the last administrator. Administrators
// whose deletion is scheduled do not count as successors. This is an early answer: resign decides
// when the account is deleted.
func (u *Users) checkSuccessor(ctx context.Context, leaver userItem) error {
	if !leaver.administrates() {
		return nil
	}
	list, err := u.readAdministrators(ctx)
	if err != nil && !client.Missing(err) {
		return err
	}
	for _, a := range list.List {
		if a.UserID == leaver.UserID || a.Resigning != nil {
			continue
		}
		other, err := client.Read[userItem](ctx, u.c, a.UserID, a.UserID)
		if err != nil && !client.Missing(err) {
			return err
		}
		if err == nil && other.administrates() && other.LeavingDate == nil {
			return nil
		}
	}
	others, err := u.hasOtherUsers(ctx, leaver.UserID)
	if err == nil && others {
		err = errLastAdministrator
	}
	return err
}

// resignBeforeDeletion marks a user who is about to be deleted as resigning, if the user is an
// administrator. The last steps of the deletion remove the user from the list.
func (u *Users) resignBeforeDeletion(ctx context.Context, userID string) error {
	user, err := u.accountItem(ctx, userID)
	if err != nil || !user.administrates() {
		if domain.Is(err, domain.NotFound) {
			return nil
		}
		return err
	}
	last := u.resign(ctx, userID)
	if !errors.Is(last, errLastAdministrator) {
		return last
	}
	// The only user of a site needs no successor. Once the list says that all are resigning, every
	// sign-up claims to be the first, so the second look finds each user that signed up before.
	if others, err := u.hasOtherUsers(ctx, userID); err != nil || others {
		return cmp.Or(err, last)
	}
	if err := u.resignAsLast(ctx, userID); err != nil {
		return err
	}
	others, err := u.hasOtherUsers(ctx, userID)
	if err != nil || !others {
		return err
	}
	return cmp.Or(u.cancelResignation(ctx, userID), last)
}

// hasOtherUsers reports whether the site has another user. It ignores sample accounts.
func (u *Users) hasOtherUsers(ctx context.Context, userID string) (bool, error) {
	err := client.Scan(ctx, u.c, `SELECT c.id FROM c WHERE c.type = 'user' AND c.userId != @user
		AND NOT IS_DEFINED(c.deletionDate) AND NOT IS_DEFINED(c.sample)`, client.Parameters{"user": userID},
		func(userItem) error { return client.ErrStopScan })
	if errors.Is(err, client.ErrStopScan) {
		return true, nil
	}
	return false, err
}
