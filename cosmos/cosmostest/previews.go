package cosmostest

import (
	"testing"

	"inkfeed/domain"
)

func (s *suite) previews(t *testing.T) {
	author := s.mustUser(t)
	share := func(t *testing.T, d domain.Draft) string {
		t.Helper()
		return must[string](t)(s.Drafts.Share(t.Context(), d.AuthorID, d.PostID))
	}
	leadsNowhere := func(t *testing.T, secret string) {
		t.Helper()
		_, err := s.Drafts.Shared(t.Context(), secret)
		wantKind(t, err, domain.NotFound)
	}
	t.Run("leads whoever has it to the draft as it is now", func(t *testing.T) {
		d := s.mustDraft(t, author, "Shared")
		secret := share(t, d)
		if again := share(t, d); again != secret {
			t.Errorf("shared as %s, then %s", secret, again)
		}
		d.Title = "Changed"
		d = must[domain.Draft](t)(s.Drafts.Save(t.Context(), d))
		got := must[domain.Shared](t)(s.Drafts.Shared(t.Context(), secret))
		if got.Draft != d || got.Author != author || got.Post != nil || d.Preview != secret {
			t.Errorf("it leads to %+v", got)
		}
	})
	t.Run("cannot be guessed, and nobody else makes one", func(t *testing.T) {
		d := s.mustDraft(t, author, "Mine")
		_, err := s.Drafts.Share(t.Context(), s.mustUser(t).ID, d.PostID)
		wantKind(t, err, domain.NotFound)
		share(t, d)
		for _, secret := range []string{"", "..", d.PostID, author.ID, domain.NewID()} {
			leadsNowhere(t, secret)
		}
	})
	t.Run("leads nowhere once it is revoked, and the next is another", func(t *testing.T) {
		d := s.mustDraft(t, author, "Revoked")
		secret := share(t, d)
		for range 2 {
			check(t, s.Drafts.Unshare(t.Context(), author.ID, d.PostID))
			leadsNowhere(t, secret)
		}
		if next := share(t, d); next == secret {
			t.Error("the next is the same")
		}
		leadsNowhere(t, secret)
	})
	t.Run("goes with a draft that is discarded", func(t *testing.T) {
		d := s.mustDraft(t, author, "Discarded")
		secret := share(t, d)
		check(t, s.Drafts.Discard(t.Context(), author.ID, d.PostID, d.Version))
		leadsNowhere(t, secret)
	})
	t.Run("leads to the post when the draft is published, and not to what becomes of it after", func(t *testing.T) {
		d := s.mustDraft(t, author, "Published")
		secret := share(t, d)
		post := must[domain.Post](t)(s.Drafts.Publish(t.Context(), author, d, at(1)))
		if got := must[domain.Shared](t)(s.Drafts.Shared(t.Context(), secret)); got.Post == nil || *got.Post != post ||
			got.Draft != (domain.Draft{}) {
			t.Errorf("it leads to %+v", got)
		}
		must[domain.Draft](t)(s.Drafts.Unpublish(t.Context(), author.ID, post.ID))
		leadsNowhere(t, secret)
	})
	t.Run("does not reveal a later draft of the post", func(t *testing.T) {
		d := s.mustDraft(t, author, "Published")
		secret := share(t, d)
		post := must[domain.Post](t)(s.Drafts.Publish(t.Context(), author, d, at(1)))
		later := domain.DraftOf(post, at(2))
		later.Title = "Secret"
		must[domain.Draft](t)(s.Drafts.Save(t.Context(), later))
		if got := must[domain.Shared](t)(s.Drafts.Shared(t.Context(), secret)); got.Post == nil ||
			got.Draft != (domain.Draft{}) {
			t.Errorf("it leads to %+v", got)
		}
	})
}
