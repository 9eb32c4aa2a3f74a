package reading_test

import (
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestALikeIsCountedOnce(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	p := ada.CreatePost("A title", "text")
	path := "/posts/" + p.ID
	t.Run("returns to the post without JavaScript", func(t *testing.T) {
		ada.Post(path+"/like").WantRedirect(303, p.Path()+"#Page-like")
		ada.Get(p.Path()).Has(`form[action="`+path+`/unlike"] [aria-pressed="true"]`, "").
			Has("#Page-liked-by", "1 like")
		ada.Post(path+"/unlike").WantRedirect(303, p.Path()+"#Page-like")
		ada.Get(p.Path()).Has(`form[action="`+path+`/like"] [aria-pressed="false"]`, "Like").
			Has("#Page-liked-by", "No likes")
	})
	t.Run("redirects without a second read of the post", func(t *testing.T) {
		before := -1
		s.Data.Before("Posts.Like", func() { before = s.Data.Calls("Posts.Get") })
		ada.Post(path+"/like").WantRedirect(303, p.Path()+"#Page-like")
		if n := s.Data.Calls("Posts.Get"); n != before {
			t.Errorf("%d reads of posts before the like, but %d at the end", before, n)
		}
	})
	t.Run("counts a second like of the same user once", func(t *testing.T) {
		ada.Post(path + "/like").Want(303)
		ada.HTMX().Post(path+"/like").Want(200).Has("#Page-liked-by", "Liked by you")
	})
	t.Run("sends htmx the button and the count", func(t *testing.T) {
		ada.HTMX().Post(path+"/unlike").Want(200).HasNo("h1").
			Has(`#Page-like form[data-hx-post="`+path+`/like"] #Page-like-button[aria-pressed="false"]`, "").
			Has("#Page-liked-by", "No likes")
	})
	t.Run("asks an anonymous visitor to log in and returns afterwards", func(t *testing.T) {
		to := "/login?next=%2Fposts%2F" + p.ID
		s.Anonymous().Post(path+"/like").WantRedirect(303, to)
		s.Anonymous().HTMX().Post(path+"/like").Want(401).Has(`dialog a[href="/login"][target="_blank"]`, "")
		if s.Data.Post(p.ID).LikeCount != 0 {
			t.Error("the like of an anonymous visitor is counted")
		}
	})
	t.Run("answers 404 for an unknown post", func(t *testing.T) {
		for _, id := range []string{domain.NewID(), "x"} {
			ada.Post("/posts/" + id + "/like").Want(404)
			ada.HTMX().Post("/posts/" + id + "/unlike").Want(404)
		}
	})
}
