package jobs_test

import (
	"bytes"
	"context"
	"image"
	"image/png"
	"strings"
	"sync"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/importing/jobs"
)

func TestUndoKeepsChangesMadeHere(t *testing.T) {
	t.Run("an edited post, with its picture", func(t *testing.T) {
		w := newWorld(t)
		w.imported(zipped(t, blog(t)))
		one := w.post("One")
		_, err := w.store.Posts.Edit(t.Context(), domain.Edit{PostID: one.ID, Revision: one.Revision, Title: "One",
			Content: one.Content + "\n\nMore.",
			At:      domain.Timestamp(time.Now())}, w.ada.ID)
		w.must(err)
		w.change(domain.ImportUndoing)
		w.work(w.runner(w.store))
		kept := w.wantState(domain.ImportUndone).Result.KeptPosts
		if len(kept) != 1 || kept[0].PostID != one.ID || kept[0].Title != "One" || kept[0].Draft {
			t.Errorf("undoing keeps %+v", kept)
		}
		w.wantTexts("One", "")
		if images, err := w.store.Images.Of(t.Context(), w.ada.ID, 1); err != nil || len(images.Items) != 1 {
			t.Errorf("the post has lost its picture: %v, %v", images.Items, err)
		}
	})
	t.Run("pictures in the author's profile", func(t *testing.T) {
		w := newWorld(t)
		site := blog(t)
		var second bytes.Buffer
		w.must(png.Encode(&second, image.NewGray(image.Rect(0, 0, 9, 9))))
		site["content/posts/one/second.png"] = second.String()
		site["content/posts/one/index.md"] += "![](second.png)\n"
		w.imported(zipped(t, site))
		images, err := w.store.Images.Of(t.Context(), w.ada.ID, 1)
		w.must(err)
		if len(images.Items) != 2 {
			t.Fatalf("there are %d pictures, want 2", len(images.Items))
		}
		header, inBio := images.Items[0].Name, images.Items[1].Name
		w.must(w.store.Profiles.SetHeader(t.Context(), w.ada.ID, domain.Cover{Image: header}))
		w.must(w.store.Profiles.SetProfile(t.Context(), w.ada.ID, domain.Profile{Bio: "![me](" + inBio.Path() + ")"}))
		w.change(domain.ImportUndoing)
		w.work(w.runner(w.store))
		w.wantState(domain.ImportUndone)
		user, err := w.store.Users.ByID(t.Context(), w.ada.ID)
		w.must(err)
		if user.Header.Image != header {
			t.Errorf("the header is %v, want %v", user.Header.Image, header)
		}
		images, err = w.store.Images.Of(t.Context(), w.ada.ID, 1)
		w.must(err)
		if len(images.Items) != 2 {
			t.Errorf("%d pictures are left, want 2", len(images.Items))
		}
	})
	t.Run("an edited draft", func(t *testing.T) {
		w := newWorld(t)
		w.imported(zipped(t, blog(t)))
		for d, err := range w.store.Export.Drafts(t.Context(), w.ada.ID) {
			w.must(err)
			d.Content += " More."
			_, err = w.store.Drafts.Save(t.Context(), d)
			w.must(err)
		}
		w.change(domain.ImportUndoing)
		w.work(w.runner(w.store))
		if kept := w.wantState(domain.ImportUndone).Result.KeptPosts; len(kept) != 1 || !kept[0].Draft {
			t.Errorf("undoing keeps %+v", kept)
		}
		w.wantTexts("", "Not yet")
	})
	t.Run("a post with comments by others", func(t *testing.T) {
		w := newWorld(t)
		w.imported(zipped(t, blog(t)))
		comment, err := domain.NewComment(w.join("ben"), w.post("Two").ID, "Well said.", time.Now())
		w.must(err)
		_, err = w.store.Posts.AddComment(t.Context(), comment)
		w.must(err)
		w.change(domain.ImportUndoing)
		w.work(w.runner(w.store))
		w.wantState(domain.ImportUndone)
		w.wantTexts("Two", "")
	})
	t.Run("a post that existed before the import", func(t *testing.T) {
		w := newWorld(t)
		site := blog(t)
		w.imported(zipped(t, site))
		was := w.post("Two")
		site["content/posts/two.md"] = "---\ntitle: Two\ndate: 2024-02-03\n---\nAnother text.\n"
		site["content/posts/three.md"] = "---\ntitle: Three\ndate: 2024-02-04\n---\nNew.\n"
		if r := w.imported(zipped(t, site)).Result; r.Changed != 1 || r.New != 1 {
			t.Errorf("the second import reports %+v", r)
		}
		w.change(domain.ImportUndoing)
		w.work(w.runner(w.store))
		w.wantState(domain.ImportUndone)
		w.wantTexts("One,Two", "Not yet")
		if is := w.post("Two"); is.Content != was.Content {
			t.Errorf("the post is %q, want its former text %q", is.Content, was.Content)
		}
	})
}

func TestUndoingForASuspendedUserPausesAfterEachAttempt(t *testing.T) {
	w := newWorld(t)
	w.imported(zipped(t, blog(t)))
	w.change(domain.ImportUndoing)
	_, err := w.store.Accounts.Suspend(t.Context(), w.ada.ID, "Spam.", time.Now())
	w.must(err)
	r := w.runner(w.store)
	now := time.Now()
	look := func() domain.ImportJob {
		w.must(r.Look(t.Context(), now))
		r.Wait()
		return w.wantState(domain.ImportUndoing)
	}
	first := look()
	if first.Owner != "" || first.Attempts != 1 {
		t.Errorf("after the first attempt the job is %+v", first)
	}
	if second := look(); second.ETag != first.ETag {
		t.Errorf("a second attempt began at once: the job is %+v", second)
	}
	_, err = w.store.Accounts.Restore(t.Context(), w.ada.ID)
	w.must(err)
	w.work(r)
	w.wantState(domain.ImportUndone)
	w.wantGone()
}

func TestUndoKeepsADraftThatTheImportPublished(t *testing.T) {
	w := newWorld(t)
	site := blog(t)
	w.imported(zipped(t, site))
	site["content/posts/not-yet/index.md"] = "---\ntitle: Not yet\ndate: 2024-03-04\n---\nNot a draft any more.\n"
	w.imported(zipped(t, site))
	w.wantTexts("Not yet,One,Two", "")
	w.change(domain.ImportUndoing)
	w.work(w.runner(w.store))
	kept := w.wantState(domain.ImportUndone).Result.KeptPosts
	if len(kept) != 1 || kept[0].Title != "Not yet" || !strings.Contains(kept[0].Why.String(), "a draft before") {
		t.Errorf("undoing keeps %+v", kept)
	}
}

func TestUndoDeletesAPostThatIsPublishedMeanwhile(t *testing.T) {
	w := newWorld(t)
	at := time.Now().Add(time.Hour).UTC().Truncate(time.Second)
	w.imported(zipped(t, map[string]string{"hugo.toml": "",
		"content/posts/now.md":  "---\ntitle: Now\ndate: 2024-01-01\n---\nWords.\n",
		"content/posts/soon.md": "---\ntitle: Soon\ndate: " + at.Format(time.RFC3339) + "\n---\nWords.\n"}))
	w.wantTexts("Now", "Soon")
	var once sync.Once
	publish := func(postID string) {
		once.Do(func() {
			_, err := w.store.Drafts.PublishScheduled(t.Context(),
				domain.ScheduledItem{UserID: w.ada.ID, PostID: postID, At: at})
			w.must(err)
		})
	}
	w.change(domain.ImportUndoing)
	w.work(w.runner(w.store, func(c *jobs.Config) { c.Drafts = publishing{c.Drafts, publish} }))
	w.wantState(domain.ImportUndone)
	w.wantGone()
}

// publishing publishes a draft immediately before it is discarded.
type publishing struct {
	jobs.Drafts
	publish func(postID string)
}

func (p publishing) Discard(ctx context.Context, userID, postID string, version int) error {
	p.publish(postID)
	return p.Drafts.Discard(ctx, userID, postID, version)
}
