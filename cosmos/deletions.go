package cosmos

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/domain"
)

// The change feed shows no deletes. So what other partitions must hear of is not
// deleted but marked, in one write, and the workers do the rest: they take away
// what hangs on it, chunk by chunk, and give the marker a time to live as the last
// step. Whatever stops in between is found again by its marker.

// eraseBatches is how many transactions one step of an erasure takes at most, so
// that the neighbours in the change feed have their turn.
const eraseBatches = 10

// Comment reads one comment.
func (p *Posts) Comment(ctx context.Context, postID, commentID string) (domain.Comment, error) {
	missing := domain.Errorf(domain.NotFound, "There is no such comment.")
	if !domain.IsID(postID) || !domain.IsID(commentID) {
		return domain.Comment{}, missing
	}
	item, err := read[commentItem](operation(ctx, "comment"), p.c, postID, commentID)
	if err == nil && item.Type != typeComment { // the post, which has an id of the same form
		return domain.Comment{}, missing
	}
	return item.domain(), translate(err)
}

// DeleteComment deletes a user's own comment, together with the post's count. It
// returns the post as it has become. A comment that is gone already is no error,
// one that another user wrote is Forbidden.
//
// It leaves no marker: the post, which changes with it, tells of it in the change
// feed.
func (p *Posts) DeleteComment(ctx context.Context, postID, commentID, userID string) (domain.Post, error) {
	ctx = operation(ctx, "delete-comment")
	comment, err := p.Comment(ctx, postID, commentID)
	switch {
	case domain.Is(err, domain.NotFound):
		return p.Get(ctx, postID)
	case err != nil:
		return domain.Post{}, err
	case comment.AuthorID != userID:
		return domain.Post{}, domain.Errorf(domain.Forbidden, "Only its author can delete a comment.")
	}
	batch := p.c.batch(postID)
	batch.DeleteItem(commentID, nil)
	batch.PatchItem(postID, counting("/commentCount", -1), nil)
	return p.change(ctx, postID, batch, http.StatusNotFound)
}

// Delete deletes an author's post in one write, which leaves a marker without title
// and text. From then on nobody finds the post; the posts projector takes away its
// comments, likes and copies. A post that is deleted already is no error, one that
// another user wrote is Forbidden.
func (p *Posts) Delete(ctx context.Context, postID, authorID string) error {
	ctx = operation(ctx, "delete-post")
	if !domain.IsID(postID) || !domain.IsUserID(authorID) {
		return errNoPost()
	}
	var ops azcosmos.PatchOperations
	ops.SetCondition(fmt.Sprintf("%s and c.userId = '%s'", ifLive, authorID))
	ops.AppendSet("/deletionDate", instant(time.Now()))
	ops.AppendRemove("/title")
	ops.AppendRemove("/content")
	ops.AppendRemove("/userUsername")
	ops.AppendIncrement("/version", 1)
	err := p.c.patch(ctx, postID, postID, ops)
	if statusOf(err) != http.StatusPreconditionFailed {
		return translate(err)
	}
	post, err := p.Latest(ctx, postID)
	if err == nil && post.AuthorID != authorID {
		return domain.Errorf(domain.Forbidden, "Only its author can delete a post.")
	}
	return err
}

// EraseResponses takes the comments and likes away from a deleted post, some
// transactions' worth at a time; each keeps the counts equal to what is left. It
// reports whether there is more to do: then the marker has changed, and so comes
// by the change feed again.
func (p *Posts) EraseResponses(ctx context.Context, postID string) (more bool, err error) {
	ctx = operation(ctx, "erase")
	for range eraseBatches {
		// In the order of an index, which ends the search after so many.
		items, err := query[authored](ctx, p.c, postID,
			`SELECT TOP 99 c.id, c.postId, c.type FROM c WHERE c.postId = @post AND c.type IN ('comment', 'like')
			 ORDER BY c.type ASC, c.creationDate ASC, c.id ASC`,
			parameters{"post": postID})
		if err != nil || len(items) == 0 {
			return false, translate(err)
		}
		if err := p.remove(ctx, postID, items); err != nil {
			return false, translate(err)
		}
	}
	return true, nil
}

// FinishErasure is the last step of deleting a post: the marker says that nothing
// is left of it and goes itself after domain.MarkerTime.
func (p *Posts) FinishErasure(ctx context.Context, postID string) error {
	return translate(finishErasure(operation(ctx, "erase"), p.c, postID, azcosmos.PatchOperations{}))
}

// finishErasure adds to what ops change of the marker.
func finishErasure(ctx context.Context, c *container, id string, ops azcosmos.PatchOperations) error {
	ops.SetCondition("from c where is_defined(c.deletionDate) and not is_defined(c.erased)")
	ops.AppendSet("/erased", true)
	ops.AppendSet("/ttl", int(domain.MarkerTime.Seconds()))
	err := c.patch(ctx, id, id, ops)
	if status := statusOf(err); status == http.StatusPreconditionFailed || status == http.StatusNotFound {
		return nil // another worker's, or its own earlier attempt
	}
	return err
}

// EraseAuthored takes away what a deleted user wrote, some of it at a time: the
// user's posts are marked as deleted, comments and likes leave their posts together
// with the counts. It reports whether there may be more to do.
func (p *Posts) EraseAuthored(ctx context.Context, userID string) (more bool, err error) {
	ctx = operation(ctx, "erase")
	byPost, more, err := p.authoredBy(ctx, `c.userId = @user AND NOT IS_DEFINED(c.deletionDate)`, parameters{"user": userID})
	if err != nil {
		return false, translate(err)
	}
	for postID, items := range byPost {
		if items[0].ID == postID { // a post of the user's own: all its responses go with it
			err = p.Delete(ctx, postID, userID)
		} else {
			err = p.remove(ctx, postID, items)
		}
		if err != nil && kindOf(err) != domain.NotFound {
			return false, translate(err)
		}
	}
	return more, nil
}

// remove deletes comments and likes of a post, with its counts; those that are gone
// already are left out. The post may be deleted itself.
func (p *Posts) remove(ctx context.Context, postID string, items []authored) error {
	for some := range slices.Chunk(items, maxBatch-1) { // and the counts
		if err := p.removeSome(ctx, postID, some); err != nil {
			return err
		}
	}
	return nil
}

func (p *Posts) removeSome(ctx context.Context, postID string, items []authored) error {
	batch := p.c.batch(postID)
	comments, likes := int64(0), int64(0)
	for _, item := range items {
		batch.DeleteItem(item.ID, nil)
		if item.Type == typeLike {
			likes++
		} else {
			comments++
		}
	}
	var ops azcosmos.PatchOperations
	ops.AppendIncrement("/commentCount", -comments)
	ops.AppendIncrement("/likeCount", -likes)
	ops.AppendIncrement("/version", 1)
	batch.PatchItem(postID, ops, nil)
	_, err := p.c.execute(ctx, batch, false)
	switch {
	case !failedBatch(err, http.StatusNotFound):
		return err
	case failedAt(err, len(items), http.StatusNotFound):
		return fmt.Errorf("post %s, which has comments or likes, is not there: %w", postID, err)
	case len(items) == 1:
		return nil
	}
	for _, item := range items { // some are gone: the others are still to go
		if err := p.removeSome(ctx, postID, []authored{item}); err != nil {
			return err
		}
	}
	return nil
}

// Delete deletes an account in one write, which leaves a marker and takes the
// password. From then on nobody finds the user; the users projector takes away what
// the user wrote and, last, frees the usernames. An account that is deleted already
// is no error.
func (u *Users) Delete(ctx context.Context, userID string) error {
	ctx = operation(ctx, "delete-user")
	if !domain.IsUserID(userID) {
		return errNoUser()
	}
	var ops azcosmos.PatchOperations
	ops.SetCondition(ifLive)
	ops.AppendSet("/deletionDate", instant(time.Now()))
	batch := u.c.batch(userID)
	batch.PatchItem(userID, ops, nil)
	batch.DeleteItem(credentialsID, nil)
	_, err := u.c.execute(ctx, batch, false)
	if failedAt(err, 1, http.StatusNotFound) { // an account without a password
		err = u.c.patch(ctx, userID, userID, ops)
	}
	if statusOf(err) == http.StatusPreconditionFailed {
		return nil
	}
	return translate(err)
}

// Again changes a user in no way but that the user comes by the change feed once
// more: the next step of something that takes several.
func (u *Users) Again(ctx context.Context, userID string) error {
	var ops azcosmos.PatchOperations
	ops.AppendIncrement("/steps", 1)
	return translate(u.c.patch(operation(ctx, "again"), userID, userID, ops))
}

// FinishErasure is the last step of deleting an account: all usernames of the user
// become free, and the marker says that nothing is left and goes itself after
// domain.MarkerTime.
func (u *Users) FinishErasure(ctx context.Context, userID string) error {
	ctx = operation(ctx, "erase")
	var names []usernameItem
	err := scan(ctx, u.c, `SELECT c.id FROM c WHERE c.type = 'username' AND c.ownerId = @user`,
		parameters{"user": userID}, func(name usernameItem) error {
			names = append(names, name)
			return nil
		})
	if err != nil {
		return translate(err)
	}
	for _, name := range names {
		if err := u.freeName(ctx, name.ID, userID); err != nil {
			return translate(err)
		}
	}
	var ops azcosmos.PatchOperations
	ops.AppendSet("/username", "")
	return translate(finishErasure(ctx, u.c, userID, ops))
}

// freeName deletes a name of a user, in the state in which it is the user's: another
// worker may have freed it already, and somebody else have taken it.
func (u *Users) freeName(ctx context.Context, name, ownerID string) error {
	for {
		item, err := read[usernameItem](ctx, u.c, name, name)
		if err == nil && item.OwnerID != ownerID {
			return nil
		}
		if err == nil {
			err = u.c.deleteVersion(ctx, name, name, item.ETag)
		}
		switch statusOf(err) {
		case http.StatusNotFound:
			return nil
		case http.StatusPreconditionFailed: // confirmed, or somebody else's
		default:
			return err
		}
	}
}
