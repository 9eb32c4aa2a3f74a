package copies

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/dependency"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// Notifications stores notifications, each in its user's partition of the container users. The user item counts them.
type Notifications struct{ c *client.Container }

// NewNotifications returns the notifications of a database.
func NewNotifications(db *client.Database) *Notifications {
	return &Notifications{c: db.Container(schema.UsersContainer)}
}

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
func (s *Notifications) Notify(ctx context.Context, list ...domain.Notification) error {
	ctx = client.WritesOnly("notify", dependency.FacetAccount).In(ctx)
	for len(list) > 0 {
		user := list[0].UserID
		batch := s.c.Batch(user)
		for _, n := range list {
			batch.CreateItem(client.Encode(notificationItemOf(n)), nil)
		}
		var count azcosmos.PatchOperations
		count.SetCondition(schema.IfLive)
		count.AppendIncrement("/notificationCount", int64(len(list)))
		batch.PatchItem(user, count, nil)
		_, err := s.c.Execute(ctx, batch, false)
		switch {
		case client.FailedAt(err, len(list), http.StatusNotFound),
			client.FailedAt(err, len(list), http.StatusPreconditionFailed):
			return nil
		case !client.FailedBatch(err, http.StatusConflict):
			return client.Translate(err)
		}
		reported := list[client.FailedOperation(err)]
		if list, err = s.unreported(ctx, list); err != nil {
			return client.Translate(err)
		}
		// Also if it has expired meanwhile, so that each turn makes the list shorter.
		list = slices.DeleteFunc(list, func(n domain.Notification) bool { return n == reported })
	}
	return nil
}

// unreported returns the notifications of one user that are not stored yet.
func (s *Notifications) unreported(ctx context.Context, list []domain.Notification) ([]domain.Notification, error) {
	identities := make([]azcosmos.ItemIdentity, len(list))
	for i, n := range list {
		identities[i] = client.Identity(n.UserID, schema.NotificationID(n))
	}
	stored, err := client.ReadMany[notificationItem](ctx, s.c, identities)
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

// List returns one page of a user's notifications, the latest first, from the user's own partition.
func (s *Notifications) List(ctx context.Context, userID string, page int) (
	domain.ListPage[domain.Notification], error) {
	rows, err := client.Query[notificationItem](client.Reads("notifications").In(ctx), s.c, userID,
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

// SetSeen records how many of all notifications that the user has received were seen. The number never
// decreases. SetSeen ignores a deleted user.
func (s *Notifications) SetSeen(ctx context.Context, userID string, seen int) error {
	var ops azcosmos.PatchOperations
	ops.SetCondition(fmt.Sprintf("%s and (not is_defined(c.notificationsSeen) or c.notificationsSeen < %d)",
		schema.IfLive, seen))
	ops.AppendSet("/notificationsSeen", seen)
	err := s.c.Patch(client.WritesOnly("see-notifications", dependency.FacetAccount).In(ctx), userID, userID, ops)
	if client.ConditionFailed(err) {
		return nil
	}
	return client.Translate(err)
}

// EraseItems deletes the items of a type in a user's partition. Errors are not translated.
func EraseItems(ctx context.Context, c *client.Container, userID, itemType string) error {
	items, err := client.Query[struct{ ID string }](ctx, c, userID,
		`SELECT c.id FROM c WHERE c.userId = @user AND c.type = @type`,
		client.Parameters{"user": userID, "type": itemType})
	for _, item := range items {
		if err == nil {
			if err = c.Delete(ctx, userID, item.ID); client.Missing(err) {
				err = nil
			}
		}
	}
	return err
}
