package verify

import (
	"context"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

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
		{ruleShapes, "a notification of a follower who is not named", "do not fit its kind",
			put(anyItem{"id": "notification.follower." + domain.NewUserID(nil), "kind": "follower", "postId": ""})},
		{ruleShapes, "a notification of likes without a number", "do not fit its kind", put(anyItem{"kind": "like"})},
	}
}

func brokenMutes() []brokenCase {
	put := func(count int, properties anyItem) worldStep {
		return func(ctx context.Context, w *world) error {
			item := anyItem{"id": "mutes", "type": "mutes", "userId": w.ada.ID, "muted": []anyItem{
				{"kind": "person", "id": w.bob.ID, "date": schema.Instant(w.ada.Created)}}}
			for name, value := range properties {
				item[name] = value
			}
			if err := w.put(ctx, w.Container(schema.UsersContainer), item); err != nil || count == 0 {
				return err
			}
			var ops azcosmos.PatchOperations
			ops.AppendSet("/muteCount", count)
			return w.Container(schema.UsersContainer).Patch(ctx, w.ada.ID, w.ada.ID, ops)
		}
	}
	entry := func(kind, id string) anyItem { return anyItem{"kind": kind, "id": id, "date": schema.Instant{}} }
	many := make([]anyItem, domain.MaxMutes+1)
	for i := range many {
		many[i] = entry("post", domain.NewID())
	}
	return []brokenCase{
		{ruleCounts, "mutes that are not counted", "0 mutes are counted, there are 1", put(0, nil)},
		{ruleShapes, "a muted user without an id", `person "ben" cannot be muted`,
			put(1, anyItem{"muted": []anyItem{entry("person", "ben")}})},
		{ruleShapes, "a tag that is muted twice", `tag "go" cannot be muted`,
			put(2, anyItem{"muted": []anyItem{entry("tag", "go"), entry("tag", "go")}})},
		{ruleShapes, "too many mutes", "there are 501 mutes", put(len(many), anyItem{"muted": many})},
		{ruleIDs, "mutes with another id", `mutes are found as "mutes"`, put(1, anyItem{"id": "muted"})},
		{ruleExpiry, "mutes that expire", "it expires in 60 seconds", put(1, anyItem{"ttl": 60})},
		{ruleOrphans, "mutes of an unknown user", "there is no such user",
			put(0, anyItem{"userId": domain.NewUserID(nil)})},
		{ruleDeletions, "remaining mutes", "mutes are left", after(deleteAda, put(0, nil))},
	}
}
