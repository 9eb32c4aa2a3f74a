package writing_test

import (
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestDeletingAPost(t *testing.T) {
	s := webtest.NewSite(t)
	ada, ben := s.SignUp("ada"), s.SignUp("ben")
	t.Run("is offered only to the author", func(t *testing.T) {
		p := ada.CreatePost("A title", "text")
		button := `.post a[href="/posts/` + p.ID + `/delete"]`
		ada.Get(p.Path()).Has(button, "Delete")
		ben.Get(p.Path()).HasNo(button)
		s.Anonymous().Get(p.Path()).HasNo(button)
	})
	t.Run("lists what is deleted with the post on the confirmation page", func(t *testing.T) {
		for text, n := range map[string][2]int{
			"Its 2 comments and 1 like will also be deleted. This cannot be undone.": {2, 1},
			"Its 1 comment will also be deleted. This cannot be undone.":             {1, 0},
			"Its 3 likes will also be deleted. This cannot be undone.":               {0, 3},
			"It has no comments and no likes. This cannot be undone.":                {0, 0},
		} {
			p := ada.CreatePost("A title", "text")
			s.ChangePost(p.ID, func(p *domain.Post) { p.CommentCount, p.LikeCount = n[0], n[1] })
			a := ada.Get("/posts/"+p.ID+"/delete").Want(200).Has("h1", "Delete your post?").
				Has("main header", "A title")
			a.Has(`main form[method="post"][action="/posts/`+p.ID+`/delete"]`, text).
				Has("main form button.danger", "Delete post")
			a.Has(`main form a[href="`+p.Path()+`"]`, "Keep post")
		}
		if s.Data.Calls("Posts.Delete") != 0 {
			t.Error("the confirmation page deleted the post")
		}
	})
	t.Run("redirects to the author's page with a confirmation", func(t *testing.T) {
		p := ada.CreatePost("A title", "text")
		to := ada.Post("/posts/"+p.ID+"/delete").WantRedirect(303, "/@ada?deleted=yes").Header.Get("Location")
		ada.Get(to).Want(200).Has(`.done[role="status"]`, "Post deleted").HasNo(`a[href="` + p.Path() + `"]`)
		ben.Get(to).Want(200).HasNo(".done")
		s.Anonymous().Get(to).Want(200).HasNo(".done")
	})
	t.Run("answers 404 at all addresses of the post, with an explanation", func(t *testing.T) {
		p := ada.CreatePost("A title", "text")
		ada.Post("/posts/" + p.ID + "/delete").Want(303)
		for _, path := range []string{"", "/a-title", "/edit", "/delete", "/comments", "/likes"} {
			ada.Get("/posts/"+p.ID+path).Want(404).Has("main", "Its author may have deleted it")
		}
	})
	t.Run("accepts a second deletion", func(t *testing.T) {
		p := ada.CreatePost("A title", "text")
		for range 2 {
			ada.Post("/posts/"+p.ID+"/delete").WantRedirect(303, "/@ada?deleted=yes")
		}
	})
	t.Run("refuses everyone but the author", func(t *testing.T) {
		p := ada.CreatePost("A title", "text")
		ben.Get("/posts/"+p.ID+"/delete").Want(403).Has("h1", "Not allowed")
		ben.Post("/posts/"+p.ID+"/delete").Want(403).Has("h1", "Not allowed")
		s.Anonymous().Get(p.Path()).Want(200)
	})
	t.Run("asks an anonymous visitor to log in and returns afterwards", func(t *testing.T) {
		p := ada.CreatePost("A title", "text")
		to := "/login?next=%2Fposts%2F" + p.ID + "%2Fdelete"
		s.Anonymous().Get("/posts/"+p.ID+"/delete").WantRedirect(303, to)
		s.Anonymous().Post("/posts/"+p.ID+"/delete").WantRedirect(303, to)
		s.Anonymous().Get(p.Path()).Want(200)
	})
	t.Run("answers 404 for an unknown post", func(t *testing.T) {
		for _, id := range []string{domain.NewID(), "x"} {
			ada.Get("/posts/" + id + "/delete").Want(404)
			ada.Post("/posts/"+id+"/delete").Want(404).Has("h1", "Not found")
		}
	})
	t.Run("reports a failure and accepts another attempt", func(t *testing.T) {
		p := ada.CreatePost("A title", "text")
		s.Data.Fail("Posts.Delete")
		a := ada.Post("/posts/"+p.ID+"/delete").Want(503).Has("h1", "Temporarily unavailable")
		if a.Header.Get("Retry-After") == "" {
			t.Error("Retry-After is missing")
		}
		s.Data.Recover("Posts.Delete")
		ada.Post("/posts/" + p.ID + "/delete").Want(303)
	})
}

func TestTextsSurviveTheDeletionOfTheirPost(t *testing.T) {
	s := webtest.NewSite(t)
	ada, ben := s.SignUp("ada"), s.SignUp("ben")
	deleted := func() string {
		p := ada.CreatePost("A title", "text")
		ada.Post("/posts/" + p.ID + "/delete").Want(303)
		return "/posts/" + p.ID
	}
	t.Run("offers to publish an edit as a new post", func(t *testing.T) {
		path := deleted()
		a := ada.Post(path, "title", "My title", "content", "My text", "revision", "1").Want(404)
		a.Has("h1", "Post deleted").Has("title", "Post deleted").
			Has(`[role="alert"][tabindex="-1"][autofocus]`, "was deleted while you were editing it")
		a.Has(`main form[action="/posts"] button[value="publish"]`, "Publish as a new post").
			Has(`[name="revision"][value="0"]`, "")
		if a.Value("title") != "My title" || a.Value("content") != "My text" || !domain.IsID(a.Value("post")) {
			t.Errorf("the form has %q, %q, %q", a.Value("title"), a.Value("content"), a.Value("post"))
		}
		to := ada.Post("/posts", "title", a.Value("title"), "content", a.Value("content"), "post", a.Value("post")).
			Want(303)
		ada.Get(to.Header.Get("Location")).Want(200).Has("h1", "My title")
	})
	t.Run("keeps an edit of a post that is deleted during a conflict", func(t *testing.T) {
		p := ada.CreatePost("A title", "text")
		s.Data.Before("Posts.Edit", func() {
			s.Data.Must(s.Data.EditPost(ada, p.ID, "A title", "Other text"))
			s.Data.Before("Posts.Own",
				func() { s.Data.Must(s.Data.Store.Posts.Delete(s.Data.Context(), p.ID, ada.User.ID)) })
		})
		a := ada.Post("/posts/"+p.ID, "title", "T", "content", "My text", "revision", "1").Want(404)
		if a.Value("content") != "My text" {
			t.Error("the typed text is lost")
		}
	})
	t.Run("returns a comment to its author", func(t *testing.T) {
		path := deleted() + "/comments"
		a := ben.Post(path, "content", "\nprecious <b>").Want(404).Has("h1", "Post not found").
			Has(`[role="alert"]`, "Copy your comment")
		if got := a.Page().Find("textarea[readonly]").Text(); got != "\nprecious <b>" {
			t.Errorf("the page has %q", got)
		}
		a = ben.HTMX().Post(path, "content", "precious").Want(404).HasNo("h1").
			Has(`#Page-comment-form [role="alert"]`, "Copy your comment")
		if a.Value("content") != "precious" || a.Header.Get("HX-Retarget") != "" {
			t.Error("the typed text is lost")
		}
	})
	t.Run("returns a comment that is invalid or comes after the session has expired", func(t *testing.T) {
		path := deleted() + "/comments"
		long := strings.Repeat("c", domain.MaxComment+1)
		for _, a := range []*webtest.Response{
			ben.Post(path, "content", long), ben.WithoutSession().Post(path, "content", long),
		} {
			if got := a.Want(404).Page().Find("textarea[readonly]").Text(); got != long {
				t.Errorf("%s: the typed text is lost", a.Request)
			}
		}
	})
	t.Run("answers 404 without a form if nothing was typed", func(t *testing.T) {
		ben.Post(deleted()+"/comments", "content", " ").Want(404).Has("h1", "Not found")
	})
	t.Run("publishes a deleted new post again, once for each form", func(t *testing.T) {
		id := ada.Get("/new").Value("post")
		publish := func() string {
			return ada.Post("/posts", "title", "Again", "content", "text", "post", id).Want(303).Header.Get("Location")
		}
		before := ""
		for range 2 {
			to := publish()
			if to == before {
				t.Fatal("the redirect is to the deleted post")
			}
			if again := publish(); again != to {
				t.Errorf("the post is published at %s and at %s", to, again)
			}
			ada.Get(to).Want(200).Has("h1", "Again")
			ada.Post("/posts/" + strings.Split(to, "/")[2] + "/delete").Want(303)
			before = to
		}
		ada.Get(publish()).Want(200).Has("h1", "Again") // any number of times
	})
}
