package cosmostest

import (
	"context"
	"slices"
	"testing"

	"inkfeed/cosmos/cosmostest/fixture"
	"inkfeed/domain"
)

// wantCount compares a post's number of comments and the number that other readers see.
func (s *suite) wantCount(t *testing.T, postID string, want int) {
	t.Helper()
	post := fixture.Must[domain.Post](t)(s.Posts.Latest(t.Context(), postID))
	seen := 0
	for _, c := range s.allComments(t, postID) {
		if c.Counts() {
			seen++
		}
	}
	if post.CommentCount != want || seen != want {
		t.Errorf("%d comments are counted, readers see %d, want %d", post.CommentCount, seen, want)
	}
}

func (s *suite) hold(t *testing.T, post domain.Post, hold domain.Hold) domain.Post {
	t.Helper()
	return fixture.Must[domain.Post](t)(s.Posts.Hold(t.Context(), post.ID, hold))
}

func (s *suite) holds(t *testing.T) {
	author := s.MustUser(t)
	ctx := t.Context()
	fixture.Run(t, "only its author finds a hidden post until it is released", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		held := s.hold(t, post, domain.HeldByModerator)
		if held.Held != domain.HeldByModerator || !held.Withdrawn || held.Listed() || held.Open() ||
			held.Version != post.Version+1 || held.Revision != post.Revision {
			t.Errorf("the held post is %+v", held)
		}
		_, err := s.Posts.Get(ctx, post.ID)
		fixture.WantKind(t, err, domain.NotFound)
		_, err = s.Posts.Author(ctx, post.ID)
		fixture.WantKind(t, err, domain.NotFound)
		if own := fixture.Must[domain.Post](t)(s.Posts.Own(ctx, post.ID, author.ID)); own != held {
			t.Errorf("its author reads %+v", own)
		}
		released := fixture.Must[domain.Post](t)(s.Posts.Release(ctx, post.ID, post.Revision))
		if !released.Listed() || released.Held != domain.NotHeld || released.Version != held.Version+1 {
			t.Errorf("the released post is %+v", released)
		}
		fixture.Must[domain.Post](t)(s.Posts.Get(ctx, post.ID))
	})
	fixture.Run(t, "a hold is idempotent, and a review does not weaken a moderator's hold", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		review := s.hold(t, post, domain.HeldForReview)
		held := s.hold(t, post, domain.HeldByModerator)
		if review.Held != domain.HeldForReview || held.Version != review.Version+1 {
			t.Errorf("held for review the post is %+v, then %+v", review, held)
		}
		for _, h := range []domain.Hold{domain.HeldByModerator, domain.HeldForReview} {
			if again := s.hold(t, post, h); again != held {
				t.Errorf("held again as %s the post is %+v", h, again)
			}
		}
		released := fixture.Must[domain.Post](t)(s.Posts.Release(ctx, post.ID, post.Revision))
		if again := fixture.Must[domain.Post](t)(s.Posts.Release(ctx, post.ID, post.Revision)); again != released {
			t.Errorf("released twice the post is %+v", again)
		}
	})
	fixture.Run(t, "a hold keeps the status, even if the author changes it", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		s.hold(t, post, domain.HeldByModerator)
		unlisted := fixture.Must[domain.Post](t)(s.Posts.SetStatus(ctx, post.ID, author.ID, domain.Unlisted))
		if unlisted.Standing() != domain.Hidden {
			t.Errorf("the standing of the held post is %q", unlisted.Standing())
		}
		released := fixture.Must[domain.Post](t)(s.Posts.Release(ctx, post.ID, post.Revision))
		if released.Standing() != domain.Unlisted {
			t.Errorf("the standing of the released post is %q", released.Standing())
		}
	})
	fixture.Run(t, "a hold is one write", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		if usage := s.Cost(t, func(ctx context.Context) error {
			_, err := s.Posts.Hold(ctx, post.ID, domain.HeldByModerator)
			return err
		}); usage.Requests() != 1 {
			t.Errorf("the hold takes %d requests", usage.Requests())
		}
	})
	fixture.Run(t, "an invalid hold is rejected", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		for _, h := range []domain.Hold{domain.NotHeld, domain.HeldByAuthor, "else"} {
			_, err := s.Posts.Hold(ctx, post.ID, h)
			fixture.WantKind(t, err, domain.Invalid)
		}
		_, err := s.Posts.Hold(ctx, domain.NewID(), domain.HeldByModerator)
		fixture.WantKind(t, err, domain.NotFound)
	})
}

func (s *suite) releases(t *testing.T) {
	author, reader := s.MustUser(t), s.MustUser(t)
	ctx := t.Context()
	fixture.Run(t, "an approved post records that its review has ended", func(t *testing.T) {
		post := s.hold(t, s.MustPost(t, author, 1), domain.HeldForReview)
		fixture.Check(t, s.Posts.ClearStaleListings(ctx, post.ID, post.Version))
		if released := fixture.Must[domain.Post](t)(s.Posts.Release(ctx, post.ID, post.Revision)); !released.Withdrawn {
			t.Errorf("the released post is %+v", released)
		}
	})
	fixture.Run(t, "a post edited since it was read cannot be released", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		seen := s.hold(t, post, domain.HeldForReview)
		edit := fixture.Must[domain.Edit](t)(domain.NewEdit(post.ID, seen.Revision, "Another", "Something else",
			fixture.At(2)))
		edited := fixture.Must[domain.Post](t)(s.Posts.Edit(ctx, edit, author.ID))
		_, err := s.Posts.Release(ctx, post.ID, seen.Revision)
		fixture.WantKind(t, err, domain.Conflict)
		if now := fixture.Must[domain.Post](t)(s.Posts.Latest(ctx, post.ID)); now != edited ||
			now.Held != domain.HeldForReview {
			t.Errorf("the post is %+v", now)
		}
		if released := fixture.Must[domain.Post](t)(s.Posts.Release(ctx, post.ID,
			edited.Revision)); !released.Listed() {
			t.Errorf("the released post is %+v", released)
		}
	})
	fixture.Run(t, "a comment edited since it was read cannot be released", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		seen, _ := s.MustComment(t, reader, post.ID, 1)
		fixture.Must[domain.Post](t)(s.Posts.HoldComment(ctx, post.ID, seen.ID, domain.HeldForReview))
		edited := seen
		for i := range 2 {
			edit := fixture.Must[domain.CommentEdit](t)(domain.NewCommentEdit(edited, "Something else",
				fixture.At(4+i)))
			before := edited
			edited = fixture.Must[domain.Comment](t)(s.Posts.EditComment(ctx, edit, reader.ID))
			_, err := s.Posts.ReleaseComment(ctx, post.ID, seen.ID, before.Edited)
			fixture.WantKind(t, err, domain.Conflict)
			s.wantCount(t, post.ID, 0)
		}
		for range 2 {
			fixture.Must[domain.Post](t)(s.Posts.ReleaseComment(ctx, post.ID, seen.ID, edited.Edited))
			s.wantCount(t, post.ID, 1)
		}
	})
}

func (s *suite) hiddenPosts(t *testing.T) {
	author, reader := s.MustUser(t), s.MustUser(t)
	ctx := t.Context()
	fixture.Run(t, "a hidden post rejects comments, likes and bookmarks", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		s.hold(t, post, domain.HeldByModerator)
		c := fixture.Must[domain.Comment](t)(domain.NewComment(reader, post.ID, "Hello", fixture.At(2)))
		_, err := s.Posts.AddComment(ctx, c)
		fixture.WantKind(t, err, domain.NotFound)
		_, err = s.Posts.Like(ctx, domain.NewLike(reader, post.ID, fixture.At(2)))
		fixture.WantKind(t, err, domain.NotFound)
	})
	fixture.Run(t, "likes and bookmarks of a hidden post can be removed", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		c, _ := s.MustComment(t, reader, post.ID, 1)
		fixture.Must[domain.Post](t)(s.Posts.Like(ctx, domain.NewLike(reader, post.ID, fixture.At(2))))
		s.hold(t, post, domain.HeldByModerator)
		fixture.Must[domain.CommentRemoval](t)(s.Posts.DeleteComment(ctx, post.ID, c.ID, reader.ID))
		if left := fixture.Must[domain.Post](t)(s.Posts.Unlike(ctx, post.ID, reader.ID)); left.CommentCount+
			left.LikeCount != 0 {
			t.Errorf("%+v is left of the responses", left)
		}
		fixture.Check(t, s.Posts.Delete(ctx, post.ID, author.ID))
		_, err := s.Posts.Release(ctx, post.ID, post.Revision)
		fixture.WantKind(t, err, domain.NotFound)
	})
	fixture.Run(t, "its copy is in none of the author's lists except that of unlisted posts", func(t *testing.T) {
		owner := s.MustUser(t)
		post := s.MustPost(t, owner, 1)
		fixture.Check(t, s.UserCopies.ApplySummary(ctx, s.Markdown.Summarize(post)))
		held := s.Markdown.Summarize(s.hold(t, post, domain.HeldForReview))
		fixture.Check(t, s.UserCopies.ApplySummary(ctx, held))
		if list := fixture.Must[domain.ListPage[domain.Summary]](t)(s.UserCopies.PostsOf(ctx, owner.ID,
			1)); len(list.Items) != 0 {
			t.Errorf("the list has %v, want no posts", list.Items)
		}
		if list := fixture.Must[domain.ListPage[domain.Summary]](t)(s.UserCopies.UnlistedOf(ctx, owner.ID,
			1)); !slices.Equal(list.Items,
			[]domain.Summary{held}) {
			t.Errorf("in no list: %v", list.Items)
		}
		fixture.Check(t,
			s.UserCopies.ApplySummary(ctx,
				s.Markdown.Summarize(fixture.Must[domain.Post](t)(s.Posts.Release(ctx, post.ID, post.Revision)))))
		if list := fixture.Must[domain.ListPage[domain.Summary]](t)(s.UserCopies.PostsOf(ctx, owner.ID,
			1)); len(list.Items) != 1 {
			t.Errorf("the list after the release is %v", list.Items)
		}
	})
	fixture.Run(t, "a bookmark of a hidden post stays without its text", func(t *testing.T) {
		post := s.MustPost(t, author, 1)
		b := fixture.Must[domain.Bookmark](t)(s.Posts.Bookmark(ctx, post, reader.ID, fixture.At(3)))
		held := s.hold(t, post, domain.HeldByModerator)
		if held.BookmarkDigest() == post.BookmarkDigest() {
			t.Error("the hold does not change the digest, so bookmarks are not updated")
		}
		fixture.Check(t, s.UserCopies.ApplyBookmark(ctx, s.Markdown.BookmarkedPost(b, held)))
		kept := s.saved(t, reader)
		if len(kept) != 1 || kept[0].Post.Status != domain.Hidden || kept[0].Post.Title+kept[0].Post.Text != "" {
			t.Errorf("the bookmark is %+v", kept)
		}
	})
}

func (s *suite) heldWrites(t *testing.T) {
	author := s.MustUser(t)
	ctx := t.Context()
	fixture.Run(t, "publishing a held draft is a single write", func(t *testing.T) {
		d := domain.Draft{PostID: domain.NewID(), AuthorID: author.ID, Title: "New", Content: "See https://example.org",
			Held: domain.HeldForReview}
		post := fixture.Must[domain.Post](t)(s.Drafts.Publish(ctx, author, d, fixture.At(5)))
		if post.Held != domain.HeldForReview || post.Version != 1 || post.Withdrawn {
			t.Errorf("the published post is %+v", post)
		}
		_, err := s.Posts.Get(ctx, post.ID)
		fixture.WantKind(t, err, domain.NotFound)
		if again := fixture.Must[domain.Post](t)(s.Drafts.Publish(ctx, author, d, fixture.At(5))); again != post {
			t.Errorf("publishing again returns %+v", again)
		}
	})
	fixture.Run(t, "holding an edit is part of the same write, and a hidden post stays hidden", func(t *testing.T) {
		for _, before := range []domain.Hold{domain.NotHeld, domain.HeldByModerator} {
			post := s.MustPost(t, author, 1)
			if before != domain.NotHeld {
				s.hold(t, post, before)
			}
			e := fixture.Must[domain.Edit](t)(domain.NewEdit(post.ID, 1, "Another title", "With a link.",
				fixture.At(6)))
			e.Held = domain.HeldForReview
			edited := fixture.Must[domain.Post](t)(s.Posts.Edit(ctx, e, author.ID))
			want := before
			if want == domain.NotHeld {
				want = domain.HeldForReview
			}
			if edited.Held != want || edited.Title != e.Title || edited.Revision != 2 || !edited.Withdrawn {
				t.Errorf("held as %q before the edit, the post is %+v", before, edited)
			}
			if again := fixture.Must[domain.Post](t)(s.Posts.Edit(ctx, e, author.ID)); again != edited {
				t.Errorf("the repeated edit returns %+v", again)
			}
			fixture.Must[domain.PostVersion](t)(s.Posts.Version(ctx, post.ID, 1))
		}
	})
	fixture.Run(t, "an edit that needs no review ends the review of its post, and no other hold", func(t *testing.T) {
		for before, want := range map[domain.Hold]domain.Hold{domain.HeldForReview: domain.NotHeld,
			domain.HeldByModerator: domain.HeldByModerator, domain.NotHeld: domain.NotHeld} {
			post := s.MustPost(t, author, 1)
			if before != domain.NotHeld {
				s.hold(t, post, before)
				held := fixture.Must[domain.Post](t)(s.Posts.Latest(ctx, post.ID))
				fixture.Check(t, s.Posts.ClearStaleListings(ctx, post.ID, held.Version))
			}
			e := fixture.Must[domain.Edit](t)(domain.NewEdit(post.ID, 1, "Another title", "No link.", fixture.At(6)))
			e.Held = domain.ReviewOver
			edited := fixture.Must[domain.Post](t)(s.Posts.Edit(ctx, e, author.ID))
			if edited.Held != want || edited.Title != e.Title || edited.Withdrawn != (before == domain.HeldForReview) {
				t.Errorf("held as %q before the edit, the post is %+v", before, edited)
			}
			if again := fixture.Must[domain.Post](t)(s.Posts.Edit(ctx, e, author.ID)); again != edited {
				t.Errorf("the repeated edit returns %+v", again)
			}
		}
	})
	fixture.Run(t, "a scheduled draft is reviewed with its text at publication", func(t *testing.T) {
		_, e := s.MustSchedule(t, s.MustDraft(t, author, "Later"), fixture.Soon())
		d := fixture.Must[domain.Draft](t)(s.Drafts.Get(ctx, author.ID, e.PostID))
		d.Content = "See " + linked
		fixture.Must[domain.Draft](t)(s.Drafts.Save(ctx, d))
		post := fixture.Must[domain.Post](t)(s.Drafts.PublishScheduled(ctx, e))
		if post.Held != domain.HeldForReview {
			t.Errorf("the published post is %+v", post)
		}
		post = fixture.Must[domain.Post](t)(s.Posts.Release(ctx, post.ID, post.Revision))
		change := domain.DraftOf(post, fixture.At(2))
		change.Title = "The same link"
		_, e = s.MustSchedule(t, fixture.Must[domain.Draft](t)(s.Drafts.Save(ctx, change)), fixture.Soon())
		if again := fixture.Must[domain.Post](t)(s.Drafts.PublishScheduled(ctx, e)); again.Held != domain.NotHeld ||
			again.Title != "The same link" {
			t.Errorf("with its former text the post is %+v", again)
		}
	})
}
