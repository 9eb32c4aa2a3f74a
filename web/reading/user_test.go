package reading_test

import (
	"testing"

	"inkfeed/domain"
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

func TestAnAuthorSeesTheirHiddenPosts(t *testing.T) {
	s := webtest.NewSite(t)
	ada, bob := s.SignUp("ada"), s.SignUp("bob")
	p := ada.CreatePost("A title", "text")
	link := `a[href="` + p.Path() + `"]`
	t.Run("with their state", func(t *testing.T) {
		for hold, state := range map[domain.Hold]string{
			domain.HeldForReview: "In review", domain.HeldByModerator: "Hidden by a moderator",
		} {
			s.Hold(p.ID, "", hold)
			ada.Get("/@ada").Want(200).Has("main .hidden-posts "+link, "A title").Has(".hidden-posts .state", state).
				HasNo(`main a[href="/new"]`).HasNo(".posts")
		}
	})
	t.Run("that nobody else sees", func(t *testing.T) {
		for _, v := range []*webtest.Visitor{bob, s.Anonymous()} {
			v.Get("/@ada").Want(200).HasNo("main "+link).HasNo(".hidden-posts").
				Has("main", "hasn't published anything yet")
		}
	})
	t.Run("beside their public posts, on the first page of the list", func(t *testing.T) {
		for range domain.PostsPerPage + 1 {
			ada.CreatePost("Another title", "text")
		}
		ada.Get("/@ada").Want(200).Has(".hidden-posts "+link, "A title").Has(".posts", "Another title")
		ada.Get("/@ada?page=2").Want(200).HasNo(".hidden-posts").Has(".posts", "Another title")
	})
	t.Run("in the list of posts after their release", func(t *testing.T) {
		s.Hold(p.ID, "", domain.NotHeld)
		ada.Get("/@ada").Want(200).HasNo(".hidden-posts")
		s.Anonymous().Get("/@ada?page=2").Want(200).Has(".posts "+link, "A title")
	})
}
