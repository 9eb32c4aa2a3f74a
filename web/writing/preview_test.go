package writing_test

import (
	"io"
	"net/url"
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestAPrivateLinkShowsTheDraft(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	d := ada.CreateDraft("A title", "Some *text*", "")
	edit := "/posts/" + d.PostID + "/edit"
	ada.Post("/posts", webtest.FormFields(ada.Get(edit), "do", "share", "content", "Some *other* text")...).
		WantRedirect(303, edit+"?done=share")
	link := ada.Get(edit).Page().Find("#preview-link").AttrOr("value", "")
	u, err := url.Parse(link)
	if err != nil || u.Host != "example.com" || u.Scheme != "http" {
		t.Fatalf("the link is %q", link)
	}
	t.Run("to every visitor with the link, but to no search engine", func(t *testing.T) {
		a := s.Anonymous().Get(u.Path).Want(200).Has("h1", "A title").Has(".prose em", "other").
			Has(`.note[role="note"]`, "@ada shared this draft")
		a.Has(`meta[name="robots"][content="noindex"]`, "").HasNo(`link[rel="canonical"]`)
		if a.Header.Get("X-Robots-Tag") != "noindex, nofollow, noarchive" ||
			a.Header.Get("Referrer-Policy") != "no-referrer" || a.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("the headers are %v", a.Header)
		}
	})
	t.Run("at the same address when it is shared again", func(t *testing.T) {
		ada.Post("/posts", webtest.FormFields(ada.Get(edit), "do", "share")...).Want(303)
		if again := ada.Get(edit).Page().Find("#preview-link").AttrOr("value", ""); again != link {
			t.Errorf("the link is %s", again)
		}
	})
	t.Run("at the configured address, whatever host the request has", func(t *testing.T) {
		c := webtest.Config(s.Data, io.Discard, webtest.KeyOne)
		c.URL = "https://blog.example.org"
		ada := *ada
		ada.Site = &webtest.Site{T: t, Data: s.Data}
		ada.Site.Restart(c)
		if got := ada.Get(edit).Page().Find("#preview-link").AttrOr("value", ""); got != c.URL+u.Path {
			t.Errorf("the link is %q", got)
		}
	})
	t.Run("until the author revokes it", func(t *testing.T) {
		ada.Post("/posts", webtest.FormFields(ada.Get(edit), "do", "unshare")...).
			WantRedirect(303, edit+"?done=unshare")
		s.Anonymous().Get(u.Path).Want(404).Has("main", "This private link doesn't work")
		ada.Get(edit).HasNo("#preview-link")
	})
	t.Run("and answers 404 to an unknown link", func(t *testing.T) {
		s.Anonymous().Get("/preview/x").Want(404)
		s.Anonymous().Get("/preview/" + domain.NewID()).Want(404)
	})
}

func TestThePreviewEqualsThePost(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	p := ada.CreatePost("A title", webtest.LongPost)
	prose := func(a *webtest.Response, selector string) string {
		t.Helper()
		text := a.Page().Find(selector)
		// The ids differ, because those of a preview must not clash with those of the form.
		text.Find("[id], .anchor").RemoveAttr("id").RemoveAttr("href")
		html, _ := text.Html()
		return html
	}
	want := prose(ada.Get(p.Path()), ".post .prose")
	a := ada.HTMX().Post("/preview", "title", "A title", "content", webtest.LongPost).Want(200).HasNo("h1").
		Has(".title", "A title")
	if got := prose(a, ".prose"); got != want || got == "" {
		t.Errorf("the preview is\n%s\nbut the post is\n%s", got, want)
	}
	ada.WithoutSession().HTMX().Post("/preview", "content", "x").Want(401)
	if a.Header.Get("Cache-Control") != "no-store" {
		t.Error("the preview may be cached")
	}
}
