package cosmostest

import (
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"inkfeed/domain"
)

// typed is what an author has begun to write.
func typed(author domain.User, title string) domain.Draft {
	return domain.Draft{PostID: domain.NewID(), AuthorID: author.ID, Title: title, Content: "Some *text*, not done ",
		Tags: "Go, , go"}
}

func (s *suite) mustDraft(t *testing.T, author domain.User, title string) domain.Draft {
	t.Helper()
	return must[domain.Draft](t)(s.Drafts.Save(t.Context(), typed(author, title)))
}

// mustHave compares the stored draft.
func (s *suite) mustHave(t *testing.T, want domain.Draft) {
	t.Helper()
	if got := must[domain.Draft](t)(s.Drafts.Get(t.Context(), want.AuthorID, want.PostID)); got != want {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func (s *suite) mustHaveNone(t *testing.T, d domain.Draft) {
	t.Helper()
	_, err := s.Drafts.Get(t.Context(), d.AuthorID, d.PostID)
	wantKind(t, err, domain.NotFound)
}

func (s *suite) drafts(t *testing.T) {
	author, other := s.mustUser(t), s.mustUser(t)
	t.Run("is kept as typed, whatever rule of posts it breaks", func(t *testing.T) {
		before := time.Now().Add(-time.Millisecond)
		d := s.mustDraft(t, author, "")
		if want := typed(author, ""); !d.SameText(want) || d.Version != 1 || d.Revision != 0 ||
			d.Saved.Before(before) || d.Begun != d.Saved {
			t.Errorf("saved as %+v", d)
		}
		s.mustHave(t, d)
	})
	t.Run("is saved again, from the version that was loaded", func(t *testing.T) {
		first := s.mustDraft(t, author, "One")
		next := first
		next.Title, next.Status, next.Revision = "Two", domain.Unlisted, 3
		second := must[domain.Draft](t)(s.Drafts.Save(t.Context(), next))
		if second.Version != 2 || second.Begun != first.Begun || second.Saved.Before(first.Saved) ||
			!second.SameText(next) || second.Revision != 3 {
			t.Errorf("saved as %+v", second)
		}
		s.mustHave(t, second)
	})
	t.Run("the second of two windows is told, and finds what the first has saved", func(t *testing.T) {
		begun := s.mustDraft(t, author, "One")
		mine, theirs := begun, begun
		mine.Title, theirs.Title = "Mine", "Theirs"
		saved := must[domain.Draft](t)(s.Drafts.Save(t.Context(), theirs))
		_, err := s.Drafts.Save(t.Context(), mine)
		wantKind(t, err, domain.Conflict)
		s.mustHave(t, saved)
		mine.Version = saved.Version // having looked at both
		if after := must[domain.Draft](t)(s.Drafts.Save(t.Context(), mine)); after.Title != "Mine" ||
			after.Version != 3 {
			t.Errorf("saved as %+v", after)
		}
	})
	t.Run("so is the second that begins one of the same post", func(t *testing.T) {
		begun := s.mustDraft(t, author, "One")
		mine := typed(author, "Mine")
		mine.PostID = begun.PostID
		_, err := s.Drafts.Save(t.Context(), mine)
		wantKind(t, err, domain.Conflict)
		s.mustHave(t, begun)
	})
	t.Run("saving what is there already is no conflict", func(t *testing.T) {
		first := typed(author, "Once")
		begun := must[domain.Draft](t)(s.Drafts.Save(t.Context(), first))
		if again := must[domain.Draft](t)(s.Drafts.Save(t.Context(), first)); again != begun {
			t.Errorf("begun as %+v, then %+v", begun, again)
		}
		next := begun
		next.Content = "More"
		saved := must[domain.Draft](t)(s.Drafts.Save(t.Context(), next))
		if again := must[domain.Draft](t)(s.Drafts.Save(t.Context(), next)); again != saved {
			t.Errorf("saved as %+v, then %+v", saved, again)
		}
	})
	t.Run("of many windows one gets through at a time, and nothing of it is lost", func(t *testing.T) {
		begun := s.mustDraft(t, author, "Start")
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
		end := must[domain.Draft](t)(s.Drafts.Get(t.Context(), author.ID, begun.PostID))
		if end.Version != 1+windows || strings.Count(end.Content, "window") != windows {
			t.Errorf("at the end: %+v", end)
		}
	})
	t.Run("one that is gone is not saved: it is for the author to say what becomes of the text", func(t *testing.T) {
		d := s.mustDraft(t, author, "Gone")
		check(t, s.Drafts.Discard(t.Context(), author.ID, d.PostID, 1))
		d.Title = "Late"
		_, err := s.Drafts.Save(t.Context(), d)
		wantKind(t, err, domain.NotFound)
		s.mustHaveNone(t, d)
	})
	t.Run("what can never become a post is refused", func(t *testing.T) {
		d := typed(author, strings.Repeat("t", 10*4*domain.MaxTitle+1))
		d.Content, d.Status = strings.Repeat("c", domain.MaxDraftContent+1), domain.Unpublished
		_, err := s.Drafts.Save(t.Context(), d)
		wantKind(t, err, domain.Invalid)
		for _, field := range []string{"title", "content", "status"} {
			if !strings.Contains(err.Error(), field) {
				t.Errorf("%s is not in %v", field, err)
			}
		}
	})
	t.Run("the largest fits", func(t *testing.T) {
		d := typed(author, "Large")
		d.Content = repeat("漢", domain.MaxDraftContent/3)
		s.mustHave(t, must[domain.Draft](t)(s.Drafts.Save(t.Context(), d)))
	})
	t.Run("is its author's alone", func(t *testing.T) {
		d := s.mustDraft(t, author, "Mine")
		_, err := s.Drafts.Get(t.Context(), other.ID, d.PostID)
		wantKind(t, err, domain.NotFound)
		check(t, s.Drafts.Discard(t.Context(), other.ID, d.PostID, 1))
		s.mustHave(t, d)
		for _, id := range []string{"", "..", "a/b", domain.NewID()} {
			_, err := s.Drafts.Get(t.Context(), author.ID, id)
			wantKind(t, err, domain.NotFound)
			_, err = s.Drafts.Save(t.Context(), domain.Draft{PostID: id, AuthorID: author.ID, Version: 1})
			wantKind(t, err, domain.NotFound)
		}
	})
	t.Run("is discarded in the version that was seen", func(t *testing.T) {
		d := s.mustDraft(t, author, "One")
		next := d
		next.Title = "Two"
		next = must[domain.Draft](t)(s.Drafts.Save(t.Context(), next))
		wantKind(t, s.Drafts.Discard(t.Context(), author.ID, d.PostID, 1), domain.Conflict)
		s.mustHave(t, next)
		for range 2 {
			check(t, s.Drafts.Discard(t.Context(), author.ID, d.PostID, 2))
			s.mustHaveNone(t, d)
		}
	})
	t.Run("the list has the last saved first, page by page, with the beginning of each", func(t *testing.T) {
		writer := s.mustUser(t)
		s.mustPost(t, writer, 1)
		const n = domain.DraftsPerPage + 3
		want := make([]string, n)
		for i := range n {
			d := typed(writer, fmt.Sprint("Draft ", i))
			d.Content = repeat("word ", 1000)
			must[domain.Draft](t)(s.Drafts.Save(t.Context(), d))
			want[n-1-i] = d.Title
			waitForNextMillisecond()
		}
		list := all(t,
			func(page int) (domain.Page[domain.Draft], error) { return s.Drafts.List(t.Context(), writer.ID, page) })
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

// waitForNextMillisecond is for what is ordered by the times at which it was stored.
func waitForNextMillisecond() {
	for start := time.Now().UnixMilli(); time.Now().UnixMilli() == start; {
		time.Sleep(time.Millisecond / 4)
	}
}

func (s *suite) publishing(t *testing.T) {
	author, other := s.mustUser(t), s.mustUser(t)
	publish := func(t *testing.T, d domain.Draft, minute int) domain.Post {
		t.Helper()
		return must[domain.Post](t)(s.Drafts.Publish(t.Context(), author, d, at(minute)))
	}
	t.Run("a draft becomes a post by the rules of posts, and is gone", func(t *testing.T) {
		d := s.mustDraft(t, author, " A  title ")
		post := publish(t, d, 1)
		want := domain.Post{ID: d.PostID, AuthorID: author.ID, AuthorName: author.Username, Title: "A title",
			Content: d.Content, Tags: "Go", Created: at(1), Revision: 1, Version: 1}
		if post != want || must[domain.Post](t)(s.Posts.Get(t.Context(), d.PostID)) != want {
			t.Errorf("published as %+v, want %+v", post, want)
		}
		s.mustHaveNone(t, d)
	})
	t.Run("sent twice is there once", func(t *testing.T) {
		d := s.mustDraft(t, author, "Twice")
		first := publish(t, d, 1)
		if again := publish(t, d, 2); again != first {
			t.Errorf("%+v, then %+v", first, again)
		}
	})
	t.Run("so is a form of which nothing was saved before", func(t *testing.T) {
		d := typed(author, "Never saved")
		d.Status = domain.Unlisted
		first := publish(t, d, 1)
		if again := publish(t, d, 2); again != first || first.Status != domain.Unlisted {
			t.Errorf("%+v, then %+v", first, again)
		}
		d.Title = "Another text"
		_, err := s.Drafts.Publish(t.Context(), author, d, at(3))
		wantKind(t, err, domain.Conflict)
	})
	t.Run("what breaks a rule stays a draft", func(t *testing.T) {
		d := s.mustDraft(t, author, "")
		_, err := s.Drafts.Publish(t.Context(), author, d, at(1))
		wantKind(t, err, domain.Invalid)
		s.mustHave(t, d)
		_, err = s.Posts.Get(t.Context(), d.PostID)
		wantKind(t, err, domain.NotFound)
	})
	t.Run("what another window has saved is not published over", func(t *testing.T) {
		seen := s.mustDraft(t, author, "Seen")
		next := seen
		next.Title = "Not seen"
		next = must[domain.Draft](t)(s.Drafts.Save(t.Context(), next))
		_, err := s.Drafts.Publish(t.Context(), author, seen, at(1))
		wantKind(t, err, domain.Conflict)
		s.mustHave(t, next)
		_, err = s.Posts.Get(t.Context(), seen.PostID)
		wantKind(t, err, domain.NotFound)
	})
	t.Run("a change of a post replaces it, and keeps what it was", func(t *testing.T) {
		post := s.mustPost(t, author, 1)
		draft, own, err := s.Drafts.Open(t.Context(), author.ID, post.ID)
		check(t, err)
		if *own != post || draft.Version != 0 || draft.Changes(post) {
			t.Errorf("opened %+v and %+v", draft, own)
		}
		draft.Title, draft.Tags = "Changed", "a, b"
		draft = must[domain.Draft](t)(s.Drafts.Save(t.Context(), draft))
		if got := must[domain.Post](t)(s.Posts.Get(t.Context(), post.ID)); got != post {
			t.Errorf("the draft shows: %+v", got)
		}
		changed := publish(t, draft, 5)
		if changed.Title != "Changed" || changed.Tags != "a,b" || changed.Revision != 2 ||
			!changed.Edited.Equal(at(5)) || !changed.Created.Equal(post.Created) {
			t.Errorf("published as %+v", changed)
		}
		s.mustHaveNone(t, draft)
		if again := publish(t, draft, 5); again != changed {
			t.Errorf("again: %+v", again)
		}
	})
	t.Run("a change of an old revision is a conflict, and stays a draft", func(t *testing.T) {
		post := s.mustPost(t, author, 1)
		draft := domain.DraftOf(post, at(2))
		draft.Title = "Mine"
		draft = must[domain.Draft](t)(s.Drafts.Save(t.Context(), draft))
		theirs := must[domain.Edit](t)(domain.NewEdit(post.ID, 1, "Theirs", "Text", at(3)))
		edited := must[domain.Post](t)(s.Posts.Edit(t.Context(), theirs, author.ID))
		_, err := s.Drafts.Publish(t.Context(), author, draft, at(4))
		wantKind(t, err, domain.Conflict)
		s.mustHave(t, draft)
		opened, own, err := s.Drafts.Open(t.Context(), author.ID, post.ID)
		check(t, err)
		if opened != draft || *own != edited {
			t.Errorf("opened %+v and %+v", opened, own)
		}
	})
	t.Run("nobody publishes over another's post", func(t *testing.T) {
		post := s.mustPost(t, author, 1)
		d := typed(other, "Theirs")
		d.PostID = post.ID
		_, err := s.Drafts.Publish(t.Context(), other, d, at(1))
		wantKind(t, err, domain.Forbidden)
		d.Revision = 1
		_, err = s.Drafts.Publish(t.Context(), other, d, at(1))
		wantKind(t, err, domain.Forbidden)
		if got := must[domain.Post](t)(s.Posts.Get(t.Context(), post.ID)); got != post {
			t.Errorf("now %+v", got)
		}
	})
	t.Run("a change of a deleted post is not found, one that was a draft of it a conflict", func(t *testing.T) {
		post := s.mustPost(t, author, 1)
		check(t, s.Posts.Delete(t.Context(), post.ID, author.ID))
		d := domain.DraftOf(post, at(2))
		_, err := s.Drafts.Publish(t.Context(), author, d, at(2))
		wantKind(t, err, domain.NotFound)
		d.Revision = 0
		_, err = s.Drafts.Publish(t.Context(), author, d, at(2))
		wantKind(t, err, domain.Conflict)
	})
	t.Run("a draft that its publication left over goes when it is opened, one that says more stays",
		func(t *testing.T) {
			d := s.mustDraft(t, author, "Left over")
			post := must[domain.Post](t)(d.Post(author, at(1)))
			check(t, s.Posts.Create(t.Context(), post)) // and there the process died
			opened, own, err := s.Drafts.Open(t.Context(), author.ID, d.PostID)
			check(t, err)
			if *own != post || opened.Version != 0 || opened.Revision != 1 {
				t.Errorf("opened %+v and %+v", opened, own)
			}
			s.mustHaveNone(t, d)
			d.Content = "More text"
			d.Version = 0
			more := must[domain.Draft](t)(s.Drafts.Save(t.Context(), d))
			if opened, _, err = s.Drafts.Open(t.Context(), author.ID, d.PostID); err != nil || opened != more {
				t.Errorf("opened %+v, %v", opened, err)
			}
		})
	t.Run("who has neither draft nor post opens nothing", func(t *testing.T) {
		for _, id := range []string{s.mustPost(t, author, 1).ID, s.mustDraft(t, author, "Mine").PostID, domain.NewID(),
			".."} {
			_, _, err := s.Drafts.Open(t.Context(), other.ID, id)
			wantKind(t, err, domain.NotFound)
		}
	})
}

func (s *suite) unpublishing(t *testing.T) {
	author, reader := s.mustUser(t), s.mustUser(t)
	t.Run("only its author finds the post, with all that was said about it, and publishes it again",
		func(t *testing.T) {
			post := s.mustPost(t, author, 1)
			s.mustComment(t, reader, post.ID, 2)
			var draft domain.Draft
			for range 2 {
				draft = must[domain.Draft](t)(s.Drafts.Unpublish(t.Context(), author.ID, post.ID))
			}
			s.mustHave(t, draft)
			if draft.Title != post.Title || draft.Revision != 1 || draft.Status != domain.Published {
				t.Errorf("the draft is %+v", draft)
			}
			_, err := s.Posts.Get(t.Context(), post.ID)
			wantKind(t, err, domain.NotFound)
			_, err = s.Posts.Own(t.Context(), post.ID, reader.ID)
			wantKind(t, err, domain.NotFound)
			own := must[domain.Post](t)(s.Posts.Own(t.Context(), post.ID, author.ID))
			if own.Status != domain.Unpublished || own.CommentCount != 1 || own.Revision != 1 {
				t.Errorf("its author finds %+v", own)
			}
			again := must[domain.Post](t)(s.Drafts.Publish(t.Context(), author, draft, at(5)))
			if again.Status != domain.Published || again.CommentCount != 1 || again.Version <= own.Version ||
				!again.Created.Equal(post.Created) {
				t.Errorf("again: %+v", again)
			}
			must[domain.Post](t)(s.Posts.Get(t.Context(), post.ID))
			s.mustHaveNone(t, draft)
		})
	t.Run("a draft that is there stays", func(t *testing.T) {
		post := s.mustPost(t, author, 1)
		d := domain.DraftOf(post, at(2))
		d.Title = "Begun to change"
		d = must[domain.Draft](t)(s.Drafts.Save(t.Context(), d))
		if got := must[domain.Draft](t)(s.Drafts.Unpublish(t.Context(), author.ID, post.ID)); got != d {
			t.Errorf("the draft is %+v", got)
		}
		s.mustHave(t, d)
	})
	t.Run("a change that was to publish itself does not bring the post back", func(t *testing.T) {
		post := s.mustPost(t, author, 1)
		d := domain.DraftOf(post, at(2))
		d.Title = "Changed"
		d = must[domain.Draft](t)(s.Drafts.Save(t.Context(), d))
		_, e := s.mustSchedule(t, d, soon())
		if got := must[domain.Draft](t)(s.Drafts.Unpublish(t.Context(), author.ID, post.ID)); !got.Publish.IsZero() ||
			got.Title != "Changed" {
			t.Errorf("the draft is %+v", got)
		}
		_, err := s.Drafts.PublishScheduled(t.Context(), e)
		wantKind(t, err, domain.NotFound)
		_, err = s.Posts.Get(t.Context(), post.ID)
		wantKind(t, err, domain.NotFound)
	})
	t.Run("discarding its draft makes it what the post is: its author finds it by nothing else", func(t *testing.T) {
		post := s.mustPost(t, author, 1)
		d := must[domain.Draft](t)(s.Drafts.Unpublish(t.Context(), author.ID, post.ID))
		d.Title = "Changed"
		d = must[domain.Draft](t)(s.Drafts.Save(t.Context(), d))
		d = must[domain.Draft](t)(s.Drafts.Schedule(t.Context(), author.ID, post.ID, d.Version, soon()))
		check(t, s.Drafts.Discard(t.Context(), author.ID, post.ID, d.Version))
		got := must[domain.Draft](t)(s.Drafts.Get(t.Context(), author.ID, post.ID))
		if got.Title != post.Title || !got.Publish.IsZero() || got.Revision != 1 {
			t.Errorf("it is %+v", got)
		}
	})
	t.Run("discarding its draft keeps who is to find it", func(t *testing.T) {
		post := s.mustPost(t, author, 1)
		must[domain.Post](t)(s.Posts.SetStatus(t.Context(), post.ID, author.ID, domain.Unlisted))
		d := must[domain.Draft](t)(s.Drafts.Unpublish(t.Context(), author.ID, post.ID))
		d.Title = "Changed"
		d = must[domain.Draft](t)(s.Drafts.Save(t.Context(), d))
		check(t, s.Drafts.Discard(t.Context(), author.ID, post.ID, d.Version))
		got := must[domain.Draft](t)(s.Drafts.Get(t.Context(), author.ID, post.ID))
		if got.Title != post.Title || got.Status != domain.Unlisted {
			t.Errorf("it is %+v", got)
		}
	})
	t.Run("publishing it again as it was is no edit", func(t *testing.T) {
		post := s.mustPost(t, author, 1)
		d := must[domain.Draft](t)(s.Drafts.Unpublish(t.Context(), author.ID, post.ID))
		got := must[domain.Post](t)(s.Drafts.Publish(t.Context(), author, d, at(9)))
		if got.Status != domain.Published || !got.Edited.IsZero() || got.Version <= post.Version {
			t.Errorf("it is %+v", got)
		}
		if page := must[domain.Page[domain.PostVersion]](t)(s.Posts.Versions(t.Context(), post.ID,
			1)); len(page.Items) != 0 {
			t.Errorf("versions %+v", page)
		}
		d = must[domain.Draft](t)(s.Drafts.Unpublish(t.Context(), author.ID, post.ID))
		d.Title = "Changed"
		got = must[domain.Post](t)(s.Drafts.Publish(t.Context(), author,
			must[domain.Draft](t)(s.Drafts.Save(t.Context(), d)), at(10)))
		if got.Title != "Changed" || !got.Edited.Equal(at(10)) {
			t.Errorf("it is %+v", got)
		}
	})
	t.Run("only its author can", func(t *testing.T) {
		post := s.mustPost(t, author, 1)
		_, err := s.Drafts.Unpublish(t.Context(), reader.ID, post.ID)
		wantKind(t, err, domain.NotFound)
		_, err = s.Posts.SetStatus(t.Context(), post.ID, reader.ID, domain.Unlisted)
		wantKind(t, err, domain.Forbidden)
		if got := must[domain.Post](t)(s.Posts.Get(t.Context(), post.ID)); got != post {
			t.Errorf("now %+v", got)
		}
	})
	t.Run("a status is set once, whatever it is", func(t *testing.T) {
		post := s.mustPost(t, author, 1)
		version := post.Version
		for _, status := range []domain.Status{domain.Unlisted, domain.Unpublished, domain.Published, domain.Unlisted,
			domain.Published} {
			version++
			for range 2 {
				got := must[domain.Post](t)(s.Posts.SetStatus(t.Context(), post.ID, author.ID, status))
				if got.Status != status || got.Version != version || got.Revision != 1 || got.Title != post.Title {
					t.Errorf("with status %q it is %+v", status, got)
				}
			}
		}
		_, err := s.Posts.SetStatus(t.Context(), post.ID, author.ID, "secret")
		wantKind(t, err, domain.NotFound)
		_, err = s.Posts.SetStatus(t.Context(), domain.NewID(), author.ID, domain.Unlisted)
		wantKind(t, err, domain.NotFound)
	})
	t.Run("a deleted post has no status to set", func(t *testing.T) {
		post := s.mustPost(t, author, 1)
		check(t, s.Posts.Delete(t.Context(), post.ID, author.ID))
		_, err := s.Posts.SetStatus(t.Context(), post.ID, author.ID, domain.Unlisted)
		wantKind(t, err, domain.NotFound)
		_, err = s.Drafts.Unpublish(t.Context(), author.ID, post.ID)
		wantKind(t, err, domain.NotFound)
	})
}
