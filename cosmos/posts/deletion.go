package posts

import (
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

// Delete deletes an author's post in one write, which leaves a marker without title
// and text, and with its tags until its copies are gone. From then on nobody finds the
// post; the posts projector takes away its comments, likes and copies. A post that is deleted already is no error, one that
// another user wrote is Forbidden.
func (p *Posts) Delete(ctx context.Context, postID, authorID string) error {
	ctx = client.Operation(ctx, "delete-post")
	if !domain.IsID(postID) || !domain.IsUserID(authorID) {
		return schema.ErrNoPost()
	}
	var ops azcosmos.PatchOperations
	ops.SetCondition(fmt.Sprintf("%s and c.userId = '%s'", schema.IfLive, authorID))
	ops.AppendSet("/deletionDate", schema.Instant(time.Now()))
	ops.AppendRemove("/title")
	ops.AppendRemove("/content")
	ops.AppendRemove("/userUsername")
	// Few posts have these, and what is missing cannot be removed.
	ops.AppendSet("/userDisplayName", "")
	ops.AppendSet("/slug", "")
	ops.AppendIncrement("/version", 1)
	err := p.c.Patch(ctx, postID, postID, ops)
	if client.StatusOf(err) != http.StatusPreconditionFailed {
		return client.Translate(err)
	}
	post, err := p.Latest(ctx, postID)
	if err == nil && post.AuthorID != authorID {
		return domain.Errorf(domain.Forbidden, "You can only delete your own posts.")
	}
	return err
}

// EraseResponses takes a step in taking away what is left on a deleted post:
// bookmarks become markers, by which their copies are found; comments and likes leave
// together with the counts, and past versions with them. It reports whether there may be more to do; then the step
// itself, which changes the post, brings it by the change feed again.
func (p *Posts) EraseResponses(ctx context.Context, postID string) (more bool, err error) {
	ctx = client.Operation(ctx, "erase")
	for range eraseBatches {
		items, err := p.Responses(ctx, postID)
		if err != nil || len(items) == 0 {
			return false, client.Translate(err)
		}
		// What has just changed is found again.
		if err := p.remove(ctx, postID, items, func(AuthoredItem) error { return nil }); err != nil {
			return false, client.Translate(err)
		}
	}
	return true, nil
}

// Responses finds some of what is to go with a post, in the order of an index, which
// ends the search after so many.
func (p *Posts) Responses(ctx context.Context, postID string) ([]AuthoredItem, error) {
	for _, filter := range []string{`c.type = 'bookmark' AND NOT IS_DEFINED(c.deletionDate)`,
		`c.type IN ('comment', 'like', 'version')`} {
		items, err := client.Query[AuthoredItem](ctx, p.c, postID, `SELECT TOP 99 `+authoredProperties+`
			 FROM c WHERE c.postId = @post AND `+filter+` ORDER BY c.type ASC, c.creationDate ASC, c.id ASC`,
			client.Parameters{"post": postID})
		if err != nil || len(items) > 0 {
			return items, err
		}
	}
	return nil, nil
}

// FinishErasure is the last step of deleting a post: the marker says that nothing
// is left of it and goes itself after domain.MarkerTime.
func (p *Posts) FinishErasure(ctx context.Context, postID string) error {
	var ops azcosmos.PatchOperations
	ops.AppendSet("/tags", schema.TagNames{}) // by which the copies were found until now
	ops.AppendSet("/formerTags", schema.TagNames{})
	ops.AppendSet("/slug", "")
	return client.Translate(client.FinishErasure(client.Operation(ctx, "erase"), p.c, postID, ops))
}

// EraseAuthored takes away what a deleted user wrote, some of it at a time: the
// user's posts are marked as deleted, and so are bookmarks; comments and likes leave
// their posts together with the counts. It reports whether there may be more to do.
func (p *Posts) EraseAuthored(ctx context.Context, userID string) (more bool, err error) {
	ctx = client.Operation(ctx, "erase")
	byPost, more, err := p.AuthoredBy(ctx, `c.userId = @user AND NOT IS_DEFINED(c.deletionDate)`,
		client.Parameters{"user": userID})
	if err != nil {
		return false, client.Translate(err)
	}
	for postID, items := range byPost {
		if items[0].ID == postID { // a post of the user's own: all its responses go with it
			err = p.Delete(ctx, postID, userID)
		} else {
			err = p.removeAuthored(ctx, postID, items)
		}
		if err != nil && client.KindOf(err) != domain.NotFound {
			return false, client.Translate(err)
		}
	}
	return more, nil
}

// withdraw removes what one user left on a post, which others may have answered.
func (p *Posts) removeAuthored(ctx context.Context, postID string, items []AuthoredItem) error {
	var alone, threaded []AuthoredItem
	for _, item := range items {
		if item.ParentID != "" || item.ReplyCount > 0 {
			threaded = append(threaded, item)
		} else {
			alone = append(alone, item)
		}
	}
	one := func(item AuthoredItem) error {
		if item.Type != schema.TypeComment {
			return nil // it is gone
		}
		_, err := p.removeComment(ctx, postID, item.ID, "", nil)
		return err
	}
	if err := p.remove(ctx, postID, alone, one); err != nil {
		return err
	}
	for _, item := range threaded {
		if err := one(item); err != nil {
			return err
		}
	}
	return nil
}

// remove deletes what is on a post, with its counts, whatever hangs on that; bookmarks
// it marks as deleted. What was changed or is gone is left to changed. The post may be
// deleted itself.
func (p *Posts) remove(ctx context.Context, postID string, items []AuthoredItem, changed func(AuthoredItem) error) error {
	for some := range slices.Chunk(items, client.MaxBatch-1) { // and the counts
		if err := p.removeSome(ctx, postID, some, changed); err != nil {
			return err
		}
	}
	return nil
}

func (p *Posts) removeSome(ctx context.Context, postID string, items []AuthoredItem, changed func(AuthoredItem) error) error {
	batch := p.c.Batch(postID)
	comments, likes := int64(0), int64(0)
	for _, item := range items {
		switch item.Type {
		case schema.TypeBookmark:
			batch.PatchItem(item.ID, bookmarkMarkerPatch(item.Version), client.IfMatch(item.ETag))
		case schema.TypeComment: // which may get a reply, or become a placeholder, meanwhile
			batch.DeleteItem(item.ID, client.IfMatch(item.ETag))
			if item.counts() {
				comments++
			}
		case schema.TypeLike:
			batch.DeleteItem(item.ID, nil)
			likes++
		default:
			batch.DeleteItem(item.ID, nil)
		}
	}
	batch.PatchItem(postID, removedResponsesPatch(comments, likes), nil)
	_, err := p.c.Execute(ctx, batch, false)
	switch {
	case err == nil:
		return nil
	case client.FailedAt(err, len(items), http.StatusNotFound):
		return fmt.Errorf("post %s, which has comments or likes, is not there: %w", postID, err)
	case !client.FailedBatch(err, http.StatusNotFound) && !client.FailedBatch(err, http.StatusPreconditionFailed):
		return err
	case len(items) == 1:
		return changed(items[0])
	}
	for _, item := range items { // some are gone or have changed: the others are still to go
		if err := p.removeSome(ctx, postID, []AuthoredItem{item}, changed); err != nil {
			return err
		}
	}
	return nil
}

// taking is the patch of a post, deleted or not, that goes with what is taken from it.
func removedResponsesPatch(comments, likes int64) azcosmos.PatchOperations {
	var ops azcosmos.PatchOperations
	ops.AppendIncrement("/commentCount", -comments)
	ops.AppendIncrement("/likeCount", -likes)
	ops.AppendIncrement("/version", 1)
	return ops
}

// eraseBatches is how many transactions one step of an erasure takes at most, so
// that the neighbours in the change feed have their turn.
const eraseBatches = 10
