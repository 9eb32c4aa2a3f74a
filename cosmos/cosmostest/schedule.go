package cosmostest

import (
	"context"
	"fmt"
	"strings"
	"sync"
	"testing"
	"time"

	"inkfeed/cosmos/cosmostest/fixture"
	"inkfeed/domain"
)

func (s *suite) scheduled(t *testing.T) {
	author := s.MustUser(t)
	fixture.Run(t, "a scheduled draft is published with its time and its entry is removed", func(t *testing.T) {
		d, e := s.MustSchedule(t, s.MustDraft(t, author, "Later"), fixture.Soon())
		post := fixture.Must[domain.Post](t)(s.Drafts.PublishScheduled(t.Context(), e))
		if !post.Created.Equal(d.Publish) || post.Title != "Later" || post.AuthorName != author.Username ||
			post.Tags != "Go" {
			t.Errorf("published as %+v", post)
		}
		s.mustHaveNone(t, d)
		_, err := s.Drafts.PublishScheduled(t.Context(), e) // another instance, later
		fixture.WantKind(t, err, domain.NotFound)
		for range 2 {
			fixture.Check(t, s.ScheduledPosts.Done(t.Context(), e))
		}
		if _, ok := s.ScheduledItemOf(t, d); ok {
			t.Error("the schedule entry still exists")
		}
	})
	fixture.Run(t, "the last saved text is published", func(t *testing.T) {
		d, e := s.MustSchedule(t, s.MustDraft(t, author, "First"), fixture.Soon())
		d.Title = "Last"
		saved := fixture.Must[domain.Draft](t)(s.Drafts.Save(t.Context(), d))
		if !saved.Publish.Equal(d.Publish) {
			t.Errorf("saved as %+v", saved)
		}
		if post := fixture.Must[domain.Post](t)(s.Drafts.PublishScheduled(t.Context(), e)); post.Title != "Last" {
			t.Errorf("published as %+v", post)
		}
	})
	fixture.Run(t, "a scheduled change published several times creates one version", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		d := domain.DraftOf(post, fixture.At(2))
		d.Title, d.Status = "Changed", domain.Unlisted
		d, e := s.MustSchedule(t, fixture.Must[domain.Draft](t)(s.Drafts.Save(t.Context(), d)), fixture.Soon())
		s.publishAtOnce(t, e)
		got := fixture.Must[domain.Post](t)(s.Posts.Get(t.Context(), post.ID))
		if got.Title != "Changed" || got.Revision != 2 || got.Version != 2 || !got.Edited.Equal(d.Publish) ||
			got.Status != domain.Unlisted {
			t.Errorf("published as %+v", got)
		}
		if page := fixture.Must[domain.ListPage[domain.PostVersion]](t)(s.Posts.Versions(t.Context(), post.ID,
			1)); len(page.Items) != 1 {
			t.Errorf("versions %+v", page.Items)
		}
		s.mustHaveNone(t, d)
	})
	fixture.Run(t, "many concurrent instances publish one post", func(t *testing.T) {
		d, e := s.MustSchedule(t, s.MustDraft(t, author, "Once"), fixture.Soon())
		s.publishAtOnce(t, e)
		if got := fixture.Must[domain.Post](t)(s.Posts.Get(t.Context(), d.PostID)); got.Revision != 1 ||
			got.Version != 1 {
			t.Errorf("published as %+v", got)
		}
		s.mustHaveNone(t, d)
	})
	fixture.Run(t, "a change at the scheduled time either succeeds or fails as too late", func(t *testing.T) {
		published := 0
		for i := range 30 {
			d, e := s.MustSchedule(t, s.MustDraft(t, author, "Now or never"), fixture.Soon())
			var group sync.WaitGroup
			var changed error
			group.Go(func() {
				if i%2 == 0 {
					_, changed = s.Drafts.Unschedule(t.Context(), author.ID, d.PostID)
					return
				}
				next := d
				next.Title = "Saved"
				_, changed = s.Drafts.Save(t.Context(), next)
			})
			s.publishAtOnce(t, e)
			group.Wait()
			post, err := s.Posts.Get(t.Context(), d.PostID)
			if err != nil {
				fixture.WantKind(t, err, domain.NotFound)
			} else {
				published++
			}
			switch {
			case i%2 == 0 && (err == nil) == (changed == nil):
				t.Errorf("taken back: %v; the post: %v", changed, err)
			case i%2 == 1 && (err != nil || (post.Title == "Saved") != (changed == nil)):
				t.Errorf("saved: %v; the post: %q, %v", changed, post.Title, err)
			case changed != nil && !domain.Is(changed, domain.Conflict) && !domain.Is(changed, domain.NotFound):
				t.Errorf("the change failed: %v", changed)
			}
		}
		t.Logf("%d of 30 were published", published)
	})
	fixture.Run(t, "an unpublished post is published again", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		_, e := s.MustSchedule(t, fixture.Must[domain.Draft](t)(s.Drafts.Unpublish(t.Context(), author.ID, post.ID)),
			fixture.Soon())
		fixture.Must[domain.Post](t)(s.Drafts.PublishScheduled(t.Context(), e))
		if got := fixture.Must[domain.Post](t)(s.Posts.Get(t.Context(), post.ID)); got.Status != domain.Published {
			t.Errorf("published as %+v", got)
		}
	})
}

func (s *suite) rescheduled(t *testing.T) {
	author := s.MustUser(t)
	fixture.Run(t, "a draft with a new time is not published at the old one", func(t *testing.T) {
		first, e := s.MustSchedule(t, s.MustDraft(t, author, "Moved"), fixture.Soon())
		second, _ := s.MustSchedule(t, first, fixture.Soon().Add(time.Hour))
		_, err := s.Drafts.PublishScheduled(t.Context(), e)
		fixture.WantKind(t, err, domain.NotFound)
		fixture.Check(t, s.Drafts.AbandonPublication(t.Context(), e, "No reason."))
		s.WantDraft(t, second)
	})
	fixture.Run(t, "cancelling the schedule leaves an ordinary draft", func(t *testing.T) {
		d, e := s.MustSchedule(t, s.MustDraft(t, author, "Not yet"), fixture.Soon())
		want := d
		want.Publish = time.Time{}
		for range 2 {
			if got := fixture.Must[domain.Draft](t)(s.Drafts.Unschedule(t.Context(), author.ID,
				d.PostID)); got != want {
				t.Errorf("the draft is %+v, want %+v", got, want)
			}
		}
		_, err := s.Drafts.PublishScheduled(t.Context(), e)
		fixture.WantKind(t, err, domain.NotFound)
		s.WantDraft(t, want)
		_, err = s.Drafts.Unschedule(t.Context(), author.ID, domain.NewID())
		fixture.WantKind(t, err, domain.NotFound)
	})
	fixture.Run(t, "a draft published earlier is not published at its time", func(t *testing.T) {
		d, e := s.MustSchedule(t, s.MustDraft(t, author, "Now"), fixture.Soon())
		post := fixture.Must[domain.Post](t)(s.Drafts.Publish(t.Context(), author, d, fixture.At(1)))
		s.mustHaveNone(t, d)
		_, err := s.Drafts.PublishScheduled(t.Context(), e)
		fixture.WantKind(t, err, domain.NotFound)
		if got := fixture.Must[domain.Post](t)(s.Posts.Get(t.Context(), d.PostID)); got != post ||
			!got.Created.Equal(fixture.At(1)) {
			t.Errorf("the draft is now %+v", got)
		}
	})
	fixture.Run(t, "an entry that was scheduled again is not removed", func(t *testing.T) {
		d, e := s.MustSchedule(t, s.MustDraft(t, author, "Anew"), fixture.Soon())
		fixture.Check(t, s.ScheduledPosts.Put(t.Context(), domain.ScheduledItem{UserID: author.ID, PostID: d.PostID,
			At: d.Publish}))
		fixture.Check(t, s.ScheduledPosts.Done(t.Context(), e))
		if _, ok := s.ScheduledItemOf(t, d); !ok {
			t.Error("the schedule entry is missing")
		}
	})
}

func (s *suite) notScheduled(t *testing.T) {
	author := s.MustUser(t)
	fixture.Run(t, "an invalid draft or a past time is rejected", func(t *testing.T) {
		d := s.MustDraft(t, author, "")
		_, err := s.Drafts.Schedule(t.Context(), author.ID, d.PostID, 1, fixture.Soon())
		fixture.WantKind(t, err, domain.Invalid)
		sound := s.MustDraft(t, author, "Sound")
		for _, at := range []time.Time{{}, time.Now().Add(-time.Second), time.Now().AddDate(100, 0, 0)} {
			_, err = s.Drafts.Schedule(t.Context(), author.ID, sound.PostID, 1, at)
			if fixture.WantKind(t, err, domain.Invalid); !strings.Contains(fmt.Sprint(err), "publishDate") {
				t.Errorf("error %v", err)
			}
		}
		s.WantDraft(t, d)
		s.WantDraft(t, sound)
	})
	fixture.Run(t, "a text saved meanwhile in another window is not scheduled", func(t *testing.T) {
		d := s.MustDraft(t, author, "Seen")
		next := d
		next.Title = "Not seen"
		fixture.Must[domain.Draft](t)(s.Drafts.Save(t.Context(), next))
		_, err := s.Drafts.Schedule(t.Context(), author.ID, d.PostID, 1, fixture.Soon())
		fixture.WantKind(t, err, domain.Conflict)
		_, err = s.Drafts.Schedule(t.Context(), author.ID, domain.NewID(), 1, fixture.Soon())
		fixture.WantKind(t, err, domain.NotFound)
	})
	fixture.Run(t, "a draft that cannot be published is unscheduled, with the reason until it is saved",
		func(t *testing.T) {
			d, e := s.MustSchedule(t, s.MustDraft(t, author, "Sound"), fixture.Soon())
			d.Title = ""
			broken := fixture.Must[domain.Draft](t)(s.Drafts.Save(t.Context(), d))
			_, err := s.Drafts.PublishScheduled(t.Context(), e)
			fixture.WantKind(t, err, domain.Invalid)
			for range 2 {
				fixture.Check(t, s.Drafts.AbandonPublication(t.Context(), e, "The title can't be empty."))
			}
			want := broken
			want.Publish, want.Problem = time.Time{}, "The title can't be empty."
			s.WantDraft(t, want)
			want.Title = "Mended"
			if mended := fixture.Must[domain.Draft](t)(s.Drafts.Save(t.Context(), want)); mended.Problem != "" ||
				mended.Publishing {
				t.Errorf("mended: %+v", mended)
			}
			s.MustSchedule(t, fixture.Must[domain.Draft](t)(s.Drafts.Get(t.Context(), author.ID, d.PostID)),
				fixture.Soon().Add(time.Minute))
		})
	fixture.Run(t, "a change of a post edited or deleted meanwhile is unscheduled with the reason", func(t *testing.T) {
		for what, meanwhile := range map[string]func(post domain.Post) error{
			"edited": func(post domain.Post) error {
				_, err := s.Posts.Edit(t.Context(), domain.Edit{PostID: post.ID, Revision: 1, Title: "Theirs",
					Content: "Text", At: fixture.At(5)}, author.ID)
				return err
			},
			"deleted": func(post domain.Post) error { return s.Posts.Delete(t.Context(), post.ID, author.ID) },
		} {
			post := s.MustPost(t, author, 1)
			change := domain.DraftOf(post, fixture.At(2))
			change.Title = "Mine"
			d, e := s.MustSchedule(t, fixture.Must[domain.Draft](t)(s.Drafts.Save(t.Context(), change)), fixture.Soon())
			fixture.Check(t, meanwhile(post))
			_, err := s.Drafts.PublishScheduled(t.Context(), e)
			fixture.WantKind(t, err, domain.Conflict)
			fixture.Check(t, s.Drafts.AbandonPublication(t.Context(), e, domain.Reason(err).Stored()))
			got := fixture.Must[domain.Draft](t)(s.Drafts.Get(t.Context(), author.ID, post.ID))
			if !got.SameText(d) || !got.Publish.IsZero() || got.Publishing || !strings.Contains(got.Problem.String(),
				"The post") {
				t.Errorf("%s: the draft is %+v", what, got)
			}
		}
	})
}

func (s *suite) upcoming(t *testing.T) {
	author := s.MustUser(t)
	fixture.Run(t, "the earliest entry comes first", func(t *testing.T) {
		early, late := fixture.Soon().Add(-30*time.Minute), fixture.Soon().Add(30*time.Minute)
		s.MustSchedule(t, s.MustDraft(t, author, "Late"), late)
		s.MustSchedule(t, s.MustDraft(t, author, "Early"), early)
		var last time.Time
		for e, err := range s.ScheduledPosts.Upcoming(t.Context(), fixture.FarFuture()) {
			if fixture.Check(t, err); e.At.Before(last) {
				t.Errorf("%v is listed after %v", e, last)
			}
			last = e.At
		}
		if last.Before(late) {
			t.Errorf("the list ends at %v", last)
		}
	})
	fixture.Run(t, "more entries than a page are read only as far as needed", func(t *testing.T) {
		after, want := fixture.Soon().Add(24*time.Hour), 250
		for i := range want {
			fixture.Check(t, s.ScheduledPosts.Put(t.Context(),
				domain.ScheduledItem{UserID: author.ID, PostID: domain.NewID(),
					At: after.Add(time.Duration(i/2) * time.Second)}))
		}
		ids := make(map[string]bool)
		for e, err := range s.ScheduledPosts.Upcoming(t.Context(), fixture.FarFuture()) {
			if fixture.Check(t, err); !e.At.Before(after) && e.UserID == author.ID {
				ids[e.PostID] = true
			}
		}
		if len(ids) != want {
			t.Errorf("%d entries are listed", len(ids))
		}
		usage := s.Cost(t, func(ctx context.Context) error {
			for _, err := range s.ScheduledPosts.Upcoming(ctx, fixture.FarFuture()) {
				return err
			}
			return nil
		})
		if usage.Requests() != 1 {
			t.Errorf("the first one takes %d requests", usage.Requests())
		}
	})
}
