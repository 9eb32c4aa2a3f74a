package syndication_test

import (
	"net/http"
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

// addRedirect stores a redirect and replaces one from the same address.
func addRedirect(d *webtest.Database, r domain.Redirect) {
	d.T.Helper()
	if stored, err := d.Store.Redirects.Put(d.Context(), r); err != nil || stored != r {
		d.Must(err)
		d.Must(d.Store.Redirects.Move(d.Context(), r))
	}
}

func TestFormerAddressesRedirectToPosts(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	p := ada.CreatePost("A title", "Text")
	addRedirect(s.Data, domain.Redirect{Path: "/2019/05/hällo", OwnerID: ada.User.ID, PostID: p.ID})
	addRedirect(s.Data, domain.Redirect{Path: "/?p=12", OwnerID: ada.User.ID, PostID: p.ID})

	t.Run("permanently, at any spelling of the address", func(t *testing.T) {
		for _, path := range []string{"/2019/05/h%C3%A4llo", "/2019/05/h%C3%A4llo/", "/2019/05/h%C3%A4llo/index.html",
			"/2019/05/h%C3%A4llo.html", "/2019/05/ha%CC%88llo", "/2019/05/h%C3%A4llo?utm_source=x", "/?p=12",
			"/?page_id=12"} {
			s.Anonymous().Get(path).WantRedirect(http.StatusMovedPermanently, p.Path())
		}
		a := s.Anonymous().Send(http.MethodHead, "/2019/05/h%C3%A4llo", nil)
		if a.StatusCode != http.StatusMovedPermanently {
			t.Errorf("HEAD is answered with %d", a.StatusCode)
		}
	})
	t.Run("with one read for an unknown address", func(t *testing.T) {
		finds, posts := s.Data.Calls("Redirects.Find"), s.Data.Calls("Posts.Latest")
		s.Anonymous().Get("/nothing/here").Want(404)
		if n, m := s.Data.Calls("Redirects.Find")-finds, s.Data.Calls("Posts.Latest")-posts; n != 1 || m != 0 {
			t.Errorf("%d redirects and %d posts were read", n, m)
		}
	})
	t.Run("without a read for addresses that no page had, and reserved ones claimed earlier", func(t *testing.T) {
		addRedirect(s.Data, domain.Redirect{Path: "/login/old", OwnerID: ada.User.ID, PostID: p.ID})
		before := s.Data.Calls("Redirects.Find")
		for _, path := range []string{
			"/wp-includes/x.js", "/favicon.png", "/.env", "/media/nothing", "/posts/" + domain.NewID(), "/x%00y",
			"/login/old", "/wp-admin/",
		} {
			s.Anonymous().Get(path).Want(404)
		}
		s.Anonymous().Get("/").Want(200)
		s.Anonymous().Get("/?p=x").Want(200)
		s.Anonymous().Post("/2019/05/h%C3%A4llo").Want(404)
		if n := s.Data.Calls("Redirects.Find") - before; n != 0 {
			t.Errorf("%d redirects were read", n)
		}
	})
	t.Run("also from an address that looks like one of this site", func(t *testing.T) {
		addRedirect(s.Data, domain.Redirect{Path: "/posts/my-post", OwnerID: ada.User.ID, PostID: p.ID})
		s.Anonymous().Get("/posts/my-post/").WantRedirect(http.StatusMovedPermanently, p.Path())
	})
	t.Run("answers 503 when the redirects cannot be read", func(t *testing.T) {
		s.Data.Fail("Redirects.Find")
		defer s.Data.Recover("Redirects.Find")
		s.Anonymous().Get("/2019/05/h%C3%A4llo").Want(503)
	})
	t.Run("shows the front page for the number of an unknown post", func(t *testing.T) {
		s.Anonymous().Get("/?p=99").Want(200).Has("h1", "")
	})
	t.Run("answers 410 for a deleted post", func(t *testing.T) {
		ada.Post("/posts/" + p.ID + "/erase").Want(303)
		a := s.Anonymous().Get("/2019/05/h%C3%A4llo").Want(http.StatusGone)
		a.Has("h1", "Gone")
		if a.Header.Get("Cache-Control") == "" {
			t.Error("the response may be cached forever")
		}
	})
}

func TestFormerAddressesRedirectToLists(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	ada.Post("/posts", "title", "A title", "content", "Text", "tags", "go").Want(303)
	for path, to := range map[string]string{
		"/": "/@", "/blog": "/@", "/rss": "/@/feed.rss", "/2019": "/@/archive/2019", "/categories/go": "/tags/go",
		"/tags/go": "/tags/go", "/tags/gone": "/tags/gone",
	} {
		addRedirect(s.Data, domain.Redirect{Path: path, OwnerID: ada.User.ID, To: to})
	}
	t.Run("of their owner", func(t *testing.T) {
		for path, to := range map[string]string{
			"/index.xml":               "/@ada/feed.rss",
			"/feed.xml":                "/@ada/feed.atom",
			"/rss/":                    "/@ada/feed.rss",
			"/page/2/":                 "/@ada",
			"/blog/":                   "/@ada",
			"/blog/page3/":             "/@ada",
			"/blog/index.xml":          "/@ada/feed.rss",
			"/2019/":                   "/@ada/archive/2019",
			"/categories/go/":          "/tags/go",
			"/categories/go/index.xml": "/tags/go/feed.rss",
			"/tags/go/atom.xml":        "/tags/go/feed.atom",
		} {
			s.Anonymous().Get(path).WantRedirect(http.StatusMovedPermanently, to)
		}
	})
	t.Run("to feeds that a reader does not fetch twice", func(t *testing.T) {
		to := s.Anonymous().Get("/index.xml").Header.Get("Location")
		tag := s.Anonymous().Get(to).Want(200).Header.Get("ETag")
		reader := s.Anonymous()
		reader.Header.Set("If-None-Match", tag)
		reader.Get(to).Want(http.StatusNotModified)
		reader.Get("/index.xml").WantRedirect(http.StatusMovedPermanently, to)
	})
	t.Run("never to themselves", func(t *testing.T) {
		s.Anonymous().Get("/tags/gone").Want(404)
	})
	t.Run("from the path of the newest posts, which have none of their own while they are the front page",
		func(t *testing.T) {
			addRedirect(s.Data, domain.Redirect{Path: "/posts", OwnerID: ada.User.ID, To: "/@"})
			s.Anonymous().Get("/posts").WantRedirect(http.StatusMovedPermanently, "/@ada")
			s.Anonymous().Get("/posts/").WantRedirect(http.StatusMovedPermanently, "/@ada")
		})
	t.Run("never from pages of this site", func(t *testing.T) {
		addRedirect(s.Data, domain.Redirect{Path: "/tags/go", OwnerID: ada.User.ID, To: "/@"})
		s.Anonymous().Get("/tags/go").Want(200)
		s.Anonymous().Get("/").Want(200)
	})
	t.Run("with 410 and without a read for a former feed of comments", func(t *testing.T) {
		before := s.Data.Calls("Redirects.Find")
		s.Anonymous().Get("/comments/feed/").Want(http.StatusGone)
		s.Anonymous().Get("/blog/comments/feed").Want(http.StatusGone)
		if n := s.Data.Calls("Redirects.Find") - before; n != 0 {
			t.Errorf("%d redirects were read", n)
		}
	})
	t.Run("with one read for an unknown address", func(t *testing.T) {
		for _, path := range []string{"/nothing/page/2/", "/nothing/index.xml", "/nothing/feed.json"} {
			finds, users := s.Data.Calls("Redirects.Find"), s.Data.Calls("Users.ByID")
			s.Anonymous().Get(path).Want(404)
			if n, m := s.Data.Calls("Redirects.Find")-finds, s.Data.Calls("Users.ByID")-users; n != 1 || m != 0 {
				t.Errorf("%s: %d redirects and %d users were read", path, n, m)
			}
		}
	})
}

func TestATrailingSlashRedirects(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	ada.Post("/posts", "title", "A title", "content", "Text", "tags", "go").Want(303)
	for path, to := range map[string]string{
		"/tags/go/":        "/tags/go",
		"/@ada/":           "/@ada",
		"/@ada/archive//":  "/@ada/archive",
		"/search/?q=a%20b": "/search?q=a%20b",
		"/tags/go/?page=2": "/tags/go?page=2",
		"/feed.atom/":      "/feed.atom",
		"/login/":          "/login",
		"/settings/":       "/settings",
		"/tags/c%2B%2B/":   "/tags/c%2B%2B",
	} {
		s.Anonymous().Get(path).WantRedirect(http.StatusMovedPermanently, to)
	}
	t.Run("but not to an unknown address or another site", func(t *testing.T) {
		for _, path := range []string{
			"/nothing/", "/posts/nothing/", "//elsewhere.example/", "//elsewhere.example/%2e%2e/",
			"/%5Celsewhere.example/", "//tags/go/",
		} {
			if a := s.Anonymous().Get(path); a.StatusCode == http.StatusMovedPermanently {
				t.Errorf("%s redirects to %s", path, a.Header.Get("Location"))
			}
		}
	})
	t.Run("but no form is redirected", func(t *testing.T) {
		if a := s.Anonymous().Post("/login/"); a.StatusCode != http.StatusNotFound &&
			a.StatusCode != http.StatusMethodNotAllowed {
			t.Errorf("status %d", a.StatusCode)
		}
	})
}

func TestTheFormerAddressOfAScheduledPost(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	draft := domain.Draft{PostID: domain.NewID(), AuthorID: ada.User.ID, Title: "Soon", Content: "Text"}
	if _, err := s.Data.Store.Drafts.Save(t.Context(), draft); err != nil {
		t.Fatal(err)
	}
	addRedirect(s.Data, domain.Redirect{Path: "/soon", OwnerID: ada.User.ID, PostID: draft.PostID})
	t.Run("is not found before its publication", func(t *testing.T) {
		s.Anonymous().Get("/soon").Want(404)
	})
	t.Run("answers 410 after its deletion", func(t *testing.T) {
		ada.Post("/drafts/"+draft.PostID+"/delete", "version", "1").Want(303)
		s.Anonymous().Get("/soon").Want(http.StatusGone)
	})
}
