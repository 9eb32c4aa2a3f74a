package reading_test

import (
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestLiking(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	p := ada.CreatePost("A title", "text")
	path := "/posts/" + p.ID
	t.Run("without JavaScript leads back", func(t *testing.T) {
		ada.Post(path+"/like").WantRedirect(303, p.Path()+"#Page-like")
		ada.Get(p.Path()).Has(`form[action="`+path+`/unlike"] [aria-pressed="true"]`, "Like").Has("#Page-liked-by", "1 like")
		ada.Post(path+"/unlike").WantRedirect(303, p.Path()+"#Page-like")
		ada.Get(p.Path()).Has(`form[action="`+path+`/like"] [aria-pressed="false"]`, "Like").Has("#Page-liked-by", "No likes")
	})
	t.Run("leads back without another read of the post once it is done", func(t *testing.T) {
		before := -1
		s.Data.Before("Posts.Like", func() { before = s.Data.Calls("Posts.Get") })
		ada.Post(path+"/like").WantRedirect(303, p.Path()+"#Page-like")
		if n := s.Data.Calls("Posts.Get"); n != before {
			t.Errorf("%d reads of posts before the like, %d at the end", before, n)
		}
	})
	t.Run("twice likes once", func(t *testing.T) {
		ada.Post(path + "/like").Want(303)
		ada.HTMX().Post(path+"/like").Want(200).Has("#Page-liked-by", "Liked by you")
	})
	t.Run("htmx gets the button and the count", func(t *testing.T) {
		ada.HTMX().Post(path+"/unlike").Want(200).HasNo("h1").
			Has(`#Page-like form[data-hx-post="`+path+`/like"] #Page-like-button[aria-pressed="false"]`, "Like").Has("#Page-liked-by", "No likes")
	})
	t.Run("a stranger is asked to log in, and led back", func(t *testing.T) {
		to := "/login?next=%2Fposts%2F" + p.ID
		s.Anonymous().Post(path+"/like").WantRedirect(303, to)
		a := s.Anonymous().HTMX().Post(path + "/like").Want(401)
		if got := a.Header.Get("HX-Redirect"); got != to {
			t.Errorf("HX-Redirect is %q", got)
		}
		if s.Data.Post(p.ID).LikeCount != 0 {
			t.Error("it counts")
		}
	})
	t.Run("an unknown post is not found", func(t *testing.T) {
		for _, id := range []string{domain.NewID(), "x"} {
			ada.Post("/posts/" + id + "/like").Want(404)
			ada.HTMX().Post("/posts/" + id + "/unlike").Want(404)
		}
	})
}
