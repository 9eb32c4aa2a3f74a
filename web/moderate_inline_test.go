package web_test

import (
	"net/http"
	"strings"
	"testing"

	"inkfeed/domain"
)

func TestModeratingWhereATextStands(t *testing.T) {
	begin := func(t *testing.T) (s *site, bob, mod *visitor, p domain.Post, c domain.Comment) {
		s = newSite(t)
		bob, mod = s.member("bob"), moderator(s, "max")
		p = bob.aPost("A title", "Some text.")
		return s, bob, mod, p, bob.comments(p, "A comment.", "Another.")[0]
	}
	t.Run("is for moderators, and not about what they wrote", func(t *testing.T) {
		s, bob, mod, p, c := begin(t)
		own := mod.comments(p, "A moderator's.")[0]
		a := mod.get(p.Path()).has(`.post form[action="/posts/`+p.ID+`/moderate"]`, "Hide").
			has(`#comment-`+c.ID+` form[action="/posts/`+p.ID+`/comments/`+c.ID+`/moderate"]`, "Hide").
			hasNo(`#comment-` + own.ID + ` .moderate`)
		a.has(".post .moderate summary", "this post").has("#comment-"+c.ID+" .moderate summary", "the comment by @bob")
		for _, v := range []*visitor{bob, s.stranger()} {
			v.get(p.Path()).hasNo(".moderate")
		}
	})
	t.Run("hides a comment, without a script too, and its author reads why", func(t *testing.T) {
		s, bob, mod, p, c := begin(t)
		path := "/posts/" + p.ID + "/comments/" + c.ID
		mod.post(path+"/moderate", "do", "hide", "why", "abuse", "words", "See our *rules*", "seen", "", "back", path).
			wantRedirect(http.StatusSeeOther, path+"?done=hide")
		mod.get(path+"?done=hide").wantRedirect(http.StatusFound, p.Path()+"#comment-"+c.ID)
		bob.get(p.Path()).has("#comment-"+c.ID+" .hold-notice", "Hidden by a moderator: Insults, threats or hate: See our *rules*")
		bob.get("/posts/"+p.ID+"/comments").has("#comment-"+c.ID+" .hold-notice", "See our *rules*")
		s.stranger().get(p.Path()).hasNo("#comment-"+c.ID).has("#Page-comments-title", "1 comment")
		if e := s.data.audited()[0]; e.Action != domain.AuditHideComment || !strings.HasSuffix(e.Reason, "See our *rules*") || e.ActorID != mod.user.ID {
			t.Errorf("the log says %+v", e)
		}
	})
	t.Run("in place with htmx, and shows it again", func(t *testing.T) {
		s, _, mod, p, c := begin(t)
		path := "/posts/" + p.ID + "/comments/" + c.ID + "/moderate"
		a := mod.htmx().post(path, "do", "hide", "why", "spam", "seen", "").want(http.StatusOK).hasNo("h1").
			has(".comment .hold-notice", "Hidden by a moderator").has(`hx-partial[hx-target="#Page-comments-title"]`, "1 comment")
		a.has(`.moderate button[value="restore"]`, "Restore").has(`[name="seen"][value="moderator"]`, "")
		mod.htmx().post(path, "do", "restore", "seen", "moderator", "text", "unedited").want(http.StatusOK).hasNo(".hold-notice").has(`hx-partial[hx-target="#Page-comments-title"]`, "2 comments")
		s.stranger().get(p.Path()).has("#comment-"+c.ID, "A comment.")
	})
	t.Run("hides a post, and its author reads why", func(t *testing.T) {
		s, bob, mod, p, _ := begin(t)
		path := "/posts/" + p.ID + "/moderate"
		mod.post(path, "do", "hide", "why", "other", "words", "Off topic", "seen", "", "back", p.Path()).wantRedirect(http.StatusSeeOther, p.Path()+"?done=hide")
		mod.get(p.Path()+"?done=hide").has(`p.done`, "Hidden.").has(`.post .moderate button[value="restore"]`, "Restore")
		bob.get(p.Path()).has(".hold-notice", "Reason: Off topic")
		s.stranger().get(p.Path()).want(http.StatusNotFound)
		mod.get(path).has(".decided", "Off topic")
	})
	t.Run("needs a reason, and gives the words back", func(t *testing.T) {
		_, _, mod, p, _ := begin(t)
		a := mod.post("/posts/"+p.ID+"/moderate", "do", "hide", "why", "", "words", "Because", "seen", "").want(http.StatusUnprocessableEntity)
		if a.has("#why-error", "Choose a reason"); a.Value("words") != "Because" {
			t.Errorf("back comes %q", a.Value("words"))
		}
		mod.post("/posts/"+p.ID+"/moderate", "do", "hide", "why", "spam", "words", strings.Repeat("x", domain.MaxReason+1), "seen", "").
			want(http.StatusUnprocessableEntity).has("#words-error", "at most 500")
	})
	t.Run("of two moderators the second is told, and who does it twice does it once", func(t *testing.T) {
		s, _, mod, p, _ := begin(t)
		path := "/posts/" + p.ID + "/moderate"
		for range 2 {
			mod.post(path, "do", "hide", "why", "spam", "seen", "").want(http.StatusSeeOther)
		}
		if r := s.data.reported(domain.Target{PostID: p.ID}); r.Version != 1 {
			t.Errorf("decided %d times", r.Version)
		}
		moderator(s, "moe").post(path, "do", "hide", "why", "abuse", "seen", "").want(http.StatusConflict).has(`[role="alert"]`, "@max has already handled this")
	})
	t.Run("what failed halfway is finished by sending it again", func(t *testing.T) {
		s, _, mod, p, c := begin(t)
		path := "/posts/" + p.ID + "/comments/" + c.ID + "/moderate"
		s.data.fail("Posts.HoldComment")
		mod.htmx().post(path, "do", "hide", "why", "spam", "seen", "").want(http.StatusServiceUnavailable).hasNo("h1")
		s.data.recover("Posts.HoldComment")
		mod.htmx().post(path, "do", "hide", "why", "spam", "seen", "").want(http.StatusOK).has(".hold-notice", "Hidden by a moderator")
	})
}
