package writing_test

import (
	"net/http"
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestSubtitle(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	const subtitle = "Three weeks along the coast"
	to := ada.Post("/posts", "title", "A walk", "subtitle", " Three weeks\nalong the  coast ", "tags", "walks",
		"content", "It began with rain.", "do", "publish").Want(http.StatusSeeOther).Header.Get("Location")
	s.Data.CatchUp()
	t.Run("is below the title, and describes the post to search engines and other sites", func(t *testing.T) {
		s.Anonymous().Get(to).Want(200).Has(".post > header > h1 + .subtitle", subtitle).
			Has(`meta[name="description"][content="`+subtitle+`"]`, "").
			Has(`meta[property="og:description"][content="`+subtitle+`"]`, "").
			Has(`script[type="application/ld+json"]`, `"description":"`+subtitle+`"`)
	})
	t.Run("stands for the beginning of the text in lists and feeds", func(t *testing.T) {
		for _, list := range []string{"/", "/@ada", "/tags/walks"} {
			s.Anonymous().Get(list).Want(200).Has(".summary .text", subtitle)
		}
		if feed := s.Anonymous().Get("/feed.atom").Want(200).Body; !strings.Contains(feed, subtitle+"</summary>") {
			t.Errorf("the feed is %s", feed)
		}
	})
	t.Run("is a field of the editor, the preview and the comparison of versions", func(t *testing.T) {
		id := strings.Split(to, "/")[2]
		form := ada.Get("/posts/" + id + "/edit").Want(200)
		if got := form.Value("subtitle"); got != subtitle {
			t.Errorf("the form has the subtitle %q", got)
		}
		form.Has(`label[for="subtitle"]`, "Subtitle")
		ada.Post("/preview", "title", "A walk", "subtitle", subtitle, "content", "text").Want(200).
			Has(".title + .subtitle", subtitle)
		ada.Post("/posts/"+id, webtest.FormFields(form, "do", "publish", "subtitle", "")...).Want(303)
		s.Anonymous().Get(to).Want(200).HasNo(".subtitle").
			Has(`meta[name="description"][content="It began with rain."]`, "")
		ada.Get("/posts/"+id+"/versions/1").Want(200).
			Has(`[aria-labelledby="then-title"] .version-line`, "Subtitle: "+subtitle)
	})
	t.Run("comes back with its error if it is too long", func(t *testing.T) {
		typed := strings.Repeat("é", domain.MaxSubtitle+1)
		a := ada.Post("/posts", "title", "A walk", "content", "text", "subtitle", typed, "do", "publish").Want(422).
			HasFieldError("subtitle", "Use at most 280 characters.")
		if a.Value("subtitle") != typed {
			t.Errorf("the form has %q", a.Value("subtitle"))
		}
	})
}

func TestAddressOfAPost(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	id := ada.NewPostID()
	ada.Post("/posts", "post", id, "title", "What I saw on the way to the sea", "content", "text", "address",
		" The Way to the Sea! ", "do", "save").Want(303)
	t.Run("stays as typed in the draft", func(t *testing.T) {
		if got := ada.Get("/posts/" + id + "/edit").Want(200).Value("address"); got != " The Way to the Sea! " {
			t.Errorf("the form has %q", got)
		}
	})
	publish := func(address string) string {
		form := webtest.FormFields(ada.Get("/posts/"+id+"/edit"), "do", "publish", "address", address)
		return ada.Post("/posts", form...).Want(303).Header.Get("Location")
	}
	first := publish("The Way to the Sea!")
	t.Run("ends with the words that the author chose", func(t *testing.T) {
		if want := "/posts/" + id + "/the-way-to-the-sea"; !strings.HasPrefix(first, want) {
			t.Errorf("the post is at %s, want %s", first, want)
		}
		s.Data.CatchUp()
		s.Anonymous().Get("/").Want(200).Has(`h2 a[href="/posts/`+id+`/the-way-to-the-sea"]`, "")
	})
	t.Run("leads to the new address when the author changes it", func(t *testing.T) {
		form := webtest.FormFields(ada.Get("/posts/"+id+"/edit"), "do", "publish", "address", "")
		ada.Post("/posts/"+id, form...).Want(303)
		now := s.Anonymous().Get("/posts/" + id + "/the-way-to-the-sea").Want(301).Header.Get("Location")
		if now != "/posts/"+id+"/what-i-saw-on-the-way-to-the-sea" {
			t.Errorf("the former address leads to %s", now)
		}
	})
	t.Run("needs a letter or digit", func(t *testing.T) {
		ada.Post("/posts", "title", "A walk", "content", "text", "address", "?!", "do", "publish").Want(422).
			HasFieldError("address", "Use at least one letter or digit.")
	})
	t.Run("is never that of a page below the post", func(t *testing.T) {
		to := ada.Post("/posts", "title", "A walk", "content", "text", "address", "edit", "do", "publish").Want(303)
		if at := to.Header.Get("Location"); !strings.HasSuffix(at, "/edit-post") {
			t.Errorf("the post is at %s", at)
		}
	})
}
