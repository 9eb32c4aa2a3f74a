package verify

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/Azure/azure-sdk-for-go/sdk/data/azcosmos"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/copies"
	"inkfeed/cosmos/posts"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
	"inkfeed/domain/markdown"
)

func TestSweepOrphans(t *testing.T) {
	sweep := func(t *testing.T, w *world) (removed int) {
		t.Helper()
		looked := 0
		removed, err := w.Copies.SweepOrphans(t.Context(), func(copies int) { looked = copies })
		if err != nil {
			t.Fatal(err)
		}
		if looked < 4 { // the copies in users, in feed and in two tags
			t.Errorf("read %d copies", looked)
		}
		return removed
	}
	is := func(t *testing.T, w *world, removed, want int) {
		t.Helper()
		if removed != want {
			t.Errorf("removed %d copies, want %d", removed, want)
		}
		if rules := w.violations(t); len(rules) > 0 {
			t.Errorf("the violations afterwards are %v", rules)
		}
	}
	// orphan is a copy of a post that does not exist.
	orphan := func(w *world) domain.Summary {
		return domain.Summary{PostID: domain.NewID(), AuthorID: w.ada.ID, AuthorName: "ada", Title: "Gone",
			Created: time.Now(), Version: 3}
	}
	t.Run("a consistent blog loses nothing", func(t *testing.T) {
		w := newWorld(t)
		is(t, w, sweep(t, w), 0)
	})
	t.Run("comments without positions get them", func(t *testing.T) {
		w := newWorld(t)
		var comments []posts.CommentItem
		err := client.Scan(t.Context(), w.Container(schema.PostsContainer),
			`SELECT * FROM c WHERE c.type = 'comment'`, nil, func(c posts.CommentItem) error {
				comments = append(comments, c)
				return nil
			})
		if err != nil || len(comments) == 0 {
			t.Fatalf("%d comments, error %v", len(comments), err)
		}
		for _, c := range comments {
			var ops azcosmos.PatchOperations
			ops.AppendRemove("/place")
			if err := w.Container(schema.PostsContainer).Patch(t.Context(), c.PostID, c.ID, ops); err != nil {
				t.Fatal(err)
			}
		}
		if rules := w.violations(t); len(rules) == 0 {
			t.Error("missing positions are not reported")
		}
		is(t, w, sweep(t, w), 0)
	})
	t.Run("copies under keys that tags had in earlier releases are removed", func(t *testing.T) {
		w := newWorld(t)
		for _, key := range []string{"über-uns-", "go\ufe0f"} {
			item := copies.PostCopyOf(w.summary)
			item.Tag = key
			w.must(t, w.putItem(t.Context(), w.Container(schema.TagsContainer), key, item))
		}
		if rules := w.violations(t); len(rules) != 2 {
			t.Errorf("the violations are %v", rules)
		}
		is(t, w, sweep(t, w), 2)
	})
	t.Run("copies without a post are removed", func(t *testing.T) {
		w := newWorld(t)
		for range client.MaxBatch + 1 { // more than one request looks up
			s := orphan(w)
			if err := w.Container(schema.UsersContainer).Create(t.Context(), s.AuthorID,
				copies.PostCopyOf(s)); err != nil {
				t.Fatal(err)
			}
		}
		is(t, w, sweep(t, w), client.MaxBatch+1)
	})
	t.Run("readers' copies without a bookmark are removed, others stay", func(t *testing.T) {
		w := newWorld(t)
		w.must(t, inTurn(t.Context(), w, bookmark))
		for range client.MaxBatch + 1 {
			b := domain.Bookmark{PostID: domain.NewID(), UserID: w.ada.ID, Created: time.Now(), Version: 1}
			if err := w.Container(schema.UsersContainer).Create(t.Context(), w.ada.ID,
				copies.BookmarkCopyOf(domain.BookmarkedPost{Bookmark: b})); err != nil {
				t.Fatal(err)
			}
		}
		is(t, w, sweep(t, w), client.MaxBatch+1)
	})
	t.Run("rows of the feed without a post are removed, the newest and others", func(t *testing.T) {
		w := newWorld(t)
		for _, age := range []time.Duration{-time.Hour, time.Hour, 2 * time.Hour} {
			s := orphan(w)
			s.Created = s.Created.Add(-age)
			if err := w.Container(schema.FeedContainer).Create(t.Context(), schema.TypePost,
				copies.PostCopyOf(s)); err != nil {
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
		s := markdown.New().Summarize(post)
		s.AuthorID = w.bob.ID
		if err := w.Container(schema.UsersContainer).Create(t.Context(), s.AuthorID, copies.PostCopyOf(s)); err != nil {
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
		if removed := sweep(t, w); removed != 0 { // the projector removes them
			t.Errorf("removed %d copies of a post that is not erased yet", removed)
		}
		if _, err := w.Posts.EraseResponses(ctx, w.post.ID); err != nil {
			t.Fatal(err)
		}
		if err := w.Posts.FinishErasure(ctx, w.post.ID); err != nil {
			t.Fatal(err)
		}
		if removed := sweep(t, w); removed != 4 {
			t.Errorf("removed %d copies, want those in users, feed and tags", removed)
		}
		marker, err := w.Posts.Latest(ctx, w.post.ID)
		if err != nil {
			t.Fatal(err)
		}
		tombstone := markdown.New().Summarize(marker)
		if err := w.UserCopies.ApplySummary(ctx, tombstone); err != nil {
			t.Fatal(err)
		}
		if err := w.Container(schema.FeedContainer).Create(ctx, schema.TypePost,
			copies.FeedTombstone(tombstone, false)); err != nil {
			t.Fatal(err)
		}
		removed, err := w.Copies.SweepOrphans(ctx, func(int) {})
		if err != nil || removed != 0 {
			t.Errorf("removed %d tombstones, %v", removed, err)
		}
	})
	t.Run("copies in tags without a post, or of posts without the tag, are removed", func(t *testing.T) {
		w := newWorld(t)
		for key, s := range map[string]domain.Summary{"go": orphan(w), "rust": w.summary} {
			item := copies.PostCopyOf(s)
			item.Tag = key
			if err := w.Container(schema.TagsContainer).Create(t.Context(), key, item); err != nil {
				t.Fatal(err)
			}
		}
		is(t, w, sweep(t, w), 2)
	})
	t.Run("rows of unlisted posts in feed and tags are removed", func(t *testing.T) {
		w := newWorld(t)
		w.must(t, after(withdraw(domain.Unlisted), func(ctx context.Context, w *world) error {
			return errors.Join(w.putItem(ctx, w.Container(schema.FeedContainer), schema.TypePost,
				copies.PostCopyOf(w.summary)),
				w.putItem(ctx, w.Container(schema.TagsContainer), "go", copies.TagCopyOf("go", w.summary)))
		})(t.Context(), w))
		is(t, w, sweep(t, w), 2)
	})
	t.Run("a post that is visible only at the second read keeps its copies", func(t *testing.T) {
		w := newWorld(t)
		post, err := client.Read[posts.PostItem](t.Context(), w.Container(schema.PostsContainer), w.post.ID, w.post.ID)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Container(schema.PostsContainer).Delete(t.Context(), w.post.ID, w.post.ID); err != nil {
			t.Fatal(err)
		}
		looked := 0
		removed, err := w.Copies.SweepOrphans(t.Context(), func(int) {
			if looked++; looked == 3 { // at the copies in all containers
				if err := w.Container(schema.PostsContainer).Create(t.Context(), w.post.ID, post); err != nil {
					t.Fatal(err)
				}
			}
		})
		if err != nil || looked != 3 {
			t.Errorf("read %d times, %v", looked, err)
		}
		is(t, w, removed, 0)
	})
}
