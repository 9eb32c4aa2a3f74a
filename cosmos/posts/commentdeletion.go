package posts

import (
	"context"
	"net/http"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// DeleteComment deletes a user's own comment, together with the post's count. One that
// has replies becomes a placeholder without text and author, which holds them and goes
// with the last of them. A comment that is gone already is no error, one that another
// user wrote is Forbidden.
//
// It leaves no marker: the post, which changes with it, tells of it in the change
// feed.
func (p *Posts) DeleteComment(ctx context.Context, postID, commentID, userID string) (domain.CommentRemoval, error) {
	ctx = client.Operation(ctx, "delete-comment")
	removal, err := p.removeComment(ctx, postID, commentID, schema.IfLive, func(c CommentItem) error {
		if c.UserID != userID {
			return domain.Errorf(domain.Forbidden, "You can only delete your own comments.")
		}
		return nil
	})
	if err == nil && removal.Post.ID == "" { // nothing was there to delete
		removal.Post, err = p.live(ctx, postID)
	}
	return removal, client.Translate(err)
}

// takeComment deletes a comment, which may change meanwhile, from a post under a condition,
// empty: none. Of a comment that is gone already the result has no post.
func (p *Posts) removeComment(ctx context.Context, postID, commentID string, condition string,
	allowed func(CommentItem) error) (domain.CommentRemoval, error) {
	for attempt := 1; ; attempt++ {
		c, err := p.comment(ctx, postID, commentID)
		switch {
		case client.Missing(err) || domain.Is(err, domain.NotFound):
			return domain.CommentRemoval{}, nil
		case err != nil:
			return domain.CommentRemoval{}, err
		case c.DeletionDate != nil:
			return domain.CommentRemoval{Kept: true}, nil
		}
		if allowed != nil {
			if err := allowed(c); err != nil {
				return domain.CommentRemoval{}, err
			}
		}
		batch, removal, operations, err := p.commentRemovalBatch(ctx, c)
		if err != nil {
			return domain.CommentRemoval{}, err
		}
		// Whatever makes it one that counts, or that does not, makes this fail.
		batch.PatchItem(postID, deletedCommentPatch(c, condition), nil)
		results, err := p.c.Execute(ctx, batch, true)
		switch {
		case err == nil:
			removal.Post, err = postOf(results[operations])
			return removal, err
		case client.FailedAt(err, operations, http.StatusPreconditionFailed),
			client.FailedAt(err, operations, http.StatusNotFound):
			return domain.CommentRemoval{}, schema.ErrNoPost()
		case !client.LostRace(err) || attempt == client.RewriteAttempts:
			return domain.CommentRemoval{}, err
		}
	}
}

// takingComment begins the batch that takes a comment away, with so many operations.
func (p *Posts) commentRemovalBatch(ctx context.Context, c CommentItem) (
	batch azcosmos.TransactionalBatch, removal domain.CommentRemoval, operations int, err error) {
	batch = p.c.Batch(c.PostID)
	if c.ReplyCount > 0 {
		// Whatever changed it since, a reply or an edit, makes this fail.
		batch.PatchItem(c.ID, placeholderPatch(c), client.IfMatch(c.ETag))
		return batch, domain.CommentRemoval{Kept: true}, 1, nil
	}
	batch.DeleteItem(c.ID, client.IfMatch(c.ETag))
	if c.ParentID == "" {
		return batch, removal, 1, nil
	}
	parent, err := p.comment(ctx, c.PostID, c.ParentID)
	switch {
	case client.Missing(err) || domain.Is(err, domain.NotFound): // the post is being erased
		return batch, removal, 1, nil
	case err != nil:
		return batch, removal, 0, err
	case parent.DeletionDate != nil && parent.ReplyCount <= 1:
		batch.DeleteItem(parent.ID, client.IfMatch(parent.ETag))
		return batch, domain.CommentRemoval{Parent: parent.ID}, 2, nil
	}
	var ops azcosmos.PatchOperations
	ops.SetCondition("from c where not is_defined(c.deletionDate) or c.replyCount > 1")
	ops.AppendIncrement("/replyCount", -1)
	batch.PatchItem(parent.ID, ops, nil)
	return batch, removal, 2, nil
}

// uncounting is the patch of the post that goes with a comment which is taken away.
func deletedCommentPatch(c CommentItem, condition string) azcosmos.PatchOperations {
	by := int64(-1)
	if !c.Domain().Counts() {
		by = 0
	}
	var ops azcosmos.PatchOperations
	if condition != "" {
		ops.SetCondition(condition)
	}
	ops.AppendIncrement("/commentCount", by)
	ops.AppendIncrement("/version", 1)
	return ops
}

// emptying is the patch that makes a comment a placeholder. Nothing of who wrote it,
// and what, stays.
func placeholderPatch(c CommentItem) azcosmos.PatchOperations {
	var ops azcosmos.PatchOperations
	ops.AppendSet("/deletionDate", schema.Instant(time.Now()))
	ops.AppendRemove("/content")
	ops.AppendRemove("/userId")
	ops.AppendRemove("/userUsername")
	if c.UserDisplayName != "" {
		ops.AppendRemove("/userDisplayName")
	}
	if c.EditDate != nil {
		ops.AppendRemove("/editDate")
	}
	if c.Held != domain.NotHeld {
		ops.AppendRemove("/held")
	}
	if c.AuthorSuspended {
		ops.AppendRemove("/authorSuspended")
	}
	return ops
}
