package cosmostest

import (
	"testing"

	"inkfeed/cosmos/cosmostest/fixture"
	"inkfeed/domain"
)

func (s *suite) previews(t *testing.T) {
	author := s.MustUser(t)
	share := func(t *testing.T, d domain.Draft) string {
		t.Helper()
		return fixture.Must[string](t)(s.Drafts.Share(t.Context(), d.AuthorID, d.PostID))
	}
	leadsNowhere := func(t *testing.T, secret string) {
		t.Helper()
		_, err := s.Drafts.Shared(t.Context(), secret)
		fixture.WantKind(t, err, domain.NotFound)
	}
	fixture.Run(t, "the link leads to the current draft", func(t *testing.T) {
		d := s.MustDraft(t, author, "Shared")
		secret := share(t, d)
		if again := share(t, d); again != secret {
			t.Errorf("the link's secret is %s, then %s", secret, again)
		}
		d.Title = "Changed"
		d = fixture.Must[domain.Draft](t)(s.Drafts.Save(t.Context(), d))
		got := fixture.Must[domain.Shared](t)(s.Drafts.Shared(t.Context(), secret))
		now := fixture.Must[domain.User](t)(s.Users.ByID(t.Context(), author.ID))
		if got.Draft != d || got.Author != now || got.Post != nil || d.Preview != secret {
			t.Errorf("the link leads to %+v", got)
		}
	})
	fixture.Run(t, "the link cannot be guessed and only the author can create one", func(t *testing.T) {
		d := s.MustDraft(t, author, "Mine")
		_, err := s.Drafts.Share(t.Context(), s.MustUser(t).ID, d.PostID)
		fixture.WantKind(t, err, domain.NotFound)
		share(t, d)
		for _, secret := range []string{"", "..", d.PostID, author.ID, domain.NewID()} {
			leadsNowhere(t, secret)
		}
	})
	fixture.Run(t, "a revoked link is invalid and the next one differs", func(t *testing.T) {
		d := s.MustDraft(t, author, "Revoked")
		secret := share(t, d)
		for range 2 {
			fixture.Check(t, s.Drafts.Unshare(t.Context(), author.ID, d.PostID))
			leadsNowhere(t, secret)
		}
		if next := share(t, d); next == secret {
			t.Error("the next link has the same secret")
		}
		leadsNowhere(t, secret)
	})
	fixture.Run(t, "discarding the draft invalidates the link", func(t *testing.T) {
		d := s.MustDraft(t, author, "Discarded")
		secret := share(t, d)
		fixture.Check(t, s.Drafts.Discard(t.Context(), author.ID, d.PostID, d.Version))
		leadsNowhere(t, secret)
	})
	fixture.Run(t, "the link leads to the published post, but not to later drafts", func(t *testing.T) {
		d := s.MustDraft(t, author, "Published")
		secret := share(t, d)
		post := fixture.Must[domain.Post](t)(s.Drafts.Publish(t.Context(), author, d, fixture.At(1)))
		if got := fixture.Must[domain.Shared](t)(s.Drafts.Shared(t.Context(), secret)); got.Post == nil ||
			*got.Post != post ||
			got.Draft != (domain.Draft{}) {
			t.Errorf("the link leads to %+v", got)
		}
		fixture.Must[domain.Draft](t)(s.Drafts.Unpublish(t.Context(), author.ID, post.ID))
		leadsNowhere(t, secret)
	})
	fixture.Run(t, "the link does not reveal a later draft of the post", func(t *testing.T) {
		d := s.MustDraft(t, author, "Published")
		secret := share(t, d)
		post := fixture.Must[domain.Post](t)(s.Drafts.Publish(t.Context(), author, d, fixture.At(1)))
		later := domain.DraftOf(post, fixture.At(2))
		later.Title = "Secret"
		fixture.Must[domain.Draft](t)(s.Drafts.Save(t.Context(), later))
		if got := fixture.Must[domain.Shared](t)(s.Drafts.Shared(t.Context(), secret)); got.Post == nil ||
			got.Draft != (domain.Draft{}) {
			t.Errorf("the link leads to %+v", got)
		}
	})
	fixture.Run(t, "the link shows the text of a post in review, but of no other hidden post", func(t *testing.T) {
		for hold, shown := range map[domain.Hold]bool{domain.HeldForReview: true, domain.HeldByModerator: false} {
			d := s.MustDraft(t, author, "Held")
			secret := share(t, d)
			post := fixture.Must[domain.Post](t)(s.Drafts.Publish(t.Context(), author, d, fixture.At(1)))
			fixture.Must[domain.Post](t)(s.Posts.Hold(t.Context(), post.ID, hold))
			later := fixture.Must[domain.Draft](t)(s.Drafts.Save(t.Context(), domain.DraftOf(post, fixture.At(2))))
			for _, secret := range []string{secret, share(t, later)} {
				if !shown {
					leadsNowhere(t, secret)
					continue
				}
				got := fixture.Must[domain.Shared](t)(s.Drafts.Shared(t.Context(), secret))
				now := fixture.Must[domain.User](t)(s.Users.ByID(t.Context(), author.ID))
				if got.Post != nil || !got.InReview || got.Author != now || got.Draft.Title != "Held" ||
					got.Draft.Content != post.Content {
					t.Errorf("held as %q: the link leads to %+v", hold, got)
				}
			}
		}
		d := s.MustDraft(t, author, "Held and unpublished")
		secret := share(t, d)
		post := fixture.Must[domain.Post](t)(s.Drafts.Publish(t.Context(), author, d, fixture.At(1)))
		fixture.Must[domain.Post](t)(s.Posts.Hold(t.Context(), post.ID, domain.HeldForReview))
		fixture.Must[domain.Draft](t)(s.Drafts.Unpublish(t.Context(), author.ID, post.ID))
		leadsNowhere(t, secret)
	})
}

func (s *suite) unscheduled(t *testing.T) {
	author := s.MustUser(t)
	fixture.Run(t, "a deleted account publishes nothing", func(t *testing.T) {
		leaver := s.MustUser(t)
		d, e := s.MustSchedule(t, s.MustDraft(t, leaver, "Never"), fixture.Soon())
		secret := fixture.Must[string](t)(s.Drafts.Share(t.Context(), leaver.ID, d.PostID))
		published := s.MustDraft(t, leaver, "Published")
		old := fixture.Must[string](t)(s.Drafts.Share(t.Context(), leaver.ID, published.PostID))
		fixture.Must[domain.Post](t)(s.Drafts.Publish(t.Context(), leaver, published, fixture.At(1)))
		fixture.Check(t, s.AccountDeletions.Delete(t.Context(), leaver.ID))
		_, err := s.Drafts.PublishScheduled(t.Context(), e)
		fixture.WantKind(t, err, domain.NotFound)
		_, err = s.Drafts.Shared(t.Context(), secret)
		fixture.WantKind(t, err, domain.NotFound)
		fixture.Check(t, s.AccountDeletions.FinishErasure(t.Context(), leaver.ID))
		s.mustHaveNone(t, d)
		for _, secret := range []string{secret, old} {
			_, err = s.Drafts.Shared(t.Context(), secret)
			fixture.WantKind(t, err, domain.NotFound)
		}
	})
	fixture.Run(t, "the scheduled drafts and links of a deleted account are deleted", func(t *testing.T) {
		d := s.MustDraft(t, author, "Going")
		secret := fixture.Must[string](t)(s.Drafts.Share(t.Context(), author.ID, d.PostID))
		for range 2 {
			fixture.Check(t, s.Drafts.Erase(t.Context(), author.ID, d.PostID))
		}
		s.mustHaveNone(t, d)
		_, err := s.Drafts.Shared(t.Context(), secret)
		fixture.WantKind(t, err, domain.NotFound)
	})
}
