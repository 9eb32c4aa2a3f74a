package jobs_test

import (
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
)

func TestUndoRestoresSchedulesOfDrafts(t *testing.T) {
	soon := time.Now().AddDate(0, 0, 7).UTC().Truncate(time.Second)
	later := soon.AddDate(0, 0, 1)
	note := func(at time.Time, more, text string) map[string]string {
		return map[string]string{"hugo.toml": "", "content/posts/a.md": "---\ntitle: A\ndate: " +
			at.Format(time.RFC3339) + "\n" + more + "---\n" + text + "\n"}
	}
	const asDraft = "draft: true\n"
	for _, c := range []struct {
		name          string
		first, second map[string]string
		during        time.Time // when the draft is to be published after the second import
		here          func(w *world, d domain.Draft)
		want          time.Time // when the draft is to be published after undoing the second import
		kept          string    // why the draft is reported as kept, or empty
	}{
		{"a schedule", note(soon, asDraft, "Text."), note(soon, "", "Text."), soon, nil, time.Time{}, ""},
		{"another schedule", note(soon, "", "Text."), note(later, "", "Text."), later, nil, soon, ""},
		{"the end of a schedule", note(soon, "", "Text."), note(soon, asDraft, "Text."), time.Time{}, nil, soon, ""},
		{"a schedule, with another text", note(soon, asDraft, "Text."), note(soon, "", "Another text."), soon, nil,
			time.Time{}, "The import changed this draft."},
		{"another text", note(soon, "", "Text."), note(soon, "", "Another text."), soon, nil, soon,
			"The import changed this draft."},
		{"no end of a schedule, with another text", note(soon, "", "Text."), note(soon, asDraft, "Not finished."),
			time.Time{}, nil, time.Time{}, "The import changed this draft."},
		{"unless the author chose another time", note(soon, asDraft, "Text."), note(soon, "", "Text."), soon,
			func(w *world, d domain.Draft) {
				_, err := w.store.Drafts.Schedule(w.Context(), w.ada.ID, d.PostID, d.Version, later)
				w.must(err)
			}, later, ""},
		{"the end of a schedule, unless the author changed the text", note(soon, "", "Text."),
			note(soon, asDraft, "Text."), time.Time{}, rewritten("Not finished"), time.Time{},
			"You changed this draft."},
		{"another schedule, unless the author changed the text", note(soon, "", "Text."), note(later, "", "Text."),
			later, rewritten("Not finished"), later, "You changed this draft."},
		{"a schedule, even if the author changed the text", note(soon, asDraft, "Text."), note(soon, "", "Text."),
			soon, rewritten("Not finished"), time.Time{}, "You changed this draft."},
		{"no end of a schedule, with a text that cannot be published", note(soon, "", "Text."),
			note(soon, asDraft, ""), time.Time{}, func(*world, domain.Draft) {}, time.Time{},
			"The import changed this draft."},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			w.imported(zipped(t, c.first))
			if j := w.imported(zipped(t, c.second)); j.Result.Changed != 1 {
				t.Fatalf("the second import reports %+v", j.Result)
			}
			d := w.draft("A")
			if !d.Publish.Equal(c.during) {
				t.Fatalf("the draft is scheduled for %v, want %v", d.Publish, c.during)
			}
			if c.here != nil {
				c.here(w, d)
			}
			w.change(domain.ImportUndoing)
			w.work(w.runner(w.store))
			kept := w.wantState(domain.ImportUndone).Result.KeptPosts
			if c.kept == "" && len(kept) != 0 {
				t.Errorf("undoing keeps %+v", kept)
			} else if c.kept != "" &&
				(len(kept) != 1 || !kept[0].Draft || !strings.Contains(kept[0].Why.String(), c.kept)) {
				t.Errorf("undoing keeps %+v, want a draft: %s", kept, c.kept)
			}
			if got := w.draft("A").Publish; !got.Equal(c.want) {
				t.Errorf("the draft is scheduled for %v, want %v", got, c.want)
			}
			if c.here != nil {
				return
			}
			w.imported(zipped(t, c.second))
			if got := w.draft("A").Publish; !got.Equal(c.during) {
				t.Errorf("after another import the draft is scheduled for %v, want %v", got, c.during)
			}
		})
	}
}

// rewritten returns a function that gives a draft another text.
func rewritten(content string) func(*world, domain.Draft) {
	return func(w *world, d domain.Draft) {
		d.Content = content
		_, err := w.store.Drafts.Save(w.Context(), d)
		w.must(err)
	}
}

// draft returns the user's draft with a title.
func (w *world) draft(title string) domain.Draft {
	w.Helper()
	for d, err := range w.store.Export.Drafts(w.Context(), w.ada.ID) {
		w.must(err)
		if d.Title == title {
			return d
		}
	}
	w.Fatalf("there is no draft %q", title)
	return domain.Draft{}
}

func TestUndoReportsADraftThatWasPublishedAtTheImportedTime(t *testing.T) {
	w := newWorld(t)
	at := time.Now().Add(time.Hour).UTC().Truncate(time.Second)
	site := map[string]string{"hugo.toml": "",
		"content/posts/a.md": "---\ntitle: A\ndate: " + at.Format(time.RFC3339) + "\ndraft: true\n---\nText.\n"}
	w.imported(zipped(t, site))
	site["content/posts/a.md"] = strings.Replace(site["content/posts/a.md"], "draft: true\n", "", 1)
	w.imported(zipped(t, site))
	_, err := w.store.Drafts.PublishScheduled(t.Context(),
		domain.ScheduledItem{UserID: w.ada.ID, PostID: w.draft("A").PostID, At: at})
	w.must(err)
	w.change(domain.ImportUndoing)
	w.work(w.runner(w.store))
	kept := w.wantState(domain.ImportUndone).Result.KeptPosts
	if len(kept) != 1 || kept[0].Draft || !strings.Contains(kept[0].Why.String(), "It was a draft before the import") {
		t.Errorf("undoing keeps %+v", kept)
	}
}
