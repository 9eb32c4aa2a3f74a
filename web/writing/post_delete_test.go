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
	t.Run("is offered to its author only", func(t *testing.T) {
		p := ada.CreatePost("A title", "text")
		button := `.post a[href="/posts/` + p.ID + `/delete"]`
		ada.Get(p.Path()).Has(button, "Delete")
		ben.Get(p.Path()).HasNo(button)
		s.Anonymous().Get(p.Path()).HasNo(button)
	})
	t.Run("is asked about first, and says what goes with it", func(t *testing.T) {
		for says, n := range map[string][2]int{
			"Its 2 comments and 1 like will also be deleted. This cannot be undone.": {2, 1},
			"Its 1 comment will also be deleted. This cannot be undone.":             {1, 0},
			"Its 3 likes will also be deleted. This cannot be undone.":               {0, 3},
			"It has no comments and no likes. This cannot be undone.":                {0, 0},
		} {
			p := ada.CreatePost("A title", "text")
			s.ChangePost(p.ID, func(p *domain.Post) { p.CommentCount, p.LikeCount = n[0], n[1] })
			a := ada.Get("/posts/"+p.ID+"/delete").Want(200).Has("h1", "Delete your post?").Has("main header", "A title")
			a.Has(`main form[method="post"][action="/posts/`+p.ID+`/delete"]`, says).Has("main form button.danger", "Delete post")
			a.Has(`main form a[href="`+p.Path()+`"]`, "Keep post")
		}
		if s.Data.Calls("Posts.Delete") != 0 {
			t.Error("asking deleted it")
		}
	})
	t.Run("leads to the author's page and says that it is done", func(t *testing.T) {
		p := ada.CreatePost("A title", "text")
		to := ada.Post("/posts/"+p.ID+"/delete").WantRedirect(303, "/@ada?deleted=yes").Header.Get("Location")
		ada.Get(to).Want(200).Has(`.done[role="status"]`, "Post deleted").HasNo(`a[href="` + p.Path() + `"]`)
		ben.Get(to).Want(200).HasNo(".done")
		s.Anonymous().Get(to).Want(200).HasNo(".done")
	})
	t.Run("leaves nothing at its addresses, and says so kindly", func(t *testing.T) {
		p := ada.CreatePost("A title", "text")
		ada.Post("/posts/" + p.ID + "/delete").Want(303)
		for _, path := range []string{"", "/a-title", "/edit", "/delete", "/comments", "/likes"} {
			ada.Get("/posts/"+p.ID+path).Want(404).Has("main", "Its author may have deleted it")
		}
	})
	t.Run("twice is no error", func(t *testing.T) {
		p := ada.CreatePost("A title", "text")
		for range 2 {
			ada.Post("/posts/"+p.ID+"/delete").WantRedirect(303, "/@ada?deleted=yes")
		}
	})
	t.Run("is for the author only", func(t *testing.T) {
		p := ada.CreatePost("A title", "text")
		ben.Get("/posts/"+p.ID+"/delete").Want(403).Has("h1", "Not allowed")
		ben.Post("/posts/"+p.ID+"/delete").Want(403).Has("h1", "Not allowed")
		s.Anonymous().Get(p.Path()).Want(200)
	})
	t.Run("a stranger is asked to log in, and led back", func(t *testing.T) {
		p := ada.CreatePost("A title", "text")
		to := "/login?next=%2Fposts%2F" + p.ID + "%2Fdelete"
		s.Anonymous().Get("/posts/"+p.ID+"/delete").WantRedirect(303, to)
		s.Anonymous().Post("/posts/"+p.ID+"/delete").WantRedirect(303, to)
		s.Anonymous().Get(p.Path()).Want(200)
	})
	t.Run("an unknown post is not found", func(t *testing.T) {
		for _, id := range []string{domain.NewID(), "x"} {
			ada.Get("/posts/" + id + "/delete").Want(404)
			ada.Post("/posts/"+id+"/delete").Want(404).Has("h1", "Not found")
		}
	})
	t.Run("a failure says so, and another try is possible", func(t *testing.T) {
		p := ada.CreatePost("A title", "text")
		s.Data.Fail("Posts.Delete")
		if a := ada.Post("/posts/"+p.ID+"/delete").Want(503).Has("h1", "Temporarily unavailable"); a.Header.Get("Retry-After") == "" {
			t.Error("no word when to try again")
		}
		s.Data.Recover("Posts.Delete")
		ada.Post("/posts/" + p.ID + "/delete").Want(303)
	})
}

func TestWhatWasTypedOutlivesTheDeletedPost(t *testing.T) {
	s := webtest.NewSite(t)
	ada, ben := s.SignUp("ada"), s.SignUp("ben")
	deleted := func() string {
		p := ada.CreatePost("A title", "text")
		ada.Post("/posts/" + p.ID + "/delete").Want(303)
		return "/posts/" + p.ID
	}
	t.Run("an edit can become a new post", func(t *testing.T) {
		path := deleted()
		a := ada.Post(path, "title", "My title", "content", "My text", "revision", "1").Want(404)
		a.Has("h1", "Post deleted").Has("title", "Post deleted").Has(`[role="alert"][tabindex="-1"][autofocus]`, "was deleted while you were editing it")
		a.Has(`main form[action="/posts"] button[value="publish"]`, "Publish as a new post").Has(`[name="revision"][value="0"]`, "")
		if a.Value("title") != "My title" || a.Value("content") != "My text" || !domain.IsID(a.Value("post")) {
			t.Errorf("the form holds %q, %q, %q", a.Value("title"), a.Value("content"), a.Value("post"))
		}
		to := ada.Post("/posts", "title", a.Value("title"), "content", a.Value("content"), "post", a.Value("post")).Want(303)
		ada.Get(to.Header.Get("Location")).Want(200).Has("h1", "My title")
	})
	t.Run("also when the post goes between a conflict and its page", func(t *testing.T) {
		p := ada.CreatePost("A title", "text")
		s.Data.Before("Posts.Edit", func() {
			s.Data.Must(s.Data.EditPost(ada, p.ID, "A title", "Other text"))
			s.Data.Before("Posts.Own", func() { s.Data.Must(s.Data.Store.Posts.Delete(s.Data.Context(), p.ID, ada.User.ID)) })
		})
		a := ada.Post("/posts/"+p.ID, "title", "T", "content", "My text", "revision", "1").Want(404)
		if a.Value("content") != "My text" {
			t.Error("what was typed is lost")
		}
	})
	t.Run("a comment is given back", func(t *testing.T) {
		path := deleted() + "/comments"
		a := ben.Post(path, "content", "\nprecious <b>").Want(404).Has("h1", "Post not found").Has(`[role="alert"]`, "Copy your comment")
		if got := a.Page().Find("textarea[readonly]").Text(); got != "\nprecious <b>" {
			t.Errorf("the page holds %q", got)
		}
		a = ben.HTMX().Post(path, "content", "precious").Want(404).HasNo("h1").Has(`#Page-comment-form [role="alert"]`, "Copy your comment")
		if a.Value("content") != "precious" || a.Header.Get("HX-Retarget") != "" {
			t.Error("what was typed is lost")
		}
	})
	t.Run("also one that breaks a rule, or comes after the session ended", func(t *testing.T) {
		path := deleted() + "/comments"
		long := strings.Repeat("c", domain.MaxComment+1)
		for _, a := range []*webtest.Response{ben.Post(path, "content", long), ben.WithoutSession().Post(path, "content", long)} {
			if got := a.Want(404).Page().Find("textarea[readonly]").Text(); got != long {
				t.Errorf("%s: what was typed is lost", a.Request)
			}
		}
	})
	t.Run("where nothing was typed there is nothing to give back", func(t *testing.T) {
		ben.Post(deleted()+"/comments", "content", " ").Want(404).Has("h1", "Not found")
	})
	t.Run("a new post sent again after it was deleted is published anew, by a double click once", func(t *testing.T) {
		id := ada.Get("/new").Value("post")
		publish := func() string {
			return ada.Post("/posts", "title", "Again", "content", "text", "post", id).Want(303).Header.Get("Location")
		}
		before := ""
		for range 2 {
			to := publish()
			if to == before {
				t.Fatal("leads to the deleted one")
			}
			if again := publish(); again != to {
				t.Errorf("published at %s and at %s", to, again)
			}
			ada.Get(to).Want(200).Has("h1", "Again")
			ada.Post("/posts/" + strings.Split(to, "/")[2] + "/delete").Want(303)
			before = to
		}
		ada.Get(publish()).Want(200).Has("h1", "Again") // however often
	})
}
