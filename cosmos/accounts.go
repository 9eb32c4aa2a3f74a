package cosmos

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// Account is ByID for who decides about accounts, and for who logs in: it finds suspended
// users, too. A deleted one is not found.
func (u *Users) Account(ctx context.Context, userID string) (domain.User, error) {
	return u.account(client.Operation(ctx, "account"), userID)
}

// AccountByName is Account of who has, or once had, that name.
func (u *Users) AccountByName(ctx context.Context, username string) (domain.User, error) {
	ctx = client.Operation(ctx, "account")
	ownerID, err := u.ownerOf(ctx, username)
	if err != nil {
		return domain.User{}, err
	}
	return u.account(ctx, ownerID)
}

func (u *Users) account(ctx context.Context, userID string) (domain.User, error) {
	item, err := u.accountItem(ctx, userID)
	return item.domain(), err
}

func (u *Users) accountItem(ctx context.Context, userID string) (userItem, error) {
	if !domain.IsUserID(userID) {
		return userItem{}, schema.ErrNoUser()
	}
	item, err := client.Read[userItem](ctx, u.c, userID, userID)
	if err == nil && item.DeletionDate != nil {
		return userItem{}, schema.ErrNoUser()
	}
	return item, client.Translate(err)
}

// Staff are those who moderate or administer, by name.
func (u *Users) Staff(ctx context.Context) ([]domain.User, error) {
	var staff []domain.User
	err := client.Scan(client.Operation(ctx, "staff"), u.c, `SELECT * FROM c WHERE c.role IN ('moderator', 'administrator') AND c.type = 'user'
		AND NOT IS_DEFINED(c.deletionDate)`, nil, func(item userItem) error {
		staff = append(staff, item.domain())
		return nil
	})
	slices.SortFunc(staff, func(a, b domain.User) int { return cmp.Compare(a.Username, b.Username) })
	return staff, client.Translate(err)
}

// EachAccount visits all users that are not deleted, in no certain order.
func (u *Users) EachAccount(ctx context.Context, visit func(domain.User) error) error {
	return client.Translate(client.Scan(client.Operation(ctx, "list-accounts"), u.c, `SELECT * FROM c WHERE c.type = 'user' AND NOT IS_DEFINED(c.deletionDate)`,
		nil, func(item userItem) error { return visit(item.domain()) }))
}

// CountPosts counts a user's posts, whoever finds them, and drafts.
func (u *Users) CountPosts(ctx context.Context, userID string) (posts, drafts int, err error) {
	if !domain.IsUserID(userID) {
		return 0, 0, schema.ErrNoUser()
	}
	ctx = client.Operation(ctx, "count-posts")
	for filter, n := range map[string]*int{`IN ('post', 'unlisted-post', 'unpublished-post')`: &posts, `= 'draft'`: &drafts} {
		*n, err = client.Count(ctx, u.c, userID, `SELECT VALUE COUNT(1) FROM c WHERE c.userId = @user AND c.type `+filter,
			client.Parameters{"user": userID})
		if err != nil {
			return 0, 0, client.Translate(err)
		}
	}
	return posts, drafts, nil
}

// SetRole gives a user a role. It answers Conflict when nobody would be left who
// administers the site.
func (u *Users) SetRole(ctx context.Context, userID string, role domain.Role) (domain.User, error) {
	return u.changeAccount(client.Operation(ctx, "set-role"), userID, func(item userItem) (accountChange, error) {
		change := accountChange{needed: domain.Role(item.Role) != role, administrates: role.MayAdminister() && item.SuspensionDate == nil}
		if role == domain.RoleAuthor {
			change.ops.AppendSet("/role", "") // what is not there cannot be removed
			change.ops.AppendRemove("/role")
		} else {
			change.ops.AppendSet("/role", string(role))
		}
		return change, nil
	})
}

// Trust lets nothing of a user wait for a moderator any more, see screening.Policy. Who is
// trusted, or gone, stays so.
func (u *Users) Trust(ctx context.Context, userID string) error {
	if !domain.IsUserID(userID) {
		return schema.ErrNoUser()
	}
	var ops azcosmos.PatchOperations
	ops.SetCondition(schema.IfLive + " and not is_defined(c.trusted)")
	ops.AppendSet("/trusted", true)
	err := u.c.Patch(client.Operation(ctx, "trust"), userID, userID, ops)
	if client.StatusOf(err) == http.StatusPreconditionFailed {
		return nil
	}
	return client.Translate(err)
}

// Suspend lets nobody but moderators find a user, until Restore. What the user wrote follows
// by the users projector, as with a new name. It answers Conflict when the user is
// suspended already, or nobody would be left who administers the site.
func (u *Users) Suspend(ctx context.Context, userID, reason string, at time.Time) (domain.User, error) {
	at = domain.Timestamp(at)
	return u.changeAccount(client.Operation(ctx, "suspend"), userID, func(item userItem) (change accountChange, err error) {
		if item.SuspensionDate != nil {
			if !item.SuspensionDate.Time().Equal(at) || item.SuspensionReason != reason { // not this call's own earlier attempt
				err = domain.Errorf(domain.Conflict, "This account is already suspended.")
			}
			return change, err
		}
		change.needed = true
		change.ops.AppendSet("/suspensionDate", schema.Instant(at))
		change.ops.AppendSet("/suspensionReason", reason)
		change.ops.AppendIncrement("/nameVersion", 1) // spreads, as a new name does
		return change, nil
	})
}

// EndSessions ends all sessions of a user, and the log-ins that are under way. A retry may raise
// the version twice, which does no harm.
func (u *Users) EndSessions(ctx context.Context, userID string) error {
	if !domain.IsUserID(userID) {
		return schema.ErrNoUser()
	}
	var ops azcosmos.PatchOperations
	ops.SetCondition(schema.IfLive)
	ops.AppendIncrement("/sessionVersion", 1)
	err := u.c.Patch(client.Operation(ctx, "end-sessions"), userID, userID, ops)
	if client.StatusOf(err) == http.StatusPreconditionFailed { // deleted
		return schema.ErrNoUser()
	}
	return client.Translate(err)
}

// Restore ends a suspension. It also ends all older sessions, because a log-in that was under way
// during the suspension may have created one. It does nothing for a user who is not suspended.
func (u *Users) Restore(ctx context.Context, userID string) (domain.User, error) {
	return u.changeAccount(client.Operation(ctx, "restore-user"), userID, func(item userItem) (change accountChange, err error) {
		change.needed = item.SuspensionDate != nil
		change.administrates = domain.Role(item.Role).MayAdminister()
		change.ops.AppendRemove("/suspensionDate")
		change.ops.AppendRemove("/suspensionReason")
		change.ops.AppendIncrement("/sessionVersion", 1)
		change.ops.AppendIncrement("/nameVersion", 1)
		return change, nil
	})
}

// administrates tells whether a user administers the site now: so does one who is leaving,
// until that is done. Whoever is suspended does not.
func (i userItem) administrates() bool {
	return domain.Role(i.Role).MayAdminister() && i.SuspensionDate == nil && i.DeletionDate == nil
}

// accountChange is what is to become of an account.
type accountChange struct {
	needed        bool // otherwise it is so already
	administrates bool // the user, afterwards
	ops           azcosmos.PatchOperations
}

// changeAccount changes an account in the state in which plan saw it. Whoever administers
// the site and no longer would is before that let go by the list of administrators, and
// what else has to be told to it is by its mark on the user, which the users projector finds.
func (u *Users) changeAccount(ctx context.Context, userID string, plan func(userItem) (accountChange, error)) (domain.User, error) {
	for attempt := 1; ; attempt++ {
		item, err := u.accountItem(ctx, userID)
		if err != nil {
			return domain.User{}, err
		}
		change, err := plan(item)
		if err != nil || !change.needed {
			if err == nil && item.Administration != "" {
				_ = u.SettleAdministration(ctx, userID)
			}
			return item.domain(), err
		}
		if item.administrates() && !change.administrates {
			if err := u.resign(ctx, userID); err != nil {
				return domain.User{}, client.Translate(err)
			}
		}
		told := item.administrates() != change.administrates
		if told && item.Administration == "" {
			change.ops.AppendSet("/administration", administrationChanged)
		}
		err = u.c.PatchVersion(ctx, userID, userID, item.ETag, change.ops)
		switch {
		case err == nil:
			if told {
				_ = u.SettleAdministration(ctx, userID) // or the users projector does
			}
			return u.account(ctx, userID)
		case client.StatusOf(err) != http.StatusPreconditionFailed || attempt == client.RewriteAttempts:
			return domain.User{}, client.Translate(err)
		}
		// The user is another by now, by this call's own earlier attempt perhaps.
	}
}
