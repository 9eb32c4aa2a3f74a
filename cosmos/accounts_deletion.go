package cosmos

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// The change feed shows no deletes. So what other partitions must hear of is not
// deleted but marked, in one write, and the workers do the rest: they take away
// what hangs on it, chunk by chunk, and give the marker a time to live as the last
// step. Whatever stops in between is found again by its marker.

// Delete deletes an account in one write, which leaves a marker and takes the
// password. From then on nobody finds the user; the users projector takes away what
// the user wrote and, last, frees the usernames. An account that is deleted already
// is no error. It answers Conflict when nobody would be left who administers the site.
func (u *Users) Delete(ctx context.Context, userID string) error {
	if !domain.IsUserID(userID) {
		return schema.ErrNoUser()
	}
	_, err := u.deleteIf(client.Operation(ctx, "delete-user"), userID, schema.IfLive)
	return client.Translate(err)
}

// deleteIf deletes an account if it is as the condition says, and reports whether it was.
func (u *Users) deleteIf(ctx context.Context, userID, condition string) (deleted bool, err error) {
	if err := u.letGoDeleted(ctx, userID); err != nil {
		return false, err
	}
	var ops azcosmos.PatchOperations
	ops.SetCondition(condition)
	ops.AppendSet("/deletionDate", schema.Instant(time.Now()))
	batch := u.c.Batch(userID)
	batch.PatchItem(userID, ops, nil)
	batch.DeleteItem(schema.CredentialsID, nil)
	_, err = u.c.Execute(ctx, batch, false)
	if client.FailedAt(err, 1, http.StatusNotFound) { // an account without a password
		err = u.c.Patch(ctx, userID, userID, ops)
	}
	if client.StatusOf(err) == http.StatusPreconditionFailed {
		return false, nil
	}
	return err == nil, err
}

// letGoDeleted is letGo for a user who is about to be deleted, if the user administers. That
// the list forgets the user is of the last steps.
func (u *Users) letGoDeleted(ctx context.Context, userID string) error {
	user, err := u.accountItem(ctx, userID)
	if err != nil || !user.administrates() {
		if domain.Is(err, domain.NotFound) {
			return nil
		}
		return err
	}
	last := u.letGo(ctx, userID)
	if !errors.Is(last, errLastAdministrator) {
		return last
	}
	// Whoever is there alone needs no successor. As soon as the list says that nobody stays,
	// who signs up claims to be the first; who had done so just before is found after that.
	if others, err := u.hasOthers(ctx, userID); err != nil || others {
		return cmp.Or(err, last)
	}
	if err := u.letGoAlone(ctx, userID); err != nil {
		return err
	}
	others, err := u.hasOthers(ctx, userID)
	if err != nil || !others {
		return err
	}
	return cmp.Or(u.goesOn(ctx, userID), last)
}

// hasOthers tells whether there is anybody else, sample accounts aside.
func (u *Users) hasOthers(ctx context.Context, userID string) (bool, error) {
	err := client.Scan(ctx, u.c, `SELECT c.id FROM c WHERE c.type = 'user' AND c.userId != @user
		AND NOT IS_DEFINED(c.deletionDate) AND NOT IS_DEFINED(c.sample)`, client.Parameters{"user": userID}, func(userItem) error { return client.ErrFound })
	if errors.Is(err, client.ErrFound) {
		return true, nil
	}
	return false, err
}

// Again changes a user in no way but that the user comes by the change feed once
// more: the next step of something that takes several.
func (u *Users) Again(ctx context.Context, userID string) error {
	var ops azcosmos.PatchOperations
	ops.AppendIncrement("/steps", 1)
	return client.Translate(u.c.Patch(client.Operation(ctx, "again"), userID, userID, ops))
}

// FinishErasure is the last step of deleting an account: the user's drafts go with all
// that leads to them, the sessions end, all usernames and the e-mail address of the user become free, and the marker says that nothing is left and goes itself after
// domain.MarkerTime.
func (u *Users) FinishErasure(ctx context.Context, userID string) error {
	ctx = client.Operation(ctx, "erase")
	if err := u.eraseDrafts(ctx, userID); err != nil {
		return client.Translate(err)
	}
	if err := u.eraseBlocks(ctx, userID); err != nil {
		return client.Translate(err)
	}
	if err := u.importJobs.Erase(ctx, userID); err != nil {
		return client.Translate(err)
	}
	if err := u.imports.Erase(ctx, userID); err != nil {
		return client.Translate(err)
	}
	if err := u.reports.Forget(ctx, userID); err != nil {
		return client.Translate(err)
	}
	if err := u.reviews.Forget(ctx, userID); err != nil {
		return client.Translate(err)
	}
	if err := u.invitations.Erase(ctx, userID); err != nil {
		return client.Translate(err)
	}
	if err := u.SettleAdministration(ctx, userID); err != nil {
		return err
	}
	if err := u.sessions.DeleteOthers(ctx, userID, ""); err != nil {
		return err
	}
	var names, links []string // names, how they look, and an address
	err := client.Scan(ctx, u.c, `SELECT c.id, c.type FROM c WHERE c.type IN ('username', 'skeleton', 'preview', 'email') AND c.ownerId = @user`,
		client.Parameters{"user": userID}, func(owned usernameItem) error {
			if owned.Type == schema.TypePreview {
				links = append(links, owned.ID)
			} else {
				names = append(names, owned.ID)
			}
			return nil
		})
	if err != nil {
		return client.Translate(err)
	}
	for _, link := range links { // of drafts that were published, or went while the link was made
		if err := u.c.Delete(ctx, link, link); err != nil && !client.Missing(err) {
			return client.Translate(err)
		}
	}
	for _, name := range names {
		if err := u.freeName(ctx, name, userID); err != nil {
			return client.Translate(err)
		}
	}
	var ops azcosmos.PatchOperations
	ops.AppendSet("/username", "")
	ops.AppendSet("/displayName", "")
	return client.Translate(client.FinishErasure(ctx, u.c, userID, ops))
}
