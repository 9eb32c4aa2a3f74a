package verify

import (
	"context"

	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// notifyAda notifies ada of the comment, and marks the notification as seen.
func notifyAda(ctx context.Context, w *world) error {
	n := domain.Notification{UserID: w.ada.ID, Kind: domain.NotifyComment, PostID: w.post.ID, CommentID: w.comment.ID,
		Created: w.comment.Created}
	if err := w.Notifications.Notify(ctx, n); err != nil {
		return err
	}
	return w.Notifications.SetSeen(ctx, w.ada.ID, 1)
}

func brokenNotifications() []brokenCase {
	put := func(properties anyItem) worldStep {
		return func(ctx context.Context, w *world) error {
			item := anyItem{"id": "notification.comment." + w.post.ID, "type": "notification", "userId": w.ada.ID,
				"kind": "comment", "postId": w.post.ID, "creationDate": schema.Instant(w.ada.Created), "ttl": 60}
			for name, value := range properties {
				item[name] = value
			}
			return w.put(ctx, w.Container(schema.UsersContainer), item)
		}
	}
	return []brokenCase{
		{ruleCounts, "a notification that is not counted", "0 notifications are counted and 0 seen, there are 1",
			put(nil)},
		{ruleCounts, "more notifications seen than counted", "1 notifications are counted and 2 seen, there are 1",
			after(notifyAda, func(ctx context.Context, w *world) error {
				return w.Notifications.SetSeen(ctx, w.ada.ID, 2)
			})},
		{ruleIDs, "a notification of another kind", "should begin with its kind", put(anyItem{"kind": "hidden"})},
		{ruleIDs, "a notification of another post", "should name post", put(anyItem{"postId": domain.NewID()})},
		{ruleTombstones, "a notification that stays", "does not expire", put(anyItem{"ttl": -1})},
		{ruleOrphans, "a notification of an unknown user", "there is no such user",
			put(anyItem{"userId": domain.NewUserID(nil)})},
		{ruleDeletions, "a remaining notification", "1 notifications are left", after(deleteAda, put(nil))},
	}
}
