package cosmos

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// A picture's name is a digest of its content. So an upload of a picture that is being deleted writes
// the same files that the deletion removes. A deletion therefore marks the record first, with the
// time by which it certainly ends. Until then, no upload of that picture can begin, and an upload
// that began before cannot complete.
const (
	// deletionTime is the maximum duration of a deletion.
	deletionTime = 30 * time.Second
	// deletionGrace is how long a deletion continues after its context has ended. A process that stops waits for it.
	deletionGrace = 3 * time.Second
	// deletionNoted is how long the mark keeps uploads out. It allows for differing clocks.
	deletionNoted = deletionTime + 90*time.Second
)

func errBeingDeleted() error {
	return domain.NewError(domain.Unavailable, "The picture is being deleted right now. Please try again in a moment.")
}

// deletionMark returns the patch that marks a record as being deleted, on the condition that no other
// deletion is in progress.
func deletionMark(deletion string) azcosmos.PatchOperations {
	now := time.Now()
	text, _ := schema.Instant(now).MarshalText()
	var ops azcosmos.PatchOperations
	ops.SetCondition(fmt.Sprintf("from c where not is_defined(c.deletion) or c.deletionEnd < '%s'", text))
	ops.AppendSet("/incomplete", true)
	ops.AppendSet("/deletion", deletion)
	ops.AppendSet("/deletionEnd", schema.Instant(now.Add(deletionNoted)))
	return ops
}

// readMarked reads a record and reports whether the given deletion has marked it. It reports false if the
// record is gone or if another deletion or an upload has come since.
func (s *Images) readMarked(ctx context.Context, userID, id, deletion string) (imageItem, bool, error) {
	item, err := client.Read[imageItem](ctx, s.c, userID, id)
	if client.Missing(err) {
		return imageItem{}, false, nil
	}
	return item, err == nil && item.Deletion == deletion, client.Translate(err)
}

// Delete deletes a picture: first its files, then its record. It returns nil if the picture is gone or
// is being deleted by another call.
func (s *Images) Delete(ctx context.Context, userID string, name domain.ImageName) error {
	ctx = client.Writes("delete-image").In(ctx)
	id, deletion := schema.ImageID(name.String()), domain.NewID()
	item, err := client.PatchReturning[imageItem](ctx, s.c, userID, id, deletionMark(deletion))
	switch {
	case client.StatusOf(err) == http.StatusNotFound:
		return nil
	case client.ConditionFailed(err): // perhaps an earlier attempt of this call
		var own bool
		if item, own, err = s.readMarked(ctx, userID, id, deletion); !own {
			return err
		}
	case err != nil:
		return client.Translate(err)
	}
	return s.finishDeletion(ctx, item)
}

// finishDeletion deletes a picture whose record is marked. It continues for deletionGrace after caller has ended.
func (s *Images) finishDeletion(caller context.Context, item imageItem) error {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(caller), deletionTime)
	defer cancel()
	defer context.AfterFunc(caller, func() { time.AfterFunc(deletionGrace, cancel) })()
	err := s.deleteFiles(ctx, item.domain().Name)
	if err == nil {
		err = s.deleteRecord(ctx, item)
	}
	if err != nil && ctx.Err() == nil {
		// This deletion removes no more files, so uploads may begin. The record stays incomplete,
		// because files may be missing. If this write fails, the mark ends at its time.
		var over azcosmos.PatchOperations
		over.SetCondition(fmt.Sprintf("from c where c.deletion = '%s'", item.Deletion))
		over.AppendSet("/deletionEnd", schema.Instant(time.Unix(0, 0)))
		_ = s.c.Patch(ctx, item.UserID, item.ID, over)
	}
	return err
}

// deleteRecord deletes a record while it has the mark of this deletion. If the picture is the header of its owner's
// page, the same transaction removes the header. No new header can name a marked picture. deleteRecord tries again if
// the record changed otherwise, for example its description, or if the header changed.
func (s *Images) deleteRecord(ctx context.Context, item imageItem) error {
	repeated := false
	return client.Rewrite(ctx, func() error {
		if repeated {
			var own bool
			var err error
			if item, own, err = s.readMarked(ctx, item.UserID, item.ID, item.Deletion); !own {
				return err
			}
		}
		repeated = true
		owner := addToUsage(-1, -item.Bytes)
		user, err := client.Read[userItem](ctx, s.c, item.UserID, item.UserID)
		if err != nil && !client.Missing(err) {
			return client.Translate(err)
		}
		if user.Header.Name() == item.Name {
			owner.SetCondition(fmt.Sprintf("from c where c.header.name = '%s'", item.Name))
			owner.AppendSet("/header", domain.Cover{})
		}
		batch := s.c.Batch(item.UserID)
		batch.DeleteItem(item.ID, client.IfMatch(item.ETag))
		if item.UserID != domain.SiteUserID {
			batch.PatchItem(item.UserID, owner, nil)
		}
		_, err = s.c.Execute(ctx, batch, false)
		if client.FailedBatch(err, http.StatusNotFound) {
			return nil
		}
		return client.AgainIf(client.FailedBatch(err, http.StatusPreconditionFailed), client.Translate(err))
	})
}

var errNoFiles = errors.New("cosmos: delete a picture: no store of files is configured")

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

// uploadTime is the maximum duration of an avatar's upload.
const uploadTime = time.Hour

// DeleteOldAvatars deletes the former avatars of a user. It keeps the current avatar, the avatar named shown, which the
// user's posts and comments still have, and avatars that are being uploaded. It returns nil for a deleted user, whose
// pictures EraseImages deletes. If another deletion of a former avatar is in progress or was interrupted, again is the
// time after which the caller should call DeleteOldAvatars again.
func (s *Images) DeleteOldAvatars(ctx context.Context, userID, shown string) (again time.Duration, err error) {
	ctx = client.Writes("keep-avatar").In(ctx)
	avatars, err := client.Query[imageItem](ctx, s.c, userID,
		`SELECT * FROM c WHERE c.userId = @user AND c.type = 'avatar'`, client.Parameters{"user": userID})
	if err != nil || len(avatars) == 0 {
		return 0, client.Translate(err)
	}
	user, err := s.users.Account(ctx, userID)
	switch {
	case domain.Is(err, domain.NotFound):
		return 0, nil
	case err != nil:
		return 0, err
	}
	for _, avatar := range avatars {
		recent := avatar.Incomplete && avatar.Deletion == "" &&
			time.Since(time.Time(avatar.CreationDate)) < uploadTime
		if avatar.Name == user.Avatar || avatar.Name == shown || recent {
			continue
		}
		wait, err := s.deleteOldAvatar(ctx, avatar)
		if err != nil {
			return 0, err
		}
		again = max(again, wait)
	}
	return again, nil
}

// deleteOldAvatar deletes an avatar unless it has become the current one. Its mark and SetAvatar are
// both transactions over the user and the record, so only one of them succeeds. The result is that of DeleteOldAvatars.
func (s *Images) deleteOldAvatar(ctx context.Context, avatar imageItem) (again time.Duration, err error) {
	unshown := addToUsage(0, 0)
	unshown.SetCondition(fmt.Sprintf("%s and (not is_defined(c.avatar) or c.avatar != '%s')",
		schema.IfLive, avatar.Name))
	deletion := domain.NewID()
	batch := s.c.Batch(avatar.UserID)
	batch.PatchItem(avatar.UserID, unshown, nil)
	batch.PatchItem(avatar.ID, deletionMark(deletion), nil)
	results, err := s.c.Execute(ctx, batch, true)
	switch {
	case client.FailedAt(err, 1, http.StatusPreconditionFailed): // perhaps an earlier attempt of this call
		var own bool
		avatar, own, err = s.readMarked(ctx, avatar.UserID, avatar.ID, deletion)
		if !own && avatar.DeletionEnd != nil {
			again = max(time.Second, time.Until(avatar.DeletionEnd.Time())+time.Second)
		}
		if !own || err != nil {
			return again, err
		}
		return 0, s.finishDeletion(ctx, avatar)
	case client.FailedBatch(err, http.StatusPreconditionFailed), client.FailedBatch(err, http.StatusNotFound):
		return 0, nil
	case err != nil:
		return 0, client.Translate(err)
	}
	avatar.ETag, avatar.Deletion = string(results[1].ETag), deletion
	return 0, s.finishDeletion(ctx, avatar)
}

// KeepThumbnails deletes the thumbnails of a post, except those with the given names.
func (s *Images) KeepThumbnails(ctx context.Context, userID, postID string, names ...string) error {
	found, err := client.Query[imageItem](client.Writes("keep-thumbnails").In(ctx), s.c, userID,
		`SELECT c.name FROM c WHERE c.userId = @user AND c.type = 'thumbnail' AND c.postId = @post`,
		client.Parameters{"user": userID, "post": postID})
	for _, item := range found {
		if err == nil && !slices.Contains(names, item.Name) {
			err = s.Delete(ctx, userID, item.domain().Name)
		}
	}
	return client.Translate(err)
}

// eraseImages is the number of pictures that one step of an account's deletion deletes.
const eraseImages = 50

// EraseImages deletes some pictures of a deleted user, files first, and reports whether there may be
// more. A deleted user cannot record new pictures.
func (s *Images) EraseImages(ctx context.Context, userID string) (more bool, err error) {
	ctx = client.Erasing.In(ctx)
	found, err := client.Query[imageItem](ctx, s.c, userID,
		fmt.Sprintf(`SELECT TOP %d c.id, c.name FROM c
		 WHERE c.userId = @user AND c.type IN ('image', 'avatar', 'thumbnail')`, eraseImages),
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
