package reading_test

import (
	"testing"

	"inkfeed/web/webtest"
)

func TestThePageOfAnAuthor(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("Ada-Lovelace")
	t.Run("invites an author without posts to write", func(t *testing.T) {
		s.Anonymous().Get("/@Ada-Lovelace").Want(200).Has("h1", "@Ada-Lovelace").
			Has("main", "hasn't published anything yet")
		ada.Get("/@Ada-Lovelace").Want(200).Has(`main a[href="/new"]`, "Write your first post")
	})
	t.Run("lists the author's posts", func(t *testing.T) {
		p := ada.CreatePost("A title", "text")
		s.Anonymous().Get("/@Ada-Lovelace").Want(200).Has(`article a[href="`+p.Path()+`"]`, "A title")
	})
	t.Run("redirects another spelling of the username", func(t *testing.T) {
		s.Anonymous().Get("/@ada-lovelace").WantRedirect(301, "/@Ada-Lovelace")
		s.Anonymous().Get("/@ADA-LOVELACE?page=3").WantRedirect(301, "/@Ada-Lovelace?page=3")
	})
	t.Run("redirects a former username", func(t *testing.T) {
		ada.Post("/settings/username", "username", "countess").Want(303)
		s.Anonymous().Get("/@ada-lovelace").WantRedirect(301, "/@countess")
	})
	t.Run("answers 404 for an unknown username", func(t *testing.T) {
		for _, name := range []string{"nobody", "a.b", "%2e%2e", "x%2Fy", "", ada.User.ID} {
			s.Anonymous().Get("/@"+name).Want(404).Has("h1", "Not found")
		}
	})
}
