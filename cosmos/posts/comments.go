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

// Comments is Q4: one page of a post's comments, oldest first, replies below their
// parents. Placeholders and hidden comments are among its rows: see domain.Comment.ShownTo.
func (p *Posts) Comments(ctx context.Context, postID string, page int) (domain.Page[domain.Comment], error) {
	rows, err := client.Query[CommentItem](client.Operation(ctx, "Q4"), p.c, postID,
		`SELECT * FROM c WHERE c.postId = @post AND c.type = 'comment'
		 ORDER BY c.type ASC, c.place ASC OFFSET @offset LIMIT @limit`,
		client.PageOf(page, domain.CommentsPerPage, client.Parameters{"post": postID}))
	return domain.Cut(comments(rows), page, domain.CommentsPerPage), client.Translate(err)
}

// CommentsAfter is Q4 for whoever reads on: as many comments as a page has, of those
// behind a place. Unlike pages by number these neither repeat nor miss any when others
// come or go before it. The result's number means nothing.
func (p *Posts) CommentsAfter(ctx context.Context, postID, place string) (domain.Page[domain.Comment], error) {
	rows, err := client.Query[CommentItem](client.Operation(ctx, "Q4"), p.c, postID,
		`SELECT * FROM c WHERE c.postId = @post AND c.type = 'comment' AND c.place > @place
		 ORDER BY c.type ASC, c.place ASC OFFSET @offset LIMIT @limit`,
		client.PageOf(1, domain.CommentsPerPage, client.Parameters{"post": postID, "place": place}))
	return domain.Cut(comments(rows), 1, domain.CommentsPerPage), client.Translate(err)
}

// CommentsBefore counts the rows before a place, from which follows the page that a
// comment stands on. Placeholders and hidden comments count.
func (p *Posts) CommentsBefore(ctx context.Context, postID, place string) (int, error) {
	n, err := client.Count(client.Operation(ctx, "comment-place"), p.c, postID,
		`SELECT VALUE COUNT(1) FROM c WHERE c.postId = @post AND c.type = 'comment' AND c.place < @place`,
		client.Parameters{"post": postID, "place": place})
	return n, client.Translate(err)
}

// Comment reads one comment. A placeholder is one, and so is one that is hidden.
func (p *Posts) Comment(ctx context.Context, postID, commentID string) (domain.Comment, error) {
	item, err := p.comment(client.Operation(ctx, "comment"), postID, commentID)
	return item.Domain(), client.Translate(err)
}

func (p *Posts) comment(ctx context.Context, postID, commentID string) (CommentItem, error) {
	if !domain.IsID(postID) || !domain.IsID(commentID) {
		return CommentItem{}, errNoComment()
	}
	item, err := client.Read[CommentItem](ctx, p.c, postID, commentID)
	if err == nil && item.Type != schema.TypeComment { // the post, which has an id of the same form
		return CommentItem{}, errNoComment()
	}
	return item, err
}

func errNoComment() error { return domain.Errorf(domain.NotFound, "There is no such comment.") }

// AddComment is C3: the comment and the post's count, and the parent's count of a
// reply, in one transaction; one that comes held does not count. It returns the post as it
// has become. When the parent is gone or hidden it answers Conflict, and Forbidden when the
// post takes no more comments.
func (p *Posts) AddComment(ctx context.Context, c domain.Comment) (domain.Post, error) {
	ctx = client.Operation(ctx, "C3")
	if !domain.IsID(c.PostID) {
		return domain.Post{}, schema.ErrNoPost()
	}
	batch := p.c.Batch(c.PostID)
	batch.CreateItem(client.Encode(CommentItemOf(c)), nil)
	batch.PatchItem(c.PostID, newCommentPatch(c), nil)
	if c.ParentID != "" {
		if !domain.IsID(c.ParentID) {
			return domain.Post{}, errNoParent()
		}
		batch.PatchItem(c.ParentID, newReplyPatch(c), nil)
	}
	results, err := p.c.Execute(ctx, batch, true)
	switch {
	case client.FailedAt(err, 0, http.StatusConflict): // this call's own earlier attempt
		return p.Get(ctx, c.PostID)
	case client.FailedAt(err, 1, http.StatusPreconditionFailed):
		post, err := p.Get(ctx, c.PostID)
		if err == nil && post.CommentsClosed {
			err = errCommentsClosed()
		} else if err == nil { // they were opened again at this moment
			err = &domain.Error{Kind: domain.Unavailable}
		}
		return domain.Post{}, err
	case client.FailedAt(err, 2, http.StatusNotFound), client.FailedAt(err, 2, http.StatusPreconditionFailed):
		return domain.Post{}, errNoParent()
	case err != nil:
		return domain.Post{}, client.Translate(err)
	}
	return postOf(results[1])
}

func errNoParent() error {
	return domain.Errorf(domain.Conflict, "The comment you are replying to was deleted.")
}

func errCommentsClosed() error {
	return domain.Errorf(domain.Forbidden, "Comments are closed.")
}

// commenting is the patch of the post that goes with a new comment.
func newCommentPatch(c domain.Comment) azcosmos.PatchOperations {
	by := int64(1)
	if !c.Counts() {
		by = 0
	}
	var ops azcosmos.PatchOperations
	ops.SetCondition(schema.IfOpen + " and not is_defined(c.commentsClosed)")
	ops.AppendIncrement("/commentCount", by)
	ops.AppendIncrement("/version", 1)
	return ops
}

// replying is the patch of the comment that c answers. It changes the parent's etag, so
// whoever is about to delete that one sees that it has a reply by now.
func newReplyPatch(c domain.Comment) azcosmos.PatchOperations {
	var ops azcosmos.PatchOperations
	date, _ := schema.Instant(c.ParentCreated).MarshalText()
	ops.SetCondition(fmt.Sprintf("from c where c.type = 'comment' and not is_defined(c.parentId)"+
		" and c.creationDate = '%s' and %s", date, schema.IfShown))
	ops.AppendIncrement("/replyCount", 1)
	return ops
}

// EditComment changes a comment's text in one write. It answers Conflict when it is not
// the version that the author began from, and Forbidden when userID did not write it.
// The post does not change with it, no copy of it shows comments, unless the edit holds
// the comment: then it is one transaction with the post's count.
func (p *Posts) EditComment(ctx context.Context, e domain.CommentEdit, userID string) (domain.Comment, error) {
	ctx = client.Operation(ctx, "edit-comment")
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
	item, err := client.PatchReturning[CommentItem](ctx, p.c, e.PostID, e.ID, ops)
	if client.StatusOf(err) != http.StatusPreconditionFailed {
		return item.Domain(), client.Translate(err)
	}
	current, err := p.Comment(ctx, e.PostID, e.ID)
	if err == nil {
		var done bool
		if done, err = edits(current, e, userID); done {
			return current, nil
		}
	}
	if err == nil { // it was another at that moment
		err = errCommentChanged()
	}
	return domain.Comment{}, err
}

// edits tells whether a comment is as this very edit makes it, by this call's own earlier
// attempt, and otherwise by its error why the edit is not one of it.
func edits(current domain.Comment, e domain.CommentEdit, userID string) (done bool, err error) {
	switch {
	case !current.Deleted.IsZero():
		return false, errNoComment()
	case current.AuthorID != userID:
		return false, domain.Errorf(domain.Forbidden, "You can only edit your own comments.")
	case current.Edited.Equal(e.At) && current.Content == e.Content:
		return true, nil
	case !current.Edited.Equal(e.Began):
		return false, errCommentChanged()
	}
	return false, nil
}

func errCommentChanged() error {
	return domain.Errorf(domain.Conflict, "The comment was changed in another tab or on another device.")
}

// editHeld is EditComment that holds the comment in the same transaction, so that nobody ever
// sees what it says then.
func (p *Posts) editHeld(ctx context.Context, e domain.CommentEdit, userID string) (domain.Comment, error) {
	var edited domain.Comment
	var refused error
	_, err := p.changeComment(ctx, e.PostID, e.ID, func(c *CommentItem) (ops azcosmos.PatchOperations, change bool) {
		var done bool
		edited = c.Domain()
		if done, refused = edits(edited, e, userID); done || refused != nil {
			return ops, false
		}
		if c.Held.Yields(e.Held) {
			c.Held = e.Held
			ops.AppendSet("/held", e.Held)
		}
		c.Content, c.EditDate = e.Content, schema.Optional(e.At)
		ops.AppendSet("/content", e.Content)
		ops.AppendSet("/editDate", schema.Instant(e.At))
		edited = c.Domain()
		return ops, true
	})
	if err = cmp.Or(refused, err); err != nil {
		return domain.Comment{}, err
	}
	return edited, nil
}
