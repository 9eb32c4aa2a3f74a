package imports

import (
	"context"
	"fmt"
	"net/http"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// Redirects stores the redirects from the former addresses of imported posts and lists. It is partitioned by /id,
// which is derived from the address. A point read therefore finds each redirect, and no partition is hot. The
// deletion of an account deletes its redirects, which the records of its imports name: see Imports.
//
// The partition "addresses" of moderation has an item for each user who has imported. It lists the addresses that the
// user's imports ask administrators for.
type Redirects struct{ c, requests, users *client.Container }

// NewRedirects returns the redirects of a database.
func NewRedirects(db *client.Database) *Redirects {
	return &Redirects{c: db.Container(schema.RedirectsContainer), requests: db.Container(schema.ModerationContainer),
		users: db.Container(schema.UsersContainer)}
}

type redirectItem struct {
	ID      string `json:"id"`
	Type    string `json:"type"`
	Path    string `json:"path"`
	OwnerID string `json:"ownerId"`
	PostID  string `json:"postId,omitempty"`
	To      string `json:"to,omitempty"` // of a redirect to a list or feed, which has no postId
	ETag    string `json:"_etag,omitempty"`
}

func redirectItemOf(r domain.Redirect) redirectItem {
	return redirectItem{ID: schema.RedirectID(r.Path), Type: schema.TypeRedirect, Path: r.Path, OwnerID: r.OwnerID,
		PostID: r.PostID, To: r.To}
}

func (i redirectItem) domain() domain.Redirect {
	return domain.Redirect{Path: i.Path, OwnerID: i.OwnerID, PostID: i.PostID, To: i.To}
}

// Find returns the redirect of an address in the form of domain.OldPath, with one point read.
func (r *Redirects) Find(ctx context.Context, path string) (domain.Redirect, error) {
	id := schema.RedirectID(path)
	item, err := client.Read[redirectItem](client.Reads("redirect").In(ctx), r.c, id, id)
	if client.Missing(err) {
		return domain.Redirect{}, domain.NewError(domain.NotFound, "There is no redirect for this address.")
	}
	return item.domain(), client.Translate(err)
}

// Put adds a redirect and returns the target of the address. If the address already has a lasting redirect of
// any user, Put leaves it and returns its target.
func (r *Redirects) Put(ctx context.Context, redirect domain.Redirect) (domain.Redirect, error) {
	item := redirectItemOf(redirect)
	err := r.c.Create(redirecting.In(ctx), item.ID, item)
	if client.StatusOf(err) == http.StatusConflict {
		return r.Find(ctx, redirect.Path)
	}
	return redirect, client.Translate(err)
}

// Move changes the target of one of a user's addresses.
func (r *Redirects) Move(ctx context.Context, redirect domain.Redirect) error {
	if !domain.IsUserID(redirect.OwnerID) {
		return schema.ErrNoUser()
	}
	var ops azcosmos.PatchOperations
	ops.SetCondition(fmt.Sprintf("from c where c.ownerId = '%s'", redirect.OwnerID))
	ops.AppendSet("/postId", redirect.PostID)
	ops.AppendSet("/to", redirect.To)
	id := schema.RedirectID(redirect.Path)
	return client.Translate(r.c.Patch(redirecting.In(ctx), id, id, ops))
}

// erase deletes a user's redirect. It leaves another user's redirect unchanged.
func (r *Redirects) erase(ctx context.Context, path, ownerID string) error {
	id := schema.RedirectID(path)
	for {
		item, err := client.Read[redirectItem](ctx, r.c, id, id)
		if err == nil && item.OwnerID == ownerID {
			err = r.c.DeleteVersion(ctx, id, id, item.ETag)
		}
		switch {
		case client.Missing(err):
			return nil
		case !client.ConditionFailed(err): // otherwise an administrator has reassigned it
			return err
		}
	}
}
