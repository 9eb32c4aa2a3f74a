package cosmostest

import (
	"testing"

	"inkfeed/cosmos/cosmostest/fixture"
	"inkfeed/domain"
)

func (s *suite) publishing(t *testing.T) {
	author, other := s.MustUser(t), s.MustUser(t)
	publish := func(t *testing.T, d domain.Draft, minute int) domain.Post {
		t.Helper()
		return fixture.Must[domain.Post](t)(s.Drafts.Publish(t.Context(), author, d, fixture.At(minute)))
	}
	fixture.Run(t, "publishing turns a valid draft into a post and deletes the draft", func(t *testing.T) {
		d := s.MustDraft(t, author, " A  title ")
		post := publish(t, d, 1)
		want := domain.Post{ID: d.PostID, AuthorID: author.ID, AuthorName: author.Username, Title: "A title",
			Content: d.Content, Tags: "Go", Created: fixture.At(1), Revision: 1, Version: 1, News: true}
		if post != want || fixture.Must[domain.Post](t)(s.Posts.Get(t.Context(), d.PostID)) != want {
			t.Errorf("published as %+v, want %+v", post, want)
		}
		s.mustHaveNone(t, d)
	})
	fixture.Run(t, "publishing keeps the slug of an imported draft, which the form does not have", func(t *testing.T) {
		d := fixture.UnsavedDraft(author, "Imported")
		d.Slug = "as-before"
		d = fixture.Must[domain.Draft](t)(s.Drafts.Save(t.Context(), d))
		d.Slug = ""
		for minute := range 2 { // the second time there is no draft any more
			if post := publish(t, d, minute); post.Slug != "as-before" {
				t.Errorf("the slug is %q", post.Slug)
			}
		}
	})
	fixture.Run(t, "publishing twice creates one post", func(t *testing.T) {
		d := s.MustDraft(t, author, "Twice")
		first := publish(t, d, 1)
		if again := publish(t, d, 2); again != first {
			t.Errorf("published as %+v, the second time as %+v", first, again)
		}
	})
	fixture.Run(t, "an unsaved form published twice creates one post", func(t *testing.T) {
		d := fixture.UnsavedDraft(author, "Never saved")
		d.Status = domain.Unlisted
		first := publish(t, d, 1)
		if again := publish(t, d, 2); again != first || first.Status != domain.Unlisted {
			t.Errorf("published as %+v, the second time as %+v", first, again)
		}
		d.Title = "Another text"
		_, err := s.Drafts.Publish(t.Context(), author, d, fixture.At(3))
		fixture.WantKind(t, err, domain.Conflict)
	})
	fixture.Run(t, "an invalid draft is not published and stays", func(t *testing.T) {
		d := s.MustDraft(t, author, "")
		_, err := s.Drafts.Publish(t.Context(), author, d, fixture.At(1))
		fixture.WantKind(t, err, domain.Invalid)
		s.WantDraft(t, d)
		_, err = s.Posts.Get(t.Context(), d.PostID)
		fixture.WantKind(t, err, domain.NotFound)
	})
	fixture.Run(t, "publishing a version older than the saved one is a conflict", func(t *testing.T) {
		seen := s.MustDraft(t, author, "Seen")
		next := seen
		next.Title = "Not seen"
		next = fixture.Must[domain.Draft](t)(s.Drafts.Save(t.Context(), next))
		_, err := s.Drafts.Publish(t.Context(), author, seen, fixture.At(1))
		fixture.WantKind(t, err, domain.Conflict)
		s.WantDraft(t, next)
		_, err = s.Posts.Get(t.Context(), seen.PostID)
		fixture.WantKind(t, err, domain.NotFound)
	})
	fixture.Run(t, "publishing a change replaces the post and keeps the earlier version", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		draft, own, err := s.Drafts.Open(t.Context(), author.ID, post.ID)
		fixture.Check(t, err)
		if *own != post || draft.Version != 0 || draft.Changes(post) {
			t.Errorf("opened %+v and %+v", draft, own)
		}
		draft.Title, draft.Tags = "Changed", "a, b"
		draft = fixture.Must[domain.Draft](t)(s.Drafts.Save(t.Context(), draft))
		if got := fixture.Must[domain.Post](t)(s.Posts.Get(t.Context(), post.ID)); got != post {
			t.Errorf("the draft shows: %+v", got)
		}
		changed := publish(t, draft, 5)
		if changed.Title != "Changed" || changed.Tags != "a,b" || changed.Revision != 2 ||
			!changed.Edited.Equal(fixture.At(5)) || !changed.Created.Equal(post.Created) {
			t.Errorf("published as %+v", changed)
		}
		s.mustHaveNone(t, draft)
		if again := publish(t, draft, 5); again != changed {
			t.Errorf("published again as %+v", again)
		}
	})
	fixture.Run(t, "a change of an old revision is a conflict and stays a draft", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		draft := domain.DraftOf(post, fixture.At(2))
		draft.Title = "Mine"
		draft = fixture.Must[domain.Draft](t)(s.Drafts.Save(t.Context(), draft))
		theirs := fixture.Must[domain.Edit](t)(domain.NewEdit(post.ID, 1, "Theirs", "Text", fixture.At(3)))
		edited := fixture.Must[domain.Post](t)(s.Posts.Edit(t.Context(), theirs, author.ID))
		_, err := s.Drafts.Publish(t.Context(), author, draft, fixture.At(4))
		fixture.WantKind(t, err, domain.Conflict)
		s.WantDraft(t, draft)
		opened, own, err := s.Drafts.Open(t.Context(), author.ID, post.ID)
		fixture.Check(t, err)
		if opened != draft || *own != edited {
			t.Errorf("opened %+v and %+v", opened, own)
		}
	})
	fixture.Run(t, "a user cannot publish over another user's post", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		d := fixture.UnsavedDraft(other, "Theirs")
		d.PostID = post.ID
		_, err := s.Drafts.Publish(t.Context(), other, d, fixture.At(1))
		fixture.WantKind(t, err, domain.Forbidden)
		d.Revision = 1
		_, err = s.Drafts.Publish(t.Context(), other, d, fixture.At(1))
		fixture.WantKind(t, err, domain.Forbidden)
		if got := fixture.Must[domain.Post](t)(s.Posts.Get(t.Context(), post.ID)); got != post {
			t.Errorf("the post is now %+v", got)
		}
	})
	fixture.Run(t, "a change of a deleted post is not found, and its former draft is a conflict", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		fixture.Check(t, s.Posts.Delete(t.Context(), post.ID, author.ID))
		d := domain.DraftOf(post, fixture.At(2))
		_, err := s.Drafts.Publish(t.Context(), author, d, fixture.At(2))
		fixture.WantKind(t, err, domain.NotFound)
		d.Revision = 0
		_, err = s.Drafts.Publish(t.Context(), author, d, fixture.At(2))
		fixture.WantKind(t, err, domain.Conflict)
	})
	fixture.Run(t, "opening deletes a draft that equals its post and keeps one with changes",
		func(t *testing.T) {
			d := s.MustDraft(t, author, "Left over")
			post := fixture.Must[domain.Post](t)(d.Post(author, fixture.At(1)))
			fixture.Check(t, s.Posts.Create(t.Context(), post)) // the process died before deleting the draft
			opened, own, err := s.Drafts.Open(t.Context(), author.ID, d.PostID)
			fixture.Check(t, err)
			if *own != post || opened.Version != 0 || opened.Revision != 1 {
				t.Errorf("opened %+v and %+v", opened, own)
			}
			s.mustHaveNone(t, d)
			d.Content = "More text"
			d.Version = 0
			more := fixture.Must[domain.Draft](t)(s.Drafts.Save(t.Context(), d))
			if opened, _, err = s.Drafts.Open(t.Context(), author.ID, d.PostID); err != nil || opened != more {
				t.Errorf("opened %+v, %v", opened, err)
			}
		})
	fixture.Run(t, "without draft and post there is nothing to open", func(t *testing.T) {
		for _, id := range []string{s.MustPost(t, author, 1).ID, s.MustDraft(t, author, "Mine").PostID, domain.NewID(),
			".."} {
			_, _, err := s.Drafts.Open(t.Context(), other.ID, id)
			fixture.WantKind(t, err, domain.NotFound)
		}
	})
}

func (s *suite) unpublishing(t *testing.T) {
	author, reader := s.MustUser(t), s.MustUser(t)
	fixture.Run(t, "only its author can read the post with its responses and publish it again",
		func(t *testing.T) {
			post := s.MustPost(t, author, 1)
			s.MustComment(t, reader, post.ID, 2)
			var draft domain.Draft
			for range 2 {
				draft = fixture.Must[domain.Draft](t)(s.Drafts.Unpublish(t.Context(), author.ID, post.ID))
			}
			s.WantDraft(t, draft)
			if draft.Title != post.Title || draft.Revision != 1 || draft.Status != domain.Published {
				t.Errorf("the draft is %+v", draft)
			}
			_, err := s.Posts.Get(t.Context(), post.ID)
			fixture.WantKind(t, err, domain.NotFound)
			_, err = s.Posts.Own(t.Context(), post.ID, reader.ID)
			fixture.WantKind(t, err, domain.NotFound)
			own := fixture.Must[domain.Post](t)(s.Posts.Own(t.Context(), post.ID, author.ID))
			if own.Status != domain.Unpublished || own.CommentCount != 1 || own.Revision != 1 {
				t.Errorf("its author reads %+v", own)
			}
			again := fixture.Must[domain.Post](t)(s.Drafts.Publish(t.Context(), author, draft, fixture.At(5)))
			if again.Status != domain.Published || again.CommentCount != 1 || again.Version <= own.Version ||
				!again.Created.Equal(post.Created) {
				t.Errorf("published again as %+v", again)
			}
			fixture.Must[domain.Post](t)(s.Posts.Get(t.Context(), post.ID))
			s.mustHaveNone(t, draft)
		})
	fixture.Run(t, "an existing draft stays", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		d := domain.DraftOf(post, fixture.At(2))
		d.Title = "Begun to change"
		d = fixture.Must[domain.Draft](t)(s.Drafts.Save(t.Context(), d))
		if got := fixture.Must[domain.Draft](t)(s.Drafts.Unpublish(t.Context(), author.ID, post.ID)); got != d {
			t.Errorf("the draft is %+v", got)
		}
		s.WantDraft(t, d)
	})
	fixture.Run(t, "a scheduled change does not publish the post again", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		d := domain.DraftOf(post, fixture.At(2))
		d.Title = "Changed"
		d = fixture.Must[domain.Draft](t)(s.Drafts.Save(t.Context(), d))
		_, e := s.MustSchedule(t, d, fixture.Soon())
		if got := fixture.Must[domain.Draft](t)(s.Drafts.Unpublish(t.Context(), author.ID,
			post.ID)); !got.Publish.IsZero() ||
			got.Title != "Changed" {
			t.Errorf("the draft is %+v", got)
		}
		_, err := s.Drafts.PublishScheduled(t.Context(), e)
		fixture.WantKind(t, err, domain.NotFound)
		_, err = s.Posts.Get(t.Context(), post.ID)
		fixture.WantKind(t, err, domain.NotFound)
	})
	fixture.Run(t, "discarding the draft resets it to the post, so that the author still finds it", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		d := fixture.Must[domain.Draft](t)(s.Drafts.Unpublish(t.Context(), author.ID, post.ID))
		d.Title = "Changed"
		d = fixture.Must[domain.Draft](t)(s.Drafts.Save(t.Context(), d))
		d = fixture.Must[domain.Draft](t)(s.Drafts.Schedule(t.Context(), author.ID, post.ID, d.Version, fixture.Soon()))
		fixture.Check(t, s.Drafts.Discard(t.Context(), author.ID, post.ID, d.Version))
		got := fixture.Must[domain.Draft](t)(s.Drafts.Get(t.Context(), author.ID, post.ID))
		if got.Title != post.Title || !got.Publish.IsZero() || got.Revision != 1 {
			t.Errorf("the draft is %+v", got)
		}
	})
	fixture.Run(t, "discarding the draft keeps the status", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		fixture.Must[domain.Post](t)(s.Posts.SetStatus(t.Context(), post.ID, author.ID, domain.Unlisted))
		d := fixture.Must[domain.Draft](t)(s.Drafts.Unpublish(t.Context(), author.ID, post.ID))
		d.Title = "Changed"
		d = fixture.Must[domain.Draft](t)(s.Drafts.Save(t.Context(), d))
		fixture.Check(t, s.Drafts.Discard(t.Context(), author.ID, post.ID, d.Version))
		got := fixture.Must[domain.Draft](t)(s.Drafts.Get(t.Context(), author.ID, post.ID))
		if got.Title != post.Title || got.Status != domain.Unlisted {
			t.Errorf("the draft is %+v", got)
		}
	})
	fixture.Run(t, "publishing the post again unchanged is no edit", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		d := fixture.Must[domain.Draft](t)(s.Drafts.Unpublish(t.Context(), author.ID, post.ID))
		got := fixture.Must[domain.Post](t)(s.Drafts.Publish(t.Context(), author, d, fixture.At(9)))
		if got.Status != domain.Published || !got.Edited.IsZero() || got.Version <= post.Version {
			t.Errorf("the post is %+v", got)
		}
		if page := fixture.Must[domain.ListPage[domain.PostVersion]](t)(s.Posts.Versions(t.Context(), post.ID,
			1)); len(page.Items) != 0 {
			t.Errorf("versions %+v", page)
		}
		d = fixture.Must[domain.Draft](t)(s.Drafts.Unpublish(t.Context(), author.ID, post.ID))
		d.Title = "Changed"
		got = fixture.Must[domain.Post](t)(s.Drafts.Publish(t.Context(), author,
			fixture.Must[domain.Draft](t)(s.Drafts.Save(t.Context(), d)), fixture.At(10)))
		if got.Title != "Changed" || !got.Edited.Equal(fixture.At(10)) {
			t.Errorf("the post is %+v", got)
		}
	})
	fixture.Run(t, "only the author can unpublish or change the status", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		_, err := s.Drafts.Unpublish(t.Context(), reader.ID, post.ID)
		fixture.WantKind(t, err, domain.NotFound)
		_, err = s.Posts.SetStatus(t.Context(), post.ID, reader.ID, domain.Unlisted)
		fixture.WantKind(t, err, domain.Forbidden)
		if got := fixture.Must[domain.Post](t)(s.Posts.Get(t.Context(), post.ID)); got != post {
			t.Errorf("the post is now %+v", got)
		}
	})
	fixture.Run(t, "setting a status is idempotent", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		version := post.Version
		for _, status := range []domain.Status{domain.Unlisted, domain.Unpublished, domain.Published, domain.Unlisted,
			domain.Published} {
			version++
			for range 2 {
				got := fixture.Must[domain.Post](t)(s.Posts.SetStatus(t.Context(), post.ID, author.ID, status))
				if got.Status != status || got.Version != version || got.Revision != 1 || got.Title != post.Title {
					t.Errorf("with the status %q the post is %+v", status, got)
				}
			}
		}
		_, err := s.Posts.SetStatus(t.Context(), post.ID, author.ID, "secret")
		fixture.WantKind(t, err, domain.NotFound)
		_, err = s.Posts.SetStatus(t.Context(), domain.NewID(), author.ID, domain.Unlisted)
		fixture.WantKind(t, err, domain.NotFound)
	})
	fixture.Run(t, "a deleted post has no status", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		fixture.Check(t, s.Posts.Delete(t.Context(), post.ID, author.ID))
		_, err := s.Posts.SetStatus(t.Context(), post.ID, author.ID, domain.Unlisted)
		fixture.WantKind(t, err, domain.NotFound)
		_, err = s.Drafts.Unpublish(t.Context(), author.ID, post.ID)
		fixture.WantKind(t, err, domain.NotFound)
	})
}
