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

// previewItem finds a draft by the secret of its preview link. The draft has the secret too, and is
// authoritative: a link whose secret is not in its draft is invalid. So removing the secret from the
// draft revokes the link in one write, even if the process dies after it.
type previewItem struct {
	ID      string `json:"id"`
	Type    string `json:"type"`
	UserID  string `json:"userId"` // the secret, and the partition key
	OwnerID string `json:"ownerId"`
	PostID  string `json:"postId"`
}

func newPreviewItem(secret, ownerID, postID string) previewItem {
	return previewItem{ID: secret, Type: schema.TypePreview, UserID: secret, OwnerID: ownerID, PostID: postID}
}

// PreviewTime is how long a preview link shows the post after its draft was published.
const PreviewTime = 30 * 24 * time.Hour

// Share creates the preview link of a draft, with which others may read it, and returns the link's
// secret. Until Unshare, repeated calls return the same secret. Share writes the draft first. If the
// process dies after that, the next Share completes the link.
func (s *Drafts) Share(ctx context.Context, userID, postID string) (secret string, err error) {
	ctx = sharingDraft.In(ctx)
	draft, err := s.Get(ctx, userID, postID)
	if err != nil {
		return "", err
	}
	if secret = draft.Preview; secret == "" {
		secret = domain.NewID()
		var ops azcosmos.PatchOperations
		ops.SetCondition(ifChangeable + " and not is_defined(c.preview)")
		ops.AppendSet("/preview", secret)
		draft, err = s.change(ctx, userID, postID, ops,
			func(current domain.Draft) bool { return current.Preview != "" })
		if err != nil {
			return "", err
		}
		secret = draft.Preview // perhaps from a simultaneous call
	}
	err = s.c.Create(ctx, secret, newPreviewItem(secret, userID, postID))
	if err != nil && client.StatusOf(err) != http.StatusConflict {
		return "", client.Translate(err)
	}
	// The draft may have been deleted before the link was created, and so without the link.
	if draft, err = s.Get(ctx, userID, postID); err != nil || draft.Preview != secret {
		if err == nil {
			err = errDraftChanged()
		}
		if domain.Is(err, domain.NotFound) || domain.Is(err, domain.Conflict) {
			_ = s.deletePreview(ctx, secret) // after a failure, the link remains, but is invalid
		}
		return "", err
	}
	return secret, nil
}

// Unshare revokes the preview link of a draft, if it has one.
func (s *Drafts) Unshare(ctx context.Context, userID, postID string) error {
	ctx = sharingDraft.In(ctx)
	draft, err := s.Get(ctx, userID, postID)
	if err != nil || draft.Preview == "" {
		return err
	}
	// The link goes first, because only the draft has its secret.
	if err := s.deletePreview(ctx, draft.Preview); err != nil {
		return client.Translate(err)
	}
	var ops azcosmos.PatchOperations
	ops.SetCondition(fmt.Sprintf("from c where c.preview = '%s'", draft.Preview))
	ops.AppendRemove("/preview")
	_, err = s.change(ctx, userID, postID, ops,
		func(current domain.Draft) bool { return current.Preview != draft.Preview })
	return err
}

// Shared reads the current draft of a preview link or, for PreviewTime after its publication, the
// post. For a post in review it returns the text as a draft. It returns NotFound if the link was revoked or never
// existed, and for a post that is unpublished or hidden for another reason.
func (s *Drafts) Shared(ctx context.Context, secret string) (domain.Shared, error) {
	ctx = client.Reads("preview").In(ctx)
	none := domain.NewError(domain.NotFound, "There is nothing to preview at this address.")
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
	if shared.Author, err = s.sharer(ctx, item.OwnerID); err != nil {
		if domain.Is(err, domain.NotFound) { // the account has been deleted
			err = none
		}
		return domain.Shared{}, err
	}
	shared.Draft, err = s.Get(ctx, item.OwnerID, item.PostID)
	switch {
	case err == nil && shared.Draft.Preview == secret:
		shared.InReview, err = s.checkSharable(ctx, shared.Draft, none)
		return shared, err
	case err != nil && !domain.Is(err, domain.NotFound):
		return domain.Shared{}, err
	}
	post, err := s.posts.Latest(ctx, item.PostID)
	switch {
	case domain.Is(err, domain.NotFound), err == nil && !post.Open() && !(inReview(post) && post.Status.Shown()):
		return domain.Shared{}, none
	case err != nil:
		return domain.Shared{}, err
	case post.Open():
		shared.Draft, shared.Post = domain.Draft{}, &post
	default:
		shared.Draft, shared.InReview = domain.DraftOf(post, time.Now()), true
	}
	return shared, nil
}

// inReview reports whether a review is the only reason why a post is hidden.
func inReview(p domain.Post) bool {
	return p.Held == domain.HeldForReview && !p.AuthorSuspended && p.Deleted.IsZero() && !p.InTrash()
}

// checkSharable returns refusal if the draft's post is hidden or in the trash, because the draft may repeat its text. A
// draft whose post is in review can be shared; reviewed reports that.
func (s *Drafts) checkSharable(ctx context.Context, d domain.Draft, refusal error) (reviewed bool, err error) {
	if d.Revision == 0 {
		return false, nil
	}
	switch post, err := s.posts.Latest(ctx, d.PostID); {
	case domain.Is(err, domain.NotFound):
		return false, nil
	case err != nil:
		return false, err
	case inReview(post):
		return true, nil
	case post.Hidden(), post.InTrash():
		return false, refusal
	}
	return false, nil
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

// expirePreview lets the preview link of a published draft expire after PreviewTime.
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

// sharer returns the owner of a preview link, or NotFound for a suspended account. The owner of the link of a static
// page is the site.
func (s *Drafts) sharer(ctx context.Context, userID string) (domain.User, error) {
	if userID == domain.SiteUserID {
		return domain.SiteUser(), nil
	}
	return s.users.ByID(ctx, userID)
}
