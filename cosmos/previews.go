package cosmos

import (
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// previewItem leads from the secret of a link to a draft. The draft says the secret too,
// and its word counts: a link that its draft does not know is none, so taking that away
// in one write revokes it, and a process that dies leaves nothing open.
type previewItem struct {
	ID      string `json:"id"`
	Type    string `json:"type"`
	UserID  string `json:"userId"` // the secret itself: the partition
	OwnerID string `json:"ownerId"`
	PostID  string `json:"postId"`
}

// PreviewTime is how long the preview link of a draft leads to the post after the draft
// was published.
const PreviewTime = 30 * 24 * time.Hour

// Share makes a link by which others may read a draft, and returns its secret: the same
// until Unshare. The draft is written first, then what leads to it; a link that a process
// did not finish making works once it is shared again.
func (s *Drafts) Share(ctx context.Context, userID, postID string) (secret string, err error) {
	ctx = client.Operation(ctx, "share-draft")
	draft, err := s.Get(ctx, userID, postID)
	if err != nil {
		return "", err
	}
	if secret = draft.Preview; secret == "" {
		secret = domain.NewID()
		var ops azcosmos.PatchOperations
		ops.SetCondition(ifChangeable + " and not is_defined(c.preview)")
		ops.AppendSet("/preview", secret)
		draft, err = s.change(ctx, userID, postID, ops, func(current domain.Draft) bool { return current.Preview != "" })
		if err != nil {
			return "", err
		}
		secret = draft.Preview // perhaps another window's
	}
	err = s.c.Create(ctx, secret, previewItem{ID: secret, Type: schema.TypePreview, UserID: secret, OwnerID: userID, PostID: postID})
	if err != nil && client.StatusOf(err) != http.StatusConflict {
		return "", client.Translate(err)
	}
	// The draft may have gone before its link was made, and would have taken it along.
	if draft, err = s.Get(ctx, userID, postID); err != nil || draft.Preview != secret {
		if err == nil {
			err = errDraftChanged()
		}
		if domain.Is(err, domain.NotFound) || domain.Is(err, domain.Conflict) {
			_ = s.deletePreview(ctx, secret) // leads nowhere in any case
		}
		return "", err
	}
	return secret, nil
}

// Unshare revokes the link, if there is one.
func (s *Drafts) Unshare(ctx context.Context, userID, postID string) error {
	ctx = client.Operation(ctx, "share-draft")
	draft, err := s.Get(ctx, userID, postID)
	if err != nil || draft.Preview == "" {
		return err
	}
	// What leads to the draft first: while the draft says the secret, it can be found.
	if err := s.deletePreview(ctx, draft.Preview); err != nil {
		return client.Translate(err)
	}
	var ops azcosmos.PatchOperations
	ops.SetCondition(fmt.Sprintf("from c where c.preview = '%s'", draft.Preview))
	ops.AppendRemove("/preview")
	_, err = s.change(ctx, userID, postID, ops, func(current domain.Draft) bool { return current.Preview != draft.Preview })
	return err
}

// Shared follows a preview link: to the draft as it is now or, for PreviewTime after its
// publication, to the post. NotFound says that the link was revoked, or never was.
func (s *Drafts) Shared(ctx context.Context, secret string) (domain.Shared, error) {
	ctx = client.Operation(ctx, "preview")
	none := domain.Errorf(domain.NotFound, "There is nothing to preview at this address.")
	if !domain.IsID(secret) {
		return domain.Shared{}, none
	}
	item, err := client.Read[previewItem](ctx, s.c, secret, secret)
	if err != nil {
		if client.Missing(err) {
			err = none
		}
		return domain.Shared{}, client.Translate(err)
	}
	shared := domain.Shared{}
	if shared.Author, err = s.users.ByID(ctx, item.OwnerID); err != nil {
		if domain.Is(err, domain.NotFound) { // the account was deleted just now
			err = none
		}
		return domain.Shared{}, err
	}
	shared.Draft, err = s.Get(ctx, item.OwnerID, item.PostID)
	switch {
	case err == nil && shared.Draft.Preview == secret:
		return shared, s.sharable(ctx, shared.Draft, none)
	case err != nil && !domain.Is(err, domain.NotFound):
		return domain.Shared{}, err
	}
	post, err := s.posts.Get(ctx, item.PostID)
	if domain.Is(err, domain.NotFound) {
		err = none
	}
	shared.Draft, shared.Post = domain.Draft{}, &post
	return shared, err
}

// sharable refuses a draft of a post that is hidden, with that error: it says again what
// nobody is to find.
func (s *Drafts) sharable(ctx context.Context, d domain.Draft, refusal error) error {
	if d.Revision == 0 {
		return nil
	}
	switch post, err := s.posts.Latest(ctx, d.PostID); {
	case domain.Is(err, domain.NotFound):
		return nil
	case err != nil:
		return err
	case post.Hidden():
		return refusal
	}
	return nil
}

func (s *Drafts) deletePreview(ctx context.Context, secret string) error {
	if secret == "" {
		return nil
	}
	if err := s.c.Delete(ctx, secret, secret); !client.Missing(err) {
		return err
	}
	return nil
}

// expirePreview lets the link of a published draft lead to the post for a while.
func (s *Drafts) expirePreview(ctx context.Context, secret string) error {
	if secret == "" {
		return nil
	}
	var ops azcosmos.PatchOperations
	ops.AppendSet("/ttl", int(PreviewTime.Seconds()))
	if err := s.c.Patch(ctx, secret, secret, ops); !client.Missing(err) {
		return err
	}
	return nil
}
