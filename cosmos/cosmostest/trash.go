package cosmostest

import (
	"context"
	"sync"
	"testing"
	"time"

	"inkfeed/cosmos/cosmostest/fixture"
	"inkfeed/domain"
)

// trashed is when the tests move posts to the trash.
var trashed = fixture.At(60)

func (s *suite) mustTrash(t *testing.T, post domain.Post) domain.Post {
	t.Helper()
	return fixture.Must[domain.Post](t)(s.Posts.Trash(t.Context(), post.ID, post.AuthorID, trashed))
}

func (s *suite) trash(t *testing.T) {
	author, reader := s.MustUser(t), s.MustUser(t)
	ctx := t.Context()
	fixture.Run(t, "others do not find a post in the trash, and a restored post is as it was", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		comment, _ := s.MustComment(t, reader, post.ID, 2)
		fixture.Must[domain.Post](t)(s.Posts.Like(ctx, domain.NewLike(reader, post.ID, fixture.At(3))))
		before := fixture.Must[domain.Post](t)(s.Posts.Get(ctx, post.ID))
		in := s.mustTrash(t, post)
		if !in.InTrash() || !in.Trashed.Equal(trashed) || !in.Withdrawn || in.Listed() || in.Open() ||
			in.Standing() != domain.Trashed || in.Version != before.Version+1 || in.Revision != before.Revision {
			t.Errorf("in the trash the post is %+v", in)
		}
		_, err := s.Posts.Get(ctx, post.ID)
		fixture.WantKind(t, err, domain.NotFound)
		if again := s.mustTrash(t, post); again != in {
			t.Errorf("moved there again it is %+v", again)
		}
		restored := fixture.Must[domain.Post](t)(s.Posts.Restore(ctx, post.ID, author.ID))
		if again := fixture.Must[domain.Post](t)(s.Posts.Restore(ctx, post.ID, author.ID)); again != restored {
			t.Errorf("restored twice it is %+v", again)
		}
		before.Version, before.Withdrawn = before.Version+2, true
		if restored != before {
			t.Errorf("restored it is %+v, want %+v", restored, before)
		}
		s.WantCounts(t, post.ID, 1, 1)
		if got := fixture.Must[domain.Comment](t)(s.Posts.Comment(ctx, post.ID, comment.ID)); got != comment {
			t.Errorf("the comment is %+v", got)
		}
	})
	fixture.Run(t, "a post comes back with its status and its hold", func(t *testing.T) {
		for _, status := range []domain.Status{domain.Unlisted, domain.Unpublished} {
			post := s.MustPost(t, author, 1)
			fixture.Must[domain.Post](t)(s.Posts.SetStatus(ctx, post.ID, author.ID, status))
			s.mustTrash(t, post)
			restored := fixture.Must[domain.Post](t)(s.Posts.Restore(ctx, post.ID, author.ID))
			if restored.Standing() != status {
				t.Errorf("restored, the post that was %s is %s", status, restored.Standing())
			}
		}
		post := s.MustPost(t, author, 1)
		s.hold(t, post, domain.HeldForReview)
		s.mustTrash(t, post)
		s.hold(t, post, domain.HeldByModerator) // moderators see posts in the trash
		restored := fixture.Must[domain.Post](t)(s.Posts.Restore(ctx, post.ID, author.ID))
		if restored.Standing() != domain.Hidden || restored.Held != domain.HeldByModerator {
			t.Errorf("restored the post is %+v", restored)
		}
	})
	fixture.Run(t, "a post that nobody was told of is no news after the trash", func(t *testing.T) {
		post := fixture.Must[domain.Post](t)(domain.NewPost(author, "New", "Text", fixture.At(1)))
		post.News = true
		fixture.Check(t, s.Posts.Create(ctx, post))
		s.mustTrash(t, post)
		if restored := fixture.Must[domain.Post](t)(s.Posts.Restore(ctx, post.ID, author.ID)); restored.News {
			t.Errorf("the restored post is %+v", restored)
		}
	})
	fixture.Run(t, "only the author moves a post to the trash and restores it", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		_, err := s.Posts.Trash(ctx, post.ID, reader.ID, trashed)
		fixture.WantKind(t, err, domain.Forbidden)
		s.mustTrash(t, post)
		_, err = s.Posts.Restore(ctx, post.ID, reader.ID)
		fixture.WantKind(t, err, domain.Forbidden)
		for _, id := range []string{domain.NewID(), domain.NewPageID()} {
			_, err = s.Posts.Trash(ctx, id, author.ID, trashed)
			fixture.WantKind(t, err, domain.NotFound)
			_, err = s.Posts.Restore(ctx, id, author.ID)
			fixture.WantKind(t, err, domain.NotFound)
		}
	})
	fixture.Run(t, "moving to the trash and restoring are one write each", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		for name, run := range map[string]func(ctx context.Context) error{
			"trash": func(ctx context.Context) error {
				_, err := s.Posts.Trash(ctx, post.ID, author.ID, trashed)
				return err
			},
			"restore": func(ctx context.Context) error {
				s.mustTrash(t, post)
				_, err := s.Posts.Restore(ctx, post.ID, author.ID)
				return err
			},
		} {
			if usage := s.Cost(t, run); usage.Requests() != 1 {
				t.Errorf("%s takes %d requests", name, usage.Requests())
			}
		}
	})
}

// inTrash checks that everything else that an author does with a post, and every response to it, is refused.
func (s *suite) inTrash(t *testing.T) {
	author, reader := s.MustUser(t), s.MustUser(t)
	ctx := t.Context()
	post := s.MustPost(t, author, 1)
	comment, _ := s.MustComment(t, reader, post.ID, 2)
	change := domain.DraftOf(post, fixture.At(3))
	change.Title = "Changed"
	change = fixture.Must[domain.Draft](t)(s.Drafts.Save(ctx, change))
	secret := fixture.Must[string](t)(s.Drafts.Share(ctx, author.ID, post.ID))
	in := s.mustTrash(t, post)
	of := func(_ any, err error) error { return err }
	for name, change := range map[string]func() error{
		"edit": func() error {
			return of(s.Posts.Edit(ctx, fixture.Must[domain.Edit](t)(domain.NewEdit(post.ID, in.Revision, "New", "Text",
				fixture.At(9))), author.ID))
		},
		"publish a draft of changes": func() error { return of(s.Drafts.Publish(ctx, author, change, fixture.At(9))) },
		"publish the address anew": func() error {
			again := post
			again.Created = fixture.At(9)
			return s.Posts.Create(ctx, again)
		},
		"change the status":   func() error { return of(s.Posts.SetStatus(ctx, post.ID, author.ID, domain.Unlisted)) },
		"unpublish":           func() error { return of(s.Drafts.Unpublish(ctx, author.ID, post.ID)) },
		"close the comments":  func() error { return of(s.Posts.CloseComments(ctx, post.ID, author.ID, true)) },
		"open in the editor":  func() error { _, _, err := s.Drafts.Open(ctx, author.ID, post.ID); return err },
		"discard the changes": func() error { return s.Drafts.Discard(ctx, author.ID, post.ID, change.Version) },
		"screen a draft":      func() error { return of(s.Posts.EditedBy(ctx, change, author.ID)) },
		"read as its author":  func() error { return of(s.Posts.Own(ctx, post.ID, author.ID)) },
	} {
		fixture.Run(t, "refused: "+name, func(t *testing.T) {
			err := change()
			fixture.WantKind(t, err, domain.Conflict)
			if err != nil && domain.Reason(err).String() != domain.Reason(domain.ErrInTrash()).String() {
				t.Errorf("the reason is %s", domain.Reason(err))
			}
		})
	}
	fixture.Run(t, "readers can only withdraw what they wrote", func(t *testing.T) {
		late := fixture.Must[domain.Comment](t)(domain.NewComment(reader, post.ID, "Late", fixture.At(9)))
		fixture.WantKind(t, of(s.Posts.AddComment(ctx, late)), domain.NotFound)
		fixture.WantKind(t, of(s.Posts.Like(ctx, domain.NewLike(reader, post.ID, fixture.At(9)))), domain.NotFound)
		fixture.WantKind(t, of(s.Drafts.Shared(ctx, secret)), domain.NotFound)
		fixture.Must[domain.CommentRemoval](t)(s.Posts.DeleteComment(ctx, post.ID, comment.ID, reader.ID))
	})
	fixture.Run(t, "the draft of changes fits the restored post", func(t *testing.T) {
		fixture.Must[domain.Post](t)(s.Posts.Restore(ctx, post.ID, author.ID))
		fixture.Must[domain.Shared](t)(s.Drafts.Shared(ctx, secret))
		if edited := fixture.Must[domain.Post](t)(s.Drafts.Publish(ctx, author, change,
			fixture.At(9))); edited.Title != "Changed" {
			t.Errorf("published is %+v", edited)
		}
	})
	fixture.Run(t, "a scheduled change has a problem, and keeps its text", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		change := domain.DraftOf(post, fixture.At(3))
		change.Title = "Changed"
		change = fixture.Must[domain.Draft](t)(s.Drafts.Save(ctx, change))
		_, item := s.MustSchedule(t, change, fixture.Soon())
		s.mustTrash(t, post)
		_, err := s.Drafts.PublishScheduled(ctx, item)
		fixture.WantKind(t, err, domain.Conflict)
		fixture.Check(t, s.Drafts.AbandonPublication(ctx, item, domain.Reason(err).Stored()))
		d := fixture.Must[domain.Draft](t)(s.Drafts.Get(ctx, author.ID, post.ID))
		if d.Title != "Changed" || d.Publishing || !d.Publish.IsZero() || d.Problem == "" {
			t.Errorf("the draft is %+v", d)
		}
	})
}

func (s *suite) purges(t *testing.T) {
	author := s.MustUser(t)
	ctx := t.Context()
	fixture.Run(t, "a post is deleted for good after its time in the trash, and only then", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		in := s.mustTrash(t, post)
		fixture.Check(t, s.Purges.PutNew(ctx, in.Purge()))
		var item domain.ScheduledItem
		for i, err := range s.Purges.Upcoming(ctx, fixture.FarFuture()) {
			if fixture.Check(t, err); i.PostID == post.ID {
				item = i
			}
		}
		if item.UserID != author.ID || !item.At.Equal(trashed.Add(domain.TrashTime)) {
			t.Fatalf("scheduled is %+v", item)
		}
		fixture.Must[domain.Post](t)(s.Posts.Restore(ctx, post.ID, author.ID))
		fixture.WantKind(t, s.Posts.Purge(ctx, item), domain.NotFound)
		later := fixture.Must[domain.Post](t)(s.Posts.Trash(ctx, post.ID, author.ID, trashed.Add(time.Hour)))
		fixture.WantKind(t, s.Posts.Purge(ctx, item), domain.NotFound)
		fixture.Check(t, s.Posts.Purge(ctx, later.Purge()))
		fixture.WantKind(t, s.Posts.Purge(ctx, later.Purge()), domain.NotFound)
		marker := fixture.Must[domain.Post](t)(s.Posts.Latest(ctx, post.ID))
		if marker.Deleted.IsZero() || marker.InTrash() || marker.Title+marker.Content != "" {
			t.Errorf("the marker is %+v", marker)
		}
		s.eraseAll(t, post.ID)
		if used := fixture.Must[bool](t)(s.Posts.Used(ctx, post.ID)); !used {
			t.Error("the address can be used again")
		}
	})
	fixture.Run(t, "the author deletes a post for good that is in the trash", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		s.mustTrash(t, post)
		fixture.Check(t, s.Posts.Delete(ctx, post.ID, author.ID))
		_, err := s.Posts.Restore(ctx, post.ID, author.ID)
		fixture.WantKind(t, err, domain.NotFound)
		_, err = s.Posts.Trash(ctx, post.ID, author.ID, trashed)
		fixture.WantKind(t, err, domain.NotFound)
	})
	fixture.Run(t, "of a restoration and many purges, one side wins entirely", func(t *testing.T) {
		for range 10 {
			post := s.MustPost(t, author, 1)
			in := s.mustTrash(t, post)
			var group sync.WaitGroup
			var restored error
			group.Go(func() { _, restored = s.Posts.Restore(ctx, post.ID, author.ID) })
			for range 3 {
				group.Go(func() {
					if err := s.Posts.Purge(ctx, in.Purge()); err != nil && !domain.Is(err, domain.NotFound) {
						t.Error(err)
					}
				})
			}
			group.Wait()
			last, err := s.Posts.Get(ctx, post.ID)
			if (restored == nil) != (err == nil) {
				t.Errorf("the restoration ends with %v, the post is %+v, %v", restored, last, err)
			}
		}
	})
	fixture.Run(t, "the deletion of an account erases its posts in the trash", func(t *testing.T) {
		leaving := s.MustUser(t)
		post := s.MustPost(t, leaving, 1)
		s.mustTrash(t, post)
		fixture.Check(t, s.AccountDeletions.Delete(ctx, leaving.ID))
		fixture.Must[domain.Step](t)(s.Posts.EraseAuthored(ctx, leaving.ID, 100))
		if marker := fixture.Must[domain.Post](t)(s.Posts.Latest(ctx, post.ID)); marker.Deleted.IsZero() {
			t.Errorf("left is %+v", marker)
		}
	})
}
