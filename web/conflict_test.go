package web_test

import (
	"strings"
	"testing"

	"inkfeed/domain"
)

func TestTwoTabs(t *testing.T) {
	s := newSite(t)
	ada := s.member("ada")
	conflict := func(t *testing.T) (domain.Draft, *answer) {
		d := ada.aDraft("A title", "One two three", "sea")
		_ = must(s.data.store.Drafts.Save(t.Context(), domain.Draft{PostID: d.PostID, AuthorID: d.AuthorID, Version: 1,
			Title: "A title", Content: "One 二 three", Tags: "sea"}))
		a := ada.post("/posts", "post", d.PostID, "version", "1", "revision", "0", "do", "save",
			"title", "A title", "content", "One deux three", "tags", "sea, wind").want(409)
		return d, a
	}
	choose := func(a *answer, form, do string, more ...string) *answer {
		fields := []string{"do", do}
		for _, name := range []string{"post", "revision", "version", "then", "status", "title", "tags"} {
			fields = append(fields, name, a.page().Find("#"+form+` [name="`+name+`"]`).AttrOr("value", ""))
		}
		content := a.page().Find("#" + form + ` [name="content"]`)
		fields = append(fields, "content", content.AttrOr("value", content.Text()))
		return ada.post("/posts", append(fields, more...)...)
	}
	t.Run("both versions are shown with what differs marked", func(t *testing.T) {
		_, a := conflict(t)
		a.has("h1", "This draft has two versions").has("#saved-title", "Saved draft")
		a.has("[aria-labelledby='mine-title'] pre ins", "deux").has(".saved pre del", "二").has("[aria-labelledby='mine-title'] .version-tags ins", "wind")
		a.has(".saved pre", "One 二 three").has(`pre[aria-labelledby="mine-title"]`, "One deux three")
		if n := a.page().Find("ins, del").Length(); n != 5 { // with the two that explain them
			t.Errorf("%d are marked", n)
		}
	})
	t.Run("to keep mine sets the other aside as a draft", func(t *testing.T) {
		d, a := conflict(t)
		for range 2 { // a double click sets it aside once
			choose(a, "choice", "mine")
		}
		now, _ := draft(ada, d.PostID)
		if text(now) != "A title|One deux three|sea, wind" || now.Version != 3 {
			t.Errorf("the draft is %q at version %d", text(now), now.Version)
		}
		if other := aside(ada, d.PostID); len(other) != 1 || other[0].Content != "One 二 three" {
			t.Errorf("set aside is %v", other)
		}
	})
	t.Run("to keep the other sets mine aside as a draft", func(t *testing.T) {
		d, a := conflict(t)
		choose(a, "choice", "theirs").wantRedirect(303, "/posts/"+d.PostID+"/edit?done=kept")
		now, _ := draft(ada, d.PostID)
		if now.Content != "One 二 three" {
			t.Errorf("the draft is %q", text(now))
		}
		if other := aside(ada, d.PostID); len(other) != 1 || other[0].Content != "One deux three" || other[0].Tags != "sea, wind" {
			t.Errorf("set aside is %v", other)
		}
	})
	t.Run("one made of both is saved, and the other set aside", func(t *testing.T) {
		d, a := conflict(t)
		choose(a, "merge", "mine").wantRedirect(303, "/posts/"+d.PostID+"/edit?done=save")
		if other := aside(ada, d.PostID); len(other) != 1 {
			t.Errorf("set aside is %v", other)
		}
	})
	t.Run("a third version that came while one chose is another conflict", func(t *testing.T) {
		d, a := conflict(t)
		_ = must(s.data.store.Drafts.Save(t.Context(), domain.Draft{PostID: d.PostID, AuthorID: d.AuthorID, Version: 2, Content: "A third"}))
		choose(a, "choice", "mine").want(409).has(".saved pre", "A third")
		if other := aside(ada, d.PostID); len(other) != 0 {
			t.Errorf("set aside is %v", other)
		}
	})
	t.Run("what was to be published is published by the choice", func(t *testing.T) {
		p := ada.aPost("T", "one")
		path := "/posts/" + p.ID
		ada.post(path, "title", "T", "content", "two", "revision", "1", "do", "publish").want(303)
		a := ada.post(path, "title", "T", "content", "drei", "revision", "1", "do", "publish").want(409)
		a.has("#saved-title", "Published version").has("button[value=mine][form=choice]", "Keep my version and publish")
		fields := []string{"do", "mine"}
		for _, name := range []string{"post", "revision", "version", "then", "title", "content"} {
			fields = append(fields, name, a.page().Find(`#choice [name="`+name+`"]`).AttrOr("value", ""))
		}
		ada.post(path, fields...).wantRedirect(303, p.Path())
		ada.get(p.Path()).has(".post .prose", "drei")
		if v := s.data.versions(p.ID); len(v) != 2 || v[1].Content != "two" {
			t.Errorf("the past versions are %v", v)
		}
	})
	t.Run("what no button says neither publishes nor asks again", func(t *testing.T) {
		for _, then := range []string{"", "mine", "theirs", "preview", "<script>"} {
			d, a := conflict(t)
			choose(a, "choice", "mine", "then", then).wantRedirect(303, "/posts/"+d.PostID+"/edit?done=save")
			if now, _ := draft(ada, d.PostID); now.Content != "One deux three" {
				t.Errorf("%q: the draft says %q", then, now.Content)
			}
			if _, err := s.data.store.Posts.Latest(t.Context(), d.PostID); !domain.Is(err, domain.NotFound) {
				t.Errorf("%q: it is published", then)
			}
			aside(ada, d.PostID)
		}
	})
	t.Run("the same text is no conflict", func(t *testing.T) {
		d := ada.aDraft("T", "same", "")
		ada.post("/posts", "post", d.PostID, "version", "0", "do", "save", "title", "T", "content", "same").want(303)
		p := ada.aPost("T", "one")
		for range 2 {
			ada.post("/posts/"+p.ID, "title", "T", "content", "two", "revision", "1").wantRedirect(303, p.Path())
		}
	})
}

// aside are the drafts that were made of versions not kept, of the newest conflict only.
func aside(v *visitor, postID string) (aside []domain.Draft) {
	v.t.Helper()
	for _, d := range drafts(v) {
		if strings.HasSuffix(d.Title, "(other version)") {
			aside = append(aside, d)
			v.data.must(v.data.store.Drafts.Discard(v.data.ctx(), v.user.ID, d.PostID, d.Version))
		}
	}
	return aside
}
