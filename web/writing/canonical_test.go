package writing_test

import (
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

const (
	original = "https://www.example.org/notes/1?a=b"
	own      = `link[rel="canonical"][href^="http://example.com/posts/"]`
	notOwn   = `link[rel="canonical"][href="` + original + `"]`
)

func TestAPostNamesItsCanonicalAddress(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	reader := s.Anonymous()
	id := ada.NewPostID()
	to := ada.Post("/posts", "post", id, "title", "A note", "content", "text", "canonicalURL", " "+original+" ",
		"do", "publish").Want(303).Header.Get("Location")
	t.Run("to search engines and readers, but not to feeds", func(t *testing.T) {
		reader.Get(to).Want(200).Has(notOwn, "").HasNo(own).
			Has(`meta[property="og:url"][content^="http://example.com/posts/"]`, "").
			Has(`.detail a[rel="nofollow ugc noopener"][href="`+original+`"]`, "example.org")
		if feed := reader.Get("/feed.atom").Want(200).Body; strings.Contains(feed, "example.org") {
			t.Errorf("the feed is %s", feed)
		}
	})
	t.Run("until its author removes it", func(t *testing.T) {
		path := "/posts/" + id
		a := ada.Get(path + "/edit").Want(200)
		if got := a.Value("canonicalURL"); got != original {
			t.Errorf("the form has the address %q", got)
		}
		ada.Post(path, webtest.FormFields(a, "do", "publish", "canonicalURL", "")...).Want(303)
		reader.Get(to).Want(200).Has(own, "").HasNo(notOwn).HasNo(".detail")
		ada.Get(path+"/versions/1").Want(200).
			Has(`[aria-labelledby="then-title"] .version-line`, "First published at: "+original)
	})
	t.Run("only if it is a web address", func(t *testing.T) {
		for _, typed := range []string{"a note", "javascript:alert(1)", "https://", "//example.org/a"} {
			a := ada.Post("/posts", "title", "A note", "content", "text", "canonicalURL", typed, "do", "publish").
				Want(422).HasFieldError("canonicalURL", "Enter a web address")
			if a.Value("canonicalURL") != typed || a.Page().Find("details[open] #canonicalURL").Length() != 1 {
				t.Errorf("%q: the form has %q", typed, a.Value("canonicalURL"))
			}
		}
	})
	t.Run("also if it was typed without https://", func(t *testing.T) {
		p := ada.CreatePost("Another note", "text")
		ada.Post("/posts/"+p.ID, webtest.FormFields(ada.Get("/posts/"+p.ID+"/edit"), "do", "publish", "canonicalURL",
			"example.org/a")...).Want(303)
		if got := s.Data.Post(p.ID).Details.CanonicalURL; got != "https://example.org/a" {
			t.Errorf("the canonical address is %q", got)
		}
	})
	t.Run("in previews without a link", func(t *testing.T) {
		ada.Post("/preview", "title", "A note", "content", "text", "canonicalURL", original).Want(200).
			Has(".detail", "First published at example.org").HasNo(".detail a")
	})
	t.Run("in drafts of any text", func(t *testing.T) {
		form := ada.Get("/new")
		ada.Post("/posts", webtest.FormFields(form, "do", "save", "title", "x", "content", "x",
			"canonicalURL", "soon")...).Want(303)
		if a := ada.Get("/posts/" + form.Value("post") + "/edit"); a.Value("canonicalURL") != "soon" {
			t.Errorf("the draft has %q", a.Value("canonicalURL"))
		}
		ada.Post("/posts", webtest.FormFields(ada.Get("/new"), "do", "save", "title", "x", "content", "x",
			"canonicalURL", strings.Repeat("a", 20_000))...).Want(422).
			HasFieldError("canonicalURL", "This is too long to save.")
	})
}

func TestTheLinkOfANewAuthorToTheFirstPublicationIsReviewed(t *testing.T) {
	s := webtest.NewSite(t)
	s.SetSettings(domain.Settings{})
	ada := s.SignUp("ada")
	to := ada.Post("/posts", "title", "A note", "content", "text", "canonicalURL", original, "do", "publish").
		Want(303).Header.Get("Location")
	ada.Get(to).Want(200).Has(".hold-notice", "In review")
	s.Anonymous().Get(to).Want(404)
}
