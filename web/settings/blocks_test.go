package settings_test

import (
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestBlocks(t *testing.T) {
	s := webtest.NewSite(t)
	ada, bob := s.SignUp("ada"), s.SignUp("bob")
	p := ada.CreatePost("A title", "Some text.")
	c := bob.CreateComments(p, "Before.")[0]
	path := "/posts/" + p.ID
	t.Run("there is a button at the comments of others on one's post, and on their pages", func(t *testing.T) {
		for _, address := range []string{p.Path(), "/@bob"} {
			ada.Get(address).Has(`form[action="/settings/blocks"] input[name="user"][value="`+bob.User.ID+`"]`, "")
		}
		bob.Get(p.Path()).HasNo(`form[action="/settings/blocks"]`)
		ada.Get("/@ada").HasNo(`form[action="/settings/blocks"]`)
	})
	t.Run("who is blocked neither comments, replies nor likes, and keeps the text", func(t *testing.T) {
		ada.Post("/settings/blocks", "user", bob.User.ID).WantRedirect(303, "/settings/blocks?done=blocked")
		for _, parent := range []string{"", c.ID} {
			bob.Post(path+"/comments", "content", "More", "parent", parent).Want(403).Has("textarea", "More").Has(`[role="alert"]`, "You can't like or comment on posts by @ada")
		}
		bob.Post(path+"/like").Want(403).Has("main", "You can't like or comment on posts by @ada")
		if len(s.Data.Comments(p.ID)) != 1 || len(s.Data.Items("posts", "like")) != 0 {
			t.Error("something came through")
		}
		ada.Get(p.Path()).Has("#comment-"+c.ID, "Before.")
	})
	t.Run("nor says something by an edit; deleting is possible", func(t *testing.T) {
		for _, v := range []*webtest.Visitor{bob, bob.HTMX()} {
			v.Post(path+"/comments/"+c.ID+"/edit", "content", "By an edit", "began", "").Want(403).
				Has("textarea", "By an edit").Has(`[role="alert"]`, "You can't like or comment on posts by @ada")
		}
		ada.Get(p.Path()).Has("#comment-"+c.ID, "Before.")
	})
	t.Run("but where others write as ever", func(t *testing.T) {
		q := s.SignUp("eve").CreatePost("Another", "text")
		bob.Post("/posts/"+q.ID+"/comments", "content", "Hello").Want(303)
	})
	t.Run("the list lets them go again", func(t *testing.T) {
		ada.Get("/settings/blocks?done=blocked").Has(`[role="status"]`, "Blocked").Has(".blocks", "@bob")
		ada.Get("/@bob").Has("main", "You blocked this person.")
		ada.Post("/settings/blocks/remove", "user", bob.User.ID).Want(303)
		ada.Get("/settings/blocks").Has("main", "You haven't blocked anyone.")
		bob.Post(path + "/like").Want(303)
	})
	t.Run("nobody blocks oneself, or nobody", func(t *testing.T) {
		ada.Post("/settings/blocks", "user", ada.User.ID).Want(422)
		ada.Post("/settings/blocks", "user", domain.NewUserID(nil)).Want(404)
	})
}
