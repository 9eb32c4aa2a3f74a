package cosmos

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
	"inkfeed/domain/dependency"
)

// Account reads a user by id, also a suspended one. It is for moderation and for logging in. It
// returns NotFound for a deleted user.
func (u *Users) Account(ctx context.Context, userID string) (domain.User, error) {
	return u.account(readingAccount.In(ctx), userID)
}

// AccountByName reads the owner of a current or former username, as Account does.
func (u *Users) AccountByName(ctx context.Context, username string) (domain.User, error) {
	ctx = readingAccount.In(ctx)
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

// Staff lists the moderators and administrators, sorted by username.
func (u *Users) Staff(ctx context.Context) ([]domain.User, error) {
	var staff []domain.User
	err := client.Scan(client.Reads("staff").In(ctx), u.c, `SELECT * FROM c
		WHERE c.role IN ('moderator', 'administrator') AND c.type = 'user'
		AND NOT IS_DEFINED(c.deletionDate)`, nil, func(item userItem) error {
		staff = append(staff, item.domain())
		return nil
	})
	slices.SortFunc(staff, func(a, b domain.User) int { return cmp.Compare(a.Username, b.Username) })
	return staff, client.Translate(err)
}

// Administrators returns the usernames of at most three administrators, in the order in which they became
// administrators. It omits deleted accounts and administrators who are resigning.
func (u *Users) Administrators(ctx context.Context) ([]string, error) {
	ctx = administrating.In(ctx)
	list, err := u.readAdministrators(ctx)
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
	authors, err := u.Authors(ctx, ids)
	var names []string
	for _, id := range ids {
		if a, ok := authors[id]; ok && !a.Deleted && len(names) < 3 {
			names = append(names, a.Name)
		}
	}
	return names, err
}

// EachAccount visits all users that are not deleted, in no particular order.
func (u *Users) EachAccount(ctx context.Context, visit func(domain.User) error) error {
	return client.Translate(client.Scan(client.Reads("list-accounts").In(ctx), u.c,
		`SELECT * FROM c WHERE c.type = 'user' AND NOT IS_DEFINED(c.deletionDate)`,
		nil, func(item userItem) error { return visit(item.domain()) }))
}

// CountPosts counts a user's posts, including unlisted, hidden and unpublished ones, and the user's drafts.
func (u *Users) CountPosts(ctx context.Context, userID string) (posts, drafts int, err error) {
	if !domain.IsUserID(userID) {
		return 0, 0, schema.ErrNoUser()
	}
	for filter, n := range map[string]*int{
		`IN ('post', 'unlisted-post', 'hidden-post', 'unpublished-post')`: &posts,
		`= 'draft'`: &drafts,
	} {
		*n, err = client.Count(client.Reads("count-posts").In(ctx), u.c, userID,
			`SELECT VALUE COUNT(1) FROM c WHERE c.userId = @user AND c.type `+filter,
			client.Parameters{"user": userID})
		if err != nil {
			return 0, 0, client.Translate(err)
		}
	}
	return posts, drafts, nil
}

// SetRole gives a user a role. It returns Conflict if the site would be left without an
// administrator.
func (u *Users) SetRole(ctx context.Context, userID string, role domain.Role) (domain.User, error) {
	return u.ChangeRole(ctx, userID, role, domain.AccountDecision{})
}

// ChangeRole is SetRole for a form. If it changes the role, the decision becomes the user's LastDecision.
func (u *Users) ChangeRole(ctx context.Context, userID string, role domain.Role,
	decision domain.AccountDecision) (domain.User, error) {
	return u.changeAccount(client.Writes("set-role").In(ctx), userID, func(item userItem) (accountChange, error) {
		change := accountChange{
			needed:        domain.Role(item.Role) != role,
			administrates: role.MayAdminister() && item.SuspensionDate == nil,
		}
		if role == domain.RoleAuthor {
			change.ops.AppendSet("/role", "") // only an existing property can be removed
			change.ops.AppendRemove("/role")
		} else {
			change.ops.AppendSet("/role", string(role))
		}
		change.decidedBy(decision, item)
		return change, nil
	})
}

// Trust exempts a user's posts and comments from review, see screening.Policy. It returns nil for a
// user who is trusted already or deleted.
func (u *Users) Trust(ctx context.Context, userID string) error {
	if !domain.IsUserID(userID) {
		return schema.ErrNoUser()
	}
	var ops azcosmos.PatchOperations
	ops.SetCondition(schema.IfLive + " and not is_defined(c.trusted)")
	ops.AppendSet("/trusted", true)
	err := u.c.Patch(client.Writes("trust").In(ctx), userID, userID, ops)
	if client.ConditionFailed(err) {
		return nil
	}
	return client.Translate(err)
}

// Suspend hides a user from everyone but moderators, until Restore. The users projector then hides the user's content,
// in the same way as it propagates a new name. Suspend returns Conflict if the user is suspended already for another
// reason, or if the site would be left without an administrator. If the user is already suspended for this reason,
// Suspend changes nothing and returns the user.
func (u *Users) Suspend(ctx context.Context, userID, reason string, at time.Time) (domain.User, error) {
	at = domain.Timestamp(at)
	ctx = client.Writes("suspend").In(ctx)
	return u.changeAccount(ctx, userID, func(item userItem) (change accountChange, err error) {
		if item.SuspensionDate != nil {
			if item.SuspensionReason != reason {
				err = domain.NewError(domain.Conflict, "This account is already suspended.")
			}
			return change, err
		}
		change.needed = true
		change.ops.AppendSet("/suspensionDate", schema.Instant(at))
		change.ops.AppendSet("/suspensionReason", reason)
		change.ops.AppendIncrement("/nameVersion", 1) // makes the users projector update the copies
		return change, nil
	})
}

// EndSessions ends all sessions of a user, and the log-ins in progress, on behalf of one of the sessions. To keep that
// session, the caller raises its version by one with Sessions.SetVersion. Repeating a call changes nothing. EndSessions
// returns NotFound if the user is deleted or the session has ended.
func (u *Users) EndSessions(ctx context.Context, current domain.Session) error {
	userID, version := current.UserID, current.SessionVersion
	if !domain.IsUserID(userID) {
		return schema.ErrNoUser()
	}
	ctx = client.WritesOnly("end-sessions", dependency.FacetAccount).In(ctx)
	unchanged := fmt.Sprintf("c.sessionVersion = %d", version)
	if version == 0 {
		unchanged = "(not is_defined(c.sessionVersion) or " + unchanged + ")"
	}
	endedBy := fmt.Sprintf("%s %d", current.ID, version+1)
	var ops azcosmos.PatchOperations
	ops.SetCondition(schema.IfLive + " and " + unchanged)
	ops.AppendIncrement("/sessionVersion", 1)
	ops.AppendSet("/sessionsEndedBy", endedBy)
	err := u.c.Patch(ctx, userID, userID, ops)
	if !client.ConditionFailed(err) {
		return client.Translate(err)
	}
	item, err := u.accountItem(ctx, userID)
	if err == nil && (item.SessionVersion != version+1 || item.SessionsEndedBy != endedBy) {
		err = errNoSession()
	}
	return err // nil after an earlier attempt, or another request of the same session
}

// Restore ends a suspension. It also ends all older sessions, because a log-in that was in progress
// during the suspension may have created one. It does nothing for a user who is not suspended.
func (u *Users) Restore(ctx context.Context, userID string) (domain.User, error) {
	return u.EndSuspension(ctx, userID, domain.AccountDecision{})
}

// EndSuspension is Restore for a form. If it ends a suspension, the decision becomes the user's LastDecision.
func (u *Users) EndSuspension(ctx context.Context, userID string,
	decision domain.AccountDecision) (domain.User, error) {
	ctx = client.Writes("restore-user").In(ctx)
	return u.changeAccount(ctx, userID, func(item userItem) (change accountChange, err error) {
		change.needed = item.SuspensionDate != nil
		change.administrates = domain.Role(item.Role).MayAdminister()
		change.ops.AppendRemove("/suspensionDate")
		change.ops.AppendRemove("/suspensionReason")
		change.ops.AppendIncrement("/sessionVersion", 1)
		change.ops.AppendIncrement("/nameVersion", 1)
		change.decidedBy(decision, item)
		return change, nil
	})
}

// administrates reports whether a user administers the site now. A user whose deletion is scheduled
// does; a suspended user does not.
func (i userItem) administrates() bool {
	return domain.Role(i.Role).MayAdminister() && i.SuspensionDate == nil && i.DeletionDate == nil
}

// accountChange is a planned change of an account.
type accountChange struct {
	needed        bool // false if the account has that state already
	administrates bool // whether the user administers the site after the change
	ops           azcosmos.PatchOperations
}

// decidedBy stores a decision together with the change. A command has none.
func (c *accountChange) decidedBy(decision domain.AccountDecision, before userItem) {
	if decision.ID != "" {
		c.ops.AppendSet("/decision", decisionItem{ID: decision.ID, Date: schema.Instant(decision.At),
			From: before.Role})
	}
}

// changeAccount makes the change that plan returns for the account, unless the account has changed
// since; then it plans again. An administrator who stops being one resigns first, which may fail.
// Any change of who administers the site is marked on the user in the same write, so that the users
// projector updates the list of administrators if this process dies.
func (u *Users) changeAccount(ctx context.Context, userID string,
	plan func(userItem) (accountChange, error)) (domain.User, error) {
	return client.RewriteReturning(ctx, func() (domain.User, error) {
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
		listChanges := item.administrates() != change.administrates
		if listChanges { // this replaces the mark of a claim that is not settled
			change.ops.AppendSet("/administration", administrationChanged)
		}
		changed, err := client.PatchVersionReturning[userItem](ctx, u.c, userID, userID, item.ETag, change.ops)
		if err != nil {
			// If the precondition failed, the user has changed, perhaps by an earlier attempt of this call.
			return domain.User{}, client.AgainIf(client.ConditionFailed(err), client.Translate(err))
		}
		// After a failure, the users projector settles it.
		if listChanges && u.SettleAdministration(ctx, userID) == nil {
			changed.Administration = ""
		}
		return changed.domain(), nil
	})
}
