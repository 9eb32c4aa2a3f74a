package cosmos

import (
	"context"
	"fmt"
	"net/http"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// The user item counts the drafts of the user and their bytes, in the transactions that change drafts. The bytes are
// counted in steps and stored in the draft, so that most saves change no count and are a single write. The drafts of
// static pages belong to domain.SiteUserID, which has no user item: they are not counted.

// WithoutQuota returns the store for the operator's command, which may begin drafts beyond the quota.
func (s *Drafts) WithoutQuota() *Drafts {
	free := *s
	free.noQuota = true
	return &free
}

func errDraftQuota() error {
	return domain.NewError(domain.Invalid, "Your drafts have reached the limit of {number} drafts or {size} MB. "+
		"Publish or delete some first.", "number", domain.DraftQuota, "size", domain.DraftBytesQuota>>20)
}

// addToDrafts returns the patch of a user that adds to the number of drafts and their bytes.
func addToDrafts(drafts, bytes int64) azcosmos.PatchOperations {
	var ops azcosmos.PatchOperations
	ops.AppendIncrement("/draftCount", drafts)
	ops.AppendIncrement("/draftBytes", bytes)
	return ops
}

// create stores and counts a new draft. If the draft changes no post, its author must have room for it or be an
// administrator.
func (s *Drafts) create(ctx context.Context, d domain.Draft) error {
	if d.Bytes == 0 {
		return s.c.Create(ctx, d.AuthorID, draftItemOf(d))
	}
	count, condition := addToDrafts(1, d.Bytes), schema.IfLive
	if d.Revision == 0 && !s.noQuota {
		condition += fmt.Sprintf(" and (c.role = '%s' or not is_defined(c.draftCount) or "+
			"c.draftCount < %d and c.draftBytes <= %d)",
			domain.RoleAdministrator, domain.DraftQuota, domain.DraftBytesQuota-d.Bytes)
	}
	count.SetCondition(condition)
	batch := s.c.Batch(d.AuthorID)
	batch.CreateItem(client.Encode(draftItemOf(d)), nil)
	batch.PatchItem(d.AuthorID, count, nil)
	_, err := s.c.Execute(ctx, batch, false)
	switch {
	case client.FailedAt(err, 1, http.StatusNotFound):
		return schema.ErrNoUser()
	case client.FailedAt(err, 1, http.StatusPreconditionFailed):
		if _, err := s.users.account(ctx, d.AuthorID); err != nil {
			return err // the account has just been deleted
		}
		return errDraftQuota()
	}
	return err
}

// patchText makes a patch that writes the text of d, on a condition. The same transaction changes the counts if the
// text counts another number of steps than before, or if the draft was not counted.
func (s *Drafts) patchText(ctx context.Context, d domain.Draft, condition string,
	ops azcosmos.PatchOperations) (draftItem, error) {
	bytes, id := d.CountedBytes(), schema.DraftID(d.PostID)
	if ops.SetCondition(condition); bytes > 0 {
		ops.SetCondition(fmt.Sprintf("%s and c.bytes = %d", condition, bytes))
	}
	item, err := client.PatchReturning[draftItem](ctx, s.c, d.AuthorID, id, ops)
	if bytes == 0 || !client.ConditionFailed(err) {
		return item, err
	}
	stored, readErr := client.Read[draftItem](ctx, s.c, d.AuthorID, id)
	switch {
	case readErr != nil:
		return draftItem{}, readErr
	case stored.Bytes == bytes:
		return draftItem{}, err // the condition does not hold
	}
	batch := s.c.Batch(d.AuthorID)
	count(&batch, stored, bytes, condition, ops)
	results, err := s.c.Execute(ctx, batch, true)
	if err != nil {
		return draftItem{}, err
	}
	err = client.Decode(results[0].ResourceBody, &item)
	return item, err
}

// count appends the patches of a draft, on a further condition, and of its author, after which the draft counts bytes.
func count(batch *azcosmos.TransactionalBatch, stored draftItem, bytes int64, condition string,
	ops azcosmos.PatchOperations) {
	added := addToDrafts(0, bytes-stored.Bytes)
	if stored.Bytes == 0 {
		condition += " and not is_defined(c.bytes)"
		added = addToDrafts(1, bytes)
	} else {
		condition += fmt.Sprintf(" and c.bytes = %d", stored.Bytes)
	}
	ops.SetCondition(condition)
	ops.AppendSet("/bytes", bytes)
	batch.PatchItem(stored.ID, ops, nil)
	batch.PatchItem(stored.UserID, added, nil)
}

// Count counts a draft that an earlier release saved. It ignores a draft that is gone. If the draft is saved at the
// same moment, that save counts it, or the draft comes through the change feed again.
func (s *Drafts) Count(ctx context.Context, userID, postID string) error {
	ctx = countingDraft.In(ctx)
	item, err := s.read(ctx, userID, postID)
	bytes := item.domain().CountedBytes()
	switch {
	case domain.Is(err, domain.NotFound), err == nil && item.Bytes == bytes:
		return nil
	case err != nil:
		return err
	}
	batch := s.c.Batch(userID)
	count(&batch, item, bytes, fmt.Sprintf("from c where c.version = %d", item.Version), azcosmos.PatchOperations{})
	if _, err = s.c.Execute(ctx, batch, false); client.LostRace(err) {
		return nil
	}
	return client.Translate(err)
}

// Recount corrects the counts of users that do not match their counted drafts. Releases that count no drafts leave such
// counts.
func (s *Drafts) Recount(ctx context.Context) error {
	ctx = countingDraft.In(ctx)
	return s.users.EachAccount(ctx, func(u domain.User) error { return client.Translate(s.recount(ctx, u.ID)) })
}

// recount corrects the counts of a user. Each change of the counts changes the user's etag, so recount overwrites none.
func (s *Drafts) recount(ctx context.Context, userID string) error {
	return client.Rewrite(ctx, func() error {
		u, err := s.users.accountItem(ctx, userID)
		switch {
		case domain.Is(err, domain.NotFound): // deleted just now
			return nil
		case err != nil:
			return err
		}
		drafts, err := client.Query[draftItem](ctx, s.c, userID, `SELECT c.bytes FROM c WHERE c.userId = @user
			AND c.type = 'draft' AND IS_DEFINED(c.bytes)`, client.Parameters{"user": userID})
		if err != nil {
			return err
		}
		var bytes int64
		for _, d := range drafts {
			bytes += d.Bytes
		}
		if u.DraftCount == len(drafts) && u.DraftBytes == bytes {
			return nil
		}
		var ops azcosmos.PatchOperations
		ops.AppendSet("/draftCount", len(drafts))
		ops.AppendSet("/draftBytes", bytes)
		err = s.c.PatchVersion(ctx, userID, userID, u.ETag, ops)
		return client.Lost(err)
	})
}

// deleteUnchanged deletes a draft if it is still as it was read.
func (s *Drafts) deleteUnchanged(ctx context.Context, item draftItem) error {
	batch := s.c.Batch(item.UserID)
	batch.DeleteItem(item.ID, client.IfMatch(item.ETag))
	if item.Bytes > 0 {
		batch.PatchItem(item.UserID, addToDrafts(-1, -item.Bytes), nil)
	}
	_, err := s.c.Execute(ctx, batch, false)
	if client.FailedAt(err, 1, http.StatusNotFound) { // of a deleted account, whose marker has expired
		err = s.c.DeleteVersion(ctx, item.UserID, item.ID, item.ETag)
	}
	switch {
	case client.Missing(err):
		return nil
	case client.ConditionFailed(err):
		return errDraftChanged()
	}
	return client.Translate(err)
}

// EraseOf deletes the draft of a deleted post. It keeps a draft that its author has continued as a
// new post since the deletion, with its preview link.
func (s *Drafts) EraseOf(ctx context.Context, deleted domain.Post) error {
	ctx = client.Erasing.In(ctx)
	return client.Rewrite(ctx, func() error {
		item, err := s.read(ctx, deleted.AuthorID, deleted.ID)
		switch {
		case domain.Is(err, domain.NotFound):
			return nil
		case err != nil:
			return err
		case item.Revision == 0 && item.domain().Saved.After(deleted.Deleted.Add(-schema.ClockMargin)):
			return client.Translate(s.restorePreview(ctx, item))
		}
		// The link goes first, because only the draft has its secret.
		if err := s.deletePreview(ctx, item.Preview); err != nil {
			return client.Translate(err)
		}
		err = s.deleteUnchanged(ctx, item)
		return client.AgainIf(domain.Is(err, domain.Conflict), err)
	})
}

// restorePreview creates the preview link of a draft again, which an earlier attempt to erase the
// draft may have deleted. It deletes the link if the draft no longer has it or is gone.
func (s *Drafts) restorePreview(ctx context.Context, item draftItem) error {
	if item.Preview == "" {
		return nil
	}
	secret := item.Preview
	err := s.c.Create(ctx, secret, newPreviewItem(secret, item.UserID, item.PostID))
	if client.StatusOf(err) == http.StatusConflict {
		return nil
	}
	if err != nil {
		return err
	}
	draft, err := s.read(ctx, item.UserID, item.PostID)
	switch {
	case domain.Is(err, domain.NotFound), err == nil && draft.Preview != secret:
		return s.deletePreview(ctx, secret)
	}
	return err
}

// Erase deletes a draft of a deleted account in any state. It returns nil if the draft is gone.
func (s *Drafts) Erase(ctx context.Context, userID, postID string) error {
	ctx = client.Erasing.In(ctx)
	item, err := s.read(ctx, userID, postID)
	switch {
	case domain.Is(err, domain.NotFound):
		return nil
	case err != nil:
		return err
	}
	return client.Translate(s.eraseDraft(ctx, item))
}

// eraseDraft deletes the preview link of a draft and then the draft, in any state.
func (s *Drafts) eraseDraft(ctx context.Context, draft draftItem) error {
	if draft.Preview != "" {
		if err := s.c.Delete(ctx, draft.Preview, draft.Preview); err != nil && !client.Missing(err) {
			return err
		}
	}
	if err := s.c.Delete(ctx, draft.UserID, draft.ID); !client.Missing(err) {
		return err
	}
	return nil
}

// eraseAll deletes all drafts of a user. The scheduler drops their scheduled items when they are due.
func (s *Drafts) eraseAll(ctx context.Context, userID string) error {
	drafts, err := client.Query[draftItem](ctx, s.c, userID,
		`SELECT c.id, c.userId, c.preview FROM c WHERE c.userId = @user AND c.type = 'draft'`,
		client.Parameters{"user": userID})
	for _, draft := range drafts {
		if err == nil {
			err = s.eraseDraft(ctx, draft)
		}
	}
	return err
}
