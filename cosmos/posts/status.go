package posts

import (
	"context"
	"fmt"
	"net/http"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// SetStatus changes who finds a post, and nothing else: one write. It answers Forbidden
// when userID did not write it. Comments, likes and versions stay. Who unpublishes a
// post makes the draft first: see Drafts.Unpublish.
func (p *Posts) SetStatus(ctx context.Context, postID, userID string, status domain.Status) (domain.Post, error) {
	ctx = client.Operation(ctx, "set-status")
	if !domain.IsID(postID) || !domain.IsUserID(userID) || !status.Valid() {
		return domain.Post{}, schema.ErrNoPost()
	}
	var ops azcosmos.PatchOperations
	ops.SetCondition(fmt.Sprintf("%s and c.userId = '%s' and %s", schema.IfLive, userID, statusIsNot(status)))
	setStatus(&ops, status)
	ops.AppendIncrement("/version", 1)
	item, err := client.PatchReturning[PostItem](ctx, p.c, postID, postID, ops)
	if client.StatusOf(err) != http.StatusPreconditionFailed {
		return item.domain(), client.Translate(err)
	}
	return p.own(ctx, postID, userID)
}

// statusIsNot is a condition: the status of a published post is not there.
func statusIsNot(status domain.Status) string {
	if status == domain.Published {
		return "is_defined(c.status)"
	}
	return fmt.Sprintf("(not is_defined(c.status) or c.status != '%s')", status)
}

// setStatus takes the status of a published post away; what is not there cannot be
// removed, so it is set first. With another status the post is to be taken out of the
// lists, see domain.Post.Withdrawn, if it stood there. Either is two operations.
func setStatus(ops *azcosmos.PatchOperations, status domain.Status) {
	ops.AppendSet("/status", status)
	if status.Listed() {
		ops.AppendRemove("/status")
	} else {
		ops.AppendSet("/withdrawn", true)
	}
}

// own is a live post of the user's, whatever its status; another's is Forbidden.
func (p *Posts) own(ctx context.Context, postID, userID string) (domain.Post, error) {
	post, err := p.Latest(ctx, postID)
	switch {
	case err != nil:
		return domain.Post{}, err
	case !post.Deleted.IsZero():
		return domain.Post{}, schema.ErrNoPost()
	case post.AuthorID != userID:
		return domain.Post{}, domain.Errorf(domain.Forbidden, "You can only edit your own posts.")
	}
	return post, nil
}

// Own is Get for a post's author, who finds it also when it is unpublished. Nobody
// else does: then it is not found, whatever its status.
func (p *Posts) Own(ctx context.Context, postID, userID string) (domain.Post, error) {
	post, err := p.own(ctx, postID, userID)
	if domain.Is(err, domain.Forbidden) {
		err = schema.ErrNoPost()
	}
	return post, err
}
