package comments_test

import (
	"slices"
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestHidingComments(t *testing.T) {
	s := webtest.NewSite(t)
	ada, bob, eve, mod := s.SignUp("ada"), s.SignUp("bob"), s.SignUp("eve"), s.SignUp("molly")
	s.SetRole(mod, domain.RoleModerator)
	p := ada.CreatePost("A title", "Some text.")
	all := bob.CreateComments(p, "Head.", "Alone.")
	head, alone := all[0], all[1]
	path := "/posts/" + p.ID
	at := func(c domain.Comment) string { return path + "/comments/" + c.ID }
	t.Run("hides a comment for the author of the post and lowers the count", func(t *testing.T) {
		ada.Get(p.Path()).Has(`#comment-`+alone.ID+` form[action="`+at(alone)+`/hide"]`, "Hide")
		ada.Post(at(alone)+"/hide").WantRedirect(303, p.Path()+"#comment-"+alone.ID)
		for _, v := range []*webtest.Visitor{s.Anonymous(), eve} {
			v.Get(p.Path()).Has("#Page-comments h2", "1 comment").HasNo("#comment-" + alone.ID)
			v.Get(at(alone)).Want(404)
			v.HTMX().Get(at(alone)).Want(404)
		}
	})
	t.Run("leads to the comment when it is hidden but cannot be read", func(t *testing.T) {
		c := bob.CreateComments(p, "Rude.")[0]
		s.Data.Before("Posts.HoldComment", func() { s.Data.Fail("Posts.Comment") })
		ada.Post(at(c)+"/hide").WantRedirect(303, at(c))
		s.Data.Recover("Posts.Comment")
		ada.Get(p.Path()).Has("#comment-"+c.ID+" .hold-notice", "Hidden by the author of the post")
	})
	t.Run("shows a hidden comment and the reason to its author, the post's author and moderators", func(t *testing.T) {
		for _, v := range []*webtest.Visitor{ada, bob, mod} {
			v.Get(p.Path()).Has("#comment-"+alone.ID+" .hold-notice", "Hidden by the author of the post").
				Has("#comment-"+alone.ID, "Alone.")
		}
		ada.Get(p.Path()).Has(`#comment-`+alone.ID+` form[action="`+at(alone)+`/show"]`, "Show")
	})
	t.Run("refuses replies to a hidden comment without revealing it", func(t *testing.T) {
		eve.Get(at(alone) + "/reply").Want(404)
		a := eve.Post(path+"/comments", "content", "", "parent", alone.ID)
		if a.Want(409); strings.Contains(a.Body, "Alone.") {
			t.Error("the hidden comment is quoted")
		}
		eve.Post(path+"/comments", "content", "An answer", "parent", alone.ID).Want(409).Has("textarea", "An answer")
	})
	t.Run("shows the comment again, in place with htmx", func(t *testing.T) {
		ada.HTMX().Post(at(alone)+"/show").Want(200).HasNo("h1").HasNo(".hold-notice").
			Has(`hx-partial[hx-target="#Page-comments-title"]`, "2 comments")
		s.Anonymous().Get(at(alone)).WantRedirect(302, p.Path()+"#comment-"+alone.ID)
	})
	t.Run("leaves a placeholder for a hidden comment with replies", func(t *testing.T) {
		eve.Post(path+"/comments", "content", "A reply.", "parent", head.ID).Want(303)
		s.Hold(p.ID, head.ID, domain.HeldByModerator)
		s.Anonymous().Get(p.Path()).Has("#comment-"+head.ID+" > .comment", "Hidden comment").
			Has("#replies-"+head.ID, "A reply.").
			HasNo(`#comment-` + head.ID + ` > .comment a[href="/@bob"]`)
		bob.Get(p.Path()).Has("#comment-"+head.ID+" .hold-notice", "Hidden by a moderator")
	})
	t.Run("hides the comment from the post's author too if a moderator hid it", func(t *testing.T) {
		ada.Get(p.Path()).Has("#comment-"+head.ID+" > .comment", "Hidden comment")
		ada.Post(at(head) + "/show").Want(404)
		ada.Post(at(head) + "/hide").Want(404)
	})
	t.Run("removes the placeholder with the last visible reply", func(t *testing.T) {
		reply := repliesTo(s.Data, head)[0]
		s.Hold(p.ID, reply.ID, domain.HeldForReview)
		s.Anonymous().Get(p.Path()).HasNo("#comment-"+head.ID).Has("#Page-comments h2", "1 comment")
		eve.Get(p.Path()).Has("#comment-"+reply.ID+" .hold-notice", "In review").
			Has("#comment-"+head.ID+" > .comment", "Hidden comment")
	})
}

// repliesTo reads the replies to a comment.
func repliesTo(d *webtest.Database, c domain.Comment) []domain.Comment {
	d.T.Helper()
	return slices.DeleteFunc(d.Comments(c.PostID), func(reply domain.Comment) bool { return reply.ParentID != c.ID })
}
