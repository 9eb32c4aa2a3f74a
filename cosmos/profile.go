package cosmos

import (
	"context"
	"net/http"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/domain"
)

// SetProfile changes what a user says of themselves.
func (u *Users) SetProfile(ctx context.Context, userID, bio string) error {
	return u.setLive(operation(ctx, "C1"), userID, "/bio", bio)
}

// SetAvatar makes a picture that was uploaded as one the user's avatar, the empty name:
// none. It is a Conflict when that picture is gone, for another was chosen at the same time.
func (u *Users) SetAvatar(ctx context.Context, userID, name string) error {
	ctx = operation(ctx, "C1")
	if name == "" || !domain.IsUserID(userID) {
		return u.setLive(ctx, userID, "/avatar", name)
	}
	var user, record azcosmos.PatchOperations
	user.SetCondition(ifLive)
	user.AppendSet("/avatar", name)
	record.SetCondition("from c where c.type = 'avatar' and not is_defined(c.incomplete)")
	record.AppendSet("/type", typeAvatar) // as it is
	batch := u.c.batch(userID)
	batch.PatchItem(userID, user, nil)
	batch.PatchItem(imageID(name), record, nil)
	_, err := u.c.execute(ctx, batch, false)
	switch {
	case failedAt(err, 0, http.StatusPreconditionFailed), failedAt(err, 0, http.StatusNotFound):
		return errNoUser()
	case failedBatch(err, http.StatusPreconditionFailed), failedBatch(err, http.StatusNotFound):
		return domain.Errorf(domain.Conflict, "You chose another picture at this moment.")
	}
	return translate(err)
}

func (u *Users) setLive(ctx context.Context, userID, path, value string) error {
	if !domain.IsUserID(userID) {
		return errNoUser()
	}
	var ops azcosmos.PatchOperations
	ops.SetCondition(ifLive)
	ops.AppendSet(path, value)
	err := u.c.patch(ctx, userID, userID, ops)
	if statusOf(err) == http.StatusPreconditionFailed {
		return errNoUser()
	}
	return translate(err)
}
