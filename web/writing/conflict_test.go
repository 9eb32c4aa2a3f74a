package writing_test

import (
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestConflictsKeepBothVersions(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	conflict := func(t *testing.T) (domain.Draft, *webtest.Response) {
		d := ada.CreateDraft("A title", "One two three", "sea")
		_ = must(s.Data.Store.Drafts.Save(t.Context(), domain.Draft{PostID: d.PostID, AuthorID: d.AuthorID, Version: 1,
			Title: "A title", Content: "One 二 three", Tags: "sea"}))
		a := ada.Post("/posts", "post", d.PostID, "version", "1", "revision", "0", "do", "save",
			"title", "A title", "content", "One deux three", "tags", "sea, wind").Want(409)
		return d, a
	}
	choose := func(a *webtest.Response, form, do string, more ...string) *webtest.Response {
		fields := []string{"do", do}
		for _, name := range []string{"post", "revision", "version", "then", "status", "title", "tags"} {
			fields = append(fields, name, a.Page().Find("#"+form+` [name="`+name+`"]`).AttrOr("value", ""))
		}
		content := a.Page().Find("#" + form + ` [name="content"]`)
		fields = append(fields, "content", content.AttrOr("value", content.Text()))
		return ada.Post("/posts", append(fields, more...)...)
	}
	t.Run("shows both versions and marks the differences", func(t *testing.T) {
		_, a := conflict(t)
		a.Has("h1", "This draft has two versions").Has("#saved-title", "Saved draft")
		a.Has("[aria-labelledby='mine-title'] pre ins", "deux").Has(".saved pre del", "二").
			Has("[aria-labelledby='mine-title'] .version-line ins", "wind")
		a.Has(".saved pre", "One 二 three").Has(`[aria-labelledby="mine-title"] pre`, "One deux three")
		if n := a.Page().Find("ins, del").Length(); n != 5 { // two of them are in the legend
			t.Errorf("%d differences are marked, want 5", n)
		}
	})
	t.Run("keeps the other version as a draft if the user chooses their own", func(t *testing.T) {
		d, a := conflict(t)
		for range 2 { // a double click makes one draft
			choose(a, "choice", "mine")
		}
		now, _ := draft(ada, d.PostID)
		if text(now) != "A title|One deux three|sea, wind" || now.Version != 3 {
			t.Errorf("the draft is %q at version %d", text(now), now.Version)
		}
		if other := aside(ada, d.PostID); len(other) != 1 || other[0].Content != "One 二 three" {
			t.Errorf("the drafts with the other version are %v", other)
		}
	})
	t.Run("keeps the user's version as a draft if they choose the other", func(t *testing.T) {
		d, a := conflict(t)
		choose(a, "choice", "theirs").WantRedirect(303, "/posts/"+d.PostID+"/edit?done=kept")
		now, _ := draft(ada, d.PostID)
		if now.Content != "One 二 three" {
			t.Errorf("the draft is %q", text(now))
		}
		if other := aside(ada, d.PostID); len(other) != 1 || other[0].Content != "One deux three" ||
			other[0].Tags != "sea, wind" {
			t.Errorf("the drafts with the other version are %v", other)
		}
	})
	t.Run("saves a combined version, and keeps the other as a draft", func(t *testing.T) {
		d, a := conflict(t)
		choose(a, "merge", "mine").WantRedirect(303, "/posts/"+d.PostID+"/edit?done=save")
		if other := aside(ada, d.PostID); len(other) != 1 {
			t.Errorf("the drafts with the other version are %v", other)
		}
	})
	t.Run("shows another conflict if a third version was saved meanwhile", func(t *testing.T) {
		d, a := conflict(t)
		_ = must(s.Data.Store.Drafts.Save(t.Context(),
			domain.Draft{PostID: d.PostID, AuthorID: d.AuthorID, Version: 2, Content: "A third"}))
		choose(a, "choice", "mine").Want(409).Has(".saved pre", "A third")
		if other := aside(ada, d.PostID); len(other) != 0 {
			t.Errorf("the drafts with the other version are %v", other)
		}
	})
	t.Run("publishes the chosen version if the form was to publish", func(t *testing.T) {
		p := ada.CreatePost("T", "one")
		path := "/posts/" + p.ID
		ada.Post(path, "title", "T", "content", "two", "revision", "1", "do", "publish").Want(303)
		a := ada.Post(path, "title", "T", "content", "drei", "revision", "1", "do", "publish").Want(409)
		a.Has("#saved-title", "Published version").Has("button[value=mine][form=choice]", "Keep my version and publish")
		fields := []string{"do", "mine"}
		for _, name := range []string{"post", "revision", "version", "then", "title", "content"} {
			fields = append(fields, name, a.Page().Find(`#choice [name="`+name+`"]`).AttrOr("value", ""))
		}
		ada.Post(path, fields...).WantRedirect(303, p.Path())
		ada.Get(p.Path()).Has(".post .prose", "drei")
		if v := s.Data.Versions(p.ID); len(v) != 2 || v[1].Content != "two" {
			t.Errorf("the past versions are %v", v)
		}
	})
	t.Run("names a difference in visibility alone, which the user decides", func(t *testing.T) {
		d := ada.CreateDraft("A title", "One two three", "sea")
		same := []string{"post", d.PostID, "revision", "0", "do", "save", "title", "A title",
			"content", "One two three", "tags", "sea"}
		ada.Post("/posts", append(same, "version", "1", "status", "unlisted")...).Want(303)
		a := ada.Post("/posts", append(same, "version", "1")...).Want(409).HasNo(".no-differences")
		a.Has("[aria-labelledby='mine-title'] .version-line ins", "Public").
			Has("[aria-labelledby='saved-title'] .version-line del", "Unlisted").
			Has(`#merge [name="status"][value="listed"][checked]`, "")
		choose(a, "merge", "mine", "status", "unlisted").WantRedirect(303, "/posts/"+d.PostID+"/edit?done=save")
		if now, _ := draft(ada, d.PostID); now.Status != domain.Unlisted {
			t.Errorf("the draft has the status %q", now.Status)
		}
		aside(ada, d.PostID)
	})
	t.Run("ignores an unknown next action", func(t *testing.T) {
		for _, then := range []string{"", "mine", "theirs", "preview", "<script>"} {
			d, a := conflict(t)
			choose(a, "choice", "mine", "then", then).WantRedirect(303, "/posts/"+d.PostID+"/edit?done=save")
			if now, _ := draft(ada, d.PostID); now.Content != "One deux three" {
				t.Errorf("%q: the draft has %q", then, now.Content)
			}
			if _, err := s.Data.Store.Posts.Latest(t.Context(), d.PostID); !domain.Is(err, domain.NotFound) {
				t.Errorf("%q: the post is published", then)
			}
			aside(ada, d.PostID)
		}
	})
	t.Run("saves an equal text without a conflict", func(t *testing.T) {
		d := ada.CreateDraft("T", "same", "")
		ada.Post("/posts", "post", d.PostID, "version", "0", "do", "save", "title", "T", "content", "same").Want(303)
		p := ada.CreatePost("T", "one")
		for range 2 {
			ada.Post("/posts/"+p.ID, "title", "T", "content", "two", "revision", "1").WantRedirect(303, p.Path())
		}
	})
}

// aside returns the drafts that were made of the other versions of conflicts, and discards them.
func aside(v *webtest.Visitor, postID string) (aside []domain.Draft) {
	v.T.Helper()
	for _, d := range drafts(v) {
		if strings.HasSuffix(d.Title, "(other version)") {
			aside = append(aside, d)
			v.Data.Must(v.Data.Store.Drafts.Discard(v.Data.Context(), v.User.ID, d.PostID, d.Version))
		}
	}
	return aside
}
