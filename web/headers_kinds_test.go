package web_test

import (
	"net/http"
	"testing"

	"inkfeed/domain"
)

// Of whatever kind an answer is, it is confined as pages are.
func TestEveryKindOfAnswerHasTheHeaders(t *testing.T) {
	s := newSite(t)
	ada := s.member("ada")
	p, gone := ada.aPost("A title", "A text."), ada.aPost("Another", "text")
	ada.post("/posts/" + gone.ID + "/delete").want(http.StatusSeeOther)
	picture := domain.MediaPrefix + ada.picture()
	css := ada.get("/").page().Find(`link[rel="stylesheet"]`).AttrOr("href", "")
	check := func(a *answer, status int) *answer {
		t.Helper()
		wantConfined(t, a.want(status))
		return a
	}
	t.Run("what is not sent again", func(t *testing.T) {
		for _, path := range []string{"/feed.atom", "/feed.rss", "/feed.json", "/@ada/feed.atom", "/favicon.ico", css, picture} {
			tag := check(s.stranger().get(path), http.StatusOK).Header.Get("ETag")
			again := s.stranger()
			again.header.Set("If-None-Match", tag)
			if a := check(again.get(path), http.StatusNotModified); tag == "" || a.body != "" {
				t.Errorf("%s: the tag is %q, and %d bytes came", path, tag, len(a.body))
			}
		}
	})
	t.Run("what is asked for without its body", func(t *testing.T) {
		for _, path := range []string{"/", p.Path(), "/feed.atom", css, picture, "/login", "/settings/export", "/nothing", "/healthz"} {
			a := ada.send(http.MethodHead, path, nil)
			wantConfined(t, a)
			if want := ada.get(path).StatusCode; a.StatusCode != want {
				t.Errorf("%s: status %d, not %d", path, a.StatusCode, want)
			}
		}
	})
	t.Run("what leads elsewhere", func(t *testing.T) {
		check(s.stranger().get("/posts/"+p.ID), http.StatusMovedPermanently)
		check(s.stranger().get("/settings"), http.StatusSeeOther)
		check(ada.post("/posts/"+p.ID+"/like"), http.StatusSeeOther)
	})
	t.Run("parts of a file", func(t *testing.T) {
		v := s.stranger()
		v.header.Set("Range", "bytes=0-3")
		check(v.get(picture), http.StatusPartialContent)
		v.header.Set("Range", "bytes=1000000-")
		check(v.get(picture), http.StatusRequestedRangeNotSatisfiable)
	})
	t.Run("what is not there, or not in that form", func(t *testing.T) {
		check(s.stranger().get("/posts/"+gone.ID), http.StatusNotFound)
		check(s.stranger().get("/oembed?format=yaml&url=http://example.com"+p.Path()), http.StatusNotImplemented)
	})
	t.Run("forms that come back", func(t *testing.T) {
		check(s.stranger().post("/signup"), http.StatusUnprocessableEntity)
		check(s.stranger().post("/login", "username", "ada", "password", "wrong"), http.StatusUnprocessableEntity)
		ada.post("/posts/"+p.ID, "title", "A title", "content", "C", "revision", "1").want(http.StatusSeeOther)
		for _, v := range []*visitor{ada, ada.htmx()} {
			check(v.post("/posts/"+p.ID, "title", "T", "content", "D", "revision", "1"), http.StatusConflict)
		}
	})
	t.Run("what is done too often", func(t *testing.T) {
		often := limited(t, newDatabase(t), nil, "login=1/15m")
		v := often.stranger()
		v.logIn("nobody", "wrong password")
		check(v.logIn("nobody", "wrong password"), http.StatusTooManyRequests)
		check(v.htmx().logIn("nobody", "wrong password"), http.StatusTooManyRequests)
	})
	t.Run("failures, of pages, forms, feeds and files", func(t *testing.T) {
		for status, failure := range map[int]int{http.StatusInternalServerError: statusInternal, http.StatusServiceUnavailable: statusUnavailable} {
			for method, do := range map[string]func() *answer{
				"Feed.FrontPage":   func() *answer { return s.stranger().get("/") },
				"Posts.Comments":   func() *answer { return ada.get(p.Path()) },
				"Posts.Like":       func() *answer { return ada.htmx().post("/posts/" + p.ID + "/like") },
				"Posts.AddComment": func() *answer { return ada.post("/posts/"+p.ID+"/comments", "content", "text") },
				"Users.ByName":     func() *answer { return s.stranger().get("/@ada/feed.atom") },
				"Users.ByID":       func() *answer { return ada.get("/settings") },
			} {
				s.data.failWith(method, failure)
				check(do(), status)
				s.data.recover(method)
			}
		}
	})
}
