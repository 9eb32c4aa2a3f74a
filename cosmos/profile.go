package cosmos

import (
	"context"
	"net/http"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// SetProfile changes what a user says of themselves.
func (u *Users) SetProfile(ctx context.Context, userID, bio string) error {
	return u.setLive(client.Operation(ctx, "C1"), userID, "/bio", bio)
}

// SetAvatar makes a picture that was uploaded as one the user's avatar, the empty name:
// none. It is a Conflict when that picture is gone, for another was chosen at the same time.
func (u *Users) SetAvatar(ctx context.Context, userID, name string) error {
	ctx = client.Operation(ctx, "C1")
	if name == "" || !domain.IsUserID(userID) {
		return u.setLive(ctx, userID, "/avatar", name)
	}
	var user, record azcosmos.PatchOperations
	user.SetCondition(schema.IfLive)
	user.AppendSet("/avatar", name)
	record.SetCondition("from c where c.type = 'avatar' and not is_defined(c.incomplete)")
	record.AppendSet("/type", schema.TypeAvatar) // as it is
	batch := u.c.Batch(userID)
	batch.PatchItem(userID, user, nil)
	batch.PatchItem(schema.ImageID(name), record, nil)
	_, err := u.c.Execute(ctx, batch, false)
	switch {
	case client.FailedAt(err, 0, http.StatusPreconditionFailed), client.FailedAt(err, 0, http.StatusNotFound):
		return schema.ErrNoUser()
	case client.FailedBatch(err, http.StatusPreconditionFailed), client.FailedBatch(err, http.StatusNotFound):
		return domain.Errorf(domain.Conflict, "You are uploading another picture right now. Please try again in a moment.")
	}
	return client.Translate(err)
}

func (u *Users) setLive(ctx context.Context, userID, path, value string) error {
	if !domain.IsUserID(userID) {
		return schema.ErrNoUser()
	}
	var ops azcosmos.PatchOperations
	ops.SetCondition(schema.IfLive)
	ops.AppendSet(path, value)
	err := u.c.Patch(ctx, userID, userID, ops)
	if client.StatusOf(err) == http.StatusPreconditionFailed {
		return schema.ErrNoUser()
	}
	return client.Translate(err)
}
