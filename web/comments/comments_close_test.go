package comments_test

import (
	"testing"

	"inkfeed/web/webtest"
)

func TestClosingComments(t *testing.T) {
	s := webtest.NewSite(t)
	ada, bob := s.SignUp("ada"), s.SignUp("bob")
	p := ada.CreatePost("A title", "Some text.")
	bob.CreateComments(p, "Before.")
	path := "/posts/" + p.ID
	t.Run("closes comments and keeps the existing ones", func(t *testing.T) {
		ada.Get(p.Path()).Has(`form[action="`+path+`/comments/close"]`, "Close comments")
		ada.Post(path+"/comments/close").WantRedirect(303, p.Path()+"#Page-comments")
		a := bob.Get(p.Path()).Has("#Page-comments", "Comments are closed.").HasNo("#Page-comment-form").
			Has("#Page-comment-list", "Before.")
		a.HasNo(`#Page-comment-list a[href$="/reply"]`)
		bob.Get(path + "/comments").HasNo("#Page-comment-form")
	})
	t.Run("returns a comment that is sent after closing", func(t *testing.T) {
		bob.Post(path+"/comments", "content", "A long text").Want(403).Has("textarea", "A long text").
			Has(`[role="alert"]`, "omments are closed")
		bob.HTMX().Post(path+"/comments", "content", "A long text").Want(403).HasNo("h1").
			Has("form textarea", "A long text").Has(`[role="alert"]`, "omments are closed")
	})
	t.Run("refuses edits of existing comments and returns the text", func(t *testing.T) {
		id := s.Data.Comments(p.ID)[0].ID
		for _, v := range []*webtest.Visitor{bob, bob.HTMX()} {
			v.Post(path+"/comments/"+id+"/edit", "content", "By an edit", "began", "").Want(403).
				Has("textarea", "By an edit").Has(`[role="alert"]`, "can't edit")
		}
	})
	t.Run("opens comments again", func(t *testing.T) {
		ada.Post(path + "/comments/open").Want(303)
		bob.Post(path+"/comments", "content", "After").Want(303)
	})
}
