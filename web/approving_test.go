package web_test

import (
	"net/http"
	"testing"
	"time"

	"inkfeed/domain"
)

// What a moderator approves is what the moderator has seen.
func TestApprovingWhatWasEditedMeanwhile(t *testing.T) {
	type held struct {
		*site
		ada, mod *visitor
		p        domain.Post
		c        domain.Comment
	}
	begin := func(t *testing.T) held {
		s := held{site: newSite(t)}
		s.ada, s.mod = s.member("ada"), moderator(s.site, "max")
		s.p = s.ada.aPost("A title", "Harmless.")
		s.c = s.ada.comments(s.p, "Harmless.")[0]
		return s
	}
	kinds := map[string]struct {
		path func(held) string
		hold func(held)
		edit func(held)
		slip func(held) // the edit, behind the back of the site
		now  func(held) domain.Hold
	}{
		"post": {
			func(s held) string { return "/posts/" + s.p.ID },
			func(s held) { s.hold(s.p.ID, "", domain.HeldForReview) },
			func(s held) {
				s.ada.post("/posts/"+s.p.ID, "title", "A title", "content", "Nasty.", "revision", "1", "version", "0", "do", "publish").want(http.StatusSeeOther)
			},
			func(s held) {
				s.data.must(s.data.rewrite(s.ada, s.p.ID, "A title", "Nasty."))
			},
			func(s held) domain.Hold { return s.data.post(s.p.ID).Held },
		},
		"comment": {
			func(s held) string { return "/posts/" + s.p.ID + "/comments/" + s.c.ID },
			func(s held) { s.hold(s.p.ID, s.c.ID, domain.HeldForReview) },
			func(s held) {
				s.ada.post("/posts/"+s.p.ID+"/comments/"+s.c.ID+"/edit", "content", "Nasty.", "began", "").want(http.StatusSeeOther)
			},
			func(s held) {
				edit, err := domain.NewCommentEdit(s.c, "Nasty.", time.Now())
				s.data.must(err)
				_, err = s.data.store.Posts.EditComment(s.data.ctx(), edit, s.ada.user.ID)
				s.data.must(err)
			},
			func(s held) domain.Hold { return s.data.comments(s.p.ID)[0].Held },
		},
	}
	for kind, k := range kinds {
		t.Run("a "+kind+", on its page, waits on, and its author is not trusted", func(t *testing.T) {
			s := begin(t)
			k.hold(s)
			path := k.path(s) + "/moderate"
			seen := s.mod.get(path).has(".quoted", "Harmless.").Value("text")
			k.edit(s)
			a := s.mod.post(path, "do", "approve", "version", "0", "text", seen).want(http.StatusConflict).
				has(`[role="alert"]`, "The text was edited since you opened it. Please review it again.").has(".quoted", "Nasty.")
			if h := k.now(s); h != domain.HeldForReview || s.data.user(s.ada.user.ID).Trusted || len(s.data.audited()) != 0 {
				t.Errorf("held as %q, author %+v", h, s.data.user(s.ada.user.ID))
			}
			s.mod.post(path, "do", "approve", "version", a.Value("version"), "text", a.Value("text")).want(http.StatusSeeOther)
			if h := k.now(s); h != domain.NotHeld || !s.data.user(s.ada.user.ID).Trusted {
				t.Errorf("seen and approved it is held as %q", h)
			}
		})
		t.Run("a "+kind+" that was hidden is not restored either, where it stands", func(t *testing.T) {
			s := begin(t)
			k.hold(s)
			form := s.mod.get("/posts/" + s.p.ID + "/a-title").page().Find(`form[action="` + k.path(s) + `/moderate"]`)
			seen := form.Find(`[name="text"]`).AttrOr("value", "")
			if seen == "" {
				t.Fatal("the form does not say what it shows")
			}
			k.edit(s)
			for _, do := range []string{"approve", "restore"} {
				s.mod.post(k.path(s)+"/moderate", "do", do, "seen", "review", "text", seen).want(http.StatusConflict)
				s.mod.htmx().post(k.path(s)+"/moderate", "do", do, "seen", "review", "text", seen).want(http.StatusConflict)
			}
			s.mod.post(k.path(s)+"/moderate", "do", "approve", "seen", "review").want(http.StatusConflict)
			if h := k.now(s); h != domain.HeldForReview {
				t.Errorf("held as %q", h)
			}
		})
		t.Run("a "+kind+" that is edited in the very moment", func(t *testing.T) {
			s := begin(t)
			k.hold(s)
			path := k.path(s) + "/moderate"
			page := s.mod.get(path)
			s.data.before("Reports.Decide", func() { k.slip(s) })
			s.mod.post(path, "do", "approve", "version", page.Value("version"), "text", page.Value("text")).want(http.StatusConflict).
				has(`[role="alert"]`, "The text was edited since you opened it. Please review it again.").has(".quoted", "Nasty.")
			if h := k.now(s); h != domain.HeldForReview || s.data.user(s.ada.user.ID).Trusted {
				t.Errorf("held as %q", h)
			}
		})
	}
}
