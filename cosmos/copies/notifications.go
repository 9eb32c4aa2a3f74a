package copies

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
	"inkfeed/domain/dependency"
)

// notificationItem is a notification in its user's partition. It identifies posts and comments by their ids only. So it
// contains no text and no name of another user, and needs no update when those change or are deleted.
type notificationItem struct {
	ID           string                  `json:"id"`
	Type         string                  `json:"type"`
	UserID       string                  `json:"userId"`
	Kind         domain.NotificationKind `json:"kind"`
	PostID       string                  `json:"postId"`
	CommentID    string                  `json:"commentId,omitempty"`
	CreationDate schema.Instant          `json:"creationDate"`
	TTL          int                     `json:"ttl"`
}

// Notify adds notifications of one user, at most 99, and raises the user's count, in one transaction. The id of an item
// follows from the event, so an event that is reported again changes nothing. Notify ignores a deleted user.
func (u *UserCopies) Notify(ctx context.Context, list ...domain.Notification) error {
	ctx = client.WritesOnly("notify", dependency.FacetAccount).In(ctx)
	for len(list) > 0 {
		user := list[0].UserID
		batch := u.c.Batch(user)
		for _, n := range list {
			batch.CreateItem(client.Encode(notificationItemOf(n)), nil)
		}
		var count azcosmos.PatchOperations
		count.SetCondition(schema.IfLive)
		count.AppendIncrement("/notificationCount", int64(len(list)))
		batch.PatchItem(user, count, nil)
		_, err := u.c.Execute(ctx, batch, false)
		switch {
		case client.FailedAt(err, len(list), http.StatusNotFound),
			client.FailedAt(err, len(list), http.StatusPreconditionFailed):
			return nil
		case !client.FailedBatch(err, http.StatusConflict):
			return client.Translate(err)
		}
		reported := list[client.FailedOperation(err)]
		if list, err = u.unreported(ctx, list); err != nil {
			return client.Translate(err)
		}
		// Also if it has expired meanwhile, so that each turn makes the list shorter.
		list = slices.DeleteFunc(list, func(n domain.Notification) bool { return n == reported })
	}
	return nil
}

// unreported returns the notifications of one user that are not stored yet.
func (u *UserCopies) unreported(ctx context.Context, list []domain.Notification) ([]domain.Notification, error) {
	identities := make([]azcosmos.ItemIdentity, len(list))
	for i, n := range list {
		identities[i] = client.Identity(n.UserID, schema.NotificationID(n))
	}
	stored, err := client.ReadMany[notificationItem](ctx, u.c, identities)
	known := make(map[string]bool, len(stored))
	for _, item := range stored {
		known[item.ID] = true
	}
	return slices.DeleteFunc(slices.Clone(list), func(n domain.Notification) bool {
		return known[schema.NotificationID(n)]
	}), err
}

func notificationItemOf(n domain.Notification) notificationItem {
	return notificationItem{ID: schema.NotificationID(n), Type: schema.TypeNotification, UserID: n.UserID,
		Kind: n.Kind, PostID: n.PostID, CommentID: n.CommentID, CreationDate: schema.Instant(n.Created),
		TTL: int(domain.NotificationTime / time.Second)}
}

// Notifications returns one page of a user's notifications, the latest first, from the user's own partition.
func (u *UserCopies) Notifications(ctx context.Context, userID string, page int) (
	domain.Page[domain.Notification], error) {
	rows, err := client.Query[notificationItem](client.Reads("notifications").In(ctx), u.c, userID,
		`SELECT * FROM c WHERE c.userId = @user AND c.type = 'notification'
		 ORDER BY c.type DESC, c.creationDate DESC, c.id DESC OFFSET @offset LIMIT @limit`,
		client.PageOf(page, domain.NotificationsPerPage, client.Parameters{"user": userID}))
	list := make([]domain.Notification, len(rows))
	for i, row := range rows {
		list[i] = domain.Notification{UserID: row.UserID, Kind: row.Kind, PostID: row.PostID, CommentID: row.CommentID,
			Created: time.Time(row.CreationDate)}
	}
	return domain.Cut(list, page, domain.NotificationsPerPage), client.Translate(err)
}

// SetNotificationsSeen records how many of all notifications that the user has received were seen. The number never
// decreases. SetNotificationsSeen ignores a deleted user.
func (u *UserCopies) SetNotificationsSeen(ctx context.Context, userID string, seen int) error {
	var ops azcosmos.PatchOperations
	ops.SetCondition(fmt.Sprintf("%s and (not is_defined(c.notificationsSeen) or c.notificationsSeen < %d)",
		schema.IfLive, seen))
	ops.AppendSet("/notificationsSeen", seen)
	err := u.c.Patch(client.WritesOnly("see-notifications", dependency.FacetAccount).In(ctx), userID, userID, ops)
	if client.ConditionFailed(err) {
		return nil
	}
	return client.Translate(err)
}

// EraseNotifications deletes all notifications of a deleted user, for whom Notify adds no others.
func (u *UserCopies) EraseNotifications(ctx context.Context, userID string) error {
	return u.EraseItems(ctx, userID, schema.TypeNotification)
}

// EraseItems deletes the items of a type in a user's partition. Errors are not translated.
func (u *UserCopies) EraseItems(ctx context.Context, userID, itemType string) error {
	items, err := client.Query[struct{ ID string }](ctx, u.c, userID,
		`SELECT c.id FROM c WHERE c.userId = @user AND c.type = @type`,
		client.Parameters{"user": userID, "type": itemType})
	for _, item := range items {
		if err == nil {
			if err = u.c.Delete(ctx, userID, item.ID); client.Missing(err) {
				err = nil
			}
		}
	}
	return err
}
