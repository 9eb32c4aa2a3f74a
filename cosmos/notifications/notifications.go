// Package notifications stores what users are notified of and what they have muted, in each user's own partition of the
// container users.
package notifications

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

var notifying = client.WritesOnly("notify", dependency.FacetAccount)

// Notifications stores notifications, each in its user's partition of the container users. The user item counts them.
type Notifications struct{ c *client.Container }

// New returns the notifications of a database.
func New(db *client.Database) *Notifications {
	return &Notifications{c: db.Container(schema.UsersContainer)}
}

// notificationItem is a notification in its user's partition. It identifies posts, comments and users by their ids
// only. So it contains no text and no name of another user, and needs no update when those change or are deleted.
type notificationItem struct {
	ID           string                  `json:"id"`
	Type         string                  `json:"type"`
	UserID       string                  `json:"userId"`
	Kind         domain.NotificationKind `json:"kind"`
	PostID       string                  `json:"postId,omitempty"`
	CommentID    string                  `json:"commentId,omitempty"`
	FollowerID   string                  `json:"followerId,omitempty"`
	Event        int                     `json:"event,omitempty"`
	CreationDate schema.Instant          `json:"creationDate"`
	TTL          int                     `json:"ttl"`
	// Number is the user's count after a notification of likes was last new: see NotifyLikes.
	Number int    `json:"number,omitempty"`
	ETag   string `json:"_etag,omitempty"`
}

func itemOf(n domain.Notification) notificationItem {
	return notificationItem{ID: schema.NotificationID(n), Type: schema.TypeNotification, UserID: n.UserID,
		Kind: n.Kind, PostID: n.PostID, CommentID: n.CommentID, FollowerID: n.FollowerID, Event: n.Event,
		CreationDate: schema.Instant(n.Created), TTL: int(domain.NotificationTime / time.Second)}
}

func (i notificationItem) domain() domain.Notification {
	return domain.Notification{UserID: i.UserID, Kind: i.Kind, PostID: i.PostID, CommentID: i.CommentID,
		FollowerID: i.FollowerID, Event: i.Event, Created: time.Time(i.CreationDate)}
}

// Add appends the creation of notifications of one user, and the patch that counts them, to a batch in the user's
// partition. The batch fails with a conflict if one of them is stored already.
func Add(batch *azcosmos.TransactionalBatch, list ...domain.Notification) {
	for _, n := range list {
		batch.CreateItem(client.Encode(itemOf(n)), nil)
	}
	var count azcosmos.PatchOperations
	count.SetCondition(schema.IfLive)
	count.AppendIncrement("/notificationCount", int64(len(list)))
	batch.PatchItem(list[0].UserID, count, nil)
}

// Notify adds notifications of one user, at most 99, and raises the user's count, in one transaction. The id of an item
// follows from the event, so an event that is reported again changes nothing. Notify ignores a deleted user.
func (s *Notifications) Notify(ctx context.Context, list ...domain.Notification) error {
	ctx = notifying.In(ctx)
	for len(list) > 0 {
		batch := s.c.Batch(list[0].UserID)
		Add(&batch, list...)
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

// userCounts are the counts in a user item.
type userCounts struct {
	NotificationCount int             `json:"notificationCount"`
	NotificationsSeen int             `json:"notificationsSeen"`
	SeenDate          schema.Instant  `json:"notificationsSeenDate"`
	DeletionDate      *schema.Instant `json:"deletionDate"`
}

// NotifyLikes notifies a user of the likes of one day of one post. All of them have one notification: n. While the user
// has not seen it, further likes write nothing. A like after the user opened the list makes it new again: it moves to
// the top of the list and counts once more. Earlier likes were in that list, so they change nothing when the change
// feed delivers them again, such as after a rename. NotifyLikes ignores a deleted user.
func (s *Notifications) NotifyLikes(ctx context.Context, n domain.Notification, likes []domain.Like) error {
	ctx = notifying.In(ctx)
	latest := slices.MaxFunc(likes, func(a, b domain.Like) int { return a.Created.Compare(b.Created) }).Created
	return client.Rewrite(ctx, func() error {
		item, err := client.Read[notificationItem](ctx, s.c, n.UserID, schema.NotificationID(n))
		if err != nil && !client.Missing(err) {
			return client.Translate(err)
		}
		user, err := client.Read[userCounts](ctx, s.c, n.UserID, n.UserID)
		if client.Missing(err) || err == nil && user.DeletionDate != nil {
			return nil
		} else if err != nil {
			return client.Translate(err)
		}
		etag := item.ETag
		if item.Number > user.NotificationsSeen || etag != "" && !latest.After(time.Time(user.SeenDate)) {
			return nil // it is new, or the user has seen these likes
		}
		item = itemOf(n)
		item.Number = user.NotificationCount + 1
		batch := s.c.Batch(n.UserID)
		if etag == "" {
			batch.CreateItem(client.Encode(item), nil)
		} else {
			batch.ReplaceItem(item.ID, client.Encode(item), client.IfMatch(etag))
		}
		var count azcosmos.PatchOperations
		count.SetCondition(fmt.Sprintf("%s and (not is_defined(c.notificationCount) or c.notificationCount = %d)",
			schema.IfLive, user.NotificationCount))
		count.AppendIncrement("/notificationCount", 1)
		batch.PatchItem(n.UserID, count, nil)
		_, err = s.c.Execute(ctx, batch, false)
		return client.AgainLaterIf(client.LostRace(err), client.Translate(err))
	})
}

// List returns one page of a user's notifications, the latest first, from the user's own partition.
func (s *Notifications) List(ctx context.Context, userID string, page int) (
	domain.ListPage[domain.Notification], error) {
	rows, err := client.Query[notificationItem](client.Reads("notifications").In(ctx), s.c, userID,
		`SELECT c.userId, c.kind, c.postId, c.commentId, c.followerId, c.event, c.creationDate FROM c
		 WHERE c.userId = @user AND c.type = 'notification'
		 ORDER BY c.type DESC, c.creationDate DESC, c.id DESC OFFSET @offset LIMIT @limit`,
		client.PageOf(page, domain.NotificationsPerPage, client.Parameters{"user": userID}))
	return domain.Cut(client.Convert(rows, notificationItem.domain), page, domain.NotificationsPerPage),
		client.Translate(err)
}

// seenMargin is how long before SetSeen a user may have read what is seen. Likes since then may be new to the user. It
// covers the time that a page takes, and different clocks.
const seenMargin = 5 * time.Second

// SetSeen records how many of all notifications that the user has received were seen. The number never
// decreases. SetSeen ignores a deleted user.
func (s *Notifications) SetSeen(ctx context.Context, userID string, seen int) error {
	var ops azcosmos.PatchOperations
	ops.SetCondition(fmt.Sprintf("%s and (not is_defined(c.notificationsSeen) or c.notificationsSeen < %d)",
		schema.IfLive, seen))
	ops.AppendSet("/notificationsSeen", seen)
	ops.AppendSet("/notificationsSeenDate", schema.Instant(time.Now().Add(-seenMargin)))
	err := s.c.Patch(client.WritesOnly("see-notifications", dependency.FacetAccount).In(ctx), userID, userID, ops)
	if client.ConditionFailed(err) {
		return nil
	}
	return client.Translate(err)
}

// SetQuiet records the kinds of notifications that a user has switched off. It returns NotFound for a deleted user.
func (s *Notifications) SetQuiet(ctx context.Context, userID string, kinds domain.NotificationKinds) error {
	var ops azcosmos.PatchOperations
	ops.SetCondition(schema.IfLive)
	ops.AppendSet("/quietKinds", kinds)
	err := s.c.Patch(client.WritesOnly("quiet-kinds", dependency.FacetAccount).In(ctx), userID, userID, ops)
	if client.ConditionFailed(err) {
		return schema.ErrNoUser()
	}
	return client.Translate(err)
}
