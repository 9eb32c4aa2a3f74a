package cosmostest

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"inkfeed/cosmos/cosmostest/fixture"
	"inkfeed/domain"
)

func (s *suite) mustHaveNone(t *testing.T, d domain.Draft) {
	t.Helper()
	_, err := s.Drafts.Get(t.Context(), d.AuthorID, d.PostID)
	fixture.WantKind(t, err, domain.NotFound)
}

func (s *suite) drafts(t *testing.T) {
	author, other := s.MustUser(t), s.MustUser(t)
	fixture.Run(t, "a draft is stored as typed, even if it is not valid as a post", func(t *testing.T) {
		before := time.Now().Add(-time.Millisecond)
		d := s.MustDraft(t, author, "")
		if want := fixture.UnsavedDraft(author, ""); !d.SameText(want) || d.Version != 1 || d.Revision != 0 ||
			d.Saved.Before(before) || d.Begun != d.Saved {
			t.Errorf("saved as %+v", d)
		}
		s.WantDraft(t, d)
	})
	fixture.Run(t, "a draft is saved from the version that was loaded", func(t *testing.T) {
		first := s.MustDraft(t, author, "One")
		next := first
		next.Title, next.Status, next.Revision = "Two", domain.Unlisted, 3
		second := fixture.Must[domain.Draft](t)(s.Drafts.Save(t.Context(), next))
		if second.Version != 2 || second.Begun != first.Begun || second.Saved.Before(first.Saved) ||
			!second.SameText(next) || second.Revision != 3 {
			t.Errorf("saved as %+v", second)
		}
		s.WantDraft(t, second)
	})
	fixture.Run(t, "a draft changes its series without losing its place in the list", func(t *testing.T) {
		d := s.MustDraft(t, author, "One")
		d.Details.Series = "A series"
		fixture.Check(t, s.Drafts.SetSeries(t.Context(), d))
		fixture.Check(t, s.Drafts.SetSeries(t.Context(), d))
		saved := d
		saved.Version++
		s.WantDraft(t, saved)
		d.Details.Series = "Another"
		fixture.WantKind(t, s.Drafts.SetSeries(t.Context(), d), domain.Conflict)
		s.WantDraft(t, saved)
	})
	fixture.Run(t, "of two windows the second gets a conflict and reads the first one's text", func(t *testing.T) {
		begun := s.MustDraft(t, author, "One")
		mine, theirs := begun, begun
		mine.Title, theirs.Title = "Mine", "Theirs"
		saved := fixture.Must[domain.Draft](t)(s.Drafts.Save(t.Context(), theirs))
		_, err := s.Drafts.Save(t.Context(), mine)
		fixture.WantKind(t, err, domain.Conflict)
		s.WantDraft(t, saved)
		mine.Version = saved.Version // after comparing both
		if after := fixture.Must[domain.Draft](t)(s.Drafts.Save(t.Context(), mine)); after.Title != "Mine" ||
			after.Version != 3 {
			t.Errorf("saved as %+v", after)
		}
	})
	fixture.Run(t, "the second window to start a draft of the same post gets a conflict", func(t *testing.T) {
		begun := s.MustDraft(t, author, "One")
		mine := fixture.UnsavedDraft(author, "Mine")
		mine.PostID = begun.PostID
		_, err := s.Drafts.Save(t.Context(), mine)
		fixture.WantKind(t, err, domain.Conflict)
		s.WantDraft(t, begun)
	})
	fixture.Run(t, "saving the stored text again is no conflict", func(t *testing.T) {
		first := fixture.UnsavedDraft(author, "Once")
		begun := fixture.Must[domain.Draft](t)(s.Drafts.Save(t.Context(), first))
		if again := fixture.Must[domain.Draft](t)(s.Drafts.Save(t.Context(), first)); again != begun {
			t.Errorf("the first save returned %+v, the second %+v", begun, again)
		}
		next := begun
		next.Content = "More"
		saved := fixture.Must[domain.Draft](t)(s.Drafts.Save(t.Context(), next))
		if again := fixture.Must[domain.Draft](t)(s.Drafts.Save(t.Context(), next)); again != saved {
			t.Errorf("the save returned %+v, the repeated one %+v", saved, again)
		}
	})
	fixture.Run(t, "concurrent windows lose no text", func(t *testing.T) {
		begun := s.MustDraft(t, author, "Start")
		var group sync.WaitGroup
		const windows = 8
		for i := range windows {
			group.Go(func() {
				mine := begun
				for {
					line := fmt.Sprintf("window %d\n", i)
					mine.Content += line
					_, err := s.Drafts.Save(t.Context(), mine)
					if err == nil {
						return
					}
					if !domain.Is(err, domain.Conflict) {
						t.Error(err)
						return
					}
					if mine, err = s.Drafts.Get(t.Context(), author.ID, begun.PostID); err != nil {
						t.Error(err)
						return
					}
				}
			})
		}
		group.Wait()
		end := fixture.Must[domain.Draft](t)(s.Drafts.Get(t.Context(), author.ID, begun.PostID))
		if end.Version != 1+windows || strings.Count(end.Content, "window") != windows {
			t.Errorf("at the end: %+v", end)
		}
	})
	fixture.Run(t, "saving a deleted draft is a conflict", func(t *testing.T) {
		d := s.MustDraft(t, author, "Gone")
		fixture.Check(t, s.Drafts.Discard(t.Context(), author.ID, d.PostID, 1))
		d.Title = "Late"
		_, err := s.Drafts.Save(t.Context(), d)
		fixture.WantKind(t, err, domain.NotFound)
		s.mustHaveNone(t, d)
	})
	fixture.Run(t, "a draft that can never become a post is rejected", func(t *testing.T) {
		d := fixture.UnsavedDraft(author, strings.Repeat("t", 10*4*domain.MaxTitle+1))
		d.Content, d.Status = strings.Repeat("c", domain.MaxDraftContent+1), domain.Unpublished
		_, err := s.Drafts.Save(t.Context(), d)
		fixture.WantKind(t, err, domain.Invalid)
		for _, field := range []string{"title", "content", "status"} {
			if !strings.Contains(err.Error(), field) {
				t.Errorf("the error of %s is missing in %v", field, err)
			}
		}
	})
	fixture.Run(t, "the largest draft fits", func(t *testing.T) {
		d := fixture.UnsavedDraft(author, "Large")
		d.Content = repeat("漢", domain.MaxDraftContent/3)
		s.WantDraft(t, fixture.Must[domain.Draft](t)(s.Drafts.Save(t.Context(), d)))
	})
	fixture.Run(t, "only its author can read a draft", func(t *testing.T) {
		d := s.MustDraft(t, author, "Mine")
		_, err := s.Drafts.Get(t.Context(), other.ID, d.PostID)
		fixture.WantKind(t, err, domain.NotFound)
		fixture.Check(t, s.Drafts.Discard(t.Context(), other.ID, d.PostID, 1))
		s.WantDraft(t, d)
		for _, id := range []string{"", "..", "a/b", domain.NewID()} {
			_, err := s.Drafts.Get(t.Context(), author.ID, id)
			fixture.WantKind(t, err, domain.NotFound)
			_, err = s.Drafts.Save(t.Context(), domain.Draft{PostID: id, AuthorID: author.ID, Version: 1})
			fixture.WantKind(t, err, domain.NotFound)
		}
	})
	fixture.Run(t, "a draft is discarded in the version that was loaded", func(t *testing.T) {
		d := s.MustDraft(t, author, "One")
		next := d
		next.Title = "Two"
		next = fixture.Must[domain.Draft](t)(s.Drafts.Save(t.Context(), next))
		fixture.WantKind(t, s.Drafts.Discard(t.Context(), author.ID, d.PostID, 1), domain.Conflict)
		s.WantDraft(t, next)
		for range 2 {
			fixture.Check(t, s.Drafts.Discard(t.Context(), author.ID, d.PostID, 2))
			s.mustHaveNone(t, d)
		}
	})
	fixture.Run(t, "the list is paged, last saved first, with the beginning of each", func(t *testing.T) {
		writer := s.MustUser(t)
		s.MustPost(t, writer, 1)
		const n = domain.DraftsPerPage + 3
		want := make([]string, n)
		for i := range n {
			d := fixture.UnsavedDraft(writer, fmt.Sprint("Draft ", i))
			d.Content = repeat("word ", 1000)
			fixture.Must[domain.Draft](t)(s.Drafts.Save(t.Context(), d))
			want[n-1-i] = d.Title
			waitForNextMillisecond()
		}
		list := fixture.All(t,
			func(page int) (domain.ListPage[domain.Draft], error) {
				return s.Drafts.List(t.Context(), writer.ID, page)
			})
		var got []string
		for _, d := range list {
			got = append(got, d.Title)
			if len(d.Content) != 1000 || d.AuthorID != writer.ID || d.Version != 1 || d.Saved.IsZero() || d.Tags == "" {
				t.Errorf("listed as %+v", d)
			}
		}
		if strings.Join(got, ",") != strings.Join(want, ",") {
			t.Errorf("got %q, want %q", got, want)
		}
	})
}

// waitForNextMillisecond separates items that are ordered by the time at which they were stored.
func waitForNextMillisecond() {
	for start := time.Now().UnixMilli(); time.Now().UnixMilli() == start; {
		time.Sleep(time.Millisecond / 4)
	}
}

// publishAtOnce lets several instances publish the same drafts concurrently until none is left.
func (s *suite) publishAtOnce(t *testing.T, e domain.ScheduledItem) {
	t.Helper()
	var group sync.WaitGroup
	for range 6 {
		group.Go(func() {
			for {
				_, err := s.Drafts.PublishScheduled(t.Context(), e)
				switch {
				case domain.Is(err, domain.NotFound):
					return
				case err != nil && !domain.Is(err, domain.Unavailable):
					t.Error(err)
					return
				}
			}
		})
	}
	group.Wait()
}
