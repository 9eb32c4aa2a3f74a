package writing_test

import (
	"net/http"
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestWritingAPost(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	t.Run("publishes and shows the post", func(t *testing.T) {
		ada.Get("/new").Want(200).Has("main form[action='/posts'] button[name=do][value=publish]", "Publish").
			Has("#content-hint", "HTML appears as plain text")
		to := ada.Post("/posts", "title", "A title", "content", "Some *text*.").Want(303).Header.Get("Location")
		ada.Get(to).Want(200).Has("h1", "A title").Has(".post em", "text")
	})
	t.Run("shows each error beside its field and keeps the text", func(t *testing.T) {
		long := strings.Repeat("t", domain.MaxTitle+1)
		a := ada.Post("/posts", "title", long, "content", " ").Want(422)
		a.HasFieldError("title", "at most").HasFieldError("content", "can't be empty")
		if a.Value("title") != long {
			t.Error("the title is lost")
		}
		a = ada.Post("/posts", "title", "", "content", "\n<b>text</b>\r\n& more").Want(422)
		if got := a.Value("content"); got != "\n<b>text</b>\n& more" {
			t.Errorf("the text is %q", got)
		}
	})
	t.Run("asks an anonymous visitor to log in", func(t *testing.T) {
		s.Anonymous().Get("/new").WantRedirect(303, "/login?next=%2Fnew")
	})
	t.Run("keeps the text when the session has expired", func(t *testing.T) {
		a := ada.WithoutSession().Post("/posts", "title", "A title", "content", "A long text").Want(401)
		a.Has(`[role="alert"]`, "Your session has expired").
			Has(`[role="alert"] a[href="/login"][target="_blank"]`, "log in")
		if a.Value("title") != "A title" || a.Value("content") != "A long text" {
			t.Error("the typed text is lost")
		}
	})
	t.Run("keeps the text when storage fails", func(t *testing.T) {
		for failure, status := range map[int]int{
			webtest.StatusUnavailable:        503,
			http.StatusRequestEntityTooLarge: 413,
		} {
			s.Data.FailWith("Posts.CreateReturning", failure)
			a := ada.Post("/posts", "title", "A title", "content", "A long text").Want(status)
			a.Has(`[role="alert"]`, "")
			if a.Value("content") != "A long text" {
				t.Error("the typed text is lost")
			}
		}
		s.Data.Recover("Posts.CreateReturning")
	})
	t.Run("publishes the form of a double click once, and shows a conflict for another text", func(t *testing.T) {
		id := ada.Get("/new").Value("post")
		publish := func(text string) *webtest.Response {
			return ada.Post("/posts", "title", "Twice", "content", text, "post", id)
		}
		first := publish("text").Want(303).Header.Get("Location")
		publish("text").WantRedirect(303, first)
		// A form that is submitted again after going back is an edit of an outdated revision.
		a := publish("other text").Want(409).Has("[aria-labelledby=mine-title] pre ins", "other").
			Has(".saved pre", "text")
		if a.Value("content") != "other text" || a.Value("revision") != "1" || a.Value("post") != id {
			t.Error("the other text is lost")
		}
	})
	t.Run("ignores fields in the address", func(t *testing.T) {
		ada.Post("/posts?title=x&content=y").Want(422)
	})
}

func TestEditingAPost(t *testing.T) {
	s := webtest.NewSite(t)
	ada, ben := s.SignUp("ada"), s.SignUp("ben")
	p := ada.CreatePost("A title", "The text")
	path := "/posts/" + p.ID
	t.Run("saves the changed text", func(t *testing.T) {
		a := ada.Get(path + "/edit").Want(200)
		if a.Value("title") != "A title" || a.Value("content") != "The text" || a.Value("revision") != "1" {
			t.Errorf("the form has %q, %q, %q", a.Value("title"), a.Value("content"), a.Value("revision"))
		}
		to := ada.Post(path, "title", "Another title", "content", "Another text", "revision", "1").
			WantRedirect(303, path+"/another-title").Header.Get("Location")
		ada.Get(to).Want(200).Has("h1", "Another title").Has(".post .meta", "edited")
	})
	t.Run("shows both versions of a conflict and loses neither", func(t *testing.T) {
		a := ada.Post(path, "title", "My title", "content", "My text", "revision", "1").Want(409)
		a.Has(`[role="alert"]`, "while you were writing").Has(".saved .version-title", "Another title").
			Has(".saved pre", "Another text")
		a.Has("title", "This post has two versions").Has("h1", "This post has two versions").
			Has("button[value=theirs]", "Keep the published version").
			Has("#merge button[value=mine]", "Save combined version and publish")
		a.Has(`[role="alert"][tabindex="-1"][autofocus] a[href="#difference-1"]`, "first difference").
			Has("h2#saved-title", "Published version")
		if a.Value("title") != "My title" || a.Value("content") != "My text" || a.Value("revision") != "2" {
			t.Errorf("the form has %q, %q, %q", a.Value("title"), a.Value("content"), a.Value("revision"))
		}
		ada.Post(path, "title", "My title", "content", "My text", "revision", a.Value("revision")).
			WantRedirect(303, path+"/my-title")
	})
	t.Run("treats a missing revision as a conflict", func(t *testing.T) {
		ada.Post(path, "title", "T", "content", "C").Want(409)
		ada.Post(path, "title", "T", "content", "C", "revision", "x").Want(409)
	})
	t.Run("shows each error beside its field and keeps the text", func(t *testing.T) {
		a := ada.Post(path, "title", " ", "content", "kept", "revision", "3").Want(422).
			HasFieldError("title", "can't be empty")
		if a.Value("content") != "kept" || a.Value("revision") != "3" {
			t.Error("the typed text is lost")
		}
	})
	t.Run("refuses everyone but the author", func(t *testing.T) {
		ben.Get(path+"/edit").Want(403).Has("h1", "Not allowed")
		ben.Post(path, "title", "Mine", "content", "now", "revision", "3").Want(403)
		if got := s.Data.Post(p.ID).Title; got != "My title" {
			t.Errorf("the title is %q", got)
		}
	})
	t.Run("asks an anonymous visitor to log in", func(t *testing.T) {
		s.Anonymous().Get(path+"/edit").WantRedirect(303, "/login?next=%2Fposts%2F"+p.ID+"%2Fedit")
	})
	t.Run("keeps the text when the session has expired", func(t *testing.T) {
		a := ada.WithoutSession().Post(path, "title", "T", "content", "kept", "revision", "3").Want(401)
		a.Has(`main form[action="`+path+`"]`, "").Has(`[role="alert"]`, "session has expired")
		if a.Value("content") != "kept" || a.Value("revision") != "3" {
			t.Error("the typed text is lost")
		}
	})
	t.Run("answers 404 for an unknown post", func(t *testing.T) {
		for _, id := range []string{domain.NewID(), "x"} {
			ada.Get("/posts/" + id + "/edit").Want(404)
			ada.Post("/posts/"+id, "title", "T", "content", "C", "revision", "1").Want(404)
		}
	})
}
