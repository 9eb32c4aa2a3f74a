package settings_test

import (
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestBlockingUsers(t *testing.T) {
	s := webtest.NewSite(t)
	ada, bob := s.SignUp("ada"), s.SignUp("bob")
	p := ada.CreatePost("A title", "Some text.")
	c := bob.CreateComments(p, "Before.")[0]
	path := "/posts/" + p.ID
	t.Run("offers blocking beside others' comments on one's own posts and on their profiles", func(t *testing.T) {
		for _, address := range []string{p.Path(), "/@bob"} {
			ada.Get(address).Has(`form[action="/settings/blocks"] input[name="user"][value="`+bob.User.ID+`"]`, "")
		}
		bob.Get(p.Path()).HasNo(`form[action="/settings/blocks"]`)
		ada.Get("/@ada").HasNo(`form[action="/settings/blocks"]`)
	})
	t.Run("refuses comments, replies and likes of a blocked user and keeps the text", func(t *testing.T) {
		ada.Post("/settings/blocks", "user", bob.User.ID).WantRedirect(303, "/settings/blocks?done=blocked")
		for _, parent := range []string{"", c.ID} {
			bob.Post(path+"/comments", "content", "More", "parent", parent).Want(403).Has("textarea", "More").
				Has(`[role="alert"]`, "You can't like or comment on posts by @ada")
		}
		bob.Post(path+"/like").Want(403).Has("main", "You can't like or comment on posts by @ada")
		if len(s.Data.Comments(p.ID)) != 1 || len(s.Data.Items("posts", "like")) != 0 {
			t.Error("a comment or like of the blocked user was stored")
		}
		ada.Get(p.Path()).Has("#comment-"+c.ID, "Before.")
	})
	t.Run("offers a blocked reader no forms and says why", func(t *testing.T) {
		for _, address := range []string{p.Path(), path + "/comments"} {
			bob.Get(address).Want(200).HasNo("#Page-comment-form").HasNo(`form[action$="/like"]`).
				HasNo(`#Page-comments a[href$="/reply"]`).HasNo(`#Page-comments a[href$="/edit"]`).
				Has("#Page-comments .comment-prompt", "You can't like or comment on posts by @ada.").
				Has(`#comment-`+c.ID+` form[action$="/delete"]`, "Delete")
		}
		bob.Get(path+"/comments/"+c.ID+"/reply").Want(403).Has("main", "You can't like or comment on posts by @ada")
		bob.Get(path+"/comments/"+c.ID+"/edit").Want(403).Has("main", "You can't like or comment on posts by @ada")
		bob.Get(p.Path()).Has("#Page-bookmark-button", "")
		ada.Get(p.Path()).Has("#Page-comment-form", "").Has(`form[action$="/like"]`, "")
	})
	t.Run("refuses edits by a blocked user, but still allows deleting", func(t *testing.T) {
		for _, v := range []*webtest.Visitor{bob, bob.HTMX()} {
			v.Post(path+"/comments/"+c.ID+"/edit", "content", "By an edit", "began", "").Want(403).
				Has("textarea", "By an edit").Has(`[role="alert"]`, "You can't like or comment on posts by @ada")
		}
		ada.Get(p.Path()).Has("#comment-"+c.ID, "Before.")
	})
	t.Run("does not affect posts of other authors", func(t *testing.T) {
		q := s.SignUp("eve").CreatePost("Another", "text")
		bob.Post("/posts/"+q.ID+"/comments", "content", "Hello").Want(303)
	})
	t.Run("lists blocked users and unblocks them", func(t *testing.T) {
		ada.Get("/settings/blocks?done=blocked").Has(`[role="status"]`, "Blocked").Has(".blocks", "@bob")
		ada.Get("/@bob").Has("main", "You blocked this person.")
		ada.Post("/settings/blocks/remove", "user", bob.User.ID).Want(303)
		ada.Get("/settings/blocks").Has("main", "You haven't blocked anyone.")
		bob.Post(path + "/like").Want(303)
	})
	t.Run("rejects blocking oneself or an unknown user", func(t *testing.T) {
		ada.Post("/settings/blocks", "user", ada.User.ID).Want(422)
		ada.Post("/settings/blocks", "user", domain.NewUserID(nil)).Want(404)
	})
}
