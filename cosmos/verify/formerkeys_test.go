package verify

import (
	"context"
	"strings"
	"testing"
	"time"

	"inkfeed/cosmos/copies"
	"inkfeed/cosmos/schema"
	"inkfeed/domain"
	"inkfeed/domain/markdown"
)

// projectFormerKeys gives ada's post a tag and a series, and writes the copies that a release with other keys made.
func projectFormerKeys(t *testing.T, w *world) domain.Summary {
	t.Helper()
	e, err := domain.NewEdit(w.post.ID, 1, "Title", "Some *text*.", time.Now())
	w.must(t, err)
	e.Tags, e.Details.Series = "Işık", "C++"
	edited, err := w.Posts.Edit(t.Context(), e, w.ada.ID)
	w.must(t, err)
	s := markdown.New().Summarize(edited)
	for _, key := range []string{"go", "über-uns"} {
		w.must(t, w.Tags.ApplySummary(t.Context(), key, s))
	}
	w.must(t, w.Posts.ClearStaleListings(t.Context(), s.PostID, s.Version))
	edited, err = w.Posts.Latest(t.Context(), s.PostID)
	w.must(t, err)
	s = markdown.New().Summarize(edited)
	item := copies.PostCopyOf(s)
	item.Details.SeriesPlace = strings.Replace(item.Details.SeriesPlace, "c++/", "c/", 1)
	w.must(t, w.putItem(t.Context(), w.Container(schema.UsersContainer), w.ada.ID, item))
	w.must(t, w.putItem(t.Context(), w.Container(schema.FeedContainer), schema.TypePost, item))
	item.Tag = "işık"
	w.must(t, w.putItem(t.Context(), w.Container(schema.TagsContainer), item.Tag, item))
	return s
}

func TestARebuildMovesCopiesToThePresentKeys(t *testing.T) {
	w := newWorld(t)
	s := projectFormerKeys(t, w)
	leads := func(from, to string) {
		t.Helper()
		if got, err := w.UserCopies.RenamedSeries(t.Context(), w.ada.ID, from); got != to || err != nil {
			t.Errorf("the series %s leads to %q, error %v; want %q", from, got, err, to)
		}
	}
	leads("c++", "c")
	if found := w.violations(t); len(found) == 0 {
		t.Error("former keys are not reported")
	}
	source := func(context.Context) (domain.Summary, error) { return s, nil }
	_, err := w.Copies.SweepOrphans(t.Context(), func(int) {})
	w.must(t, err)
	w.must(t, w.UserCopies.RewriteSummary(t.Context(), w.ada.ID, s.PostID, source))
	w.must(t, w.Tags.RewriteSummary(t.Context(), "işik", s.PostID, source))
	w.must(t, w.Feed.Repair(t.Context(), markdown.New()))
	for _, v := range w.violations(t) {
		t.Errorf("violation after the rebuild: %s", v)
	}
	leads("c", "c++")
	leads("c++", "")
	page, err := w.Tags.PostsOf(t.Context(), domain.TagKey("IŞIK"), 1)
	if err != nil || len(page.Items) != 1 {
		t.Errorf("the tag lists %v, error %v", page.Items, err)
	}
}
