package moderation_test

import (
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestHiddenPostsAreInvisible(t *testing.T) {
	s := webtest.NewSite(t)
	ada, bob, mod := s.SignUp("ada"), s.SignUp("bob"), s.SignUp("molly")
	s.SetRole(mod, domain.RoleModerator)
	p := ada.CreatePost("A title", "Some text.")
	c := bob.CreateComments(p, "Mine.")[0]
	path := "/posts/" + p.ID
	about := []string{p.Path(), path, path + "/comments", path + "/comments/" + c.ID, path + "/likes"}
	t.Run("answers like a missing post to all other users", func(t *testing.T) {
		s.Hold(p.ID, "", domain.HeldByModerator)
		missing := s.Anonymous().Get("/posts/" + domain.NewID()).Want(404).Page().Find("main").Text()
		for _, v := range []*webtest.Visitor{s.Anonymous(), bob} {
			for _, address := range about {
				if got := v.Get(address).Want(404).Page().Find("main").Text(); got != missing {
					t.Errorf("%s shows %q, but a missing post shows %q", address, got, missing)
				}
			}
		}
		s.Anonymous().Get("/oembed?url=http%3A%2F%2Fexample.com" + p.Path()).Want(404)
		for _, list := range []string{"/", "/@ada", "/feed.atom", "/@ada/feed.atom"} {
			if a := s.Anonymous().Get(list).Want(200); strings.Contains(a.Body, "A title") {
				t.Errorf("%s lists the hidden post", list)
			}
		}
		for _, action := range []string{"/like", "/bookmark"} {
			bob.Post(path + action).Want(404)
		}
		bob.Post(path+"/comments", "content", "Hello").Want(404).Has("textarea", "Hello")
	})
	t.Run("stays visible to its author and moderators, with the reason", func(t *testing.T) {
		for _, v := range []*webtest.Visitor{ada, mod} {
			v.Get(p.Path()).Want(200).Has(".hold-notice", "A moderator hid this post").
				Has(".post .prose", "Some text.").
				Has(`meta[name="robots"][content="noindex"]`, "").HasNo("#Page-comment-form").HasNo("#Page-like-button")
			v.Get(path+"/comments").Want(200).Has("#comment-"+c.ID, "Mine.")
			v.Get(path + "/likes").Want(200)
		}
		ada.Get(path + "/edit").Want(200)
		ada.Get("/drafts/unlisted").Want(200).Has(".drafts .state.bad", "Hidden by a moderator")
		mod.Get(path + "/edit").Want(404)
	})
	t.Run("shows its author that it is in review", func(t *testing.T) {
		s.Hold(p.ID, "", domain.HeldForReview)
		ada.Get(p.Path()).Want(200).Has(".hold-notice", "n review")
		for _, list := range []string{"/drafts", "/drafts/unlisted"} {
			ada.Get(list).Want(200).Has(".drafts .state", "In review").HasNo(".drafts .bad")
		}
		s.Anonymous().Get(p.Path()).Want(404)
	})
	t.Run("is public again after its release", func(t *testing.T) {
		s.Hold(p.ID, "", domain.NotHeld)
		s.Anonymous().Get(p.Path()).Want(200).HasNo(".hold-notice")
		s.Anonymous().Get("/").Has("article", "A title")
	})
}

func TestPostsOfSuspendedAuthorsAreInvisible(t *testing.T) {
	s := webtest.NewSite(t)
	ada, bob, mod := s.SignUp("ada"), s.SignUp("bob"), s.SignUp("molly")
	s.SetRole(mod, domain.RoleModerator)
	p := ada.CreatePost("A title", "Some text.")
	t.Run("disappear at once, before the workers have deleted their copies", func(t *testing.T) {
		s.SetSuspended(ada, true)
		for _, v := range []*webtest.Visitor{s.Anonymous(), bob} {
			v.Get(p.Path()).Want(404)
			if location := v.Get("/posts/" + p.ID).Want(404).Header.Get("Location"); location != "" {
				t.Errorf("the address without the title redirects to %s", location)
			}
		}
		mod.Get(p.Path()).Want(200).Has(".hold-notice", "suspended")
		mod.Get("/posts/"+p.ID).WantRedirect(301, p.Path())
	})
	t.Run("reappear at once when the suspension ends", func(t *testing.T) {
		s.SetSuspended(ada, false)
		s.Anonymous().Get(p.Path()).Want(200).HasNo(".hold-notice")
	})
	t.Run("get no likes and comments, even before the workers have updated them", func(t *testing.T) {
		for path, fields := range map[string][]string{"/like": nil, "/comments": {"content", "Hello"}} {
			s.Data.Before("Posts.Author", func() { s.SetSuspended(ada, true) })
			bob.Post("/posts/"+p.ID+path, fields...).Want(404)
			s.SetSuspended(ada, false)
		}
		if got := s.Data.Post(p.ID); got.LikeCount != 0 || got.CommentCount != 0 {
			t.Errorf("%d likes and %d comments", got.LikeCount, got.CommentCount)
		}
	})
	t.Run("answers 503 when the author cannot be read", func(t *testing.T) {
		s.Data.Fail("Users.ByID")
		defer s.Data.Recover("Users.ByID")
		s.Anonymous().Get(p.Path()).Want(503)
	})
}
