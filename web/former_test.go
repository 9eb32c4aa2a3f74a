package web_test

import (
	"net/http"
	"testing"

	"inkfeed/domain"
)

// addRedirect adds a redirect, in place of one from the same address.
func addRedirect(d *database, r domain.Redirect) {
	d.t.Helper()
	if stored, err := d.store.Redirects.Put(d.ctx(), r); err != nil || stored != r {
		d.must(err)
		d.must(d.store.Redirects.Move(d.ctx(), r))
	}
}

func TestFormerAddresses(t *testing.T) {
	s := newSite(t)
	ada := s.member("ada")
	p := ada.aPost("A title", "Text")
	addRedirect(s.data, domain.Redirect{Path: "/2019/05/hällo", OwnerID: ada.user.ID, PostID: p.ID})
	addRedirect(s.data, domain.Redirect{Path: "/?p=12", OwnerID: ada.user.ID, PostID: p.ID})

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
		finds, posts := s.data.calls("Redirects.Find"), s.data.calls("Posts.Latest")
		s.stranger().get("/nothing/here").want(404)
		if n, m := s.data.calls("Redirects.Find")-finds, s.data.calls("Posts.Latest")-posts; n != 1 || m != 0 {
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
		addRedirect(s.data, domain.Redirect{Path: "/posts/my-post", OwnerID: ada.user.ID, PostID: p.ID})
		s.stranger().get("/posts/my-post/").wantRedirect(http.StatusMovedPermanently, p.Path())
	})
	t.Run("nobody else's is answered while the store is away", func(t *testing.T) {
		s.data.fail("Redirects.Find")
		defer s.data.recover("Redirects.Find")
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

func TestFormerAddressesOfLists(t *testing.T) {
	s := newSite(t)
	ada := s.member("ada")
	ada.post("/posts", "title", "A title", "content", "Text", "tags", "go").want(303)
	for path, to := range map[string]string{"/": "/@", "/blog": "/@", "/rss": "/@/feed.rss", "/2019": "/@/archive/2019", "/categories/go": "/tags/go",
		"/tags/go": "/tags/go", "/tags/gone": "/tags/gone"} {
		addRedirect(s.data, domain.Redirect{Path: path, OwnerID: ada.user.ID, To: to})
	}
	t.Run("lead to those of their owner", func(t *testing.T) {
		for path, to := range map[string]string{"/index.xml": "/@ada/feed.rss", "/feed.xml": "/@ada/feed.atom", "/rss/": "/@ada/feed.rss", "/page/2/": "/@ada",
			"/blog/": "/@ada", "/blog/page3/": "/@ada", "/blog/index.xml": "/@ada/feed.rss", "/2019/": "/@ada/archive/2019",
			"/categories/go/": "/tags/go", "/categories/go/index.xml": "/tags/go/feed.rss", "/tags/go/atom.xml": "/tags/go/feed.atom"} {
			s.stranger().get(path).wantRedirect(http.StatusMovedPermanently, to)
		}
	})
	t.Run("which a reader of feeds need not fetch twice", func(t *testing.T) {
		to := s.stranger().get("/index.xml").Header.Get("Location")
		tag := s.stranger().get(to).want(200).Header.Get("ETag")
		reader := s.stranger()
		reader.header.Set("If-None-Match", tag)
		reader.get(to).want(http.StatusNotModified)
		reader.get("/index.xml").wantRedirect(http.StatusMovedPermanently, to)
	})
	t.Run("never lead to themselves", func(t *testing.T) {
		s.stranger().get("/tags/gone").want(404)
	})
	t.Run("leave the pages of this site as they are", func(t *testing.T) {
		addRedirect(s.data, domain.Redirect{Path: "/tags/go", OwnerID: ada.user.ID, To: "/@"})
		s.stranger().get("/tags/go").want(200)
		s.stranger().get("/").want(200)
	})
	t.Run("say that the feed of comments has gone, without a look", func(t *testing.T) {
		before := s.data.calls("Redirects.Find")
		s.stranger().get("/comments/feed/").want(http.StatusGone)
		s.stranger().get("/blog/comments/feed").want(http.StatusGone)
		if n := s.data.calls("Redirects.Find") - before; n != 0 {
			t.Errorf("%d were looked for", n)
		}
	})
	t.Run("cost one look where nothing was", func(t *testing.T) {
		for _, path := range []string{"/nothing/page/2/", "/nothing/index.xml", "/nothing/feed/atom/"} {
			finds, users := s.data.calls("Redirects.Find"), s.data.calls("Users.ByID")
			s.stranger().get(path).want(404)
			if n, m := s.data.calls("Redirects.Find")-finds, s.data.calls("Users.ByID")-users; n != 1 || m != 0 {
				t.Errorf("%s: %d redirects and %d users were read", path, n, m)
			}
		}
	})
}

func TestASlashTooManyRedirects(t *testing.T) {
	s := newSite(t)
	ada := s.member("ada")
	ada.post("/posts", "title", "A title", "content", "Text", "tags", "go").want(303)
	for path, to := range map[string]string{"/tags/go/": "/tags/go", "/@ada/": "/@ada", "/@ada/archive//": "/@ada/archive", "/search/?q=a%20b": "/search?q=a%20b",
		"/tags/go/?page=2": "/tags/go?page=2", "/feed.atom/": "/feed.atom", "/login/": "/login", "/settings/": "/settings", "/tags/c%2B%2B/": "/tags/c%2B%2B"} {
		s.stranger().get(path).wantRedirect(http.StatusMovedPermanently, to)
	}
	t.Run("but not to where nothing can be, or to another site", func(t *testing.T) {
		for _, path := range []string{"/nothing/", "/posts/", "/posts/nothing/", "//elsewhere.example/", "//elsewhere.example/%2e%2e/", "/%5Celsewhere.example/", "//tags/go/"} {
			if a := s.stranger().get(path); a.StatusCode == http.StatusMovedPermanently {
				t.Errorf("%s leads to %s", path, a.Header.Get("Location"))
			}
		}
	})
	t.Run("and no form is sent elsewhere", func(t *testing.T) {
		if a := s.stranger().post("/login/"); a.StatusCode != http.StatusNotFound && a.StatusCode != http.StatusMethodNotAllowed {
			t.Errorf("status %d", a.StatusCode)
		}
	})
}

func TestTheFormerAddressOfAScheduledPost(t *testing.T) {
	s := newSite(t)
	ada := s.member("ada")
	draft := domain.Draft{PostID: domain.NewID(), AuthorID: ada.user.ID, Title: "Soon", Content: "Text"}
	if _, err := s.data.store.Drafts.Save(t.Context(), draft); err != nil {
		t.Fatal(err)
	}
	addRedirect(s.data, domain.Redirect{Path: "/soon", OwnerID: ada.user.ID, PostID: draft.PostID})
	t.Run("is not found before", func(t *testing.T) {
		s.stranger().get("/soon").want(404)
	})
	t.Run("is gone when nothing is left of the post", func(t *testing.T) {
		ada.post("/drafts/"+draft.PostID+"/delete", "version", "1").want(303)
		s.stranger().get("/soon").want(http.StatusGone)
	})
}
