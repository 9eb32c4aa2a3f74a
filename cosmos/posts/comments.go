package posts

import (
	"cmp"
	"context"
	"fmt"
	"net/http"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// Comments is request Q4. It returns one page of a post's comments, the oldest first, with replies below their
// parents. The rows include placeholders and hidden comments: see domain.Comment.ShownTo.
func (p *Posts) Comments(ctx context.Context, postID string, page int) (domain.ListPage[domain.Comment], error) {
	rows, err := client.Query[CommentItem](listingComments.In(ctx), p.c, postID,
		`SELECT * FROM c WHERE c.postId = @post AND c.type = 'comment'
		 ORDER BY c.type ASC, c.place ASC OFFSET @offset LIMIT @limit`,
		client.PageOf(page, domain.CommentsPerPage, client.Parameters{"post": postID}))
	return domain.Cut(comments(rows), page, domain.CommentsPerPage), client.Translate(err)
}

// CommentsAfter is request Q4 for continuous reading. It returns the first comments behind a place, as many as a
// page has. Unlike numbered pages, the result neither repeats nor misses comments if others are added or deleted
// before the place. The page number of the result has no meaning.
func (p *Posts) CommentsAfter(ctx context.Context, postID, place string) (domain.ListPage[domain.Comment], error) {
	rows, err := client.Query[CommentItem](listingComments.In(ctx), p.c, postID,
		`SELECT * FROM c WHERE c.postId = @post AND c.type = 'comment' AND c.place > @place
		 ORDER BY c.type ASC, c.place ASC OFFSET @offset LIMIT @limit`,
		client.PageOf(1, domain.CommentsPerPage, client.Parameters{"post": postID, "place": place}))
	return domain.Cut(comments(rows), 1, domain.CommentsPerPage), client.Translate(err)
}

// Comment reads one comment, which may be a placeholder or hidden.
func (p *Posts) Comment(ctx context.Context, postID, commentID string) (domain.Comment, error) {
	item, err := p.comment(client.Reads("comment").In(ctx), postID, commentID)
	return item.Domain(), client.Translate(err)
}

func (p *Posts) comment(ctx context.Context, postID, commentID string) (CommentItem, error) {
	if !domain.IsID(postID) || !domain.IsID(commentID) {
		return CommentItem{}, errNoComment()
	}
	item, err := client.Read[CommentItem](ctx, p.c, postID, commentID)
	if err == nil && item.Type != schema.TypeComment { // a marker, or the post, which has an id of the same form
		return CommentItem{}, errNoComment()
	}
	return item, err
}

func errNoComment() error { return domain.NewError(domain.NotFound, "There is no such comment.") }

// AddComment is request C3. One transaction adds the comment and updates the post's count and, for a reply, the
// count of the parent. A comment that is held from the start does not count. AddComment returns the changed post.
// It returns Conflict if the parent is deleted or hidden, domain.ErrCommentDeleted if the comment itself was deleted
// since, and Forbidden if comments on the post are closed.
func (p *Posts) AddComment(ctx context.Context, c domain.Comment) (domain.Post, error) {
	if !domain.IsID(c.PostID) {
		return domain.Post{}, schema.ErrNoPost()
	}
	if c.ParentID != "" && !domain.IsID(c.ParentID) {
		return domain.Post{}, errNoParent()
	}
	body := client.Encode(CommentItemOf(c))
	r := response{count: "/commentCount", condition: schema.IfOpen + " and not is_defined(c.commentsClosed)",
		write:  func(b *azcosmos.TransactionalBatch) { b.CreateItem(body, nil) },
		failed: func(ctx context.Context, err error) (domain.Post, error) { return p.uncommented(ctx, c, err) }}
	if c.Counts() {
		r.by = 1
	}
	if c.ParentID != "" {
		r.reply = func(b *azcosmos.TransactionalBatch) { b.PatchItem(c.ParentID, newReplyPatch(c), nil) }
	}
	return p.respond(ctx, commenting, c.PostID, r)
}

// uncommented explains why a transaction could not add a comment. It returns the post if an earlier attempt of the
// call, or of the same form, has added it.
func (p *Posts) uncommented(ctx context.Context, c domain.Comment, failure error) (domain.Post, error) {
	switch {
	case client.FailedAt(failure, 0, http.StatusConflict):
		stored, err := client.Read[CommentItem](ctx, p.c, c.PostID, c.ID)
		if err == nil && stored.DeletionDate != nil {
			return domain.Post{}, domain.ErrCommentDeleted
		}
		// The comment stays if its post was hidden or unpublished since then.
		return p.live(ctx, c.PostID)
	case client.FailedAt(failure, 1, http.StatusPreconditionFailed):
		post, err := p.Get(ctx, c.PostID)
		if err == nil && post.CommentsClosed {
			err = errCommentsClosed()
		} else if err == nil { // comments were opened again at this moment
			err = &domain.Error{Kind: domain.Unavailable}
		}
		return domain.Post{}, err
	case client.FailedAt(failure, 2, http.StatusNotFound), client.FailedAt(failure, 2, http.StatusPreconditionFailed):
		return domain.Post{}, errNoParent()
	}
	return domain.Post{}, client.Translate(failure)
}

func errNoParent() error {
	return domain.NewError(domain.Conflict, "The comment you are replying to was deleted.")
}

func errCommentsClosed() error {
	return domain.NewError(domain.Forbidden, "Comments are closed.")
}

// newReplyPatch updates the parent of a new reply. It changes the parent's ETag, so a concurrent deletion of the
// parent fails and then sees the reply.
func newReplyPatch(c domain.Comment) azcosmos.PatchOperations {
	var ops azcosmos.PatchOperations
	date, _ := schema.Instant(c.ParentCreated).MarshalText()
	ops.SetCondition(fmt.Sprintf("from c where c.type = 'comment' and not is_defined(c.parentId)"+
		" and c.creationDate = '%s' and %s", date, schema.IfShown))
	ops.AppendIncrement("/replyCount", 1)
	return ops
}

// EditComment changes a comment's text in one write. It returns Conflict if the author edited another version than
// the stored one, and Forbidden if userID is not the author. The post does not change, since no copy of it shows
// comments. An edit that holds the comment or ends its review is one transaction with the post's count.
func (p *Posts) EditComment(ctx context.Context, e domain.CommentEdit, userID string) (domain.Comment, error) {
	ctx = editingComment.In(ctx)
	if !domain.IsID(e.PostID) || !domain.IsID(e.ID) || !domain.IsUserID(userID) {
		return domain.Comment{}, errNoComment()
	}
	if e.Held != domain.NotHeld {
		return p.editHeld(ctx, e, userID)
	}
	began := "not is_defined(c.editDate)"
	if !e.Began.IsZero() {
		date, _ := schema.Instant(e.Began).MarshalText()
		began = fmt.Sprintf("c.editDate = '%s'", date)
	}
	var ops azcosmos.PatchOperations
	ops.SetCondition(fmt.Sprintf("%s and c.type = 'comment' and c.userId = '%s' and %s", schema.IfLive, userID, began))
	ops.AppendSet("/content", e.Content)
	ops.AppendSet("/editDate", schema.Instant(e.At))
	ops.AppendSet("/mentions", e.Mentions) // a patch cannot remove a missing property
	item, err := client.PatchReturning[CommentItem](ctx, p.c, e.PostID, e.ID, ops)
	if !client.ConditionFailed(err) {
		return item.Domain(), client.Translate(err)
	}
	current, err := p.Comment(ctx, e.PostID, e.ID)
	if err == nil {
		var done bool
		if done, err = alreadyEdited(current, e, userID); done {
			return current, nil
		}
	}
	if err == nil { // the comment had other content at that moment
		err = errCommentChanged()
	}
	return domain.Comment{}, err
}

// alreadyEdited reports whether a comment was edited since e.Began and has the content of e, as after an earlier
// attempt of this call or a form that was sent twice. Otherwise its error says why the edit does not apply.
func alreadyEdited(current domain.Comment, e domain.CommentEdit, userID string) (done bool, err error) {
	switch {
	case !current.Deleted.IsZero():
		return false, errNoComment()
	case current.AuthorID != userID:
		return false, domain.NewError(domain.Forbidden, "You can only edit your own comments.")
	case !current.Edited.Equal(e.Began) && current.Content == e.Content:
		return true, nil
	case !current.Edited.Equal(e.Began):
		return false, errCommentChanged()
	}
	return false, nil
}

func errCommentChanged() error {
	return domain.NewError(domain.Conflict, "The comment was changed in another tab or on another device.")
}

// editHeld is EditComment for an edit that holds the comment, or ends its review, in the same transaction. Other users
// never see a new text that is held.
func (p *Posts) editHeld(ctx context.Context, e domain.CommentEdit, userID string) (domain.Comment, error) {
	var edited domain.Comment
	var refused error
	_, err := p.changeComment(ctx, e.PostID, e.ID, func(c *CommentItem) (ops azcosmos.PatchOperations, change bool) {
		var done bool
		edited = c.Domain()
		if done, refused = alreadyEdited(edited, e, userID); done || refused != nil {
			return ops, false
		}
		switch after := c.Held.After(e.Held); {
		case after == c.Held:
		case after == domain.NotHeld:
			c.Held = after
			ops.AppendRemove("/held")
		default:
			c.Held = after
			ops.AppendSet("/held", after)
		}
		c.Content, c.Mentions, c.EditDate = e.Content, e.Mentions, schema.Optional(e.At)
		ops.AppendSet("/content", e.Content)
		ops.AppendSet("/mentions", e.Mentions)
		ops.AppendSet("/editDate", schema.Instant(e.At))
		edited = c.Domain()
		return ops, true
	})
	if err = cmp.Or(refused, err); err != nil {
		return domain.Comment{}, err
	}
	return edited, nil
}
