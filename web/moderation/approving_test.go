package moderation_test

import (
	"net/http"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

// A moderator approves exactly the text that the page showed.
func TestApprovalRequiresTheCurrentText(t *testing.T) {
	type held struct {
		*webtest.Site
		ada, mod *webtest.Visitor
		p        domain.Post
		c        domain.Comment
	}
	begin := func(t *testing.T) held {
		s := held{Site: webtest.NewSite(t)}
		s.ada, s.mod = s.SignUp("ada"), moderator(s.Site, "max")
		s.p = s.ada.CreatePost("A title", "Harmless.")
		s.c = s.ada.CreateComments(s.p, "Harmless.")[0]
		return s
	}
	kinds := map[string]struct {
		path func(held) string
		hold func(held)
		edit func(held)
		slip func(held) // edits the text in storage, past the handlers
		now  func(held) domain.Hold
	}{
		"post": {
			func(s held) string { return "/posts/" + s.p.ID },
			func(s held) { s.Hold(s.p.ID, "", domain.HeldForReview) },
			func(s held) {
				s.ada.Post("/posts/"+s.p.ID, "title", "A title", "content", "Nasty. www.spam.example", "revision", "1",
					"version", "0",
					"do", "publish").Want(http.StatusSeeOther)
			},
			func(s held) {
				s.Data.Must(s.Data.EditPost(s.ada, s.p.ID, "A title", "Nasty."))
			},
			func(s held) domain.Hold { return s.Data.Post(s.p.ID).Held },
		},
		"comment": {
			func(s held) string { return "/posts/" + s.p.ID + "/comments/" + s.c.ID },
			func(s held) { s.Hold(s.p.ID, s.c.ID, domain.HeldForReview) },
			func(s held) {
				s.ada.Post(webtest.CommentPath(s.c, "/edit"), "content", "Nasty. www.spam.example", "began", "").
					Want(http.StatusSeeOther)
			},
			func(s held) {
				edit, err := domain.NewCommentEdit(s.c, "Nasty.", time.Now())
				s.Data.Must(err)
				_, err = s.Data.Store.Posts.EditComment(s.Data.Context(), edit, s.ada.User.ID)
				s.Data.Must(err)
			},
			func(s held) domain.Hold { return s.Data.Comments(s.p.ID)[0].Held },
		},
	}
	for kind, k := range kinds {
		t.Run("refuses to approve a "+kind+" that was edited since its page was opened", func(t *testing.T) {
			s := begin(t)
			k.hold(s)
			path := k.path(s) + "/moderate"
			seen := s.mod.Get(path).Has(".quoted", "Harmless.").Value("text")
			k.edit(s)
			a := s.mod.Post(path, "do", "approve", "version", "0", "text", seen).Want(http.StatusConflict).
				Has(`[role="alert"]`, "The text was edited since you opened it. Please review it again.").
				Has(".quoted", "Nasty.")
			if h := k.now(s); h != domain.HeldForReview || s.Data.User(s.ada.User.ID).Trusted ||
				len(s.Data.AuditLog()) != 0 {
				t.Errorf("held as %q, author %+v", h, s.Data.User(s.ada.User.ID))
			}
			s.mod.Post(path, "do", "approve", "version", a.Value("version"), "text", a.Value("text")).
				Want(http.StatusSeeOther)
			if h := k.now(s); h != domain.NotHeld || !s.Data.User(s.ada.User.ID).Trusted {
				t.Errorf("approved after the second review, it is held as %q", h)
			}
		})
		t.Run("refuses to restore a "+kind+" in place after an edit", func(t *testing.T) {
			s := begin(t)
			k.hold(s)
			form := s.mod.Get("/posts/" + s.p.ID + "/a-title").Page().Find(`form[action="` + k.path(s) + `/moderate"]`)
			seen := form.Find(`[name="text"]`).AttrOr("value", "")
			if seen == "" {
				t.Fatal("the form has no version of the text")
			}
			k.edit(s)
			for _, do := range []string{"approve", "restore"} {
				s.mod.Post(k.path(s)+"/moderate", "do", do, "seen", "review", "text", seen).Want(http.StatusConflict)
				s.mod.HTMX().Post(k.path(s)+"/moderate", "do", do, "seen", "review", "text", seen).
					Want(http.StatusConflict)
			}
			s.mod.Post(k.path(s)+"/moderate", "do", "approve", "seen", "review").Want(http.StatusConflict)
			if h := k.now(s); h != domain.HeldForReview {
				t.Errorf("held as %q", h)
			}
		})
		t.Run("refuses to approve a "+kind+" that is edited during the decision", func(t *testing.T) {
			s := begin(t)
			k.hold(s)
			path := k.path(s) + "/moderate"
			page := s.mod.Get(path)
			s.Data.Before("Reports.Decide", func() { k.slip(s) })
			s.mod.Post(path, "do", "approve", "version", page.Value("version"), "text", page.Value("text")).
				Want(http.StatusConflict).
				Has(`[role="alert"]`, "The text was edited since you opened it. Please review it again.").
				Has(".quoted", "Nasty.")
			if h := k.now(s); h != domain.HeldForReview || s.Data.User(s.ada.User.ID).Trusted {
				t.Errorf("held as %q", h)
			}
		})
	}
}
