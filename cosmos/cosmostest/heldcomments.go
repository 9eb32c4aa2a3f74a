package cosmostest

import (
	"testing"

	"inkfeed/cosmos/cosmostest/fixture"
	"inkfeed/domain"
)

// counts checks the number of comments of a post that was returned by a change.
func (s *suite) counts(t *testing.T, want int) func(domain.Post, error) {
	t.Helper()
	return func(p domain.Post, err error) {
		t.Helper()
		if fixture.Check(t, err); p.CommentCount != want {
			t.Errorf("the post counts %d comments, want %d", p.CommentCount, want)
		}
		s.wantCount(t, p.ID, want)
	}
}

func (s *suite) reviewedComments(t *testing.T) {
	author, reader := s.MustUser(t), s.MustUser(t)
	ctx := t.Context()
	fixture.Run(t, "an edit that holds a comment updates the count in the same transaction", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		c, _ := s.MustComment(t, reader, post.ID, 1)
		e := fixture.Must[domain.CommentEdit](t)(domain.NewCommentEdit(c, "With a link.", fixture.At(2)))
		e.Held = domain.HeldForReview
		_, err := s.Posts.EditComment(ctx, e, author.ID)
		fixture.WantKind(t, err, domain.Forbidden)
		var edited domain.Comment
		for range 2 {
			edited = fixture.Must[domain.Comment](t)(s.Posts.EditComment(ctx, e, reader.ID))
			if edited.Held != domain.HeldForReview || edited.Content != e.Content || !edited.Edited.Equal(e.At) {
				t.Errorf("the edited comment is %+v", edited)
			}
		}
		if stored := fixture.Must[domain.Comment](t)(s.Posts.Comment(ctx, post.ID, c.ID)); stored != edited {
			t.Errorf("stored is %+v", stored)
		}
		s.wantCount(t, post.ID, 0)
		e.At = fixture.At(3)
		older := e
		older.Content = "With another link."
		_, err = s.Posts.EditComment(ctx, older, reader.ID)
		fixture.WantKind(t, err, domain.Conflict)
		fixture.Must[domain.Post](t)(s.Posts.HoldComment(ctx, post.ID, c.ID, domain.HeldByModerator))
		e.Began = fixture.At(2)
		if hidden := fixture.Must[domain.Comment](t)(s.Posts.EditComment(ctx, e,
			reader.ID)); hidden.Held != domain.HeldByModerator {
			t.Errorf("an edit has replaced the moderator's hold: %+v", hidden)
		}
		fixture.Must[domain.CommentRemoval](t)(s.Posts.DeleteComment(ctx, post.ID, c.ID, reader.ID))
		_, err = s.Posts.EditComment(ctx, e, reader.ID)
		fixture.WantKind(t, err, domain.NotFound)
	})
	fixture.Run(t, "an edit that needs no review ends the review, and no other hold", func(t *testing.T) {
		for before, want := range map[domain.Hold]domain.Hold{domain.HeldForReview: domain.NotHeld,
			domain.HeldByModerator: domain.HeldByModerator, domain.HeldByAuthor: domain.HeldByAuthor,
			domain.NotHeld: domain.NotHeld} {
			post := s.MustPost(t, author, 1)
			c, _ := s.MustComment(t, reader, post.ID, 1)
			if before != domain.NotHeld {
				fixture.Must[domain.Post](t)(s.Posts.HoldComment(ctx, post.ID, c.ID, before))
			}
			e := fixture.Must[domain.CommentEdit](t)(domain.NewCommentEdit(c, "No link.", fixture.At(2)))
			e.Held = domain.ReviewOver
			for range 2 {
				edited := fixture.Must[domain.Comment](t)(s.Posts.EditComment(ctx, e, reader.ID))
				if edited.Held != want || edited.Content != e.Content {
					t.Errorf("held as %q before the edit, the comment is %+v", before, edited)
				}
			}
			counted := 0
			if want == domain.NotHeld {
				counted = 1
			}
			s.wantCount(t, post.ID, counted)
		}
	})
	fixture.Run(t, "a post records that the review of a comment on it has ended", func(t *testing.T) {
		for name, change := range map[string]func(domain.Comment) error{
			"deleted": func(c domain.Comment) error {
				_, err := s.Posts.DeleteComment(ctx, c.PostID, c.ID, reader.ID)
				return err
			},
			"edited": func(c domain.Comment) error {
				_, err := s.Posts.EditComment(ctx, domain.CommentEdit{PostID: c.PostID, ID: c.ID, Began: c.Edited,
					Content: "Without links", At: fixture.At(7), Held: domain.ReviewOver}, reader.ID)
				return err
			},
			"hidden": func(c domain.Comment) error {
				_, err := s.Posts.HoldComment(ctx, c.PostID, c.ID, domain.HeldByModerator)
				return err
			},
			"approved": func(c domain.Comment) error {
				_, err := s.Posts.ReleaseComment(ctx, c.PostID, c.ID, c.Edited)
				return err
			},
		} {
			for before, want := range map[domain.Hold]bool{domain.HeldForReview: true, domain.HeldByAuthor: false} {
				post := s.MustPost(t, author, 1)
				c, _ := s.MustComment(t, reader, post.ID, 1)
				fixture.Must[domain.Post](t)(s.Posts.HoldComment(ctx, post.ID, c.ID, before))
				fixture.Check(t, change(c))
				after := fixture.Must[domain.Post](t)(s.Posts.Latest(ctx, post.ID))
				if after.Withdrawn != want {
					t.Errorf("held as %q and then %s: %+v", before, name, after)
				}
			}
		}
	})
}

func (s *suite) hiddenComments(t *testing.T) {
	author, reader := s.MustUser(t), s.MustUser(t)
	ctx := t.Context()
	fixture.Run(t, "a hidden comment is not counted and returns to its position", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		first, _ := s.MustComment(t, reader, post.ID, 1)
		s.MustComment(t, reader, post.ID, 2)
		for range 2 {
			s.counts(t, 1)(s.Posts.HoldComment(ctx, post.ID, first.ID, domain.HeldByModerator))
		}
		if c := fixture.Must[domain.Comment](t)(s.Posts.Comment(ctx, post.ID,
			first.ID)); c.Held != domain.HeldByModerator ||
			c.Content != first.Content {
			t.Errorf("the comment is %+v", c)
		}
		for range 2 {
			s.counts(t, 2)(s.Posts.ReleaseComment(ctx, post.ID, first.ID, first.Edited))
		}
		s.wantOutline(t, post.ID, "Comment 1, Comment 2")
	})
	fixture.Run(t, "successive holds count once and follow their precedence", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		c, _ := s.MustComment(t, reader, post.ID, 1)
		for _, step := range []struct{ hold, want domain.Hold }{
			{domain.HeldForReview, domain.HeldForReview},
			{domain.HeldByAuthor, domain.HeldForReview}, // otherwise the author could release the post
			{domain.HeldByModerator, domain.HeldByModerator},
			{domain.HeldByAuthor, domain.HeldByModerator},
			{domain.HeldForReview, domain.HeldByModerator},
		} {
			s.counts(t, 0)(s.Posts.HoldComment(ctx, post.ID, c.ID, step.hold))
			if got := fixture.Must[domain.Comment](t)(s.Posts.Comment(ctx, post.ID, c.ID)); got.Held != step.want {
				t.Errorf("after holding it as %q the comment is held as %q", step.hold, got.Held)
			}
		}
		s.counts(t, 0)(s.Posts.ShowComment(ctx, post.ID, c.ID, c.Edited, domain.NotHeld)) // moderators only
		s.counts(t, 1)(s.Posts.ReleaseComment(ctx, post.ID, c.ID, c.Edited))
		s.counts(t, 0)(s.Posts.HoldComment(ctx, post.ID, c.ID, domain.HeldByAuthor))
		s.counts(t, 1)(s.Posts.ShowComment(ctx, post.ID, c.ID, c.Edited, domain.NotHeld))
	})
	fixture.Run(t, "only the post's author can show a comment they hid, and a review may then hold it",
		func(t *testing.T) {
			post := s.MustPost(t, author, 1)
			c, _ := s.MustComment(t, reader, post.ID, 1)
			s.counts(t, 0)(s.Posts.HoldComment(ctx, post.ID, c.ID, domain.HeldByAuthor))
			e := fixture.Must[domain.CommentEdit](t)(domain.NewCommentEdit(c, "With a link.", fixture.At(2)))
			e.Held = domain.HeldForReview
			edited := fixture.Must[domain.Comment](t)(s.Posts.EditComment(ctx, e, reader.ID))
			if edited.Held != domain.HeldByAuthor || edited.Content != e.Content {
				t.Errorf("the edited comment is %+v", edited)
			}
			_, err := s.Posts.ShowComment(ctx, post.ID, c.ID, c.Edited, domain.NotHeld)
			fixture.WantKind(t, err, domain.Conflict)
			s.wantCount(t, post.ID, 0)
			for range 2 {
				s.counts(t, 0)(s.Posts.ShowComment(ctx, post.ID, c.ID, edited.Edited, domain.HeldForReview))
			}
			if got := fixture.Must[domain.Comment](t)(s.Posts.Comment(ctx, post.ID,
				c.ID)); got.Held != domain.HeldForReview {
				t.Errorf("the shown comment is %+v", got)
			}
			s.counts(t, 1)(s.Posts.ReleaseComment(ctx, post.ID, c.ID, edited.Edited))
		})
	fixture.Run(t, "a comment held on arrival counts after its release", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		head, _ := s.MustComment(t, reader, post.ID, 1)
		reply := fixture.Must[domain.Comment](t)(domain.NewReply(reader, head, "See https://example.org",
			fixture.At(2)))
		reply.Held = domain.HeldForReview
		for range 2 {
			s.counts(t, 1)(s.Posts.AddComment(ctx, reply))
		}
		if c := fixture.Must[domain.Comment](t)(s.Posts.Comment(ctx, post.ID, head.ID)); c.Replies != 1 {
			t.Errorf("the parent counts %d replies", c.Replies)
		}
		s.counts(t, 2)(s.Posts.ReleaseComment(ctx, post.ID, reply.ID, reply.Edited))
	})
	fixture.Run(t, "the author can edit a hidden comment, which stays hidden", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		c, _ := s.MustComment(t, reader, post.ID, 1)
		fixture.Must[domain.Post](t)(s.Posts.HoldComment(ctx, post.ID, c.ID, domain.HeldByModerator))
		edit := fixture.Must[domain.CommentEdit](t)(domain.NewCommentEdit(c, "Milder", fixture.At(4)))
		if edited := fixture.Must[domain.Comment](t)(s.Posts.EditComment(ctx, edit,
			reader.ID)); edited.Held != domain.HeldByModerator {
			t.Errorf("the edited comment is %+v", edited)
		}
		s.wantCount(t, post.ID, 0)
	})
	fixture.Run(t, "two concurrent holds count once", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		c, _ := s.MustComment(t, reader, post.ID, 1)
		done := make(chan error)
		for i := range 6 {
			go func() {
				var err error
				if i%2 == 0 {
					_, err = s.Posts.HoldComment(ctx, post.ID, c.ID, domain.HeldByModerator)
				} else {
					_, err = s.Posts.ReleaseComment(ctx, post.ID, c.ID, c.Edited)
				}
				done <- err
			}()
		}
		for range 6 {
			fixture.Check(t, <-done)
		}
		want := 1
		if fixture.Must[domain.Comment](t)(s.Posts.Comment(ctx, post.ID, c.ID)).Hidden() {
			want = 0
		}
		s.wantCount(t, post.ID, want)
	})
}

func (s *suite) hiddenThreads(t *testing.T) {
	author, reader := s.MustUser(t), s.MustUser(t)
	ctx := t.Context()
	fixture.Run(t, "replies stay below a hidden comment and no new ones are accepted", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		head, _ := s.MustComment(t, reader, post.ID, 1)
		reply := s.MustReply(t, author, head, 2)
		s.counts(t, 1)(s.Posts.HoldComment(ctx, post.ID, head.ID, domain.HeldByModerator))
		late := fixture.Must[domain.Comment](t)(domain.NewReply(author, head, "Late", fixture.At(3)))
		_, err := s.Posts.AddComment(ctx, late)
		fixture.WantKind(t, err, domain.Conflict)
		s.wantCount(t, post.ID, 1)
		s.counts(t, 0)(s.Posts.HoldComment(ctx, post.ID, reply.ID, domain.HeldByAuthor))
		if c := fixture.Must[domain.Comment](t)(s.Posts.Comment(ctx, post.ID, head.ID)); c.Replies != 1 {
			t.Errorf("the parent counts %d replies, want the hidden one counted too", c.Replies)
		}
		s.counts(t, 1)(s.Posts.ReleaseComment(ctx, post.ID, head.ID, head.Edited))
		fixture.Must[domain.Post](t)(s.Posts.AddComment(ctx, late))
		s.counts(t, 3)(s.Posts.ReleaseComment(ctx, post.ID, reply.ID, reply.Edited))
		s.wantOutline(t, post.ID, "Comment 1, - Reply 2, - Late")
	})
	fixture.Run(t, "deleting a hidden comment does not change the count", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		alone, _ := s.MustComment(t, reader, post.ID, 1)
		head, _ := s.MustComment(t, reader, post.ID, 2)
		s.MustReply(t, author, head, 3)
		for _, c := range []domain.Comment{alone, head} {
			fixture.Must[domain.Post](t)(s.Posts.HoldComment(ctx, post.ID, c.ID, domain.HeldByModerator))
		}
		for _, c := range []domain.Comment{alone, head} {
			fixture.Must[domain.CommentRemoval](t)(s.Posts.DeleteComment(ctx, post.ID, c.ID, reader.ID))
			s.wantCount(t, post.ID, 1)
		}
		s.wantOutline(t, post.ID, "x, - Reply 3")
		if c := fixture.Must[domain.Comment](t)(s.Posts.Comment(ctx, post.ID, head.ID)); c.Hidden() {
			t.Errorf("the placeholder is held: %+v", c)
		}
		for _, c := range []domain.Comment{alone, head} {
			_, err := s.Posts.HoldComment(ctx, post.ID, c.ID, domain.HeldByModerator)
			fixture.WantKind(t, err, domain.NotFound)
			_, err = s.Posts.ReleaseComment(ctx, post.ID, c.ID, c.Edited)
			fixture.WantKind(t, err, domain.NotFound)
		}
		s.wantCount(t, post.ID, 1)
	})
	fixture.Run(t, "deleting the post or the account leaves correct counts", func(t *testing.T) {
		leaver := s.MustUser(t)
		mine, other := s.MustPost(t, author, 1), s.MustPost(t, author, 2)
		for _, p := range []domain.Post{mine, other} {
			c, _ := s.MustComment(t, leaver, p.ID, 1)
			fixture.Must[domain.Post](t)(s.Posts.HoldComment(ctx, p.ID, c.ID, domain.HeldForReview))
			s.MustComment(t, leaver, p.ID, 2)
			s.MustComment(t, reader, p.ID, 3)
		}
		fixture.Check(t, s.Posts.Delete(ctx, mine.ID, author.ID))
		for more := true; more; {
			more = fixture.Must[bool](t)(s.Posts.EraseResponses(ctx, mine.ID))
		}
		s.wantCount(t, mine.ID, 0)
		for more := true; more; {
			more = fixture.Must[domain.Step](t)(s.Posts.EraseAuthored(ctx, leaver.ID, 1000)).More
		}
		s.wantCount(t, other.ID, 1)
	})
}
