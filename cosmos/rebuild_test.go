package cosmos

import (
	"testing"
	"time"

	"inkfeed/domain"
)

func TestSweepOrphans(t *testing.T) {
	sweep := func(t *testing.T, w *world) (removed int) {
		t.Helper()
		looked := 0
		removed, err := w.SweepOrphans(t.Context(), func(copies int) { looked = copies })
		if err != nil {
			t.Fatal(err)
		}
		if looked < 2 { // the copy in users and the one in feed
			t.Errorf("looked at %d copies", looked)
		}
		return removed
	}
	is := func(t *testing.T, w *world, removed, want int) {
		t.Helper()
		if removed != want {
			t.Errorf("removed %d copies, want %d", removed, want)
		}
		if rules := w.violations(t); len(rules) > 0 {
			t.Errorf("then there are violations: %v", rules)
		}
	}
	// orphan is a copy of a post that never was.
	orphan := func(w *world) domain.Summary {
		return domain.Summary{PostID: domain.NewID(), AuthorID: w.ada.ID, AuthorName: "ada", Title: "Gone", Created: time.Now(), Version: 3}
	}
	t.Run("a sound blog loses nothing", func(t *testing.T) {
		w := newWorld(t)
		is(t, w, sweep(t, w), 0)
	})
	t.Run("copies without a post are removed", func(t *testing.T) {
		w := newWorld(t)
		for range maxBatch + 1 { // more than are looked up at once
			s := orphan(w)
			if err := w.Users.c.create(t.Context(), s.AuthorID, summaryItemOf(s)); err != nil {
				t.Fatal(err)
			}
		}
		is(t, w, sweep(t, w), maxBatch+1)
	})
	t.Run("rows of the feed without a post are removed, the newest and others", func(t *testing.T) {
		w := newWorld(t)
		for _, age := range []time.Duration{-time.Hour, time.Hour, 2 * time.Hour} {
			s := orphan(w)
			s.Created = s.Created.Add(-age)
			if err := w.Feed.c.create(t.Context(), typePost, summaryItemOf(s)); err != nil {
				t.Fatal(err)
			}
		}
		is(t, w, sweep(t, w), 3)
	})
	t.Run("a copy in another user's partition is removed", func(t *testing.T) {
		w := newWorld(t)
		post, err := w.Posts.Get(t.Context(), w.post.ID)
		if err != nil {
			t.Fatal(err)
		}
		s := domain.NewMarkdown().Summarize(post)
		s.AuthorID = w.bob.ID
		if err := w.Users.c.create(t.Context(), s.AuthorID, summaryItemOf(s)); err != nil {
			t.Fatal(err)
		}
		is(t, w, sweep(t, w), 1)
	})
	t.Run("copies of an erased post are removed, its tombstones stay", func(t *testing.T) {
		w := newWorld(t)
		ctx := t.Context()
		if err := w.Posts.Delete(ctx, w.post.ID, w.ada.ID); err != nil {
			t.Fatal(err)
		}
		if removed := sweep(t, w); removed != 0 { // projecting does it
			t.Errorf("removed %d copies of a post that is not erased yet", removed)
		}
		if _, err := w.Posts.EraseResponses(ctx, w.post.ID); err != nil {
			t.Fatal(err)
		}
		if err := w.Posts.FinishErasure(ctx, w.post.ID); err != nil {
			t.Fatal(err)
		}
		if removed := sweep(t, w); removed != 2 {
			t.Errorf("removed %d copies, want those in users and in feed", removed)
		}
		marker, err := w.Posts.Latest(ctx, w.post.ID)
		if err != nil {
			t.Fatal(err)
		}
		tombstone := domain.NewMarkdown().Summarize(marker)
		if err := w.Users.ApplySummary(ctx, tombstone); err != nil {
			t.Fatal(err)
		}
		if err := w.Feed.c.create(ctx, typePost, feedTombstone(tombstone, false)); err != nil {
			t.Fatal(err)
		}
		removed, err := w.SweepOrphans(ctx, func(int) {})
		if err != nil || removed != 0 {
			t.Errorf("removed %d tombstones, %v", removed, err)
		}
	})
	t.Run("a post that shows only later keeps its copies", func(t *testing.T) {
		w := newWorld(t)
		post, err := read[postItem](t.Context(), w.Posts.c, w.post.ID, w.post.ID)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Posts.c.delete(t.Context(), w.post.ID, w.post.ID); err != nil {
			t.Fatal(err)
		}
		looked := 0
		removed, err := w.SweepOrphans(t.Context(), func(int) {
			if looked++; looked == 2 { // at the copies in both containers
				if err := w.Posts.c.create(t.Context(), w.post.ID, post); err != nil {
					t.Fatal(err)
				}
			}
		})
		if err != nil || looked != 2 {
			t.Errorf("looked %d times, %v", looked, err)
		}
		is(t, w, removed, 0)
	})
}
