package cosmos

import (
	"context"
	"errors"
	"maps"
	"net/http"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// Accounts creates accounts, and changes their roles and standing. It writes user items, each in the user's partition
// of the container users.
type Accounts struct {
	c              *client.Container
	users          *Users
	usernames      *Usernames
	administrators *Administrators
}

// SignUp creates an account for a person, as CreateWith does, and returns the user as written. The first user of a site
// becomes its administrator, and so does the first one after all others have left. Of several simultaneous sign-ups,
// one becomes the administrator. On a site that has users but no administrator, no sign-up does.
func (s *Accounts) SignUp(ctx context.Context, user domain.User, credentials domain.Credentials) (domain.User, error) {
	ctx = writingUser.In(ctx)
	administration := ""
	first, err := s.administrators.mayBecomeFirst(ctx)
	if err != nil {
		return domain.User{}, client.Translate(err)
	}
	if first {
		administration = administrationClaimed
	}
	if err := s.create(ctx, user, credentials, administration); err != nil {
		return domain.User{}, err
	}
	if administration == "" {
		return user, nil
	}
	_ = s.administrators.Settle(ctx, user.ID) // after a failure, the users projector does it
	if written, err := s.users.account(ctx, user.ID); err == nil {
		return written, nil
	}
	return user, nil
}

// Create is request C1. It reserves the username, writes the user and the credentials in one transaction, and confirms
// the reservation. After a crash in between, the reservation expires or, if the user was written, the users projector
// confirms it. A username that another user has is an Invalid error for the field "username".
func (s *Accounts) Create(ctx context.Context, user domain.User, passwordHash string) error {
	return s.CreateWith(ctx, user, domain.Credentials{PasswordHash: passwordHash})
}

// CreateWith creates a user as Create does, with credentials other than a password.
func (s *Accounts) CreateWith(ctx context.Context, user domain.User, credentials domain.Credentials) error {
	return s.create(writingUser.In(ctx), user, credentials, "")
}

func (s *Accounts) create(ctx context.Context, user domain.User, credentials domain.Credentials,
	administration string) error {
	credentials.UserID, credentials.Version = user.ID, 1
	if err := s.usernames.reserve(ctx, user.ID, user.Username, ""); err != nil {
		return client.Translate(err)
	}
	batch := s.c.Batch(user.ID)
	batch.CreateItem(client.Encode(userItem{ID: user.ID, Type: schema.TypeUser, UserID: user.ID,
		Username: user.Username, Role: string(user.Role), Trusted: user.Trusted, Hasty: user.Hasty, Sample: user.Sample,
		Administration: administration, DisplayName: user.DisplayName, Bio: user.Bio, Avatar: user.Avatar,
		CreationDate: schema.Instant(user.Created), NameVersion: user.NameVersion,
		PropagatedVersion: user.PropagatedVersion}), nil)
	batch.CreateItem(client.Encode(credentialsItemOf(credentials)), nil)
	// Ids are unique, so a conflict is with an earlier attempt of this call.
	if _, err := s.c.Execute(ctx, batch, false); err != nil && client.StatusOf(err) != http.StatusConflict {
		return client.Translate(err)
	}
	s.usernames.tryConfirm(ctx, user.ID, user.Username)
	return nil
}

// SetRole gives a user a role. It returns Conflict if the site would be left without an administrator.
func (s *Accounts) SetRole(ctx context.Context, userID string, role domain.Role) (domain.User, error) {
	return s.ChangeRole(ctx, userID, role, domain.AccountDecision{})
}

// ChangeRole is SetRole for a form. If it changes the role, the decision becomes the user's LastDecision.
func (s *Accounts) ChangeRole(ctx context.Context, userID string, role domain.Role,
	decision domain.AccountDecision) (domain.User, error) {
	return s.changeAccount(client.Writes("set-role").In(ctx), userID, func(item userItem) (accountChange, error) {
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
func (s *Accounts) Trust(ctx context.Context, userID string) error {
	if !domain.IsUserID(userID) {
		return schema.ErrNoUser()
	}
	var ops azcosmos.PatchOperations
	ops.SetCondition(schema.IfLive + " and not is_defined(c.trusted)")
	ops.AppendSet("/trusted", true)
	err := s.c.Patch(client.Writes("trust").In(ctx), userID, userID, ops)
	if client.ConditionFailed(err) {
		return nil
	}
	return client.Translate(err)
}

// Suspend hides a user from everyone but moderators, until Restore. The users projector then hides the user's content,
// in the same way as it propagates a new name. Suspend returns Conflict if the user is suspended already for another
// reason, or if the site would be left without an administrator. If the user is already suspended for this reason,
// Suspend changes nothing and returns the user.
func (s *Accounts) Suspend(ctx context.Context, userID, reason string, at time.Time) (domain.User, error) {
	at = domain.Timestamp(at)
	ctx = client.Writes("suspend").In(ctx)
	return s.changeAccount(ctx, userID, func(item userItem) (change accountChange, err error) {
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

// Restore ends a suspension. It also ends all older sessions, because a log-in that was in progress
// during the suspension may have created one. It does nothing for a user who is not suspended.
func (s *Accounts) Restore(ctx context.Context, userID string) (domain.User, error) {
	return s.EndSuspension(ctx, userID, domain.AccountDecision{})
}

// EndSuspension is Restore for a form. If it ends a suspension, the decision becomes the user's LastDecision.
func (s *Accounts) EndSuspension(ctx context.Context, userID string,
	decision domain.AccountDecision) (domain.User, error) {
	ctx = client.Writes("restore-user").In(ctx)
	return s.changeAccount(ctx, userID, func(item userItem) (change accountChange, err error) {
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
func (s *Accounts) changeAccount(ctx context.Context, userID string,
	plan func(userItem) (accountChange, error)) (domain.User, error) {
	return client.RewriteReturning(ctx, func() (domain.User, error) {
		item, err := s.users.accountItem(ctx, userID)
		if err != nil {
			return domain.User{}, err
		}
		change, err := plan(item)
		if err != nil || !change.needed {
			if err == nil && item.Administration != "" {
				_ = s.administrators.Settle(ctx, userID)
			}
			return item.domain(), err
		}
		if item.administrates() && !change.administrates {
			if err := s.administrators.resign(ctx, userID); err != nil {
				return domain.User{}, client.Translate(err)
			}
		}
		listChanges := item.administrates() != change.administrates
		if listChanges { // this replaces the mark of a claim that is not settled
			change.ops.AppendSet("/administration", administrationChanged)
		}
		changed, err := client.PatchVersionReturning[userItem](ctx, s.c, userID, userID, item.ETag, change.ops)
		if err != nil {
			// If the precondition failed, the user has changed, perhaps by an earlier attempt of this call.
			return domain.User{}, client.AgainIf(client.ConditionFailed(err), client.Translate(err))
		}
		// After a failure, the users projector settles it.
		if listChanges && s.administrators.Settle(ctx, userID) == nil {
			changed.Administration = ""
		}
		return changed.domain(), nil
	})
}

// CountItems counts user items, those of deleted users included. The query is served from the index.
func (u *Users) CountItems(ctx context.Context) (int, error) {
	users := 0
	err := client.Scan(client.CountingItems.In(ctx), u.c, `SELECT c.type FROM c WHERE c.type = 'user'`, nil,
		func(struct{}) error { users++; return nil })
	return users, client.Translate(err)
}

// RealUser returns the username of any one user who is not part of the sample data and not deleted, and "" if there is
// none. It queries all partitions until it finds one.
func (u *Users) RealUser(ctx context.Context) (username string, err error) {
	err = client.Scan(client.Reads("real-user").In(ctx), u.c,
		`SELECT c.username FROM c WHERE c.type = 'user' AND NOT IS_DEFINED(c.sample)
		AND NOT IS_DEFINED(c.deletionDate)`, nil, func(item userItem) error {
			username = item.Username
			return client.ErrStopScan
		})
	if errors.Is(err, client.ErrStopScan) {
		return username, nil
	}
	return "", client.Translate(err)
}

// People reads several users by their ids. The result has no entry for an account that is deleted, suspended or about
// to be deleted at its user's request.
func (u *Users) People(ctx context.Context, userIDs []string) (map[string]domain.User, error) {
	users, err := u.Several(ctx, userIDs)
	maps.DeleteFunc(users, func(_ string, u domain.User) bool {
		return !u.Deleted.IsZero() || !u.Suspended.IsZero() || !u.ScheduledDeletion.IsZero()
	})
	return users, err
}
