package comments_test

import (
	"reflect"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestCommentsArePublished(t *testing.T) {
	s := webtest.NewSite(t)
	ada, ben := s.SignUp("ada"), s.SignUp("ben")
	p := ada.CreatePost("A title", "text")
	path := "/posts/" + p.ID + "/comments"
	last := func() string {
		list := s.Data.Comments(p.ID)
		return list[len(list)-1].ID
	}
	t.Run("redirects to the comment", func(t *testing.T) {
		a := ben.Post(path, "content", "A *comment*").Want(303)
		if got, want := a.Header.Get("Location"), p.Path()+"#comment-"+last(); got != want {
			t.Errorf("the redirect is to %s, want %s", got, want)
		}
		ben.Get(p.Path()).Has("#comment-"+last()+" em", "comment")
	})
	t.Run("publishes the comment of a double click once, with and without htmx", func(t *testing.T) {
		for name, visitor := range map[string]*webtest.Visitor{"plain": ben, "htmx": ben.HTMX()} {
			before := len(s.Data.Comments(p.ID))
			attempt := ben.Get(p.Path()).Value("attempt")
			for range 2 {
				visitor.Post(path, "content", "Twice", "attempt", attempt)
			}
			if n := len(s.Data.Comments(p.ID)) - before; n != 1 {
				t.Errorf("%s: %d comments were stored, want 1", name, n)
			}
		}
		for _, c := range s.Data.Comments(p.ID)[1:] {
			_, err := s.Data.Store.Posts.DeleteComment(t.Context(), p.ID, c.ID, ben.User.ID)
			s.Data.Must(err)
		}
	})
	t.Run("does not publish a deleted comment again, unless its author insists", func(t *testing.T) {
		for _, visitor := range []*webtest.Visitor{ben, ben.HTMX()} {
			attempt := ben.Get(p.Path()).Value("attempt")
			visitor.Post(path, "content", "Regretted", "attempt", attempt)
			before := len(s.Data.Comments(p.ID))
			_, err := s.Data.Store.Posts.DeleteComment(t.Context(), p.ID, last(), ben.User.ID)
			s.Data.Must(err)
			a := visitor.Post(path, "content", "Regretted", "attempt", attempt).Want(409).
				Has(`[role="alert"]`, "You have deleted this comment")
			if got := a.Value("content"); got != "Regretted" || len(s.Data.Comments(p.ID)) != before-1 {
				t.Errorf("the form has %q", got)
			}
			visitor.Post(path, "content", "Regretted", "attempt", a.Value("attempt"))
			if n := len(s.Data.Comments(p.ID)); n != before {
				t.Errorf("%d comments are stored, want %d", n, before)
			}
			_, err = s.Data.Store.Posts.DeleteComment(t.Context(), p.ID, last(), ben.User.ID)
			s.Data.Must(err)
		}
	})
	t.Run("redirects to the page of comments that has the new one", func(t *testing.T) {
		ada.CreateComments(p, webtest.CommentTexts(domain.CommentsPerPage-2)...)
		ben.Post(path, "content", "the fiftieth").WantRedirect(303, p.Path()+"#comment-"+last())
		list := s.Data.Comments(p.ID)
		// the next comment may be created in the same millisecond
		list[len(list)-1].Created = list[len(list)-1].Created.Add(-time.Second)
		ben.Post(path, "content", "the fifty-first").WantRedirect(303, path+"?page=2#comment-"+last())
	})
	t.Run("sends htmx the comment, the count and an empty form", func(t *testing.T) {
		a := ben.HTMX().Post(path, "content", "A *third*").Want(200).HasNo("h1").HasNo("main")
		a.Has(`hx-partial[hx-target="#Page-own-comments"] #comment-`+last()+" em", "third")
		a.Has(`hx-partial[hx-target="#Page-comments-title"]`, "52 comments")
		if a.Value("content") != "" {
			t.Error("the form is not empty")
		}
	})
	t.Run("shows an invalid comment again with its errors", func(t *testing.T) {
		long := strings.Repeat("c", domain.MaxComment+1)
		for _, v := range []*webtest.Visitor{ben, ben.HTMX()} {
			a := v.Post(path, "content", long).Want(422).HasFieldError("content", "at most")
			if a.Value("content") != long {
				t.Error("the typed text is lost")
			}
		}
		ben.Post(path, "content", " ").Want(422).Has("h1", "A title")
		ben.HTMX().Post(path, "content", " ").Want(422).HasNo("h1")
	})
	t.Run("keeps the text when the session has expired", func(t *testing.T) {
		for _, v := range []*webtest.Visitor{ben.WithoutSession(), ben.WithoutSession().HTMX()} {
			a := v.Post(path, "content", "precious").Want(401).Has(`[role="alert"]`, "session has expired")
			if a.Value("content") != "precious" {
				t.Error("the typed text is lost")
			}
		}
	})
	t.Run("keeps the text when storage fails", func(t *testing.T) {
		s.Data.Fail("Posts.AddComment")
		for _, v := range []*webtest.Visitor{ben, ben.HTMX()} {
			a := v.Post(path, "content", "precious").Want(503).Has(`[role="alert"]`, "What you typed is safe")
			if a.Value("content") != "precious" || a.Header.Get("Retry-After") == "" {
				t.Error("the typed text or the Retry-After header is missing")
			}
		}
		s.Data.Recover("Posts.AddComment")
	})
	t.Run("answers 503 when storage fails, although the post is hidden meanwhile", func(t *testing.T) {
		hidden := ada.CreatePost("Soon hidden", "text")
		s.Data.Fail("Posts.AddComment")
		s.Data.Before("Posts.AddComment", func() {
			s.ChangePost(hidden.ID, func(p *domain.Post) { p.Held = domain.HeldByModerator })
		})
		a := ben.Post("/posts/"+hidden.ID+"/comments", "content", "precious").Want(503)
		if got := a.Page().Find("textarea").Text(); got != "precious" {
			t.Errorf("the typed text is %q", got)
		}
		s.Data.Recover("Posts.AddComment")
	})
	t.Run("answers 404 for an unknown post", func(t *testing.T) {
		for _, id := range []string{domain.NewID(), "x"} {
			ben.Post("/posts/"+id+"/comments", "content", "c").Want(404)
		}
	})
}

func TestATextIsNeverPublishedForTheNextUser(t *testing.T) {
	s := webtest.NewSite(t)
	ada, ben, cleo := s.SignUp("ada"), s.SignUp("ben"), s.SignUp("cleo")
	p := ada.CreatePost("A title", "text")
	list := "/posts/" + p.ID + "/comments"
	c := ben.CreateComments(p, "A comment")[0]
	for name, form := range map[string]struct{ page, to string }{
		"a comment":                       {p.Path(), list},
		"a comment on a page of comments": {list, list},
		"a reply":                         {webtest.CommentPath(c, "/reply"), list},
		"an edit":                         {webtest.CommentPath(c, "/edit"), webtest.CommentPath(c, "/edit")},
	} {
		t.Run(name, func(t *testing.T) {
			before := s.Data.Comments(p.ID)
			fields := webtest.FormFields(ben.Get(form.page).Want(200), "content", "private")
			for _, next := range []*webtest.Visitor{cleo, cleo.HTMX()} {
				a := next.Post(form.to, fields...).Want(403).Has(`[role="alert"]`, "Another user is logged in").
					Has("textarea", "private").Has(`input[name="user"][value="`+ben.User.ID+`"]`, "")
				if !reflect.DeepEqual(s.Data.Comments(p.ID), before) {
					t.Fatalf("%s: the comments have changed", a.Request)
				}
			}
			ben.Post(form.to, fields...).Want(303) // once logged in again
			if reflect.DeepEqual(s.Data.Comments(p.ID), before) {
				t.Error("the text is not published for its author")
			}
		})
	}
	t.Run("while each user's form on a cached page names that user", func(t *testing.T) {
		for _, v := range []*webtest.Visitor{ben, cleo, ben, cleo} {
			v.Get(p.Path()).Want(200).Has(`#Page-comment-form input[name="user"][value="`+v.User.ID+`"]`, "")
		}
	})
	t.Run("while forms that name no user are accepted", func(t *testing.T) {
		cleo.Post(list, "content", "From an older page").Want(303)
	})
}
