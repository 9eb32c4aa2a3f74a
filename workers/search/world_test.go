package search_test

import (
	"bytes"
	"errors"
	"fmt"
	"log/slog"
	"slices"
	"strings"
	"testing"
	"time"

	"inkfeed/cosmos/feeds"
	"inkfeed/domain"
	"inkfeed/domain/markdown"
	"inkfeed/workers/search"
	"inkfeed/workers/tailer"
)

// world is an index in a folder, and the feed that it follows.
type world struct {
	*search.Index
	t     *testing.T
	dir   string
	log   *bytes.Buffer
	pages int // of changes so far
}

// whole is the only feed range.

var whole = feeds.Range{MaxExclusive: "FF"}

// newWorld returns a world with an empty index.
func newWorld(t *testing.T) *world {
	t.Helper()
	w := &world{t: t, dir: t.TempDir(), log: &bytes.Buffer{}}
	w.open()
	w.begin()
	return w
}

func (w *world) open() {
	w.t.Helper()
	x, err := search.Open(w.dir, markdown.New(), slog.New(slog.NewTextHandler(w.log, nil)))
	if err != nil {
		w.t.Fatal(err)
	}
	w.Index = x
	w.t.Cleanup(func() { x.Close() })
}

// begin makes the index follow the feed from its beginning.
func (w *world) begin() {
	w.t.Helper()
	err := errors.Join(w.Begin(w.t.Context(), "rid"), w.Replace(w.t.Context(), nil, []tailer.Mark{{Range: whole}}))
	if err != nil {
		w.t.Fatal(err)
	}
}

func (w *world) reopen() {
	w.t.Helper()
	w.Close()
	w.open()
}

// page returns the next page of the feed: changes of posts and the mark behind them.
func (w *world) page(posts ...domain.Post) ([]feeds.Change[feeds.PostChange], tailer.Mark) {
	var changes []feeds.Change[feeds.PostChange]
	for _, p := range posts {
		changes = append(changes, feeds.Change[feeds.PostChange]{
			Item: feeds.ItemRef{PartitionKey: p.ID, ID: p.ID}, Value: feeds.PostChange{Post: &p}})
	}
	w.pages++
	return changes, tailer.Mark{Range: whole, Continuation: fmt.Sprint(w.pages), Read: time.Now(), Complete: true}
}

// write makes the index follow a batch of changes.
func (w *world) write(posts ...domain.Post) {
	w.t.Helper()
	changes, mark := w.page(posts...)
	if err := w.Follow(w.t.Context(), changes, mark); err != nil {
		w.t.Fatal(err)
	}
}

// search returns the first page of results.
func (w *world) search(query string) domain.Found {
	w.t.Helper()
	found, err := w.Search(w.t.Context(), query, 1)
	if err != nil {
		w.t.Fatalf("%s: %v", query, err)
	}
	return found
}

// titles returns the titles of the results in their order.
func (w *world) titles(query string) []string {
	w.t.Helper()
	var titles []string
	for _, h := range w.search(query).Posts.Items {
		titles = append(titles, h.Title)
	}
	return titles
}

// finds fails unless a query finds the posts of the given titles, in any order.
func (w *world) finds(query string, want ...string) {
	w.t.Helper()
	got := w.titles(query)
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		w.t.Errorf("%q finds %q, want %q", query, got, want)
	}
}

var posted = time.Date(2026, 5, 1, 12, 0, 0, 0, time.UTC)

// post returns a new post, created a minute after the one before.
func post(title, content string, tags ...string) domain.Post {
	posted = posted.Add(time.Minute)
	return domain.Post{ID: domain.NewID(), AuthorID: "u.ada", AuthorName: "Ada", Title: title, Content: content,
		Tags: domain.TagsOf(tags), Created: posted, Revision: 1, Version: 1}
}

// plain returns the text of fragments, with brackets around the marked ones.
func plain(parts []domain.Fragment) string {
	var b strings.Builder
	for _, p := range parts {
		if p.Marked {
			b.WriteString("[" + p.Text + "]")
		} else {
			b.WriteString(p.Text)
		}
	}
	return b.String()
}
