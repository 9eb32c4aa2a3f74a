package cosmostest

import (
	"context"
	"fmt"
	"slices"
	"testing"

	"inkfeed/domain"
)

// wantCount is what a post says of its comments, and how many others see.
func (s *suite) wantCount(t *testing.T, postID string, want int) {
	t.Helper()
	post := must[domain.Post](t)(s.Posts.Latest(t.Context(), postID))
	seen := 0
	for _, c := range s.allComments(t, postID) {
		if c.Counts() {
			seen++
		}
	}
	if post.CommentCount != want || seen != want {
		t.Errorf("%d comments are counted, %d seen, want %d", post.CommentCount, seen, want)
	}
}

func (s *suite) holds(t *testing.T) {
	author, reader := s.mustUser(t), s.mustUser(t)
	ctx := t.Context()
	hold := func(t *testing.T, post domain.Post, hold domain.Hold) domain.Post {
		t.Helper()
		return must[domain.Post](t)(s.Posts.Hold(ctx, post.ID, hold))
	}
	t.Run("a hidden post is found by its author alone, until it is released", func(t *testing.T) {
		post := s.mustPost(t, author, 1)
		held := hold(t, post, domain.HeldByModerator)
		if held.Held != domain.HeldByModerator || !held.Withdrawn || held.Listed() || held.Open() || held.Version != post.Version+1 || held.Revision != post.Revision {
			t.Errorf("it is %+v", held)
		}
		_, err := s.Posts.Get(ctx, post.ID)
		wantKind(t, err, domain.NotFound)
		if own := must[domain.Post](t)(s.Posts.Own(ctx, post.ID, author.ID)); own != held {
			t.Errorf("its author finds %+v", own)
		}
		released := must[domain.Post](t)(s.Posts.Release(ctx, post.ID, post.Revision))
		if !released.Listed() || released.Held != domain.NotHeld || released.Version != held.Version+1 {
			t.Errorf("released it is %+v", released)
		}
		must[domain.Post](t)(s.Posts.Get(ctx, post.ID))
	})
	t.Run("doing it twice changes nothing, and a review does not weaken a moderator's word", func(t *testing.T) {
		post := s.mustPost(t, author, 1)
		review := hold(t, post, domain.HeldForReview)
		held := hold(t, post, domain.HeldByModerator)
		if review.Held != domain.HeldForReview || held.Version != review.Version+1 {
			t.Errorf("for review it is %+v, then %+v", review, held)
		}
		for _, h := range []domain.Hold{domain.HeldByModerator, domain.HeldForReview} {
			if again := hold(t, post, h); again != held {
				t.Errorf("held once more as %s it is %+v", h, again)
			}
		}
		released := must[domain.Post](t)(s.Posts.Release(ctx, post.ID, post.Revision))
		if again := must[domain.Post](t)(s.Posts.Release(ctx, post.ID, post.Revision)); again != released {
			t.Errorf("released twice it is %+v", again)
		}
	})
	t.Run("nobody releases what was edited after they looked", func(t *testing.T) {
		post := s.mustPost(t, author, 1)
		seen := hold(t, post, domain.HeldForReview)
		edit := must[domain.Edit](t)(domain.NewEdit(post.ID, seen.Revision, "Another", "Something else", at(2)))
		edited := must[domain.Post](t)(s.Posts.Edit(ctx, edit, author.ID))
		_, err := s.Posts.Release(ctx, post.ID, seen.Revision)
		wantKind(t, err, domain.Conflict)
		if now := must[domain.Post](t)(s.Posts.Latest(ctx, post.ID)); now != edited || now.Held != domain.HeldForReview {
			t.Errorf("it is %+v", now)
		}
		if released := must[domain.Post](t)(s.Posts.Release(ctx, post.ID, edited.Revision)); !released.Listed() {
			t.Errorf("released it is %+v", released)
		}
	})
	t.Run("nor a comment", func(t *testing.T) {
		post := s.mustPost(t, author, 1)
		seen, _ := s.mustComment(t, reader, post.ID, 1)
		must[domain.Post](t)(s.Posts.HoldComment(ctx, post.ID, seen.ID, domain.HeldForReview))
		edited := seen
		for i := range 2 {
			edit := must[domain.CommentEdit](t)(domain.NewCommentEdit(edited, "Something else", at(4+i)))
			before := edited
			edited = must[domain.Comment](t)(s.Posts.EditComment(ctx, edit, reader.ID))
			_, err := s.Posts.ReleaseComment(ctx, post.ID, seen.ID, before.Edited)
			wantKind(t, err, domain.Conflict)
			s.wantCount(t, post.ID, 0)
		}
		for range 2 {
			must[domain.Post](t)(s.Posts.ReleaseComment(ctx, post.ID, seen.ID, edited.Edited))
			s.wantCount(t, post.ID, 1)
		}
	})
	t.Run("nobody can do anything on it", func(t *testing.T) {
		post := s.mustPost(t, author, 1)
		hold(t, post, domain.HeldByModerator)
		c := must[domain.Comment](t)(domain.NewComment(reader, post.ID, "Hello", at(2)))
		_, err := s.Posts.AddComment(ctx, c)
		wantKind(t, err, domain.NotFound)
		_, err = s.Posts.Like(ctx, domain.NewLike(reader, post.ID, at(2)))
		wantKind(t, err, domain.NotFound)
	})
	t.Run("but what is there can be taken back", func(t *testing.T) {
		post := s.mustPost(t, author, 1)
		c, _ := s.mustComment(t, reader, post.ID, 1)
		must[domain.Post](t)(s.Posts.Like(ctx, domain.NewLike(reader, post.ID, at(2))))
		hold(t, post, domain.HeldByModerator)
		must[domain.CommentRemoval](t)(s.Posts.DeleteComment(ctx, post.ID, c.ID, reader.ID))
		if left := must[domain.Post](t)(s.Posts.Unlike(ctx, post.ID, reader.ID)); left.CommentCount+left.LikeCount != 0 {
			t.Errorf("of its responses %+v is left", left)
		}
		check(t, s.Posts.Delete(ctx, post.ID, author.ID))
		_, err := s.Posts.Release(ctx, post.ID, post.Revision)
		wantKind(t, err, domain.NotFound)
	})
	t.Run("its status stays under the hold, also when its author changes it", func(t *testing.T) {
		post := s.mustPost(t, author, 1)
		hold(t, post, domain.HeldByModerator)
		unlisted := must[domain.Post](t)(s.Posts.SetStatus(ctx, post.ID, author.ID, domain.Unlisted))
		if unlisted.Standing() != domain.Hidden {
			t.Errorf("it stands as %q", unlisted.Standing())
		}
		if released := must[domain.Post](t)(s.Posts.Release(ctx, post.ID, post.Revision)); released.Standing() != domain.Unlisted {
			t.Errorf("released it stands as %q", released.Standing())
		}
	})
	t.Run("its copy is in none of the author's lists but that of what is in none", func(t *testing.T) {
		owner := s.mustUser(t)
		post := s.mustPost(t, owner, 1)
		check(t, s.Users.ApplySummary(ctx, s.markdown.Summarize(post)))
		held := s.markdown.Summarize(hold(t, post, domain.HeldForReview))
		check(t, s.Users.ApplySummary(ctx, held))
		if list := must[domain.Page[domain.Summary]](t)(s.Users.PostsOf(ctx, owner.ID, 1)); len(list.Items) != 0 {
			t.Errorf("listed: %v", list.Items)
		}
		if list := must[domain.Page[domain.Summary]](t)(s.Users.UnlistedOf(ctx, owner.ID, 1)); !slices.Equal(list.Items, []domain.Summary{held}) {
			t.Errorf("in no list: %v", list.Items)
		}
		check(t, s.Users.ApplySummary(ctx, s.markdown.Summarize(must[domain.Post](t)(s.Posts.Release(ctx, post.ID, post.Revision)))))
		if list := must[domain.Page[domain.Summary]](t)(s.Users.PostsOf(ctx, owner.ID, 1)); len(list.Items) != 1 {
			t.Errorf("released: %v", list.Items)
		}
	})
	t.Run("who bookmarked it keeps its place, and nothing of its text", func(t *testing.T) {
		post := s.mustPost(t, author, 1)
		b := must[domain.Bookmark](t)(s.Posts.Bookmark(ctx, post, reader.ID, at(3)))
		held := hold(t, post, domain.HeldByModerator)
		if held.Shown() == post.Shown() {
			t.Error("those who bookmarked it would not be told")
		}
		check(t, s.Users.ApplyBookmark(ctx, s.markdown.Save(b, held)))
		kept := s.kept(t, reader)
		if len(kept) != 1 || kept[0].Post.Status != domain.Hidden || kept[0].Post.Title+kept[0].Post.Text != "" {
			t.Errorf("kept is %+v", kept)
		}
	})
	t.Run("a draft is published held, in the same write", func(t *testing.T) {
		d := domain.Draft{PostID: domain.NewID(), AuthorID: author.ID, Title: "New", Content: "See https://example.org", Held: domain.HeldForReview}
		post := must[domain.Post](t)(s.Drafts.Publish(ctx, author, d, at(5)))
		if post.Held != domain.HeldForReview || post.Version != 1 || post.Withdrawn {
			t.Errorf("published it is %+v", post)
		}
		_, err := s.Posts.Get(ctx, post.ID)
		wantKind(t, err, domain.NotFound)
		if again := must[domain.Post](t)(s.Drafts.Publish(ctx, author, d, at(5))); again != post {
			t.Errorf("sent again it is %+v", again)
		}
	})
	t.Run("an edit is held in the same write, and one that is hidden already stays so", func(t *testing.T) {
		for _, before := range []domain.Hold{domain.NotHeld, domain.HeldByModerator} {
			post := s.mustPost(t, author, 1)
			if before != domain.NotHeld {
				hold(t, post, before)
			}
			e := must[domain.Edit](t)(domain.NewEdit(post.ID, 1, "Another title", "With a link.", at(6)))
			e.Held = domain.HeldForReview
			edited := must[domain.Post](t)(s.Posts.Edit(ctx, e, author.ID))
			want := before
			if want == domain.NotHeld {
				want = domain.HeldForReview
			}
			if edited.Held != want || edited.Title != e.Title || edited.Revision != 2 || !edited.Withdrawn {
				t.Errorf("held as %q before, it is %+v", before, edited)
			}
			if again := must[domain.Post](t)(s.Posts.Edit(ctx, e, author.ID)); again != edited {
				t.Errorf("sent again it is %+v", again)
			}
			must[domain.PostVersion](t)(s.Posts.Version(ctx, post.ID, 1))
		}
	})
	t.Run("what publishes itself is held by what it says then", func(t *testing.T) {
		_, e := s.mustSchedule(t, s.mustDraft(t, author, "Later"), soon())
		d := must[domain.Draft](t)(s.Drafts.Get(ctx, author.ID, e.PostID))
		d.Content = "See " + linked
		must[domain.Draft](t)(s.Drafts.Save(ctx, d))
		post := must[domain.Post](t)(s.Drafts.PublishScheduled(ctx, e))
		if post.Held != domain.HeldForReview {
			t.Errorf("published it is %+v", post)
		}
		post = must[domain.Post](t)(s.Posts.Release(ctx, post.ID, post.Revision))
		change := domain.DraftOf(post, at(2))
		change.Title = "The same link"
		_, e = s.mustSchedule(t, must[domain.Draft](t)(s.Drafts.Save(ctx, change)), soon())
		if again := must[domain.Post](t)(s.Drafts.PublishScheduled(ctx, e)); again.Held != domain.NotHeld || again.Title != "The same link" {
			t.Errorf("with what it said before it is %+v", again)
		}
	})
	t.Run("holding is one write", func(t *testing.T) {
		post := s.mustPost(t, author, 1)
		if usage := cost(t, func(ctx context.Context) error {
			_, err := s.Posts.Hold(ctx, post.ID, domain.HeldByModerator)
			return err
		}); usage.Requests() != 1 {
			t.Errorf("%d requests", usage.Requests())
		}
	})
	t.Run("a hold that is none of a post's is refused", func(t *testing.T) {
		post := s.mustPost(t, author, 1)
		for _, h := range []domain.Hold{domain.NotHeld, domain.HeldByAuthor, "else"} {
			_, err := s.Posts.Hold(ctx, post.ID, h)
			wantKind(t, err, domain.Invalid)
		}
		_, err := s.Posts.Hold(ctx, domain.NewID(), domain.HeldByModerator)
		wantKind(t, err, domain.NotFound)
	})
}

func (s *suite) holdComments(t *testing.T) {
	author, reader := s.mustUser(t), s.mustUser(t)
	ctx := t.Context()
	count := func(t *testing.T, want int) func(domain.Post, error) {
		t.Helper()
		return func(p domain.Post, err error) {
			t.Helper()
			if check(t, err); p.CommentCount != want {
				t.Errorf("it says %d comments, want %d", p.CommentCount, want)
			}
			s.wantCount(t, p.ID, want)
		}
	}
	t.Run("an edit that holds a comment is one transaction with the count", func(t *testing.T) {
		post := s.mustPost(t, author, 1)
		c, _ := s.mustComment(t, reader, post.ID, 1)
		e := must[domain.CommentEdit](t)(domain.NewCommentEdit(c, "With a link.", at(2)))
		e.Held = domain.HeldForReview
		_, err := s.Posts.EditComment(ctx, e, author.ID)
		wantKind(t, err, domain.Forbidden)
		var edited domain.Comment
		for range 2 {
			edited = must[domain.Comment](t)(s.Posts.EditComment(ctx, e, reader.ID))
			if edited.Held != domain.HeldForReview || edited.Content != e.Content || !edited.Edited.Equal(e.At) {
				t.Errorf("it is %+v", edited)
			}
		}
		if stored := must[domain.Comment](t)(s.Posts.Comment(ctx, post.ID, c.ID)); stored != edited {
			t.Errorf("stored is %+v", stored)
		}
		s.wantCount(t, post.ID, 0)
		e.At = at(3)
		_, err = s.Posts.EditComment(ctx, e, reader.ID) // of what it was before
		wantKind(t, err, domain.Conflict)
		must[domain.Post](t)(s.Posts.HoldComment(ctx, post.ID, c.ID, domain.HeldByModerator))
		e.Began = at(2)
		if hidden := must[domain.Comment](t)(s.Posts.EditComment(ctx, e, reader.ID)); hidden.Held != domain.HeldByModerator {
			t.Errorf("a moderator's word does not stand: %+v", hidden)
		}
		must[domain.CommentRemoval](t)(s.Posts.DeleteComment(ctx, post.ID, c.ID, reader.ID))
		_, err = s.Posts.EditComment(ctx, e, reader.ID)
		wantKind(t, err, domain.NotFound)
	})
	t.Run("a hidden comment is not counted, and comes back to its place", func(t *testing.T) {
		post := s.mustPost(t, author, 1)
		first, _ := s.mustComment(t, reader, post.ID, 1)
		s.mustComment(t, reader, post.ID, 2)
		for range 2 {
			count(t, 1)(s.Posts.HoldComment(ctx, post.ID, first.ID, domain.HeldByModerator))
		}
		if c := must[domain.Comment](t)(s.Posts.Comment(ctx, post.ID, first.ID)); c.Held != domain.HeldByModerator || c.Content != first.Content {
			t.Errorf("it is %+v", c)
		}
		for range 2 {
			count(t, 2)(s.Posts.ReleaseComment(ctx, post.ID, first.ID, first.Edited))
		}
		s.wantOutline(t, post.ID, "Comment 1, Comment 2")
	})
	t.Run("holds that follow each other count once, and yield as they should", func(t *testing.T) {
		post := s.mustPost(t, author, 1)
		c, _ := s.mustComment(t, reader, post.ID, 1)
		for _, step := range []struct{ hold, want domain.Hold }{
			{domain.HeldForReview, domain.HeldForReview},
			{domain.HeldByAuthor, domain.HeldForReview}, // or its author could let it go
			{domain.HeldByModerator, domain.HeldByModerator},
			{domain.HeldByAuthor, domain.HeldByModerator},
			{domain.HeldForReview, domain.HeldByModerator},
		} {
			count(t, 0)(s.Posts.HoldComment(ctx, post.ID, c.ID, step.hold))
			if got := must[domain.Comment](t)(s.Posts.Comment(ctx, post.ID, c.ID)); got.Held != step.want {
				t.Errorf("held as %q it is held as %q", step.hold, got.Held)
			}
		}
		count(t, 0)(s.Posts.ShowComment(ctx, post.ID, c.ID, c.Edited, domain.NotHeld)) // not the author's to release
		count(t, 1)(s.Posts.ReleaseComment(ctx, post.ID, c.ID, c.Edited))
		count(t, 0)(s.Posts.HoldComment(ctx, post.ID, c.ID, domain.HeldByAuthor))
		count(t, 1)(s.Posts.ShowComment(ctx, post.ID, c.ID, c.Edited, domain.NotHeld))
	})
	t.Run("what the post's author hid comes back by that one alone, and waits then if it has to", func(t *testing.T) {
		post := s.mustPost(t, author, 1)
		c, _ := s.mustComment(t, reader, post.ID, 1)
		count(t, 0)(s.Posts.HoldComment(ctx, post.ID, c.ID, domain.HeldByAuthor))
		e := must[domain.CommentEdit](t)(domain.NewCommentEdit(c, "With a link.", at(2)))
		e.Held = domain.HeldForReview
		edited := must[domain.Comment](t)(s.Posts.EditComment(ctx, e, reader.ID))
		if edited.Held != domain.HeldByAuthor || edited.Content != e.Content {
			t.Errorf("edited it is %+v", edited)
		}
		_, err := s.Posts.ShowComment(ctx, post.ID, c.ID, c.Edited, domain.NotHeld)
		wantKind(t, err, domain.Conflict)
		s.wantCount(t, post.ID, 0)
		for range 2 {
			count(t, 0)(s.Posts.ShowComment(ctx, post.ID, c.ID, edited.Edited, domain.HeldForReview))
		}
		if got := must[domain.Comment](t)(s.Posts.Comment(ctx, post.ID, c.ID)); got.Held != domain.HeldForReview {
			t.Errorf("shown it is %+v", got)
		}
		count(t, 1)(s.Posts.ReleaseComment(ctx, post.ID, c.ID, edited.Edited))
	})
	t.Run("replies stay under it, and none joins them", func(t *testing.T) {
		post := s.mustPost(t, author, 1)
		head, _ := s.mustComment(t, reader, post.ID, 1)
		reply := s.mustReply(t, author, head, 2)
		count(t, 1)(s.Posts.HoldComment(ctx, post.ID, head.ID, domain.HeldByModerator))
		late := must[domain.Comment](t)(domain.NewReply(author, head, "Late", at(3)))
		_, err := s.Posts.AddComment(ctx, late)
		wantKind(t, err, domain.Conflict)
		s.wantCount(t, post.ID, 1)
		count(t, 0)(s.Posts.HoldComment(ctx, post.ID, reply.ID, domain.HeldByAuthor))
		if c := must[domain.Comment](t)(s.Posts.Comment(ctx, post.ID, head.ID)); c.Replies != 1 {
			t.Errorf("it counts %d replies, one of which may come back", c.Replies)
		}
		count(t, 1)(s.Posts.ReleaseComment(ctx, post.ID, head.ID, head.Edited))
		must[domain.Post](t)(s.Posts.AddComment(ctx, late))
		count(t, 3)(s.Posts.ReleaseComment(ctx, post.ID, reply.ID, reply.Edited))
		s.wantOutline(t, post.ID, "Comment 1, - Reply 2, - Late")
	})
	t.Run("deleting it takes nothing off the count again", func(t *testing.T) {
		post := s.mustPost(t, author, 1)
		alone, _ := s.mustComment(t, reader, post.ID, 1)
		head, _ := s.mustComment(t, reader, post.ID, 2)
		s.mustReply(t, author, head, 3)
		for _, c := range []domain.Comment{alone, head} {
			must[domain.Post](t)(s.Posts.HoldComment(ctx, post.ID, c.ID, domain.HeldByModerator))
		}
		for _, c := range []domain.Comment{alone, head} {
			must[domain.CommentRemoval](t)(s.Posts.DeleteComment(ctx, post.ID, c.ID, reader.ID))
			s.wantCount(t, post.ID, 1)
		}
		s.wantOutline(t, post.ID, "x, - Reply 3")
		if c := must[domain.Comment](t)(s.Posts.Comment(ctx, post.ID, head.ID)); c.Hidden() {
			t.Errorf("the placeholder is held: %+v", c)
		}
		for _, c := range []domain.Comment{alone, head} {
			_, err := s.Posts.HoldComment(ctx, post.ID, c.ID, domain.HeldByModerator)
			wantKind(t, err, domain.NotFound)
			_, err = s.Posts.ReleaseComment(ctx, post.ID, c.ID, c.Edited)
			wantKind(t, err, domain.NotFound)
		}
		s.wantCount(t, post.ID, 1)
	})
	t.Run("a comment that comes held does not count until it is released", func(t *testing.T) {
		post := s.mustPost(t, author, 1)
		head, _ := s.mustComment(t, reader, post.ID, 1)
		reply := must[domain.Comment](t)(domain.NewReply(reader, head, "See https://example.org", at(2)))
		reply.Held = domain.HeldForReview
		for range 2 {
			count(t, 1)(s.Posts.AddComment(ctx, reply))
		}
		if c := must[domain.Comment](t)(s.Posts.Comment(ctx, post.ID, head.ID)); c.Replies != 1 {
			t.Errorf("its parent counts %d replies", c.Replies)
		}
		count(t, 2)(s.Posts.ReleaseComment(ctx, post.ID, reply.ID, reply.Edited))
	})
	t.Run("its author edits it, and it stays hidden", func(t *testing.T) {
		post := s.mustPost(t, author, 1)
		c, _ := s.mustComment(t, reader, post.ID, 1)
		must[domain.Post](t)(s.Posts.HoldComment(ctx, post.ID, c.ID, domain.HeldByModerator))
		edit := must[domain.CommentEdit](t)(domain.NewCommentEdit(c, "Milder", at(4)))
		if edited := must[domain.Comment](t)(s.Posts.EditComment(ctx, edit, reader.ID)); edited.Held != domain.HeldByModerator {
			t.Errorf("edited it is %+v", edited)
		}
		s.wantCount(t, post.ID, 0)
	})
	t.Run("what goes with a post or an account leaves right counts", func(t *testing.T) {
		leaver := s.mustUser(t)
		mine, other := s.mustPost(t, author, 1), s.mustPost(t, author, 2)
		for _, p := range []domain.Post{mine, other} {
			c, _ := s.mustComment(t, leaver, p.ID, 1)
			must[domain.Post](t)(s.Posts.HoldComment(ctx, p.ID, c.ID, domain.HeldForReview))
			s.mustComment(t, leaver, p.ID, 2)
			s.mustComment(t, reader, p.ID, 3)
		}
		check(t, s.Posts.Delete(ctx, mine.ID, author.ID))
		for more := true; more; {
			more = must[bool](t)(s.Posts.EraseResponses(ctx, mine.ID))
		}
		s.wantCount(t, mine.ID, 0)
		for more := true; more; {
			more = must[bool](t)(s.Posts.EraseAuthored(ctx, leaver.ID))
		}
		s.wantCount(t, other.ID, 1)
	})
	t.Run("two at once count it once", func(t *testing.T) {
		post := s.mustPost(t, author, 1)
		c, _ := s.mustComment(t, reader, post.ID, 1)
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
			check(t, <-done)
		}
		want := 1
		if must[domain.Comment](t)(s.Posts.Comment(ctx, post.ID, c.ID)).Hidden() {
			want = 0
		}
		s.wantCount(t, post.ID, want)
	})
}

func (s *suite) closedComments(t *testing.T) {
	author, reader := s.mustUser(t), s.mustUser(t)
	ctx := t.Context()
	t.Run("a post takes no comments until it does again; those that are there stay", func(t *testing.T) {
		post := s.mustPost(t, author, 1)
		head, _ := s.mustComment(t, reader, post.ID, 1)
		for range 2 {
			closed := must[domain.Post](t)(s.Posts.CloseComments(ctx, post.ID, author.ID, true))
			if !closed.CommentsClosed || closed.Version != post.Version+1 || !closed.Listed() {
				t.Errorf("it is %+v", closed)
			}
		}
		late := must[domain.Comment](t)(domain.NewComment(reader, post.ID, "Late", at(2)))
		reply := must[domain.Comment](t)(domain.NewReply(reader, head, "Late", at(2)))
		for _, c := range []domain.Comment{late, reply} {
			_, err := s.Posts.AddComment(ctx, c)
			wantKind(t, err, domain.Forbidden)
		}
		s.wantOutline(t, post.ID, "Comment 1")
		for range 2 {
			if open := must[domain.Post](t)(s.Posts.CloseComments(ctx, post.ID, author.ID, false)); open.CommentsClosed {
				t.Errorf("it is %+v", open)
			}
		}
		must[domain.Post](t)(s.Posts.AddComment(ctx, late))
		s.wantCount(t, post.ID, 2)
	})
	t.Run("only its author closes them", func(t *testing.T) {
		post := s.mustPost(t, author, 1)
		_, err := s.Posts.CloseComments(ctx, post.ID, reader.ID, true)
		wantKind(t, err, domain.Forbidden)
		_, err = s.Posts.CloseComments(ctx, domain.NewID(), author.ID, true)
		wantKind(t, err, domain.NotFound)
	})
}

func (s *suite) suspensions(t *testing.T) {
	author, other := s.mustUser(t), s.mustUser(t)
	ctx := t.Context()
	own, theirs := s.mustPost(t, author, 1), s.mustPost(t, other, 2)
	mine, _ := s.mustComment(t, author, own.ID, 1)
	s.mustComment(t, other, own.ID, 2)
	head, _ := s.mustComment(t, author, theirs.ID, 3)
	s.mustReply(t, other, head, 4)
	held, _ := s.mustComment(t, author, theirs.ID, 5)
	must[domain.Post](t)(s.Posts.HoldComment(ctx, theirs.ID, held.ID, domain.HeldByAuthor))
	for _, u := range []domain.User{author, other} {
		must[domain.Post](t)(s.Posts.Like(ctx, domain.NewLike(u, theirs.ID, at(6))))
	}
	kept := must[domain.Bookmark](t)(s.Posts.Bookmark(ctx, theirs, author.ID, at(7)))
	spread := func(t *testing.T, suspended bool, want int) {
		t.Helper()
		changed, more, err := s.Posts.SpreadSuspension(ctx, author.ID, suspended)
		if check(t, err); changed != want || more {
			t.Errorf("%d items changed, more %t, want %d", changed, more, want)
		}
	}
	likers := func() (names []string) {
		for _, l := range must[domain.Page[domain.Like]](t)(s.Posts.Likes(ctx, theirs.ID, 1)).Items {
			names = append(names, l.Username)
		}
		return names
	}
	t.Run("hide what the user wrote, and all of it comes back", func(t *testing.T) {
		for range 2 {
			spread(t, true, 5)
			if post := must[domain.Post](t)(s.Posts.Latest(ctx, own.ID)); post.Listed() || !post.AuthorSuspended || !post.Withdrawn {
				t.Errorf("the post is %+v", post)
			}
			_, err := s.Posts.Get(ctx, own.ID)
			wantKind(t, err, domain.NotFound)
			s.wantCount(t, own.ID, 1)
			s.wantCount(t, theirs.ID, 1) // the reply
			if post := must[domain.Post](t)(s.Posts.Get(ctx, theirs.ID)); post.LikeCount != 2 {
				t.Errorf("likes count %d, want 2 as ever", post.LikeCount)
			}
			if names := likers(); !slices.Equal(names, []string{other.Username}) {
				t.Errorf("it is liked by %v", names)
			}
			if few := must[[]domain.Like](t)(s.Posts.LatestLikes(ctx, theirs.ID, 3)); len(few) != 1 {
				t.Errorf("the latest likes are %v", few)
			}
			spread(t, true, 0)
			spread(t, false, 5)
			must[domain.Post](t)(s.Posts.Get(ctx, own.ID))
			s.wantCount(t, own.ID, 2)
			s.wantCount(t, theirs.ID, 2) // one is hidden by the post's author all the same
			if names := likers(); len(names) != 2 {
				t.Errorf("it is liked by %v", names)
			}
		}
	})
	t.Run("items come one by one as well, and what is gone is no error", func(t *testing.T) {
		like := domain.LikeID(author.ID)
		for _, suspended := range []bool{true, true, false} {
			for _, item := range [][2]string{{own.ID, own.ID}, {own.ID, mine.ID}, {theirs.ID, like}, {theirs.ID, held.ID}, {theirs.ID, domain.NewID()}, {domain.NewID(), like}} {
				check(t, s.Posts.SetAuthorSuspended(ctx, item[0], item[1], suspended))
			}
			want := map[bool]int{true: 1, false: 2}[suspended]
			s.wantCount(t, own.ID, want)
			if post := must[domain.Post](t)(s.Posts.Latest(ctx, own.ID)); post.AuthorSuspended != suspended {
				t.Errorf("the post is %+v", post)
			}
		}
		s.wantCount(t, theirs.ID, 2)
	})
	t.Run("a hold and a suspension do not undo each other", func(t *testing.T) {
		must[domain.Post](t)(s.Posts.Hold(ctx, own.ID, domain.HeldByModerator))
		spread(t, true, 5)
		must[domain.Post](t)(s.Posts.ReleaseComment(ctx, theirs.ID, held.ID, held.Edited))
		s.wantCount(t, theirs.ID, 1)
		spread(t, false, 5)
		s.wantCount(t, theirs.ID, 3)
		if post := must[domain.Post](t)(s.Posts.Latest(ctx, own.ID)); post.Held != domain.HeldByModerator || post.Open() {
			t.Errorf("the post is %+v", post)
		}
		must[domain.Post](t)(s.Posts.Release(ctx, own.ID, own.Revision))
	})
	t.Run("bookmarks are nobody's business, and stay", func(t *testing.T) {
		if b := must[domain.Bookmark](t)(s.Posts.BookmarkOf(ctx, theirs.ID, author.ID)); b != kept {
			t.Errorf("it is %+v", b)
		}
	})
	t.Run("many on one post are done in several transactions", func(t *testing.T) {
		chatty := s.mustUser(t)
		post := s.mustPost(t, other, 3)
		for i := range 120 {
			s.mustComment(t, chatty, post.ID, i)
		}
		changed, more, err := s.Posts.SpreadSuspension(ctx, chatty.ID, true)
		if check(t, err); changed != 120 || more {
			t.Error(fmt.Sprint(changed, more))
		}
		s.wantCount(t, post.ID, 0)
	})
}
