package writing

import (
	"context"
	"time"

	"inkfeed/domain"
)

// publish publishes once what is sent twice. What was deleted is published anew when
// its author sends it again.
func (h editor) publish(ctx context.Context, author domain.User, d domain.Draft) (domain.Post, error) {
	_, err := d.Post(author, time.Now())
	if err != nil { // checked first, since screening renders the text
		return domain.Post{}, err
	}
	if d.Held, err = h.screen(ctx, author, d); err != nil {
		return domain.Post{}, err
	}
	p, err := h.store.Drafts.Publish(ctx, author, d, time.Now())
	if !domain.Is(err, domain.Conflict) {
		return p, err
	}
	stored, post, openErr := h.store.Drafts.Open(ctx, author.ID, d.PostID)
	switch {
	case openErr != nil && !domain.Is(openErr, domain.NotFound):
		return domain.Post{}, openErr
	case post != nil && !d.Changes(*post):
		return *post, nil // it is there already
	case post == nil && d.Revision == 0 && (openErr != nil || stored.Version == d.Version):
		return h.publishAnew(ctx, author, d)
	}
	return domain.Post{}, err
}

// publishAnew publishes what stood in the form of a post that is deleted. The first id
// to try follows from that post's, so that a double click still publishes once.
func (h editor) publishAnew(ctx context.Context, author domain.User, d domain.Draft) (p domain.Post, err error) {
	former := d
	for _, id := range []string{domain.AttemptID(d.PostID, author.ID, d.Title, d.Content), domain.NewID()} {
		d.PostID, d.Version = id, 0
		if p, err = h.store.Drafts.Publish(ctx, author, d, time.Now()); !domain.Is(err, domain.Conflict) {
			break
		}
	}
	if err == nil && former.Version > 0 {
		// What the draft says is published: if it stays, nothing is lost.
		if err := h.store.Drafts.Discard(ctx, author.ID, former.PostID, former.Version); err != nil {
			h.Logger.WarnContext(ctx, "a draft of a deleted post stays", "err", err)
		}
	}
	return p, err
}

// screen tells how the post of a draft has to be held, if at all.
func (h editor) screen(ctx context.Context, author domain.User, d domain.Draft) (domain.Hold, error) {
	now := time.Now()
	hold, err := h.Screening.Draft(ctx, author, domain.Post{}, d, now)
	if err != nil || hold == domain.NotHeld || d.Revision == 0 {
		return hold, err
	}
	before, err := h.store.Posts.Own(ctx, d.PostID, author.ID)
	switch {
	case domain.Is(err, domain.NotFound), err == nil && before.Revision != d.Revision: // and so it is refused
		return hold, nil
	case err != nil:
		return domain.NotHeld, err
	}
	return h.Screening.Draft(ctx, author, before, d, now)
}
