package web_test

import (
	"net/http"
	"testing"

	"inkfeed/domain"
)

func TestFormerAddresses(t *testing.T) {
	s := newSite(t)
	ada := s.member("ada")
	p := ada.aPost("A title", "Text")
	s.data.setRedirect("/2019/05/hällo", p.ID)
	s.data.setRedirect("/?p=12", p.ID)

	t.Run("lead to the post for ever, however they are written", func(t *testing.T) {
		for _, path := range []string{"/2019/05/h%C3%A4llo", "/2019/05/h%C3%A4llo/", "/2019/05/h%C3%A4llo/index.html",
			"/2019/05/h%C3%A4llo.html", "/2019/05/ha%CC%88llo", "/2019/05/h%C3%A4llo?utm_source=x", "/?p=12", "/?page_id=12"} {
			s.stranger().get(path).wantRedirect(http.StatusMovedPermanently, p.Path())
		}
		if a := s.stranger().send(http.MethodHead, "/2019/05/h%C3%A4llo", nil); a.StatusCode != http.StatusMovedPermanently {
			t.Errorf("HEAD gives %d", a.StatusCode)
		}
	})
	t.Run("cost one look where nothing was", func(t *testing.T) {
		finds, posts := s.data.calls("Redirects.Find"), s.data.calls("Latest")
		s.stranger().get("/nothing/here").want(404)
		if n, m := s.data.calls("Redirects.Find")-finds, s.data.calls("Latest")-posts; n != 1 || m != 0 {
			t.Errorf("%d redirects and %d posts were read", n, m)
		}
	})
	t.Run("are not looked for where no page was", func(t *testing.T) {
		before := s.data.calls("Redirects.Find")
		for _, path := range []string{"/wp-includes/x.js", "/favicon.png", "/.env", "/media/nothing", "/posts/" + domain.NewID(), "/x%00y"} {
			s.stranger().get(path).want(404)
		}
		s.stranger().get("/").want(200)
		s.stranger().get("/?p=x").want(200)
		s.stranger().post("/2019/05/h%C3%A4llo").want(404)
		if n := s.data.calls("Redirects.Find") - before; n != 0 {
			t.Errorf("%d were looked for", n)
		}
	})
	t.Run("an address that looks like one of ours is found too", func(t *testing.T) {
		s.data.setRedirect("/posts/my-post", p.ID)
		s.stranger().get("/posts/my-post/").wantRedirect(http.StatusMovedPermanently, p.Path())
	})
	t.Run("nobody else's is answered while the store is away", func(t *testing.T) {
		s.data.fail("Redirects.Find", domain.Errorf(domain.Unavailable, ""))
		defer s.data.fail("Redirects.Find", nil)
		s.stranger().get("/2019/05/h%C3%A4llo").want(503)
	})
	t.Run("a number of no post leaves the front page", func(t *testing.T) {
		s.stranger().get("/?p=99").want(200).has("h1", "")
	})
	t.Run("say that a deleted post is gone", func(t *testing.T) {
		ada.post("/posts/" + p.ID + "/delete").want(303)
		a := s.stranger().get("/2019/05/h%C3%A4llo").want(http.StatusGone)
		a.has("h1", "Gone")
		if a.Header.Get("Cache-Control") == "" {
			t.Error("that may be cached for ever")
		}
	})
}
