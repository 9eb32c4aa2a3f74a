package posts

import (
	"cmp"
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// What is held is there, and others than its author do not see it: see domain.Hold. A post
// that is held leaves the lists as one that is unpublished does, by the posts projector. A
// comment that is held is none of those that its post counts, which changes in the same
// transaction; its parent counts it still, for it may come back.

// Hold hides a post, or lets it wait for a review: one write. A hold that the present one
// does not yield to, see domain.Hold.Yields, changes nothing. It returns the post as it is
// then.
func (p *Posts) Hold(ctx context.Context, postID string, hold domain.Hold) (domain.Post, error) {
	if hold != domain.HeldByModerator && hold != domain.HeldForReview {
		return domain.Post{}, domain.Errorf(domain.Invalid, "A post cannot be held so.")
	}
	condition := "not is_defined(c.held)"
	if hold == domain.HeldByModerator {
		condition = "(not is_defined(c.held) or c.held != '" + string(hold) + "')"
	}
	return p.setHold(ctx, postID, holdPatch(hold, condition))
}

// Release lets others find a post again that was held, as it was in a revision: it answers
// Conflict when it is another by now, which whoever releases it has not seen. One that is not
// held stays as it is.
func (p *Posts) Release(ctx context.Context, postID string, revision int) (domain.Post, error) {
	var ops azcosmos.PatchOperations
	ops.SetCondition(fmt.Sprintf("%s and is_defined(c.held) and c.revision = %d", schema.IfLive, revision))
	ops.AppendRemove("/held")
	ops.AppendIncrement("/version", 1)
	post, err := p.setHold(ctx, postID, ops)
	if err == nil && post.Held != domain.NotHeld { // it is another, or was at that moment
		return domain.Post{}, domain.ErrEdited()
	}
	return post, err
}

func (p *Posts) setHold(ctx context.Context, postID string, ops azcosmos.PatchOperations) (domain.Post, error) {
	ctx = client.Operation(ctx, "hold")
	if !domain.IsID(postID) {
		return domain.Post{}, schema.ErrNoPost()
	}
	item, err := client.PatchReturning[PostItem](ctx, p.c, postID, postID, ops)
	if client.StatusOf(err) == http.StatusPreconditionFailed { // it is so already, or gone
		return p.live(ctx, postID)
	}
	return item.domain(), client.Translate(err)
}

// holding is the patch that hides a post, under a condition besides that it is live. It is
// to be taken out of the lists, see domain.Post.Withdrawn, if it stood there.
func holdPatch(hold domain.Hold, condition string) azcosmos.PatchOperations {
	var ops azcosmos.PatchOperations
	ops.SetCondition(schema.IfLive + " and " + condition)
	ops.AppendSet("/held", hold)
	ops.AppendSet("/withdrawn", true)
	ops.AppendIncrement("/version", 1)
	return ops
}

// HoldComment is Hold for a comment on a post, together with the post's count. Who may do
// that is the caller's question. A comment that is gone, or a placeholder, is not found. It
// returns the post as it has become.
func (p *Posts) HoldComment(ctx context.Context, postID, commentID string, hold domain.Hold) (domain.Post, error) {
	if hold == domain.NotHeld || !hold.Valid() {
		return domain.Post{}, domain.Errorf(domain.Invalid, "A comment cannot be held so.")
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

// ReleaseComment lets others see a comment again that was held, whatever for, together with
// the post's count. It returns the post as it has become, and Conflict when the comment was
// edited last at another time: whoever releases it has not seen what it says.
func (p *Posts) ReleaseComment(ctx context.Context, postID, commentID string, edited time.Time) (domain.Post, error) {
	var refused error
	post, err := p.release(ctx, postID, commentID, func(c domain.Comment) bool {
		if refused = nil; !c.Edited.Equal(edited) {
			refused = domain.ErrEdited()
		}
		return refused == nil
	})
	return post, cmp.Or(refused, err)
}

// ShowComment is for the post's author: of a comment that the author hid, as it was edited
// last, or it answers Conflict. What moderators hold stays so. With a hold, HeldForReview say,
// it is held so instead.
func (p *Posts) ShowComment(ctx context.Context, postID, commentID string, edited time.Time,
	instead domain.Hold) (domain.Post, error) {
	var refused error
	post, err := p.changeComment(ctx, postID, commentID,
		func(c *CommentItem) (ops azcosmos.PatchOperations, change bool) {
			refused = nil
			if c.Held != domain.HeldByAuthor || c.Held == instead {
				return ops, false
			}
			if !c.Domain().Edited.Equal(edited) {
				refused = domain.ErrEdited()
				return ops, false
			}
			if c.Held = instead; instead == domain.NotHeld {
				ops.AppendRemove("/held")
			} else {
				ops.AppendSet("/held", instead)
			}
			return ops, true
		})
	return post, cmp.Or(refused, err)
}

func (p *Posts) release(ctx context.Context, postID, commentID string,
	may func(domain.Comment) bool) (domain.Post, error) {
	return p.changeComment(ctx, postID, commentID, func(c *CommentItem) (ops azcosmos.PatchOperations, change bool) {
		if c.Held == domain.NotHeld || !may(c.Domain()) {
			return ops, false
		}
		c.Held = domain.NotHeld
		ops.AppendRemove("/held")
		return ops, true
	})
}

// changeComment changes who sees a comment, and the post's count with it. The patch is of
// the comment in the state in which it was read, so the count follows from that. What is
// so already changes nothing: it may be this call's own earlier attempt.
func (p *Posts) changeComment(ctx context.Context, postID, commentID string,
	change func(*CommentItem) (azcosmos.PatchOperations, bool)) (domain.Post, error) {
	ctx = client.Operation(ctx, "hold")
	for attempt := 1; ; attempt++ {
		c, err := p.comment(ctx, postID, commentID)
		switch {
		case client.Missing(err), err == nil && c.DeletionDate != nil:
			return domain.Post{}, errNoComment()
		case err != nil:
			return domain.Post{}, client.Translate(err)
		}
		before := c.Domain().Counts()
		ops, changes := change(&c)
		if !changes {
			return p.live(ctx, postID)
		}
		batch := p.c.Batch(postID)
		batch.PatchItem(commentID, ops, client.IfMatch(c.ETag))
		batch.PatchItem(postID, recountPatch(before, c.Domain().Counts()), nil)
		results, err := p.c.Execute(ctx, batch, true)
		switch {
		case err == nil:
			return postOf(results[1])
		case client.FailedAt(err, 1, http.StatusPreconditionFailed):
			return domain.Post{}, schema.ErrNoPost()
		case !client.LostRace(err) || attempt == client.RewriteAttempts:
			return domain.Post{}, client.Translate(err)
		}
	}
}

// recounting is the patch of a live post that goes with a comment which counted, or did
// not, and does now, or not.
func recountPatch(before, after bool) azcosmos.PatchOperations {
	by := int64(0)
	if before {
		by--
	}
	if after {
		by++
	}
	var ops azcosmos.PatchOperations
	ops.SetCondition(schema.IfLive)
	ops.AppendIncrement("/commentCount", by)
	ops.AppendIncrement("/version", 1)
	return ops
}

// CloseComments takes no more comments on a post, or takes them again: one write by its
// author, which changes no copy. It answers Forbidden when userID did not write the post.
func (p *Posts) CloseComments(ctx context.Context, postID, userID string, closed bool) (domain.Post, error) {
	ctx = client.Operation(ctx, "close-comments")
	if !domain.IsID(postID) || !domain.IsUserID(userID) {
		return domain.Post{}, schema.ErrNoPost()
	}
	var ops azcosmos.PatchOperations
	isOwn := fmt.Sprintf("%s and c.userId = '%s'", schema.IfLive, userID)
	if closed {
		ops.SetCondition(isOwn + " and not is_defined(c.commentsClosed)")
		ops.AppendSet("/commentsClosed", true)
	} else {
		ops.SetCondition(isOwn + " and is_defined(c.commentsClosed)")
		ops.AppendRemove("/commentsClosed")
	}
	item, err := client.PatchReturning[PostItem](ctx, p.c, postID, postID, ops)
	if client.StatusOf(err) == http.StatusPreconditionFailed { // it is so already, or it is not the user's
		return p.own(ctx, postID, userID)
	}
	return item.domain(), client.Translate(err)
}
