package verify

import (
	"testing"
	"time"

	"inkfeed/cosmos/client"
	"inkfeed/cosmos/copies"
	"inkfeed/cosmos/schema"
	"inkfeed/domain/markdown"
)

func TestRepairFeed(t *testing.T) {
	for name, damage := range map[string]struct {
		path  string
		value any
	}{
		"a row with another title":     {"/title", "Something else"},
		"a row of a later version":     {"/version", 1_000_000},
		"a row with another date":      {"/creationDate", schema.Instant(time.Unix(0, 0))},
		"a row that cannot be decoded": {"/title", 7},
		"a row with a deletion date":   {"/deletionDate", schema.Instant(time.Now())},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			if err := w.Container(schema.FeedContainer).Patch(t.Context(), schema.TypePost, w.post.ID,
				set(damage.path, damage.value)); err != nil {
				t.Fatal(err)
			}
			if err := w.Feed.Repair(t.Context(), markdown.New()); err != nil {
				t.Fatal(err)
			}
			w.feedIsRight(t)
		})
	}
	t.Run("keeps the row of a post that cannot be decoded", func(t *testing.T) {
		w := newWorld(t)
		if err := w.Container(schema.PostsContainer).Patch(t.Context(), w.post.ID, w.post.ID,
			set("/likeCount", "many")); err != nil {
			t.Fatal(err)
		}
		if err := w.Feed.Repair(t.Context(), markdown.New()); err != nil {
			t.Fatal(err)
		}
		if page, err := w.Feed.FrontPage(t.Context(), 1); err != nil || len(page.Items) != 1 {
			t.Errorf("the feed is %+v, %v", page.Items, err)
		}
	})
}

// feedIsRight checks that the feed has the current state of the one post.
func (w *world) feedIsRight(t *testing.T) {
	t.Helper()
	post, err := w.Posts.Get(t.Context(), w.post.ID)
	if err != nil {
		t.Fatal(err)
	}
	row, err := client.Read[copies.PostCopy](t.Context(), w.Container(schema.FeedContainer), schema.TypePost, w.post.ID)
	if want := markdown.New().Summarize(post); err != nil || row.Domain() != want {
		t.Errorf("the feed has %+v, %v, want %+v", row.Domain(), err, want)
	}
}
