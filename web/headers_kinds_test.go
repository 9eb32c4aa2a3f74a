package web_test

import (
	"net/http"
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

// Every kind of response has the security headers of pages.
func TestEveryKindOfResponseHasTheSecurityHeaders(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	p, gone := ada.CreatePost("A title", "A text."), ada.CreatePost("Another", "text")
	ada.Post("/posts/" + gone.ID + "/delete").Want(http.StatusSeeOther)
	picture := domain.MediaPrefix + ada.UploadPicture()
	css := ada.Get("/").Page().Find(`link[rel="stylesheet"]`).AttrOr("href", "")
	check := func(a *webtest.Response, status int) *webtest.Response {
		t.Helper()
		wantConfined(t, a.Want(status))
		return a
	}
	t.Run("responses with 304", func(t *testing.T) {
		for _, path := range []string{
			"/feed.atom", "/feed.rss", "/feed.json", "/@ada/feed.atom", "/favicon.ico", css, picture,
		} {
			tag := check(s.Anonymous().Get(path), http.StatusOK).Header.Get("ETag")
			again := s.Anonymous()
			again.Header.Set("If-None-Match", tag)
			if a := check(again.Get(path), http.StatusNotModified); tag == "" || a.Body != "" {
				t.Errorf("%s: the entity tag is %q, and the body has %d bytes", path, tag, len(a.Body))
			}
		}
	})
	t.Run("responses to HEAD", func(t *testing.T) {
		for _, path := range []string{
			"/", p.Path(), "/feed.atom", css, picture, "/login", "/settings/export", "/nothing", "/healthz",
		} {
			a := ada.Send(http.MethodHead, path, nil)
			wantConfined(t, a)
			if want := ada.Get(path).StatusCode; a.StatusCode != want {
				t.Errorf("%s: status %d, want %d", path, a.StatusCode, want)
			}
		}
	})
	t.Run("redirects", func(t *testing.T) {
		check(s.Anonymous().Get("/posts/"+p.ID), http.StatusMovedPermanently)
		check(s.Anonymous().Get("/settings"), http.StatusSeeOther)
		check(ada.Post("/posts/"+p.ID+"/like"), http.StatusSeeOther)
	})
	t.Run("byte ranges", func(t *testing.T) {
		v := s.Anonymous()
		v.Header.Set("Range", "bytes=0-3")
		check(v.Get(picture), http.StatusPartialContent)
		v.Header.Set("Range", "bytes=1000000-")
		check(v.Get(picture), http.StatusRequestedRangeNotSatisfiable)
	})
	t.Run("missing pages and unknown formats", func(t *testing.T) {
		check(s.Anonymous().Get("/posts/"+gone.ID), http.StatusNotFound)
		check(s.Anonymous().Get("/oembed?format=yaml&url=http://example.com"+p.Path()), http.StatusNotImplemented)
	})
	t.Run("rejected forms", func(t *testing.T) {
		check(s.Anonymous().Post("/signup"), http.StatusUnprocessableEntity)
		check(s.Anonymous().Post("/login", "username", "ada", "password", "wrong"), http.StatusUnprocessableEntity)
		ada.Post("/posts/"+p.ID, "title", "A title", "content", "C", "revision", "1").Want(http.StatusSeeOther)
		for _, v := range []*webtest.Visitor{ada, ada.HTMX()} {
			check(v.Post("/posts/"+p.ID, "title", "T", "content", "D", "revision", "1"), http.StatusConflict)
		}
	})
	t.Run("rate-limited requests", func(t *testing.T) {
		often := webtest.NewLimitedSite(t, webtest.NewDatabase(t), nil, "login=1/15m")
		v := often.Anonymous()
		v.LogIn("nobody", "wrong password")
		check(v.LogIn("nobody", "wrong password"), http.StatusTooManyRequests)
		check(v.HTMX().LogIn("nobody", "wrong password"), http.StatusTooManyRequests)
	})
	t.Run("failures of pages, forms, feeds and files", func(t *testing.T) {
		for status, failure := range map[int]int{
			http.StatusInternalServerError: webtest.StatusInternal,
			http.StatusServiceUnavailable:  webtest.StatusUnavailable,
		} {
			for method, do := range map[string]func() *webtest.Response{
				"Feed.FrontPage": func() *webtest.Response { return s.Anonymous().Get("/") },
				"Posts.Comments": func() *webtest.Response { return ada.Get(p.Path()) },
				"Posts.Like":     func() *webtest.Response { return ada.HTMX().Post("/posts/" + p.ID + "/like") },
				"Posts.AddComment": func() *webtest.Response {
					return ada.Post("/posts/"+p.ID+"/comments", "content", "text")
				},
				"Users.ByName": func() *webtest.Response { return s.Anonymous().Get("/@ada/feed.atom") },
				"Users.ByID":   func() *webtest.Response { return ada.Get("/settings") },
			} {
				s.Data.FailWith(method, failure)
				check(do(), status)
				s.Data.Recover(method)
			}
		}
	})
}
