package jobs_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/importing/jobs"
)

func TestPreviewWritesNothing(t *testing.T) {
	w := newWorld(t)
	before := w.items()
	w.upload("blog.zip", zipped(t, blog(t)))
	w.work(w.runner(w.store))
	j := w.wantState(domain.ImportReady)
	if after := w.items(); !slices.Equal(before, after) {
		t.Errorf("the preview has changed\n%s\ninto\n%s", strings.Join(before, "\n"), strings.Join(after, "\n"))
	}
	if r := j.Result; r.Format != "Hugo" || r.New != 3 || r.Drafts != 1 || r.Pictures != 1 || r.Redirects == 0 ||
		r.Published() != 2 {
		t.Errorf("the preview says %+v", r)
	}
}

func TestImportCanBeRepeatedAfterUndoingIt(t *testing.T) {
	w := newWorld(t)
	export := zipped(t, blog(t))
	if r := w.imported(export).Result; r.New != 3 || r.Pictures != 1 {
		t.Errorf("the result is %+v", r)
	}
	w.wantTexts("One,Two", "Not yet")
	first := w.post("One")
	if _, err := w.files.Open(t.Context(), domain.ImportFile(w.job().ID)); !domain.Is(err, domain.NotFound) {
		t.Errorf("the upload is still there: %v", err)
	}

	w.change(domain.ImportUndoing)
	w.work(w.runner(w.store))
	if r := w.wantState(domain.ImportUndone).Result; len(r.KeptPosts) != 0 {
		t.Errorf("undoing keeps %v", r.KeptPosts)
	}
	w.wantGone()

	w.imported(export)
	w.wantTexts("One,Two", "Not yet")
	again := w.post("One")
	if again.ID == first.ID {
		t.Error("the post has the id of the removed one, whose marker would hide it")
	}
	to, err := w.store.Redirects.Find(t.Context(), "/old/one")
	if err != nil || to.PostID != again.ID {
		t.Errorf("the old address leads to %+v, %v", to, err)
	}
	if two := w.post("Two"); !strings.Contains(two.Content, again.ID) {
		t.Errorf("the link leads elsewhere: %s", two.Content)
	}
	if j := w.imported(export); j.Result.New != 0 || j.Result.Unchanged != 3 {
		t.Errorf("a third import reports %+v", j.Result)
	}
}

// wantGone fails if any item of the import is left.
func (w *world) wantGone() {
	w.Helper()
	w.wantTexts("", "")
	for _, line := range w.items() {
		for _, kind := range []string{`"type":"import"`, `"type":"image"`, `"type":"redirect"`, `"type":"draft"`} {
			if strings.Contains(line, kind) {
				w.Errorf("left: %s", line)
			}
		}
	}
}

func TestAnotherInstanceContinues(t *testing.T) {
	export := zipped(t, blog(t))
	for _, c := range []struct {
		name      string
		state     domain.ImportState
		want      domain.ImportState
		wantTexts func(*world)
	}{
		{"a preview", domain.ImportReading, domain.ImportReady, func(w *world) { w.wantTexts("", "") }},
		{"an import", domain.ImportRunning, domain.ImportDone,
			func(w *world) { w.wantTexts("One,Two", "Not yet") }},
		{"undoing an import", domain.ImportUndoing, domain.ImportUndone, (*world).wantGone},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWorld(t)
			export := export
			if c.state == domain.ImportUndoing {
				// An interrupted deletion of a picture can be repeated only after two minutes.
				site := blog(t)
				delete(site, "content/posts/one/square.png")
				export = zipped(t, site)
			}
			for step := 1; ; step++ {
				if c.state == domain.ImportUndoing {
					w.imported(export)
				} else {
					w.upload("blog.zip", export)
				}
				if c.state != domain.ImportReading {
					w.change(c.state)
				}
				ctx, stop := context.WithCancel(t.Context())
				cut := &outage{transporter: w.engine, stop: stop, left: 1000}
				store := w.open(cut)
				cut.left = step
				killed := w.runner(store, func(c *jobs.Config) { c.Beat = time.Hour })
				_ = killed.Look(ctx, time.Now()) // fails if the instance is stopped at once
				killed.Wait()
				stop()
				if j := w.job(); !cut.over() {
					if step < 5 || j.State != c.want {
						t.Fatalf("after %d steps the job is %s", step, j.State)
					}
					t.Logf("interrupted at each of %d steps", step)
					return
				}
				w.work(w.runner(w.store))
				j := w.wantState(c.want)
				c.wantTexts(w)
				if c.state == domain.ImportRunning && j.Result.New != 3 {
					t.Fatalf("interrupted at step %d: the result is %+v", step, j.Result)
				}
				if c.state == domain.ImportRunning {
					w.change(domain.ImportUndoing)
					w.work(w.runner(w.store))
					w.wantState(domain.ImportUndone)
					w.wantGone()
				}
			}
		})
	}
}

func TestOnlyOneInstanceWorksOnAJob(t *testing.T) {
	w := newWorld(t)
	w.upload("blog.zip", zipped(t, blog(t)))
	w.work(w.runner(w.store))
	w.change(domain.ImportRunning)
	started, goOn := make(chan string, 10), make(chan struct{})
	slow := func(name string) *jobs.Runner {
		return w.runner(w.store, func(c *jobs.Config) {
			var once sync.Once
			c.Posts = announcing{c.Posts, func() { once.Do(func() { started <- name; <-goOn }) }}
		})
	}
	first, second := slow("first"), slow("second")
	w.must(first.Look(t.Context(), time.Now()))
	if by := <-started; by != "first" {
		t.Fatalf("the %s instance began the job", by)
	}
	w.must(second.Look(t.Context(), time.Now()))
	second.Wait()
	close(goOn)
	first.Wait()
	if len(started) != 0 {
		t.Error("the second instance began the job too")
	}
	w.wantState(domain.ImportDone)
}

// announcing reports the first lookup of a post.
type announcing struct {
	jobs.Posts
	announce func()
}

func (a announcing) Latest(ctx context.Context, postID string) (domain.Post, error) {
	a.announce()
	return a.Posts.Latest(ctx, postID)
}

func TestUndoStopsARunningImport(t *testing.T) {
	w := newWorld(t)
	w.upload("blog.zip", zipped(t, blog(t)))
	w.work(w.runner(w.store))
	w.change(domain.ImportRunning)
	var once sync.Once
	asked := func() { once.Do(func() { w.change(domain.ImportUndoing) }) }
	r := w.runner(w.store, func(c *jobs.Config) { c.Posts = announcing{c.Posts, asked} })
	w.work(r)
	w.work(r)
	w.wantState(domain.ImportUndone)
	w.wantGone()
}

func TestUnsuitableUploadIsRefused(t *testing.T) {
	bomb := map[string]string{}
	for i := range 5 {
		bomb[fmt.Sprintf("content/posts/%d.md", i)] = strings.Repeat("a", 20<<20)
	}
	for _, c := range []struct {
		name    string
		content []byte
		why     string
	}{
		{"blog.zip", []byte("PK\x03\x04 and nothing else"), "damaged"},
		{"blog.zip", zipped(t, bomb), "compression ratio"},
		{"notes.zip", zipped(t, map[string]string{"photo.txt": "words"}), "neither a folder of Markdown"},
		{"pages.zip", zipped(t, map[string]string{
			"inkfeed.json": `{"format": "inkfeed", "version": 1, "site": {"pages": []}, "posts": []}`,
		}), "pages of a site"},
		{"list.json", []byte(`{"a": 1}`), "neither a folder of Markdown"},
		{"feed.xml", []byte(`<rss><channel></channel></rss>`), ""},
		{"letter.docx.txt", []byte("Dear Ada"), "neither a zip nor"},
		{"empty.zip", zipped(t, map[string]string{"hugo.toml": "title = 'x'\n", "content/about.txt": "x"}), ""},
	} {
		t.Run(c.name+", "+c.why, func(t *testing.T) {
			w := newWorld(t)
			w.upload(c.name, c.content)
			w.work(w.runner(w.store))
			if j := w.wantState(domain.ImportRefused); j.Problem == "" || !strings.Contains(j.Problem.String(), c.why) {
				t.Errorf("the problem is %q, want %q", j.Problem, c.why)
			}
		})
	}
}

func TestUnusedUploadIsDeletedAfterADay(t *testing.T) {
	w := newWorld(t)
	w.upload("blog.zip", zipped(t, blog(t)))
	r := w.runner(w.store)
	w.work(r)
	j := w.wantState(domain.ImportReady)
	w.must(r.Look(t.Context(), time.Now().Add(domain.ImportUploadTime+time.Hour)))
	w.wantState(domain.ImportExpired)
	if _, err := w.files.Open(t.Context(), domain.ImportFile(j.ID)); !domain.Is(err, domain.NotFound) {
		t.Errorf("the upload is still there: %v", err)
	}
	if entries, err := w.store.ImportJobs.Entries(t.Context()); err != nil || len(entries) != 0 {
		t.Errorf("the entries are %v, %v, want none", entries, err)
	}
}

func TestDeletedAccountsUploadIsDeleted(t *testing.T) {
	w := newWorld(t)
	j := w.upload("blog.zip", zipped(t, blog(t)))
	w.must(w.store.AccountDeletions.Delete(t.Context(), w.ada.ID))
	w.must(w.store.AccountDeletions.FinishErasure(t.Context(), w.ada.ID))
	if _, err := w.store.ImportJobs.Get(t.Context(), w.ada.ID); !domain.Is(err, domain.NotFound) {
		t.Errorf("the job is still there: %v", err)
	}
	if _, err := w.files.Open(t.Context(), domain.ImportFile(j.ID)); !domain.Is(err, domain.NotFound) {
		t.Errorf("the upload is still there: %v", err)
	}
}
