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
	"inkfeed/domain/embed"
)

// Delete deletes an author's post for good, also one in the trash, in one write, which leaves a marker without title
// and text. The marker has the tags until the copies are deleted. From then on the post is not found. The posts
// projector deletes its comments, likes and copies. Delete ignores a deleted post, and returns Forbidden if authorID is
// not the author.
func (p *Posts) Delete(ctx context.Context, postID, authorID string) error {
	err := p.delete(ctx, postID, authorID, "")
	if !client.ConditionFailed(err) {
		return client.Translate(err)
	}
	post, err := p.Latest(ctx, postID)
	if err == nil && post.AuthorID != authorID {
		return domain.NewError(domain.Forbidden, "You can only delete your own posts.")
	}
	return err
}

// DeleteRevision deletes an author's post like Delete. It succeeds if the post is already deleted, and returns Conflict
// if the post has another revision or another author.
func (p *Posts) DeleteRevision(ctx context.Context, postID, authorID string, revision int) error {
	err := p.delete(ctx, postID, authorID, fmt.Sprintf(" and c.revision = %d", revision))
	if !client.ConditionFailed(err) {
		return client.Translate(err)
	}
	post, err := p.Latest(ctx, postID)
	if err == nil && (post.Deleted.IsZero() || post.AuthorID != authorID) {
		return domain.NewError(domain.Conflict, "The post was changed in another tab or on another device.")
	}
	return err
}

// delete deletes an author's post if a further condition is true, which may be empty. Otherwise it fails with status
// 412.
func (p *Posts) delete(ctx context.Context, postID, authorID, condition string) error {
	if !domain.IsTextID(postID) || !domain.IsOwnerID(authorID) {
		return schema.ErrNoPost()
	}
	var ops azcosmos.PatchOperations
	ops.SetCondition(fmt.Sprintf("%s and c.userId = '%s'%s", schema.IfLive, authorID, condition))
	ops.AppendSet("/deletionDate", schema.Instant(time.Now()))
	ops.AppendRemove("/title")
	ops.AppendRemove("/content")
	ops.AppendRemove("/userUsername")
	// Few posts have these properties, and a patch cannot remove a missing property.
	ops.AppendSet("/userDisplayName", "")
	ops.AppendSet("/userAvatar", "")
	ops.AppendSet("/slug", "")
	ops.AppendSet("/details", domain.Details{})
	ops.AppendSet("/mentions", domain.Mentions(""))
	ops.AppendIncrement("/version", 1)
	return p.c.Patch(client.Writes("delete-post").In(ctx), postID, postID, ops)
}

// EraseResponses takes one step in erasing the responses to a deleted post. It turns bookmarks and comments into
// markers, by which the projector finds their copies. It deletes likes and past versions, and lowers the counts in the
// same transactions. more reports that there may be more to do. The step changes the post, so the post then appears in
// the change feed again.
func (p *Posts) EraseResponses(ctx context.Context, postID string) (more bool, err error) {
	ctx = client.Erasing.In(ctx)
	for range eraseBatches {
		items, err := p.Responses(ctx, postID)
		if err != nil || len(items) == 0 {
			return false, client.Translate(err)
		}
		// The next query finds items that have just changed again.
		if err := p.remove(ctx, postID, items, func(AuthoredItem) error { return nil }); err != nil {
			return false, client.Translate(err)
		}
	}
	return true, nil
}

// Responses returns some of the items to erase with a post, in the order of an index, so the query ends early.
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

// usedAddress is the item that stays for good when a post is deleted. It holds only the post's id.
type usedAddress struct {
	ID     string `json:"id"`
	Type   string `json:"type"`
	PostID string `json:"postId"`
}

// FinishErasure is the last step of deleting a post. It records in the marker that nothing is left of the post.
// The marker expires after domain.MarkerTime. An item that keeps the address from being used again stays.
func (p *Posts) FinishErasure(ctx context.Context, postID string) error {
	used := usedAddress{ID: schema.UsedAddressID, Type: schema.TypeUsedAddress, PostID: postID}
	err := p.c.Create(client.Erasing.In(ctx), postID, used)
	if err != nil && client.StatusOf(err) != http.StatusConflict {
		return client.Translate(err)
	}
	var ops azcosmos.PatchOperations
	ops.AppendSet("/tags", schema.TagNames{}) // by which the copies were found until now
	ops.AppendSet("/formerTags", schema.TagNames{})
	ops.AppendSet("/slug", "")
	ops.AppendSet("/embeds", embed.Cards(""))
	return client.Translate(client.FinishErasure(client.Erasing.In(ctx), p.c, postID, ops))
}

// EraseAuthored takes one step in erasing the contributions of a deleted user. It deletes the user's posts, turns
// bookmarks into markers, and deletes comments and likes together with their counts, at most as many as the limit.
func (p *Posts) EraseAuthored(ctx context.Context, userID string, limit int) (done domain.Step, err error) {
	ctx = client.Erasing.In(ctx)
	byPost, more, err := p.AuthoredBy(ctx, limit, `c.userId = @user AND NOT IS_DEFINED(c.deletionDate)`,
		client.Parameters{"user": userID})
	if err != nil {
		return done, client.Translate(err)
	}
	for postID, items := range byPost {
		if items[0].isPost() { // the user's own post, whose responses are erased with it
			done.Posts, done.Tags = done.Posts+1, done.Tags+items[0].Tags
			err = p.Delete(ctx, postID, userID)
		} else {
			err = p.removeAuthored(ctx, postID, items)
		}
		if err != nil && client.KindOf(err) != domain.NotFound {
			return done, client.Translate(err)
		}
		done.Items += len(items)
	}
	done.More = more
	return done, nil
}

// removeAuthored removes the comments, likes and bookmarks of one user from a post. Other users may have replied
// to the comments.
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
			return nil // already deleted
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

// remove deletes comments and likes of a post with their counts, regardless of replies. It turns bookmarks and comments
// into markers. It calls changed for each item that was changed or deleted meanwhile. The post itself may be deleted.
func (p *Posts) remove(ctx context.Context, postID string, items []AuthoredItem,
	changed func(AuthoredItem) error) error {
	for some := range slices.Chunk(items, client.MaxBatch-1) { // one operation is for the counts
		if err := p.removeSome(ctx, postID, some, changed); err != nil {
			return err
		}
	}
	return nil
}

func (p *Posts) removeSome(ctx context.Context, postID string, items []AuthoredItem,
	changed func(AuthoredItem) error) error {
	batch := p.c.Batch(postID)
	comments, likes := int64(0), int64(0)
	for _, item := range items {
		switch item.Type {
		case schema.TypeBookmark:
			batch.PatchItem(item.ID, bookmarkMarkerPatch(item.Version), client.IfMatch(item.ETag))
		case schema.TypeComment: // may get a reply, or become a placeholder, meanwhile
			markDeleted(&batch, postID, item.ID, item.ETag)
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
		return fmt.Errorf("remove comments and likes: post %s does not exist: %w", postID, err)
	case !client.FailedBatch(err, http.StatusNotFound) && !client.FailedBatch(err, http.StatusPreconditionFailed):
		return err
	case len(items) == 1:
		return changed(items[0])
	}
	for _, item := range items { // some have changed: remove the others one by one
		if err := p.removeSome(ctx, postID, []AuthoredItem{item}, changed); err != nil {
			return err
		}
	}
	return nil
}

// removedResponsesPatch updates a post, deleted or not, in the transaction that removes comments and likes.
func removedResponsesPatch(comments, likes int64) azcosmos.PatchOperations {
	var ops azcosmos.PatchOperations
	ops.AppendIncrement("/commentCount", -comments)
	ops.AppendIncrement("/likeCount", -likes)
	ops.AppendIncrement("/version", 1)
	return ops
}

// eraseBatches is the maximum number of transactions in one step of an erasure. A limited step lets the other
// changes in the feed range have their turn.
const eraseBatches = 10
