package moderation_test

import (
	"net/http"
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestModeratingInPlace(t *testing.T) {
	begin := func(t *testing.T) (s *webtest.Site, bob, mod *webtest.Visitor, p domain.Post, c domain.Comment) {
		s = webtest.NewSite(t)
		bob, mod = s.SignUp("bob"), moderator(s, "max")
		p = bob.CreatePost("A title", "Some text.")
		return s, bob, mod, p, bob.CreateComments(p, "A comment.", "Another.")[0]
	}
	t.Run("is offered to moderators, except for their own texts", func(t *testing.T) {
		s, bob, mod, p, c := begin(t)
		own := mod.CreateComments(p, "A moderator's.")[0]
		a := mod.Get(p.Path()).Has(`.post form[action="/posts/`+p.ID+`/moderate"]`, "Hide").
			Has(`#comment-`+c.ID+` form[action="/posts/`+p.ID+`/comments/`+c.ID+`/moderate"]`, "Hide").
			HasNo(`#comment-` + own.ID + ` .moderate`)
		a.Has(".post .moderate summary", "this post").Has("#comment-"+c.ID+" .moderate summary", "the comment by @bob")
		for _, v := range []*webtest.Visitor{bob, s.Anonymous()} {
			v.Get(p.Path()).HasNo(".moderate")
		}
	})
	t.Run("hides a comment without JavaScript and shows its author the reason", func(t *testing.T) {
		s, bob, mod, p, c := begin(t)
		path := "/posts/" + p.ID + "/comments/" + c.ID
		mod.Post(path+"/moderate", "do", "hide", "why", "abuse", "words", "See our *rules*", "seen", "", "back", path).
			WantRedirect(http.StatusSeeOther, path+"?done=hide&undo="+p.ID+"~"+c.ID)
		mod.Get(path+"?done=hide").WantRedirect(http.StatusFound, p.Path()+"#comment-"+c.ID)
		bob.Get(p.Path()).
			Has("#comment-"+c.ID+" .hold-notice", "Hidden by a moderator: Insults, threats or hate: See our *rules*")
		bob.HTMX().Get(path).Has(".hold-notice", "See our *rules*") // Cancel in the form for editing requests it
		bob.Get("/posts/"+p.ID+"/comments").Has("#comment-"+c.ID+" .hold-notice", "See our *rules*")
		s.Anonymous().Get(p.Path()).HasNo("#comment-"+c.ID).Has("#Page-comments-title", "1 comment")
		if e := s.Data.AuditLog()[0]; e.Action != domain.AuditHideComment ||
			!strings.HasSuffix(e.Reason, "See our *rules*") || e.ActorID != mod.User.ID {
			t.Errorf("the log entry is %+v", e)
		}
	})
	t.Run("hides and restores a comment in place with htmx", func(t *testing.T) {
		s, _, mod, p, c := begin(t)
		path := "/posts/" + p.ID + "/comments/" + c.ID + "/moderate"
		a := mod.HTMX().Post(path, "do", "hide", "why", "spam", "seen", "").Want(http.StatusOK).HasNo("h1").
			Has(".comment .hold-notice", "Hidden by a moderator").
			Has(`hx-partial[hx-target="#Page-comments-title"]`, "1 comment")
		a.Has(`.moderate button[value="restore"]`, "Restore").Has(`[name="seen"][value="moderator"]`, "")
		mod.HTMX().Post(path, "do", "restore", "seen", "moderator", "text", "unedited").Want(http.StatusOK).
			HasNo(".hold-notice").Has(`hx-partial[hx-target="#Page-comments-title"]`, "2 comments")
		s.Anonymous().Get(p.Path()).Has("#comment-"+c.ID, "A comment.")
	})
	t.Run("hides a post and shows its author the reason", func(t *testing.T) {
		s, bob, mod, p, _ := begin(t)
		path := "/posts/" + p.ID + "/moderate"
		mod.Post(path, "do", "hide", "why", "other", "words", "Off topic", "seen", "", "back", p.Path()).
			WantRedirect(http.StatusSeeOther, p.Path()+"?done=hide&undo="+p.ID)
		mod.Get(p.Path()+"?done=hide").Has(`.done [role="status"]`, "Hidden.").
			Has(`.post .moderate button[value="restore"]`, "Restore")
		bob.Get(p.Path()).Has(".hold-notice", "Reason: Off topic")
		s.Anonymous().Get(p.Path()).Want(http.StatusNotFound)
		mod.Get(path).Has(".decided", "Off topic")
	})
	t.Run("requires a reason and keeps the typed explanation", func(t *testing.T) {
		_, _, mod, p, _ := begin(t)
		a := mod.Post("/posts/"+p.ID+"/moderate", "do", "hide", "why", "", "words", "Because", "seen", "").
			Want(http.StatusUnprocessableEntity)
		if a.Has("#why-error", "Choose a reason"); a.Value("words") != "Because" {
			t.Errorf("the explanation is %q", a.Value("words"))
		}
		mod.Post("/posts/"+p.ID+"/moderate", "do", "hide", "why", "spam", "words",
			strings.Repeat("x", domain.MaxReason+1), "seen", "").
			Want(http.StatusUnprocessableEntity).Has("#words-error", "at most 500")
	})
	t.Run("reports a conflict to a second moderator, and counts a repeated decision once", func(t *testing.T) {
		s, _, mod, p, _ := begin(t)
		path := "/posts/" + p.ID + "/moderate"
		for range 2 {
			mod.Post(path, "do", "hide", "why", "spam", "seen", "").Want(http.StatusSeeOther)
		}
		if r := s.Data.Reported(domain.Target{PostID: p.ID}); r.Version != 1 {
			t.Errorf("version %d after a repeated decision, want 1", r.Version)
		}
		moderator(s, "moe").Post(path, "do", "hide", "why", "abuse", "seen", "").Want(http.StatusConflict).
			Has(`[role="alert"]`, "@max has already handled this")
	})
	for _, method := range []string{"Posts.Latest", "Posts.Comment"} {
		t.Run("redirects to the comment when "+method+" fails after the decision", func(t *testing.T) {
			s, _, mod, p, c := begin(t)
			path := "/posts/" + p.ID + "/comments/" + c.ID
			s.Data.Before("Audit.Record", func() { s.Data.Fail(method) })
			a := mod.HTMX().Post(path+"/moderate", "do", "hide", "why", "spam", "seen", "").Want(http.StatusOK)
			if to := a.Header.Get("HX-Redirect"); to != path {
				t.Errorf("the redirect leads to %q", to)
			}
			s.Data.Recover(method)
			mod.Get(path).WantRedirect(http.StatusFound, p.Path()+"#comment-"+c.ID)
			if h := s.Data.Comments(p.ID)[0].Held; h != domain.HeldByModerator {
				t.Errorf("held as %q", h)
			}
		})
	}
	t.Run("completes a failed decision when it is sent again", func(t *testing.T) {
		s, _, mod, p, c := begin(t)
		path := "/posts/" + p.ID + "/comments/" + c.ID + "/moderate"
		s.Data.Fail("Posts.HoldComment")
		mod.HTMX().Post(path, "do", "hide", "why", "spam", "seen", "").Want(http.StatusServiceUnavailable).HasNo("h1")
		s.Data.Recover("Posts.HoldComment")
		mod.HTMX().Post(path, "do", "hide", "why", "spam", "seen", "").Want(http.StatusOK).
			Has(".hold-notice", "Hidden by a moderator")
	})
}

func TestAuthorsAreNotifiedOfDecisions(t *testing.T) {
	s := webtest.NewSite(t)
	bob, mod := s.SignUp("bob"), moderator(s, "max")
	p := bob.CreatePost("A title", "Some text.")
	decide := func(do, seen, count string) {
		mod.Post("/posts/"+p.ID+"/moderate", "do", do, "why", "spam", "seen", seen, "text", "1").
			Want(http.StatusSeeOther)
		bob.Get("/").Has("header.site summary .count-badge", count)
	}
	const hidden = `.notifications li:contains("was hidden by a moderator")`
	const restored = `.notifications li:contains("is visible to everyone again")`
	decide("hide", "", "1 new notification")
	decide("restore", "moderator", "2 new notifications")
	bob.Get("/notifications").Has(restored, "A title").HasNo(hidden) // the second decision replaces the first
	decide("hide", "", "1 new notification")
	bob.Get("/notifications").Has(hidden, "A title").HasNo(restored)
	mod.Get("/").HasNo("header.site summary .count-badge")
}

func TestOwnPostsAreNotOfferedForHiding(t *testing.T) {
	s := webtest.NewSite(t)
	quinn := s.SignUpAs("quinn", domain.RoleAdministrator)
	own := quinn.CreatePost("Of tides", "Some text.")
	other := s.SignUp("ada").CreatePost("Of engines", "Some text.")
	quinn.Get(own.Path()).Want(200).HasNo("form.decide")
	quinn.Get(other.Path()).Want(200).Has("form.decide [value=hide]", "")
	t.Run("but can be shown again by an administrator", func(t *testing.T) {
		s.Hold(own.ID, "", domain.HeldByModerator)
		quinn.Get(own.Path()).Want(200).Has("form.decide [value=restore]", "").HasNo("form.decide [value=hide]")
	})
}
