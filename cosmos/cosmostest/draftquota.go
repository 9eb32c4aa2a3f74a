package cosmostest

import (
	"strings"
	"sync"
	"testing"
	"time"

	"inkfeed/cosmos/cosmostest/fixture"
	"inkfeed/domain"
)

// wantDrafts compares the user's counters with the given number of drafts and their bytes, in steps of 16 KB.
func (s *suite) wantDrafts(t *testing.T, author domain.User, count, steps int) {
	t.Helper()
	if u := fixture.Must[domain.User](t)(s.Users.ByID(t.Context(), author.ID)); u.DraftCount != count ||
		u.DraftBytes != int64(steps)<<14 {
		t.Errorf("%d drafts of %d bytes are counted, want %d of %d", u.DraftCount, u.DraftBytes, count, steps<<14)
	}
}

// fillDrafts saves new drafts with a text until one is refused, and returns the saved ones.
func (s *suite) fillDrafts(t *testing.T, author domain.User, text string) (saved []domain.Draft) {
	t.Helper()
	for range domain.DraftQuota + 1 {
		d := fixture.UnsavedDraft(author, "Title")
		d.Content = text
		d, err := s.Drafts.Save(t.Context(), d)
		if err != nil {
			fixture.WantKind(t, err, domain.Invalid)
			return saved
		}
		saved = append(saved, d)
	}
	t.Fatalf("%d drafts were saved", len(saved))
	return nil
}

func (s *suite) draftQuota(t *testing.T) {
	fixture.Run(t, "drafts are counted in steps while they grow, shrink and go", func(t *testing.T) {
		author := s.MustUser(t)
		d := s.MustDraft(t, author, "One")
		s.wantDrafts(t, author, 1, 1)
		for _, size := range []struct{ bytes, steps int }{{100, 1}, {16 << 10, 2}, {100 << 10, 7}, {3, 1}} {
			d.Content = strings.Repeat("c", size.bytes)
			d = fixture.Must[domain.Draft](t)(s.Drafts.Save(t.Context(), d))
			s.WantDraft(t, d)
			s.wantDrafts(t, author, 1, size.steps)
		}
		fixture.Must[domain.Draft](t)(s.Drafts.Save(t.Context(), d)) // a retry after a lost response
		s.wantDrafts(t, author, 1, 1)
		for range 2 {
			fixture.Check(t, s.Drafts.Discard(t.Context(), author.ID, d.PostID, d.Version+1))
			s.wantDrafts(t, author, 0, 0)
		}
	})
	fixture.Run(t, "published, scheduled, withdrawn and deleted posts leave right counts", func(t *testing.T) {
		author := s.MustUser(t)
		d := s.MustDraft(t, author, "Title")
		fixture.Must[domain.Draft](t)(s.Drafts.Schedule(t.Context(), author.ID, d.PostID, 1, time.Now().Add(time.Hour)))
		d.Content = strings.Repeat("c", 20<<10) // published before its time, with another text
		p := fixture.Must[domain.Post](t)(s.Drafts.Publish(t.Context(), author, d, time.Now()))
		s.wantDrafts(t, author, 0, 0)
		fixture.Must[domain.Draft](t)(s.Drafts.Unpublish(t.Context(), author.ID, p.ID))
		s.wantDrafts(t, author, 1, 2)
		fixture.Check(t, s.Posts.Delete(t.Context(), p.ID, author.ID))
		deleted := fixture.Must[domain.Post](t)(s.Posts.Latest(t.Context(), p.ID))
		fixture.Check(t, s.Drafts.EraseOf(t.Context(), deleted))
		s.wantDrafts(t, author, 0, 0)
	})
	fixture.Run(t, "concurrent new drafts are all counted", func(t *testing.T) {
		author := s.MustUser(t)
		var saving sync.WaitGroup
		for range 10 {
			saving.Go(func() { s.MustDraft(t, author, "Title") })
		}
		saving.Wait()
		s.wantDrafts(t, author, 10, 10)
	})
	fixture.Run(t, "a full quota refuses new drafts only", func(t *testing.T) {
		author := s.MustUser(t)
		p := s.MustPost(t, author, 1)
		large := strings.Repeat("c", 1<<20)
		saved := s.fillDrafts(t, author, large)
		if len(saved) < 90 || len(saved) > 100 {
			t.Errorf("%d drafts of 1 MB were saved", len(saved))
		}
		grown := saved[0]
		grown.Content = large + large[:400_000]
		fixture.Must[domain.Draft](t)(s.Drafts.Save(t.Context(), grown))
		fixture.Must[domain.Draft](t)(s.Drafts.Save(t.Context(), domain.DraftOf(p, time.Now())))
		operators := fixture.UnsavedDraft(author, "Imported")
		fixture.Must[domain.Draft](t)(s.Drafts.WithoutQuota().Save(t.Context(), operators))
		unsaved := fixture.UnsavedDraft(author, "New")
		fixture.Must[domain.Post](t)(s.Drafts.Publish(t.Context(), author, unsaved, time.Now()))
		for _, d := range saved[1:4] {
			fixture.Check(t, s.Drafts.Discard(t.Context(), author.ID, d.PostID, d.Version))
		}
		if again := s.fillDrafts(t, author, large); len(again) < 1 || len(again) > 3 {
			t.Errorf("%d drafts were saved in place of three", len(again))
		}
		fixture.Must[domain.User](t)(s.Accounts.SetRole(t.Context(), author.ID, domain.RoleAdministrator))
		s.MustDraft(t, author, "An administrator has no quota")
	})
	fixture.Run(t, "a deleted account begins no draft", func(t *testing.T) {
		author := s.MustUser(t)
		fixture.Check(t, s.AccountDeletions.Delete(t.Context(), author.ID))
		_, err := s.Drafts.Save(t.Context(), fixture.UnsavedDraft(author, "Late"))
		fixture.WantKind(t, err, domain.NotFound)
	})
}
