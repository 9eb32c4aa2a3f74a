package posts

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// A held post or comment is stored, and only its author and moderators see it: see domain.Hold. The posts projector
// takes a held post out of the lists, as it does with an unpublished post. A post does not count a held comment. The
// count changes in the same transaction. The parent of a held comment still counts it, since it may be released.

// Hold hides a post, or holds it for review, in one write. It returns the post as it is then. If the current hold
// does not yield to the new one, see domain.Hold.Yields, the post stays unchanged.
func (p *Posts) Hold(ctx context.Context, postID string, hold domain.Hold) (domain.Post, error) {
	if hold != domain.HeldByModerator && hold != domain.HeldForReview {
		return domain.Post{}, domain.NewError(domain.Invalid, "This kind of hold does not apply to posts.")
	}
	condition := "not is_defined(c.held)"
	if hold == domain.HeldByModerator {
		condition = "(not is_defined(c.held) or c.held != '" + string(hold) + "')"
	}
	return p.setHold(ctx, postID, holdPatch(hold, condition))
}

// Release makes a held post visible again, see releasePatch. It returns Conflict if the post has another revision than
// the one that the moderator has seen. A post that is not held stays unchanged.
func (p *Posts) Release(ctx context.Context, postID string, revision int) (domain.Post, error) {
	condition := fmt.Sprintf("is_defined(c.held) and c.revision = %d", revision)
	post, err := p.setHold(ctx, postID, releasePatch(condition))
	if err == nil && post.Held != domain.NotHeld { // the revision differs, or differed at that moment
		return domain.Post{}, domain.ErrEdited()
	}
	return post, err
}

// Unhide gives a post that a moderator has hidden the hold that it had before, or none. It does not change a post that
// is not hidden by a moderator. It returns Conflict if the post has another revision than the one that was hidden.
func (p *Posts) Unhide(ctx context.Context, postID string, revision int, before domain.Hold) (domain.Post, error) {
	var ops azcosmos.PatchOperations
	ops.SetCondition(fmt.Sprintf("%s and c.held = '%s' and c.revision = %d", schema.IfLive, domain.HeldByModerator,
		revision))
	setHeld(&ops, before)
	ops.AppendIncrement("/version", 1)
	post, err := p.setHold(ctx, postID, ops)
	if err == nil && post.Held == domain.HeldByModerator {
		return domain.Post{}, domain.ErrEdited()
	}
	return post, err
}

// UnhideComment is Unhide for a comment. It returns Conflict if the comment was last edited at another time than
// edited.
func (p *Posts) UnhideComment(ctx context.Context, postID, commentID string, edited time.Time,
	before domain.Hold) (domain.Post, error) {
	return p.replaceHold(ctx, postID, commentID, edited, before, domain.HeldByModerator)
}

func (p *Posts) setHold(ctx context.Context, postID string, ops azcosmos.PatchOperations) (domain.Post, error) {
	ctx = holding.In(ctx)
	if !domain.IsID(postID) {
		return domain.Post{}, schema.ErrNoPost()
	}
	item, err := client.PatchReturning[PostItem](ctx, p.c, postID, postID, ops)
	if client.ConditionFailed(err) { // already in this state, or deleted
		return p.live(ctx, postID)
	}
	return item.domain(), client.Translate(err)
}

// holdPatch hides a live post under a further condition. It marks the post as withdrawn, see
// domain.Post.Withdrawn, so that the projector takes it out of the lists.
func holdPatch(hold domain.Hold, condition string) azcosmos.PatchOperations {
	var ops azcosmos.PatchOperations
	ops.SetCondition(schema.IfLive + " and " + condition)
	ops.AppendSet("/held", hold)
	ops.AppendSet("/withdrawn", true)
	ops.AppendIncrement("/version", 1)
	return ops
}

// releasePatch makes a live post visible again under a further condition. It marks the post as withdrawn, see
// domain.Post.Withdrawn, so that the projector removes it from the review queue.
func releasePatch(condition string) azcosmos.PatchOperations {
	var ops azcosmos.PatchOperations
	ops.SetCondition(schema.IfLive + " and " + condition)
	ops.AppendRemove("/held")
	ops.AppendSet("/withdrawn", true)
	ops.AppendIncrement("/version", 1)
	return ops
}

// reviewOverPatch ends the review of a live post.
func reviewOverPatch() azcosmos.PatchOperations {
	return releasePatch(fmt.Sprintf("c.held = '%s'", domain.HeldForReview))
}

// HoldComment is Hold for a comment, together with the post's count. It returns the changed post, and NotFound for
// a missing comment or a placeholder. The caller checks the permission.
func (p *Posts) HoldComment(ctx context.Context, postID, commentID string, hold domain.Hold) (domain.Post, error) {
	if hold == domain.NotHeld || !hold.Valid() {
		return domain.Post{}, domain.NewError(domain.Invalid, "This kind of hold does not apply to comments.")
	}
	return p.changeComment(ctx, postID, commentID, func(c *CommentItem) (ops azcosmos.PatchOperations, change bool) {
		if c.Held == hold || !c.Held.Yields(hold) {
			return ops, false
		}
		c.Held = hold
		ops.AppendSet("/held", hold)
		return ops, true
	})
}

// ReleaseComment makes a held comment visible again, whatever the hold, together with the post's count. It returns
// the changed post. It returns Conflict if the comment was last edited at another time than edited, since the
// moderator has not seen the current text.
func (p *Posts) ReleaseComment(ctx context.Context, postID, commentID string, edited time.Time) (domain.Post, error) {
	return p.replaceHold(ctx, postID, commentID, edited, domain.NotHeld,
		domain.HeldByModerator, domain.HeldByAuthor, domain.HeldForReview)
}

// ShowComment lets the post's author undo the author's own hold of a comment. It returns Conflict if the comment
// was last edited at another time than edited. Holds by moderators stay. If instead is a hold, such as
// HeldForReview, it replaces the author's hold.
func (p *Posts) ShowComment(ctx context.Context, postID, commentID string, edited time.Time,
	instead domain.Hold) (domain.Post, error) {
	return p.replaceHold(ctx, postID, commentID, edited, instead, domain.HeldByAuthor)
}

// replaceHold replaces the hold of a comment by another one, or by none. It does not change a comment whose hold is not
// among the replaced ones.
func (p *Posts) replaceHold(ctx context.Context, postID, commentID string, edited time.Time,
	instead domain.Hold, replaced ...domain.Hold) (domain.Post, error) {
	var refused error
	post, err := p.changeComment(ctx, postID, commentID,
		func(c *CommentItem) (ops azcosmos.PatchOperations, change bool) {
			refused = nil
			if !slices.Contains(replaced, c.Held) || c.Held == instead {
				return ops, false
			}
			if !c.Domain().Edited.Equal(edited) {
				refused = domain.ErrEdited()
				return ops, false
			}
			c.Held = instead
			setHeld(&ops, instead)
			return ops, true
		})
	return post, cmp.Or(refused, err)
}

func setHeld(ops *azcosmos.PatchOperations, hold domain.Hold) {
	if hold == domain.NotHeld {
		ops.AppendRemove("/held")
	} else {
		ops.AppendSet("/held", hold)
	}
}

// changeComment changes the visibility of a comment, and the post's count with it. It patches the comment in the
// state in which it was read, so the count is right. If change reports that there is nothing to change, the call
// may be a repetition, and changes nothing.
func (p *Posts) changeComment(ctx context.Context, postID, commentID string,
	change func(*CommentItem) (azcosmos.PatchOperations, bool)) (domain.Post, error) {
	ctx = holding.In(ctx)
	return client.RewriteReturning(ctx, func() (domain.Post, error) {
		c, err := p.comment(ctx, postID, commentID)
		switch {
		case client.Missing(err), err == nil && c.DeletionDate != nil:
			return domain.Post{}, errNoComment()
		case err != nil:
			return domain.Post{}, client.Translate(err)
		}
		before := c.Domain()
		ops, changes := change(&c)
		if !changes {
			return p.live(ctx, postID)
		}
		batch := p.c.Batch(postID)
		batch.PatchItem(commentID, ops, client.IfMatch(c.ETag))
		batch.PatchItem(postID, recountPatch(before, c.Domain()), nil)
		results, err := p.c.Execute(ctx, batch, true)
		switch {
		case err == nil:
			return postOf(results[1])
		case client.FailedAt(err, 1, http.StatusPreconditionFailed):
			return domain.Post{}, schema.ErrNoPost()
		}
		return domain.Post{}, client.Lost(client.Translate(err))
	})
}

// recountPatch updates a live post in the transaction that changes the visibility of a comment.
func recountPatch(before, after domain.Comment) azcosmos.PatchOperations {
	by := int64(0)
	if before.Counts() {
		by--
	}
	if after.Counts() {
		by++
	}
	var ops azcosmos.PatchOperations
	ops.SetCondition(schema.IfLive)
	ops.AppendIncrement("/commentCount", by)
	ops.AppendIncrement("/version", 1)
	if before.Held == domain.HeldForReview && after.Held != domain.HeldForReview {
		ops.AppendSet("/withdrawn", true) // the projector removes the comment from the review queue
	}
	return ops
}

// CloseComments closes the comments on a post, or opens them again, in one write by its author. No copy changes.
// It returns Forbidden if userID is not the author.
func (p *Posts) CloseComments(ctx context.Context, postID, userID string, closed bool) (domain.Post, error) {
	ctx = client.Writes("close-comments").In(ctx)
	if !domain.IsID(postID) || !domain.IsUserID(userID) {
		return domain.Post{}, schema.ErrNoPost()
	}
	var ops azcosmos.PatchOperations
	isOwn := fmt.Sprintf("%s and c.userId = '%s'", schema.IfKept, userID)
	if closed {
		ops.SetCondition(isOwn + " and not is_defined(c.commentsClosed)")
		ops.AppendSet("/commentsClosed", true)
	} else {
		ops.SetCondition(isOwn + " and is_defined(c.commentsClosed)")
		ops.AppendRemove("/commentsClosed")
	}
	item, err := client.PatchReturning[PostItem](ctx, p.c, postID, postID, ops)
	if client.ConditionFailed(err) { // already in this state, or another user's post
		return kept(p.own(ctx, postID, userID))
	}
	return item.domain(), client.Translate(err)
}
