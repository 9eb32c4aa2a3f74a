package cosmos

import (
	"testing"
	"time"

	"inkfeed/domain/markdown"
)

func TestRepairFeed(t *testing.T) {
	for name, damage := range map[string]struct {
		path  string
		value any
	}{
		"a row that says something else":           {"/title", "Something else"},
		"a row that claims a version to come":      {"/version", 1_000_000},
		"a row of another date":                    {"/creationDate", instant(time.Unix(0, 0))},
		"a row that cannot be decoded":             {"/title", 7},
		"a row that says that its post is deleted": {"/deletionDate", instant(time.Now())},
	} {
		t.Run(name, func(t *testing.T) {
			w := newWorld(t)
			if err := w.Feed.c.patch(t.Context(), typePost, w.post.ID, set(damage.path, damage.value)); err != nil {
				t.Fatal(err)
			}
			if err := w.RepairFeed(t.Context(), markdown.New()); err != nil {
				t.Fatal(err)
			}
			w.feedIsRight(t)
		})
	}
	t.Run("leaves what cannot be judged: a post that cannot be decoded", func(t *testing.T) {
		w := newWorld(t)
		if err := w.Posts.c.patch(t.Context(), w.post.ID, w.post.ID, set("/likeCount", "many")); err != nil {
			t.Fatal(err)
		}
		if err := w.RepairFeed(t.Context(), markdown.New()); err != nil {
			t.Fatal(err)
		}
		if page, err := w.Feed.FrontPage(t.Context(), 1); err != nil || len(page.Items) != 1 {
			t.Errorf("the feed is %+v, %v", page.Items, err)
		}
	})
}

// feedIsRight holds that the feed is the one post as it is.
func (w *world) feedIsRight(t *testing.T) {
	t.Helper()
	post, err := w.Posts.Get(t.Context(), w.post.ID)
	if err != nil {
		t.Fatal(err)
	}
	row, err := read[summaryItem](t.Context(), w.Feed.c, typePost, w.post.ID)
	if want := markdown.New().Summarize(post); err != nil || row.domain() != want {
		t.Errorf("the feed has %+v, %v, want %+v", row.domain(), err, want)
	}
}
