package posts

import (
	"context"
	"fmt"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// A post in the trash keeps its text, address, comments, likes, bookmarks and past versions, and its status and hold,
// with which it comes back. Its copies have the status domain.Trashed. The posts projector puts the scheduled item that
// deletes it for good: see Purge.

var trashing = client.Writes("trash")

// Trash moves an author's post to the trash in one write, and returns it. The revision stays, so that a draft of
// changes fits the restored post. A post that its followers have not been told of is no news any more, so nobody is
// told of it when it comes back. Trash ignores a post in the trash, and returns Forbidden if userID is not the author.
func (p *Posts) Trash(ctx context.Context, postID, userID string, now time.Time) (domain.Post, error) {
	own := fmt.Sprintf("%s and c.userId = '%s'", schema.IfKept, userID)
	patch := func(condition string) (ops azcosmos.PatchOperations) {
		ops.SetCondition(condition)
		ops.AppendSet("/trashedDate", schema.Instant(now))
		ops.AppendSet("/news", false) // a patch cannot remove a missing property
		ops.AppendRemove("/news")
		ops.AppendSet("/withdrawn", true)
		ops.AppendIncrement("/version", 1)
		return ops
	}
	unheld := patch(own + " and not is_defined(c.held)")
	unheld.AppendSet("/held", schema.HeldInTrash)
	return p.moveTrash(ctx, postID, userID, unheld, patch(own))
}

// Restore takes an author's post out of the trash in one write, and returns it. It ignores a post that is not in the
// trash, and returns Forbidden if userID is not the author.
func (p *Posts) Restore(ctx context.Context, postID, userID string) (domain.Post, error) {
	own := fmt.Sprintf("%s and is_defined(c.trashedDate) and c.userId = '%s'", schema.IfLive, userID)
	patch := func(condition string) (ops azcosmos.PatchOperations) {
		ops.SetCondition(condition)
		ops.AppendRemove("/trashedDate")
		ops.AppendSet("/withdrawn", true)
		ops.AppendIncrement("/version", 1)
		return ops
	}
	unheld := patch(fmt.Sprintf("%s and c.held = '%s'", own, schema.HeldInTrash))
	unheld.AppendRemove("/held")
	return p.moveTrash(ctx, postID, userID, unheld, patch(own))
}

// moveTrash changes a post by the patch for a post that is not held or, if it is held, by the other one.
func (p *Posts) moveTrash(ctx context.Context, postID, userID string,
	unheld, held azcosmos.PatchOperations) (domain.Post, error) {
	ctx = trashing.In(ctx)
	if !domain.IsID(postID) || !domain.IsUserID(userID) { // static pages have no trash
		return domain.Post{}, schema.ErrNoPost()
	}
	item, err := client.PatchReturning[PostItem](ctx, p.c, postID, postID, unheld)
	if client.ConditionFailed(err) {
		item, err = client.PatchReturning[PostItem](ctx, p.c, postID, postID, held)
	}
	if client.ConditionFailed(err) { // already there, or another user's post
		return p.own(ctx, postID, userID)
	}
	return item.domain(), client.Translate(err)
}

// Purge deletes a post for good, as Delete does, if it is in the trash for the time of a scheduled item: see
// domain.Post.Purge. It returns NotFound if the post was restored or deleted since.
func (p *Posts) Purge(ctx context.Context, item domain.ScheduledItem) error {
	since, _ := schema.Instant(item.At.Add(-domain.TrashTime)).MarshalText()
	err := p.delete(ctx, item.PostID, item.UserID, fmt.Sprintf(" and c.trashedDate = '%s'", since))
	if client.ConditionFailed(err) {
		return schema.ErrNoPost()
	}
	return client.Translate(err)
}

// OwnOrTrashed reads an author's post in the trash, and one that is not. It returns NotFound for another user's post.
func (p *Posts) OwnOrTrashed(ctx context.Context, postID, userID string) (domain.Post, error) {
	post, err := p.own(ctx, postID, userID)
	if domain.Is(err, domain.Forbidden) {
		err = schema.ErrNoPost()
	}
	return post, err
}
