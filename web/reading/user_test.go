package reading_test

import (
	"testing"

	"inkfeed/web/webtest"
)

func TestUser(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("Ada-Lovelace")
	t.Run("without posts", func(t *testing.T) {
		s.Anonymous().Get("/@Ada-Lovelace").Want(200).Has("h1", "@Ada-Lovelace").Has("main", "hasn't published anything yet")
		ada.Get("/@Ada-Lovelace").Want(200).Has(`main a[href="/new"]`, "Write your first post")
	})
	t.Run("with posts", func(t *testing.T) {
		p := ada.CreatePost("A title", "text")
		s.Anonymous().Get("/@Ada-Lovelace").Want(200).Has(`article a[href="`+p.Path()+`"]`, "A title")
	})
	t.Run("another spelling leads to the right one", func(t *testing.T) {
		s.Anonymous().Get("/@ada-lovelace").WantRedirect(301, "/@Ada-Lovelace")
		s.Anonymous().Get("/@ADA-LOVELACE?page=3").WantRedirect(301, "/@Ada-Lovelace?page=3")
	})
	t.Run("a former name leads to the present one", func(t *testing.T) {
		ada.Post("/settings/username", "username", "countess").Want(303)
		s.Anonymous().Get("/@ada-lovelace").WantRedirect(301, "/@countess")
	})
	t.Run("nobody", func(t *testing.T) {
		for _, name := range []string{"nobody", "a.b", "%2e%2e", "x%2Fy", "", ada.User.ID} {
			s.Anonymous().Get("/@"+name).Want(404).Has("h1", "Not found")
		}
	})
}
