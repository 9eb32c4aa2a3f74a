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

// DeleteComment deletes a user's own comment and updates the post's count. A comment with replies becomes a
// placeholder without text and author, which is deleted with its last reply. DeleteComment ignores a missing
// comment, and returns Forbidden if userID is not the author.
//
// A marker takes the place of the deleted comment, see deletedCommentItem. The post changes in the same transaction.
func (p *Posts) DeleteComment(ctx context.Context, postID, commentID, userID string) (domain.CommentRemoval, error) {
	ctx = deletingComment.In(ctx)
	removal, err := p.removeComment(ctx, postID, commentID, schema.IfLive, func(c CommentItem) error {
		if c.UserID != userID {
			return domain.NewError(domain.Forbidden, "You can only delete your own comments.")
		}
		return nil
	})
	if err == nil && removal.Post.ID == "" { // the comment was deleted before
		removal.Post, err = p.live(ctx, postID)
	}
	return removal, client.Translate(err)
}

// removeComment deletes a comment, under a condition on its post that may be empty. It tries again if the comment
// changes meanwhile. For a missing comment the result has no post.
func (p *Posts) removeComment(ctx context.Context, postID, commentID string, condition string,
	allowed func(CommentItem) error) (domain.CommentRemoval, error) {
	return client.RewriteReturning(ctx, func() (domain.CommentRemoval, error) {
		c, err := p.comment(ctx, postID, commentID)
		switch {
		case client.Missing(err) || domain.Is(err, domain.NotFound):
			return domain.CommentRemoval{}, nil
		case err != nil:
			return domain.CommentRemoval{}, err
		case c.DeletionDate != nil:
			return domain.CommentRemoval{Placeholder: true}, nil
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
		// The batch fails if the comment changed, and with it whether the post counts it.
		batch.PatchItem(postID, deletedCommentPatch(c, condition), nil)
		results, err := p.c.Execute(ctx, batch, true)
		switch {
		case err == nil:
			removal.Post, err = postOf(results[operations])
			return removal, err
		case client.FailedAt(err, operations, http.StatusPreconditionFailed),
			client.FailedAt(err, operations, http.StatusNotFound):
			return domain.CommentRemoval{}, schema.ErrNoPost()
		}
		return domain.CommentRemoval{}, client.Lost(err)
	})
}

// commentRemovalBatch starts the batch that deletes a comment. It returns the number of operations in the batch.
func (p *Posts) commentRemovalBatch(ctx context.Context, c CommentItem) (
	batch azcosmos.TransactionalBatch, removal domain.CommentRemoval, operations int, err error) {
	batch = p.c.Batch(c.PostID)
	if c.ReplyCount > 0 {
		// A reply or an edit in the meantime makes this operation fail.
		batch.PatchItem(c.ID, placeholderPatch(c), client.IfMatch(c.ETag))
		return batch, domain.CommentRemoval{Placeholder: true}, 1, nil
	}
	markDeleted(&batch, c.PostID, c.ID, c.ETag)
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
		markDeleted(&batch, c.PostID, parent.ID, parent.ETag)
		return batch, domain.CommentRemoval{Parent: parent.ID}, 2, nil
	}
	var ops azcosmos.PatchOperations
	ops.SetCondition("from c where not is_defined(c.deletionDate) or c.replyCount > 1")
	ops.AppendIncrement("/replyCount", -1)
	batch.PatchItem(parent.ID, ops, nil)
	return batch, removal, 2, nil
}

// deletedCommentItem is the marker of a deleted comment, by which the posts projector deletes the row of the comment in
// the overview. It stays for domain.MarkerTime. It also keeps a form that is sent again from adding the comment again.
type deletedCommentItem struct {
	ID           string         `json:"id"`
	Type         string         `json:"type"`
	PostID       string         `json:"postId"`
	DeletionDate schema.Instant `json:"deletionDate"`
	TTL          int            `json:"ttl"`
}

// markDeleted replaces a comment by its marker. The batch fails if the comment has changed.
func markDeleted(batch *azcosmos.TransactionalBatch, postID, commentID, etag string) {
	batch.ReplaceItem(commentID, client.Encode(deletedCommentItem{ID: commentID, Type: schema.TypeDeletedComment,
		PostID: postID, DeletionDate: schema.Instant(time.Now()), TTL: markerTTL}), client.IfMatch(etag))
}

// deletedCommentPatch updates the post in the transaction that deletes a comment.
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
	if c.Held == domain.HeldForReview {
		ops.AppendSet("/withdrawn", true) // the projector removes the comment from the review queue
	}
	return ops
}

// placeholderPatch turns a comment into a placeholder. It removes the text and the author.
func placeholderPatch(c CommentItem) azcosmos.PatchOperations {
	var ops azcosmos.PatchOperations
	ops.AppendSet("/deletionDate", schema.Instant(time.Now()))
	ops.AppendRemove("/content")
	ops.AppendRemove("/userId")
	ops.AppendRemove("/userUsername")
	if c.UserDisplayName != "" {
		ops.AppendRemove("/userDisplayName")
	}
	if c.UserAvatar != "" {
		ops.AppendRemove("/userAvatar")
	}
	if c.Mentions != "" {
		ops.AppendRemove("/mentions")
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
