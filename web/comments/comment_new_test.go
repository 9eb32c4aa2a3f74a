package comments_test

import (
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestCommenting(t *testing.T) {
	s := webtest.NewSite(t)
	ada, ben := s.SignUp("ada"), s.SignUp("ben")
	p := ada.CreatePost("A title", "text")
	path := "/posts/" + p.ID + "/comments"
	last := func() string {
		list := s.Data.Comments(p.ID)
		return list[len(list)-1].ID
	}
	t.Run("leads to the comment", func(t *testing.T) {
		a := ben.Post(path, "content", "A *comment*").Want(303)
		if got, want := a.Header.Get("Location"), p.Path()+"#comment-"+last(); got != want {
			t.Errorf("leads to %s, want %s", got, want)
		}
		ben.Get(p.Path()).Has("#comment-"+last()+" em", "comment")
	})
	t.Run("a double click comments once, with and without htmx", func(t *testing.T) {
		for name, who := range map[string]*webtest.Visitor{"plain": ben, "htmx": ben.HTMX()} {
			before := len(s.Data.Comments(p.ID))
			attempt := ben.Get(p.Path()).Value("attempt")
			for range 2 {
				who.Post(path, "content", "Twice", "attempt", attempt)
			}
			if n := len(s.Data.Comments(p.ID)) - before; n != 1 {
				t.Errorf("%s: %d comments", name, n)
			}
		}
		for _, c := range s.Data.Comments(p.ID)[1:] {
			_, err := s.Data.Store.Posts.DeleteComment(t.Context(), p.ID, c.ID, ben.User.ID)
			s.Data.Must(err)
		}
	})
	t.Run("leads to the page that the comment is on", func(t *testing.T) {
		ada.CreateComments(p, webtest.CommentTexts(domain.CommentsPerPage-2)...)
		ben.Post(path, "content", "the fiftieth").WantRedirect(303, p.Path()+"#comment-"+last())
		list := s.Data.Comments(p.ID)
		list[len(list)-1].Created = list[len(list)-1].Created.Add(-time.Second) // the next may come in the same millisecond
		ben.Post(path, "content", "the fifty-first").WantRedirect(303, path+"?page=2#comment-"+last())
	})
	t.Run("htmx gets the comment, the count and a fresh form", func(t *testing.T) {
		a := ben.HTMX().Post(path, "content", "A *third*").Want(200).HasNo("h1").HasNo("main")
		a.Has(`hx-partial[hx-target="#Page-own-comments"] #comment-`+last()+" em", "third")
		a.Has(`hx-partial[hx-target="#Page-comments-title"]`, "52 comments")
		if a.Value("content") != "" {
			t.Error("the form is not fresh")
		}
	})
	t.Run("one that breaks a rule comes back", func(t *testing.T) {
		long := strings.Repeat("c", domain.MaxComment+1)
		for _, v := range []*webtest.Visitor{ben, ben.HTMX()} {
			a := v.Post(path, "content", long).Want(422).HasFieldError("content", "at most")
			if a.Value("content") != long {
				t.Error("what was typed is lost")
			}
		}
		ben.Post(path, "content", " ").Want(422).Has("h1", "A title")
		ben.HTMX().Post(path, "content", " ").Want(422).HasNo("h1")
	})
	t.Run("a session that ended loses nothing", func(t *testing.T) {
		for _, v := range []*webtest.Visitor{ben.WithoutSession(), ben.WithoutSession().HTMX()} {
			a := v.Post(path, "content", "precious").Want(401).Has(`[role="alert"]`, "session has expired")
			if a.Value("content") != "precious" {
				t.Error("what was typed is lost")
			}
		}
	})
	t.Run("a busy store loses nothing", func(t *testing.T) {
		s.Data.Fail("Posts.AddComment")
		for _, v := range []*webtest.Visitor{ben, ben.HTMX()} {
			a := v.Post(path, "content", "precious").Want(503).Has(`[role="alert"]`, "What you typed is safe")
			if a.Value("content") != "precious" || a.Header.Get("Retry-After") == "" {
				t.Error("what was typed is lost")
			}
		}
		s.Data.Recover("Posts.AddComment")
	})
	t.Run("an unknown post is not found", func(t *testing.T) {
		for _, id := range []string{domain.NewID(), "x"} {
			ben.Post("/posts/"+id+"/comments", "content", "c").Want(404)
		}
	})
}
