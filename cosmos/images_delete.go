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

// A picture's name follows from its content, so who uploads a picture again that is being
// deleted writes the very files that go. A deletion therefore notes itself in the record,
// with a time at which it certainly takes no more files away. Until then nobody begins to
// write them, and whoever began before is not told that they are there.
const (
	// deletionTime is how long a deletion takes files away, at most.
	deletionTime = 30 * time.Second
	// deletionNoted is how long it keeps others off, so that clocks may differ.
	deletionNoted = deletionTime + 90*time.Second
)

func errBeingDeleted() error {
	return domain.Errorf(domain.Unavailable, "The picture is being deleted right now. Please try again in a moment.")
}

// noteDeletion notes that a deletion has begun, unless another is going on.
func noteDeletion(deletion string) azcosmos.PatchOperations {
	now := time.Now()
	text, _ := schema.Instant(now).MarshalText()
	var ops azcosmos.PatchOperations
	ops.SetCondition(fmt.Sprintf("from c where not is_defined(c.deletion) or c.deletionEnd < '%s'", text))
	ops.AppendSet("/incomplete", true)
	ops.AppendSet("/deletion", deletion)
	ops.AppendSet("/deletionEnd", schema.Instant(now.Add(deletionNoted)))
	return ops
}

// noted reads a record that notes this very deletion; false says that it is gone, or that
// another deletion or an upload has come since.
func (s *Images) noted(ctx context.Context, userID, id, deletion string) (imageItem, bool, error) {
	item, err := client.Read[imageItem](ctx, s.c, userID, id)
	if client.Missing(err) {
		return imageItem{}, false, nil
	}
	return item, err == nil && item.Deletion == deletion, client.Translate(err)
}

// Delete deletes a picture: first its files, then its record. One that is gone, or that
// somebody else is deleting, is no error.
func (s *Images) Delete(ctx context.Context, userID string, name domain.ImageName) error {
	ctx = client.Operation(ctx, "delete-image")
	id, deletion := schema.ImageID(name.String()), domain.NewID()
	item, err := client.PatchReturning[imageItem](ctx, s.c, userID, id, noteDeletion(deletion))
	switch {
	case client.StatusOf(err) == http.StatusNotFound:
		return nil
	case client.StatusOf(err) == http.StatusPreconditionFailed: // perhaps by this call's own earlier attempt
		var own bool
		if item, own, err = s.noted(ctx, userID, id, deletion); !own {
			return err
		}
	case err != nil:
		return client.Translate(err)
	}
	return s.finishDeletion(ctx, item)
}

// finishDeletion deletes a picture whose record notes the deletion, whoever waits for it.
func (s *Images) finishDeletion(ctx context.Context, item imageItem) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), deletionTime)
	defer cancel()
	err := s.deleteFiles(ctx, item.domain().Name)
	if err == nil {
		err = s.deleteRecord(ctx, item)
	}
	if err != nil && ctx.Err() == nil {
		// It takes no more files away. That some may be missing stays noted; the time
		// passes also where this fails.
		var over azcosmos.PatchOperations
		over.SetCondition(fmt.Sprintf("from c where c.deletion = '%s'", item.Deletion))
		over.AppendSet("/deletionEnd", schema.Instant(time.Unix(0, 0)))
		_ = s.c.Patch(ctx, item.UserID, item.ID, over)
	}
	return err
}

// deleteRecord deletes a record as long as it notes this deletion: it may have been
// described anew meanwhile.
func (s *Images) deleteRecord(ctx context.Context, item imageItem) error {
	for attempt := 1; ; attempt++ {
		batch := s.c.Batch(item.UserID)
		batch.DeleteItem(item.ID, client.IfMatch(item.ETag))
		batch.PatchItem(item.UserID, counted(-1, -item.Bytes), nil)
		_, err := s.c.Execute(ctx, batch, false)
		switch {
		case client.FailedBatch(err, http.StatusNotFound):
			return nil
		case !client.FailedBatch(err, http.StatusPreconditionFailed) || attempt == client.RewriteAttempts:
			return client.Translate(err)
		}
		var own bool
		if item, own, err = s.noted(ctx, item.UserID, item.ID, item.Deletion); !own {
			return err
		}
	}
}

var errNoFiles = errors.New("cosmos: there is a picture, but no store of files to delete it from")

func (s *Images) deleteFiles(ctx context.Context, name domain.ImageName) error {
	if s.files == nil {
		return errNoFiles
	}
	for _, file := range name.Files() {
		if err := s.files.Delete(ctx, file); err != nil {
			return err
		}
	}
	return nil
}

// unfinished is how long an avatar may be incomplete because it is being uploaded.
const unfinished = time.Hour

// KeepAvatar deletes all avatars of a user but the one that is shown. One that is just
// being uploaded is let be.
func (s *Images) KeepAvatar(ctx context.Context, userID string) error {
	ctx = client.Operation(ctx, "keep-avatar")
	avatars, err := client.Query[imageItem](ctx, s.c, userID,
		`SELECT * FROM c WHERE c.userId = @user AND c.type = 'avatar'`, client.Parameters{"user": userID})
	if err != nil {
		return client.Translate(err)
	}
	user, err := s.users.ByID(ctx, userID)
	if err != nil {
		return err
	}
	for _, avatar := range avatars {
		recent := avatar.Incomplete && time.Since(time.Time(avatar.CreationDate)) < unfinished
		if avatar.Name == user.Avatar || recent {
			continue
		}
		if err := s.deleteUnshown(ctx, avatar); err != nil {
			return err
		}
	}
	return nil
}

// deleteUnshown deletes an avatar unless it is shown by now. Both its note and SetAvatar
// are transactions over the user and the record, so one of them comes too late.
func (s *Images) deleteUnshown(ctx context.Context, avatar imageItem) error {
	unshown := counted(0, 0)
	unshown.SetCondition(fmt.Sprintf("%s and (not is_defined(c.avatar) or c.avatar != '%s')", schema.IfLive, avatar.Name))
	deletion := domain.NewID()
	batch := s.c.Batch(avatar.UserID)
	batch.PatchItem(avatar.UserID, unshown, nil)
	batch.PatchItem(avatar.ID, noteDeletion(deletion), nil)
	results, err := s.c.Execute(ctx, batch, true)
	switch {
	case client.FailedAt(err, 1, http.StatusPreconditionFailed): // perhaps by this call's own earlier attempt
		var own bool
		if avatar, own, err = s.noted(ctx, avatar.UserID, avatar.ID, deletion); !own {
			return err
		}
		return s.finishDeletion(ctx, avatar)
	case client.FailedBatch(err, http.StatusPreconditionFailed), client.FailedBatch(err, http.StatusNotFound):
		return nil
	case err != nil:
		return client.Translate(err)
	}
	avatar.ETag, avatar.Deletion = string(results[1].ETag), deletion
	return s.finishDeletion(ctx, avatar)
}

// eraseImages is how many pictures one step of an account's deletion takes.
const eraseImages = 50

// EraseImages takes away pictures of a deleted user, some at a time: files, then records. It
// reports whether there may be more. No more can be recorded by then.
func (s *Images) EraseImages(ctx context.Context, userID string) (more bool, err error) {
	ctx = client.Operation(ctx, "erase")
	found, err := client.Query[imageItem](ctx, s.c, userID,
		fmt.Sprintf(`SELECT TOP %d c.id, c.name FROM c WHERE c.userId = @user AND c.type IN ('image', 'avatar')`, eraseImages),
		client.Parameters{"user": userID})
	if err != nil {
		return false, client.Translate(err)
	}
	for _, item := range found {
		if err := s.deleteFiles(ctx, item.domain().Name); err != nil {
			return false, err
		}
		if err := s.c.Delete(ctx, userID, item.ID); err != nil && !client.Missing(err) {
			return false, client.Translate(err)
		}
	}
	return len(found) == eraseImages, nil
}
