package posts

import (
	"context"
	"fmt"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// SetStatus changes the status of a post, and nothing else, in one write. It returns Forbidden if userID is not
// the author. Comments, likes and versions stay. Before a post is unpublished, its draft must be created: see
// Drafts.Unpublish.
func (p *Posts) SetStatus(ctx context.Context, postID, userID string, status domain.Status) (domain.Post, error) {
	ctx = client.Writes("set-status").In(ctx)
	if !domain.IsTextID(postID) || !domain.IsOwnerID(userID) || !status.Valid() {
		return domain.Post{}, schema.ErrNoPost()
	}
	var ops azcosmos.PatchOperations
	ops.SetCondition(fmt.Sprintf("%s and c.userId = '%s' and %s", schema.IfKept, userID, statusIsNot(status)))
	setStatus(&ops, status)
	ops.AppendIncrement("/version", 1)
	item, err := client.PatchReturning[PostItem](ctx, p.c, postID, postID, ops)
	if !client.ConditionFailed(err) {
		return item.domain(), client.Translate(err)
	}
	return kept(p.own(ctx, postID, userID))
}

// statusIsNot is a condition for a post with another status. A published post has no status property.
func statusIsNot(status domain.Status) string {
	if status == domain.Published {
		return "is_defined(c.status)"
	}
	return fmt.Sprintf("(not is_defined(c.status) or c.status != '%s')", status)
}

// setStatus adds two operations that set the status. A published post has no status property. Since a patch cannot
// remove a missing property, the patch sets it first and then removes it. For other statuses the patch marks the
// post as withdrawn, see domain.Post.Withdrawn, so that the projector takes it out of the lists.
func setStatus(ops *azcosmos.PatchOperations, status domain.Status) {
	ops.AppendSet("/status", status)
	if status.Listed() {
		ops.AppendRemove("/status")
	} else {
		ops.AppendSet("/withdrawn", true)
	}
}

// own reads a live post of the user's, whatever its status, also in the trash. It returns Forbidden for another user's
// post.
func (p *Posts) own(ctx context.Context, postID, userID string) (domain.Post, error) {
	post, err := p.Latest(ctx, postID)
	switch {
	case err != nil:
		return domain.Post{}, err
	case !post.Deleted.IsZero():
		return domain.Post{}, schema.ErrNoPost()
	case post.AuthorID != userID:
		return domain.Post{}, domain.NewError(domain.Forbidden, "You can only edit your own posts.")
	}
	return post, nil
}

// kept returns domain.ErrInTrash in place of a post that is in the trash.
func kept(post domain.Post, err error) (domain.Post, error) {
	if err == nil && post.InTrash() {
		return domain.Post{}, domain.ErrInTrash()
	}
	return post, err
}

// EditedBy returns the post that a draft of this author edits. It returns the zero post if the draft is not of a post,
// or cannot become an edit of it any more because the post is gone or has another revision. It returns
// domain.ErrInTrash if the post is in the trash.
func (p *Posts) EditedBy(ctx context.Context, d domain.Draft, authorID string) (domain.Post, error) {
	if d.Revision == 0 {
		return domain.Post{}, nil
	}
	post, err := p.Own(ctx, d.PostID, authorID)
	if domain.Is(err, domain.NotFound) || err == nil && post.Revision != d.Revision {
		return domain.Post{}, nil
	}
	return post, err
}

// Own is Get for a post's author, who can also read the post if it is unpublished or hidden. It returns NotFound
// for another user's post, and domain.ErrInTrash for a post in the trash: see OwnOrTrashed.
func (p *Posts) Own(ctx context.Context, postID, userID string) (domain.Post, error) {
	return kept(p.OwnOrTrashed(ctx, postID, userID))
}
