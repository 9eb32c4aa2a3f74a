package cosmos

import (
	"context"
	"net/http"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
)

// EraseOf deletes the draft of a deleted post. It keeps a draft that its author has continued as a
// new post since the deletion, with its preview link.
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
			return client.Translate(s.restorePreview(ctx, item))
		}
		// The link goes first, because only the draft has its secret.
		if err := s.deletePreview(ctx, item.Preview); err != nil {
			return client.Translate(err)
		}
		if err := s.deleteUnchanged(ctx, item); !domain.Is(err, domain.Conflict) || attempt == client.RewriteAttempts {
			return err
		}
	}
}

// restorePreview creates the preview link of a draft again, which an earlier attempt to erase the
// draft may have deleted. It deletes the link if the draft no longer has it or is gone.
func (s *Drafts) restorePreview(ctx context.Context, item draftItem) error {
	if item.Preview == "" {
		return nil
	}
	secret := item.Preview
	err := s.c.Create(ctx, secret, newPreviewItem(secret, item.UserID, item.PostID))
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

// Erase deletes a draft of a deleted account in any state. It returns nil if the draft is gone.
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

// eraseDraft deletes the preview link of a draft and then the draft, in any state.
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

// eraseDrafts deletes all drafts of a user. The scheduler drops their scheduled items when they are
// due.
func (u *Users) eraseDrafts(ctx context.Context, userID string) error {
	drafts, err := client.Query[draftItem](ctx, u.c, userID,
		`SELECT c.id, c.userId, c.preview FROM c WHERE c.userId = @user AND c.type = 'draft'`,
		client.Parameters{"user": userID})
	for _, draft := range drafts {
		if err == nil {
			err = u.eraseDraft(ctx, draft)
		}
	}
	return err
}
