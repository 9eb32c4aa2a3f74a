package posts

import (
	"context"
	"net/http"
	"slices"
	"strings"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// PropagateSuspension hides the posts, comments and likes of a suspended user, or shows them again after the
// suspension. Posts do not count hidden comments, but count hidden likes. Like PropagateName it runs a query over
// all partitions and then a transaction for each post. It takes a limited step, and can be repeated after a
// failure at any point.
func (p *Posts) PropagateSuspension(ctx context.Context, userID string, suspended bool) (
	changed int, more bool, err error) {
	ctx = propagatingSuspension.In(ctx)
	other := "IS_DEFINED(c.authorSuspended)"
	if suspended {
		other = "NOT " + other
	}
	byPost, more, err := p.AuthoredBy(ctx, stepLimit, `c.userId = @user AND `+other+
		` AND c.type IN ('post', 'comment', 'like') AND NOT IS_DEFINED(c.deletionDate)`,
		client.Parameters{"user": userID})
	if err != nil {
		return 0, false, client.Translate(err)
	}
	for postID, items := range byPost {
		for part := range slices.Chunk(items, client.MaxBatch-1) { // one operation is for the post's count
			if err := p.suspendAuthored(ctx, postID, part, suspended); err != nil {
				return changed, false, client.Translate(err)
			}
			changed += len(part)
		}
	}
	return changed, more, nil
}

func (p *Posts) suspendAuthored(ctx context.Context, postID string, items []AuthoredItem, suspended bool) error {
	batch := p.c.Batch(postID)
	count, comments := int64(0), false
	for _, item := range items {
		if item.Type != schema.TypeComment {
			batch.PatchItem(item.ID, suspensionPatch(item.isPost(), suspended), nil)
			continue
		}
		// The ETag ensures that the count is computed from the current state of the comment.
		batch.PatchItem(item.ID, suspensionPatch(false, suspended), client.IfMatch(item.ETag))
		comments = true
		if item.counts() {
			count--
		}
		if item.Suspended = suspended; item.counts() {
			count++
		}
	}
	if comments { // the post may be deleted
		batch.PatchItem(postID, removedResponsesPatch(-count, 0), nil)
	}
	_, err := p.c.Execute(ctx, batch, false)
	if !client.LostRace(err) && !client.FailedBatch(err, http.StatusNotFound) &&
		!client.FailedBatch(err, http.StatusPreconditionFailed) {
		return err
	}
	// Some items were changed or deleted. Update the others one by one.
	for _, item := range items {
		if err := p.suspend(ctx, postID, item.ID, suspended); err != nil {
			return err
		}
	}
	return nil
}

// SetAuthorSuspended is PropagateSuspension for one item: the post itself, or a comment or like of it. It ignores
// a missing item.
func (p *Posts) SetAuthorSuspended(ctx context.Context, postID, itemID string, suspended bool) error {
	return client.Translate(p.suspend(propagatingSuspension.In(ctx), postID, itemID, suspended))
}

func (p *Posts) suspend(ctx context.Context, postID, itemID string, suspended bool) error {
	var err error
	if itemID == postID || strings.HasPrefix(itemID, domain.LikeID("")) {
		err = p.c.Patch(ctx, postID, itemID, suspensionPatch(itemID == postID, suspended))
	} else {
		_, err = p.changeComment(ctx, postID, itemID, func(c *CommentItem) (azcosmos.PatchOperations, bool) {
			if c.AuthorSuspended == suspended {
				return azcosmos.PatchOperations{}, false
			}
			c.AuthorSuspended = suspended
			return suspensionPatch(false, suspended), true
		})
	}
	if domain.Is(err, domain.NotFound) || client.Missing(err) || client.ConditionFailed(err) {
		return nil
	}
	return err
}

// suspensionPatch updates an item of a suspended user. It marks a post as withdrawn, see domain.Post.Withdrawn, so
// that the projector takes it out of the lists.
func suspensionPatch(post, suspended bool) azcosmos.PatchOperations {
	var ops azcosmos.PatchOperations
	if suspended {
		ops.SetCondition(schema.IfLive + " and not is_defined(c.authorSuspended)")
		ops.AppendSet("/authorSuspended", true)
	} else {
		ops.SetCondition(schema.IfLive + " and is_defined(c.authorSuspended)")
		ops.AppendRemove("/authorSuspended")
	}
	if post {
		if suspended {
			ops.AppendSet("/withdrawn", true)
		}
		ops.AppendIncrement("/version", 1)
	}
	return ops
}
