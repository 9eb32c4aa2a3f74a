package writing

import (
	"context"
	"strings"
	"time"

	"inkfeed/domain"
)

// publish publishes the draft in a form. Repeating the request publishes it once. Two texts are published as a new
// post: that of a deleted post, and a draft of an earlier release whose id the post of another user has.
func (h editor) publish(ctx context.Context, author domain.User, t postForm) (domain.Post, error) {
	d := t.draft
	if err := h.checkPost(ctx, author, t); err != nil { // first, since screening renders the text
		return domain.Post{}, err
	}
	var err error
	if d.Held, err = h.screen(ctx, author, d); err != nil {
		return domain.Post{}, err
	}
	p, err := h.store.Drafts.Publish(ctx, author, d, time.Now())
	if domain.Is(err, domain.Forbidden) && d.Revision == 0 {
		return h.publishAsNew(ctx, author, d)
	}
	if !domain.Is(err, domain.Conflict) {
		return p, err
	}
	stored, post, openErr := h.store.Drafts.Open(ctx, author.ID, d.PostID)
	switch {
	case openErr != nil && !domain.Is(openErr, domain.NotFound):
		return domain.Post{}, openErr
	case post != nil && !d.Changes(*post):
		return *post, nil // already published
	case stored.Publishing: // its post may not exist yet
		return domain.Post{}, err
	case post == nil && d.Revision == 0 && (openErr != nil || stored.Version == d.Version):
		return h.publishAsNew(ctx, author, d)
	}
	return domain.Post{}, err
}

// checkPost reports which fields of a form break a rule of posts. A chosen cover must be in the text, or be one of the
// author's pictures.
func (h editor) checkPost(ctx context.Context, author domain.User, t postForm) error {
	p, err := t.draft.Post(author, time.Now())
	if err := domain.JoinErrors(err, h.checkNotes(t)); err != nil {
		return err
	}
	cover, chosen := domain.ParseImageName(p.Details.Cover)
	if !chosen || strings.Contains(p.Content, cover.Path()) {
		return nil
	}
	owner := author.ID
	if p.IsPage() {
		owner = domain.SiteUserID
	}
	_, err = h.images.Get(ctx, owner, cover)
	if domain.Is(err, domain.NotFound) {
		return domain.FieldError("cover", "Choose one of your pictures. This one doesn't exist or was deleted.")
	}
	return err
}

// publishAsNew publishes the text of a post that is gone as a new post. The first id to try is derived
// from that of the former, so that a double click publishes once.
func (h editor) publishAsNew(ctx context.Context, author domain.User, d domain.Draft) (p domain.Post, err error) {
	old, first := d, domain.AttemptTextID(d.PostID, author.ID, d.Title, d.Content)
	if !domain.IsPageID(d.PostID) && !h.ids.issued(author.ID, d.PostID) {
		first = h.ids.issue(author.ID, d.PostID) // as acceptedID does once the draft is gone
	}
	for _, id := range []string{first, domain.NewTextID(d.PostID)} {
		d.PostID, d.Version = id, 0
		if p, err = h.store.Drafts.Publish(ctx, author, d, time.Now()); !domain.Is(err, domain.Conflict) {
			break
		}
	}
	if err == nil && old.Version > 0 {
		// The text is published, so nothing is lost if the draft remains.
		if err := h.store.Drafts.Discard(ctx, author.ID, old.PostID, old.Version); err != nil {
			h.Logger.WarnContext(ctx, "cannot discard the draft of a deleted post", "error", err)
		}
	}
	return p, err
}

// screen decides whether the post of a draft is held for review.
func (h editor) screen(ctx context.Context, author domain.User, d domain.Draft) (domain.Hold, error) {
	before, err := h.store.Posts.EditedBy(ctx, d, author.ID)
	if err != nil {
		return domain.NotHeld, err
	}
	return h.Screening.Draft(ctx, author, before, d, time.Now())
}
