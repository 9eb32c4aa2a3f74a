package web_test

import (
	"io"
	"net/url"
	"testing"

	"inkfeed/domain"
)

func TestPreviewLinks(t *testing.T) {
	s := newSite(t)
	ada := s.member("ada")
	d := ada.aDraft("A title", "Some *text*", "")
	edit := "/posts/" + d.PostID + "/edit"
	ada.post("/posts", sent(ada.get(edit), "do", "share", "content", "Some *other* text")...).wantRedirect(303, edit+"?done=share")
	link := ada.get(edit).page().Find("#preview-link").AttrOr("value", "")
	u, err := url.Parse(link)
	if err != nil || u.Host != "example.com" || u.Scheme != "http" {
		t.Fatalf("the link is %q", link)
	}
	t.Run("shows the draft as it is, to whoever has it, and to no index", func(t *testing.T) {
		a := s.stranger().get(u.Path).want(200).has("h1", "A title").has(".prose em", "other").has(`.note[role="note"]`, "@ada shared this draft")
		a.has(`meta[name="robots"][content="noindex"]`, "").hasNo(`link[rel="canonical"]`)
		if a.Header.Get("X-Robots-Tag") != "noindex, nofollow, noarchive" || a.Header.Get("Referrer-Policy") != "no-referrer" || a.Header.Get("Cache-Control") != "no-store" {
			t.Errorf("the header is %v", a.Header)
		}
	})
	t.Run("is the same when asked for again", func(t *testing.T) {
		ada.post("/posts", sent(ada.get(edit), "do", "share")...).want(303)
		if again := ada.get(edit).page().Find("#preview-link").AttrOr("value", ""); again != link {
			t.Errorf("it is %s", again)
		}
	})
	t.Run("is at the address that is configured, whatever host a request names", func(t *testing.T) {
		c := config(s.data, io.Discard, keyOne)
		c.URL = "https://blog.example.org"
		ada := *ada
		ada.site = &site{t: t, data: s.data}
		ada.site.restart(c)
		if got := ada.get(edit).page().Find("#preview-link").AttrOr("value", ""); got != c.URL+u.Path {
			t.Errorf("the link is %q", got)
		}
	})
	t.Run("leads nowhere once it is taken back", func(t *testing.T) {
		ada.post("/posts", sent(ada.get(edit), "do", "unshare")...).wantRedirect(303, edit+"?done=unshare")
		s.stranger().get(u.Path).want(404).has("main", "This private link doesn't work")
		ada.get(edit).hasNo("#preview-link")
	})
	t.Run("what is none is not found", func(t *testing.T) {
		s.stranger().get("/preview/x").want(404)
		s.stranger().get("/preview/" + domain.NewID()).want(404)
	})
}

func TestThePreviewIsThePost(t *testing.T) {
	s := newSite(t)
	ada := s.member("ada")
	p := ada.aPost("A title", longPost)
	prose := func(a *answer, selector string) string {
		t.Helper()
		text := a.page().Find(selector)
		// The ids differ: those of a preview must not be those of the form around it.
		text.Find("[id], .anchor").RemoveAttr("id").RemoveAttr("href")
		html, _ := text.Html()
		return html
	}
	want := prose(ada.get(p.Path()), ".post .prose")
	a := ada.htmx().post("/preview", "title", "A title", "content", longPost).want(200).hasNo("h1").has(".title", "A title")
	if got := prose(a, ".prose"); got != want || got == "" {
		t.Errorf("the preview is\n%s\nand the post\n%s", got, want)
	}
	ada.forgotten().htmx().post("/preview", "content", "x").want(401)
	if a.Header.Get("Cache-Control") != "no-store" {
		t.Error("it may be kept")
	}
}
