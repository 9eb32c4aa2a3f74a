package cosmos

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/copies"
	"inkfeed/cosmos/deliveries"
	"inkfeed/cosmos/imports"
	"inkfeed/cosmos/moderation"
	"inkfeed/cosmos/schema"
	"inkfeed/cosmos/subscriptions"
	"inkfeed/domain"
	"inkfeed/domain/locale"
)

// AccountDeletions deletes accounts with everything that belongs to them. It stores the time of a scheduled deletion,
// and that of a completed one, in the user item.
type AccountDeletions struct {
	c              *client.Container // users
	users          *Users
	administrators *Administrators
	deletions      *Schedule
	// The stores of everything else that is deleted with a user.
	drafts      *Drafts
	imports     *imports.Imports
	importJobs  *imports.ImportJobs
	reports     *moderation.Reports
	reviews     *moderation.Reviews
	invitations *Invitations
	sessions    *Sessions
	deliveries  *deliveries.Deliveries

	subscriptions *subscriptions.Subscriptions
}

// The change feed does not show deletions. So an account is not deleted at once but marked as deleted, in one write.
// The users projector then deletes everything that belongs to the user, a chunk at a time. As the last step, it gives
// the marked item a time to live. If a step fails, the next worker finds the marked item again.

// Delete marks an account as deleted and deletes its password, in one transaction. From then on, the user is not found.
// The users projector deletes the user's content and finally frees the usernames. Delete returns nil for an account
// that is deleted already, and Conflict if the site would be left without an administrator.
func (s *AccountDeletions) Delete(ctx context.Context, userID string) error {
	if !domain.IsUserID(userID) {
		return schema.ErrNoUser()
	}
	_, err := s.deleteIf(client.Writes("delete-user").In(ctx), userID, schema.IfLive)
	return client.Translate(err)
}

// deleteIf deletes an account if the condition holds, and reports whether it did.
func (s *AccountDeletions) deleteIf(ctx context.Context, userID, condition string) (deleted bool, err error) {
	if err := s.administrators.resignBeforeDeletion(ctx, userID); err != nil {
		return false, err
	}
	var ops azcosmos.PatchOperations
	ops.SetCondition(condition)
	ops.AppendSet("/deletionDate", schema.Instant(time.Now()))
	ops.AppendSet("/feedSecret", "")
	batch := s.c.Batch(userID)
	batch.PatchItem(userID, ops, nil)
	batch.DeleteItem(schema.CredentialsID, nil)
	_, err = s.c.Execute(ctx, batch, false)
	if client.FailedAt(err, 1, http.StatusNotFound) { // an account without a password
		err = s.c.Patch(ctx, userID, userID, ops)
	}
	if client.ConditionFailed(err) {
		return false, nil
	}
	return err == nil, err
}

// EraseImports takes one bounded step of deleting the redirects and records of the imports of a deleted account. It
// reports whether there is more to do.
func (s *AccountDeletions) EraseImports(ctx context.Context, userID string) (more bool, err error) {
	more, err = s.imports.EraseSome(client.Erasing.In(ctx), userID)
	return more, client.Translate(err)
}

// FinishErasure is the last step of deleting an account. It erases what is personal, and marks the user as erased. The
// marker expires after domain.MarkerTime.
func (s *AccountDeletions) FinishErasure(ctx context.Context, userID string) error {
	if err := s.ErasePersonal(ctx, userID); err != nil {
		return err
	}
	var ops azcosmos.PatchOperations
	return client.Translate(client.FinishErasure(client.Erasing.In(ctx), s.c, userID, ops))
}

// ErasePersonal deletes the drafts of a deleted account with their preview links, the blocks, mutes, notifications,
// waiting mails, imports, reports, invitations, sessions, subscriptions and mailings. It frees the usernames and the
// e-mail address, and deletes the profile.
func (s *AccountDeletions) ErasePersonal(ctx context.Context, userID string) error {
	ctx = client.Erasing.In(ctx)
	eraseItems := func(itemType string) func(context.Context, string) error {
		return func(ctx context.Context, userID string) error { return copies.EraseItems(ctx, s.c, userID, itemType) }
	}
	for _, erase := range []func(context.Context, string) error{
		s.drafts.eraseAll, eraseItems(schema.TypeBlock), eraseItems(schema.TypeMutes),
		eraseItems(schema.TypeNotification), eraseItems(schema.TypeOutgoing), s.deliveries.Erase,
		s.importJobs.Erase, s.imports.Erase, s.reports.Forget, s.reviews.Forget, s.invitations.Erase,
		s.administrators.Settle, s.subscriptions.Erase, eraseItems(schema.TypeNewsletter),
		eraseItems(schema.TypeMailing),
	} {
		if err := erase(ctx, userID); err != nil {
			return client.Translate(err)
		}
	}
	if err := s.sessions.DeleteOthers(ctx, userID, ""); err != nil {
		return err
	}
	if err := s.eraseReservations(ctx, userID); err != nil {
		return client.Translate(err)
	}
	var ops azcosmos.PatchOperations
	ops.AppendSet("/username", "")
	ops.AppendSet("/displayName", "")
	ops.AppendSet("/bio", "")
	ops.AppendSet("/blogTitle", "")
	ops.AppendSet("/writingLanguage", "")
	ops.AppendSet("/links", []string{})
	ops.AppendSet("/pins", []string{})
	ops.AppendSet("/header", struct{}{})
	ops.AppendSet("/activeDay", "")
	return client.Translate(client.PatchErasing(ctx, s.c, userID, ops))
}

// ScheduleDeletion schedules the deletion of an account and returns the user. An account whose
// deletion is scheduled already keeps its time. ScheduleDeletion returns Conflict if the site would
// be left without an administrator. CancelDeletion cancels the deletion. If this call schedules it, the deliveries that
// the change causes are stored in the same transaction.
func (s *AccountDeletions) ScheduleDeletion(ctx context.Context, userID string, at time.Time,
	outgoing ...domain.Delivery) (domain.User, error) {
	ctx = client.Writes("leave").In(ctx)
	item, err := s.users.accountItem(ctx, userID)
	if err != nil {
		return domain.User{}, err
	}
	user := item.domain()
	if item.LeavingDate == nil {
		if err := s.administrators.checkSuccessor(ctx, item); err != nil {
			return domain.User{}, client.Translate(err)
		}
		var ops azcosmos.PatchOperations
		ops.SetCondition(schema.IfLive + " and not is_defined(c.leavingDate)")
		ops.AppendSet("/leavingDate", schema.Instant(domain.Timestamp(at)))
		ops.AppendSet("/leavingProblem", "") // only an existing property can be removed
		ops.AppendRemove("/leavingProblem")
		item, err = s.patch(ctx, userID, ops, outgoing)
		// A failed condition means that another call, or an earlier attempt of this one, came first.
		if user = item.domain(); client.ConditionFailed(err) {
			user, err = s.users.account(ctx, userID)
		}
		err = client.Translate(err)
	}
	if err == nil && !user.ScheduledDeletion.IsZero() {
		// After a failure, the users projector puts the item.
		_ = s.deletions.Put(ctx, domain.ScheduledItem{UserID: userID, At: user.ScheduledDeletion})
	}
	return user, err
}

// patch changes an account and stores the deliveries that this causes, in one transaction.
func (s *AccountDeletions) patch(ctx context.Context, userID string, ops azcosmos.PatchOperations,
	outgoing []domain.Delivery) (item userItem, err error) {
	batch := s.c.Batch(userID)
	batch.PatchItem(userID, ops, nil)
	deliveries.AddTo(&batch, userID, outgoing...)
	results, err := s.c.Execute(ctx, batch, true)
	if err == nil {
		err = client.Decode(results[0].ResourceBody, &item)
	}
	return item, err
}

// CancelDeletion cancels a scheduled deletion, and clears the problem of one that failed. It returns
// NotFound if the account is deleted. If this call cancels the deletion, the deliveries that this causes are stored in
// the same transaction.
func (s *AccountDeletions) CancelDeletion(ctx context.Context, userID string, outgoing ...domain.Delivery) error {
	ctx = client.Writes("stay").In(ctx)
	if !domain.IsUserID(userID) {
		return schema.ErrNoUser()
	}
	clear := func(condition string, outgoing []domain.Delivery) error {
		var ops azcosmos.PatchOperations
		ops.SetCondition(schema.IfLive + " and " + condition)
		clearScheduledDeletion(&ops)
		ops.AppendSet("/leavingProblem", "")
		ops.AppendRemove("/leavingProblem")
		_, err := s.patch(ctx, userID, ops, outgoing)
		return err
	}
	err := clear("is_defined(c.leavingDate)", outgoing)
	if client.ConditionFailed(err) {
		err = clear("is_defined(c.leavingProblem)", nil)
	}
	if client.ConditionFailed(err) {
		// Nothing is scheduled, perhaps after an earlier attempt of this call, or the account is deleted.
		_, err = s.users.account(ctx, userID)
	}
	return client.Translate(err)
}

func clearScheduledDeletion(ops *azcosmos.PatchOperations) {
	ops.AppendSet("/leavingDate", "") // only an existing property can be removed
	ops.AppendRemove("/leavingDate")
}

func ifDeletionScheduledFor(at time.Time) string {
	text, _ := schema.Instant(at).MarshalText()
	return fmt.Sprintf("%s and c.leavingDate = '%s'", schema.IfLive, text)
}

// DeleteScheduled deletes an account if its deletion is scheduled for exactly that time. One conditional write checks
// the time and deletes, so either this call or CancelDeletion wins. DeleteScheduled returns nil for an account that is
// deleted already. It returns NotFound if the deletion is cancelled or has another time, and Conflict if the site would
// be left without an administrator: see AbandonDeletion. Any other error is Unavailable, so that the deletion is
// repeated until it succeeds.
func (s *AccountDeletions) DeleteScheduled(ctx context.Context, d domain.ScheduledItem) error {
	err := client.Translate(s.deleteScheduled(deletingLeaving.In(ctx), d))
	if err == nil || domain.Is(err, domain.NotFound) || errors.Is(err, errLastAdministrator) {
		return err
	}
	return &domain.Error{Kind: domain.Unavailable, Message: locale.M("We couldn't delete your account yet."), Err: err}
}

func (s *AccountDeletions) deleteScheduled(ctx context.Context, d domain.ScheduledItem) error {
	item, err := client.Read[userItem](ctx, s.c, d.UserID, d.UserID)
	switch {
	case err != nil:
		return err
	case item.DeletionDate != nil:
		return nil
	case !item.LeavingDate.Time().Equal(d.At):
		return errNoScheduledDeletion()
	}
	deleted, err := s.deleteIf(ctx, d.UserID, ifDeletionScheduledFor(d.At))
	if err != nil || deleted {
		return err
	}
	item, err = client.Read[userItem](ctx, s.c, d.UserID, d.UserID)
	switch {
	case err != nil:
		return err
	case item.DeletionDate != nil: // by another instance, or by an earlier attempt of this call
		return nil
	}
	// The deletion was cancelled at the last moment, so an administrator stays one.
	if err := s.administrators.cancelResignation(ctx, d.UserID); err != nil {
		return err
	}
	return errNoScheduledDeletion()
}

func errNoScheduledDeletion() error {
	return domain.NewError(domain.NotFound, "This account isn't scheduled for deletion at that time.")
}

// AbandonDeletion cancels the deletion of an account that cannot be deleted, and stores the problem for its user, with
// the deliveries that this causes. It reports whether this call did so. It does not change accounts that are deleted or
// have another time.
func (s *AccountDeletions) AbandonDeletion(ctx context.Context, d domain.ScheduledItem, problem locale.Stored,
	outgoing ...domain.Delivery) (abandoned bool, err error) {
	ctx = deletingLeaving.In(ctx)
	item, err := s.users.accountItem(ctx, d.UserID)
	if err == nil && item.LeavingDate.Time().Equal(d.At) {
		var ops azcosmos.PatchOperations
		ops.SetCondition(ifDeletionScheduledFor(d.At))
		clearScheduledDeletion(&ops)
		ops.AppendSet("/leavingProblem", problem)
		if _, err = s.patch(ctx, d.UserID, ops, outgoing); err == nil {
			return true, nil
		}
		if client.ConditionFailed(err) {
			// An earlier attempt of this call may have cancelled the deletion.
			item, err = s.users.accountItem(ctx, d.UserID)
			abandoned = err == nil && item.LeavingDate == nil && item.LeavingProblem == problem
		}
	}
	if err = client.Translate(err); domain.Is(err, domain.NotFound) {
		return false, nil
	}
	return abandoned, err
}
