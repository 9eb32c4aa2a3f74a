package cosmos

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// ScheduleDeletion schedules the deletion of an account, until CancelDeletion cancels it. An account whose deletion is
// scheduled already keeps its time, which the returned user has. It answers Conflict when no other administrator would
// remain.
func (u *Users) ScheduleDeletion(ctx context.Context, userID string, at time.Time) (domain.User, error) {
	ctx = client.Operation(ctx, "leave")
	item, err := u.accountItem(ctx, userID)
	if err != nil {
		return domain.User{}, err
	}
	if item.LeavingDate == nil {
		if err := u.checkSuccessor(ctx, item); err != nil {
			return domain.User{}, client.Translate(err)
		}
		var ops azcosmos.PatchOperations
		ops.SetCondition(schema.IfLive + " and not is_defined(c.leavingDate)")
		ops.AppendSet("/leavingDate", schema.Instant(domain.Timestamp(at)))
		ops.AppendSet("/leavingProblem", "") // what is not there cannot be removed
		ops.AppendRemove("/leavingProblem")
		err = u.c.Patch(ctx, userID, userID, ops)
		if err != nil && client.StatusOf(err) != http.StatusPreconditionFailed { // its own earlier attempt, or another's
			return domain.User{}, client.Translate(err)
		}
	}
	user, err := u.account(ctx, userID)
	if err == nil && !user.ScheduledDeletion.IsZero() {
		_ = u.deletions.Put(ctx, domain.ScheduledItem{UserID: userID, At: user.ScheduledDeletion}) // or the users projector does
	}
	return user, err
}

// checkSuccessor returns an error when the user is the last administrator. Administrators whose deletion is scheduled do
// not count as successors. It decides early what letGo decides again at the time of the deletion.
func (u *Users) checkSuccessor(ctx context.Context, leaver userItem) error {
	if !leaver.administrates() {
		return nil
	}
	list, err := client.Read[administratorsItem](ctx, u.c, schema.AdministratorsID, schema.AdministratorsID)
	if err != nil && !client.Missing(err) {
		return err
	}
	for _, a := range list.List {
		if a.UserID == leaver.UserID || a.Going != nil {
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
	others, err := u.hasOthers(ctx, leaver.UserID)
	if err == nil && others {
		err = errLastAdministrator
	}
	return err
}

// CancelDeletion cancels a scheduled deletion, and clears the problem of one that failed. It answers NotFound when the
// account is deleted.
func (u *Users) CancelDeletion(ctx context.Context, userID string) error {
	ctx = client.Operation(ctx, "stay")
	if !domain.IsUserID(userID) {
		return schema.ErrNoUser()
	}
	var ops azcosmos.PatchOperations
	ops.SetCondition(schema.IfLive + " and (is_defined(c.leavingDate) or is_defined(c.leavingProblem))")
	clearScheduledDeletion(&ops)
	ops.AppendSet("/leavingProblem", "")
	ops.AppendRemove("/leavingProblem")
	err := u.c.Patch(ctx, userID, userID, ops)
	if client.StatusOf(err) == http.StatusPreconditionFailed {
		_, err = u.account(ctx, userID) // it stays, by this call's own earlier attempt perhaps, or is gone
	}
	return client.Translate(err)
}

func clearScheduledDeletion(ops *azcosmos.PatchOperations) {
	ops.AppendSet("/leavingDate", "") // what is not there cannot be removed
	ops.AppendRemove("/leavingDate")
}

func ifDeletionScheduledFor(at time.Time) string {
	text, _ := schema.Instant(at).MarshalText()
	return fmt.Sprintf("%s and c.leavingDate = '%s'", schema.IfLive, text)
}

// DeleteScheduled deletes an account if its deletion is scheduled for exactly that time. One conditional write checks
// the time and deletes, so either this or CancelDeletion wins. It returns nil for an account that is deleted already.
// It answers NotFound when the deletion is cancelled or has another time, and Conflict when no other administrator would
// remain: see AbandonDeletion. Any other error is Unavailable, so that the deletion is tried until it succeeds.
func (u *Users) DeleteScheduled(ctx context.Context, d domain.ScheduledItem) error {
	err := client.Translate(u.deleteScheduled(client.Operation(ctx, "delete-leaving"), d))
	if err == nil || domain.Is(err, domain.NotFound) || errors.Is(err, errLastAdministrator) {
		return err
	}
	return &domain.Error{Kind: domain.Unavailable, Message: "We couldn't delete your account yet.", Err: err}
}

func (u *Users) deleteScheduled(ctx context.Context, d domain.ScheduledItem) error {
	item, err := client.Read[userItem](ctx, u.c, d.UserID, d.UserID)
	switch {
	case err != nil:
		return err
	case item.DeletionDate != nil:
		return nil
	case !item.LeavingDate.Time().Equal(d.At):
		return errNoScheduledDeletion()
	}
	deleted, err := u.deleteIf(ctx, d.UserID, ifDeletionScheduledFor(d.At))
	if err != nil || deleted {
		return err
	}
	item, err = client.Read[userItem](ctx, u.c, d.UserID, d.UserID)
	switch {
	case err != nil:
		return err
	case item.DeletionDate != nil: // by another instance, or its own earlier attempt
		return nil
	}
	// It was kept at the last moment, and goes on to administer the site if it did.
	if err := u.goesOn(ctx, d.UserID); err != nil {
		return err
	}
	return errNoScheduledDeletion()
}

func errNoScheduledDeletion() error {
	return domain.Errorf(domain.NotFound, "This account isn't scheduled for deletion at that time.")
}

// AbandonDeletion cancels the deletion of an account that cannot be deleted, and stores the problem for its user. It
// reports whether this call did so. It leaves accounts alone that are deleted or have another time.
func (u *Users) AbandonDeletion(ctx context.Context, d domain.ScheduledItem, problem string) (abandoned bool, err error) {
	var ops azcosmos.PatchOperations
	ops.SetCondition(ifDeletionScheduledFor(d.At))
	clearScheduledDeletion(&ops)
	ops.AppendSet("/leavingProblem", problem)
	err = u.c.Patch(client.Operation(ctx, "delete-leaving"), d.UserID, d.UserID, ops)
	if client.StatusOf(err) == http.StatusPreconditionFailed || client.Missing(err) {
		return false, nil
	}
	return err == nil, client.Translate(err)
}
