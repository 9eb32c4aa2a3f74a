package web_test

import (
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

// TestResponsesAreDecidedFromTheCache: what a decision reads rarely changes, so repeated likes and comments read none
// of it again. A change takes effect at once on the server that makes it.
func TestResponsesAreDecidedFromTheCache(t *testing.T) {
	setUp := func(t *testing.T) (s *webtest.Site, ada, bob *webtest.Visitor, p domain.Post) {
		s = webtest.NewCachedSite(t, "off")
		ada, bob = s.SignUp("ada"), s.SignUp("bob")
		return s, ada, bob, ada.CreatePost("A title", "text")
	}
	respond := func(v *webtest.Visitor, p domain.Post) (statuses [3]int) {
		path := "/posts/" + p.ID
		return [3]int{v.Post(path + "/like").StatusCode, v.Post(path + "/unlike").StatusCode,
			v.Post(path+"/comments", "content", "A remark.").StatusCode}
	}
	accepted := [3]int{303, 303, 303}
	t.Run("reads the user, the post and the block once for many responses", func(t *testing.T) {
		s, _, bob, p := setUp(t)
		for range 3 {
			if got := respond(bob, p); got != accepted {
				t.Fatalf("the statuses are %v, want %v", got, accepted)
			}
		}
		before := s.Data.Calls("Users.ByID", "Posts.Get", "Blocks.Has")
		if before == 0 {
			t.Error("the user was never read")
		}
		for range 5 {
			respond(bob, p)
		}
		// Each of the five comments notifies the author, which changes the author's user.
		if n := s.Data.Calls("Users.ByID", "Posts.Get", "Blocks.Has") - before; n != 5 {
			t.Errorf("%d reads for 15 responses, want one of the author after each comment", n)
		}
		if got := s.Data.Post(p.ID); got.CommentCount != 8 || got.LikeCount != 0 {
			t.Errorf("%d comments and %d likes, want 8 and none", got.CommentCount, got.LikeCount)
		}
	})
	for name, c := range map[string]struct {
		change func(s *webtest.Site, ada, bob *webtest.Visitor, p domain.Post)
		want   [3]int
	}{
		"a block": {func(_ *webtest.Site, ada, bob *webtest.Visitor, _ domain.Post) {
			ada.Post("/settings/blocks", "user", bob.User.ID).Want(303)
		}, [3]int{403, 303, 403}},
		"a suspension": {func(s *webtest.Site, _, bob *webtest.Visitor, _ domain.Post) { s.Suspend(bob) },
			[3]int{403, 403, 403}},
		"the end of the post": {func(_ *webtest.Site, ada, _ *webtest.Visitor, p domain.Post) {
			ada.Post("/posts/" + p.ID + "/delete").Want(303)
		}, [3]int{404, 404, 404}},
		"the end of the session": {func(_ *webtest.Site, _, bob *webtest.Visitor, _ domain.Post) {
			bob.Post("/logout").Want(303)
		}, [3]int{303, 303, 401}},
	} {
		t.Run("knows "+name+" at once", func(t *testing.T) {
			s, ada, bob, p := setUp(t)
			for range 3 {
				respond(bob, p)
			}
			before := s.Data.Post(p.ID)
			c.change(s, ada, bob, p)
			if got := respond(bob, p); got != c.want {
				t.Errorf("the statuses are %v, want %v", got, c.want)
			}
			if after := s.Data.Post(p.ID); after.CommentCount > before.CommentCount {
				t.Errorf("%d comments, want at most %d", after.CommentCount, before.CommentCount)
			}
		})
	}
}
