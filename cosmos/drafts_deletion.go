package cosmos

import (
	"context"
	"net/http"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// EraseOf deletes the draft of a deleted post. One with which its author has gone on as a
// new post since stays, with the link to it.
func (s *Drafts) EraseOf(ctx context.Context, deleted domain.Post) error {
	ctx = client.Operation(ctx, "erase")
	for attempt := 1; ; attempt++ {
		item, err := s.read(ctx, deleted.AuthorID, deleted.ID)
		switch {
		case domain.Is(err, domain.NotFound):
			return nil
		case err != nil:
			return err
		case item.Revision == 0 && item.domain().Saved.After(deleted.Deleted.Add(-schema.ClockMargin)):
			return client.Translate(s.linkAgain(ctx, item))
		}
		// While the draft says the secret, the link can be found.
		if err := s.deletePreview(ctx, item.Preview); err != nil {
			return client.Translate(err)
		}
		if err := s.drop(ctx, item); !domain.Is(err, domain.Conflict) || attempt == client.RewriteAttempts {
			return err
		}
	}
}

// linkAgain makes the link to a draft that an earlier attempt to erase it may have taken,
// unless the draft has lost it, or is gone, by now.
func (s *Drafts) linkAgain(ctx context.Context, item draftItem) error {
	if item.Preview == "" {
		return nil
	}
	secret := item.Preview
	err := s.c.Create(ctx, secret, previewItem{ID: secret, Type: schema.TypePreview, UserID: secret, OwnerID: item.UserID, PostID: item.PostID})
	if client.StatusOf(err) == http.StatusConflict {
		return nil
	}
	if err != nil {
		return err
	}
	draft, err := s.read(ctx, item.UserID, item.PostID)
	switch {
	case domain.Is(err, domain.NotFound), err == nil && draft.Preview != secret:
		return s.deletePreview(ctx, secret)
	}
	return err
}

// Erase deletes a draft of an account that was deleted, whatever it says. One that is
// gone is no error.
func (s *Drafts) Erase(ctx context.Context, userID, postID string) error {
	ctx = client.Operation(ctx, "erase")
	item, err := s.read(ctx, userID, postID)
	switch {
	case domain.Is(err, domain.NotFound):
		return nil
	case err != nil:
		return err
	}
	return client.Translate(s.users.eraseDraft(ctx, item))
}

// eraseDraft deletes a draft in whatever state, after the link to it.
func (u *Users) eraseDraft(ctx context.Context, draft draftItem) error {
	if draft.Preview != "" {
		if err := u.c.Delete(ctx, draft.Preview, draft.Preview); err != nil && !client.Missing(err) {
			return err
		}
	}
	if err := u.c.Delete(ctx, draft.UserID, draft.ID); !client.Missing(err) {
		return err
	}
	return nil
}

// eraseDrafts deletes all drafts of a user. Their entries in the schedule are dropped
// when their time comes.
func (u *Users) eraseDrafts(ctx context.Context, userID string) error {
	drafts, err := client.Query[draftItem](ctx, u.c, userID,
		`SELECT c.id, c.userId, c.preview FROM c WHERE c.userId = @user AND c.type = 'draft'`, client.Parameters{"user": userID})
	for _, draft := range drafts {
		if err == nil {
			err = u.eraseDraft(ctx, draft)
		}
	}
	return err
}
