package web_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
)

// moderator signs up somebody who decides about what others wrote.
func moderator(s *site, name string) *visitor {
	s.t.Helper()
	v := s.member(name)
	s.give(v, domain.RoleModerator)
	v.user.Role = domain.RoleModerator
	return v
}

func TestTheModeratorsQueue(t *testing.T) {
	s := newSite(t)
	ada, bob, mod := s.member("ada"), s.member("bob"), moderator(s, "max")
	first, second := ada.aPost("The first", "Some *text*."), ada.aPost("The second", "More.")
	comment := ada.comments(first, "What a comment.")[0]
	t.Run("is empty at first, and found in the menu", func(t *testing.T) {
		mod.get("/").has(`header a[href="/moderation"]`, "Moderation")
		bob.get("/").hasNo(`header a[href="/moderation"]`)
		mod.get("/moderation").want(http.StatusOK).has("main > p", "No open reports. Reported posts and comments appear here.")
		mod.get("/moderation/held").want(http.StatusOK).has("main > p", "Nothing to review.").hasNo(`a[href="/moderation"][aria-current]`)
	})
	t.Run("counts what waits for review, as far as that makes a difference", func(t *testing.T) {
		var waiting []domain.Target
		defer func() {
			for _, target := range waiting {
				s.data.must(s.data.store.Reviews.Done(s.data.ctx(), target))
			}
		}()
		for n, want := range []string{0: "In review", 99: "In review (99)", 100: "In review (99+)", 150: "In review (99+)"} {
			if want == "" {
				continue
			}
			for len(waiting) < n {
				waiting = append(waiting, domain.Target{PostID: domain.NewID()})
				s.data.must(s.data.store.Reviews.Put(s.data.ctx(), domain.Review{Target: waiting[len(waiting)-1], AuthorID: ada.user.ID, At: time.Now()}))
			}
			if got := mod.get("/moderation").page().Find(`.tabs a[href="/moderation/held"]`).Text(); got != want {
				t.Errorf("%d: %q", n, got)
			}
		}
	})
	bob.post("/posts/"+first.ID+"/report", "reason", "spam", "text", "Look at that.")
	mod.post("/posts/"+first.ID+"/report", "reason", "spam")
	bob.post("/posts/"+second.ID+"/report", "reason", "abuse")
	bob.post("/posts/"+first.ID+"/comments/"+comment.ID+"/report", "reason", "personal")
	t.Run("shows what was reported, by whom and why", func(t *testing.T) {
		page := mod.get("/moderation").want(http.StatusOK)
		page.has(`article[aria-label="Comment by @ada"]`, "What a comment.")
		rows := page.page().Find(".queue > li")
		if rows.Length() != 3 {
			t.Fatalf("%d rows", rows.Length())
		}
		text := squeeze(rows.Filter(`:contains("2 reports")`).Text())
		for _, want := range []string{"The first", "Some text.", "2 reports", "Spam or advertising × 2", "@bob: Look at that.", "Dismiss", "Hide"} {
			if !strings.Contains(text, want) {
				t.Errorf("%q does not say %q", text, want)
			}
		}
	})
	t.Run("can begin with what most have reported", func(t *testing.T) {
		row := mod.get("/moderation?order=most").page().Find(".queue > li").First().Text()
		if !strings.Contains(row, "The first") {
			t.Errorf("begins with %q", squeeze(row))
		}
	})
	t.Run("says so when its author has deleted what was reported", func(t *testing.T) {
		ada.post("/posts/" + second.ID + "/delete").want(http.StatusSeeOther)
		mod.get("/moderation").has(`.queue > li:contains("Deleted by its author")`, "Remove")
		mod.post("/posts/"+second.ID+"/moderate", "do", "dismiss", "version", "1", "back", "/moderation").
			wantRedirect(http.StatusSeeOther, "/moderation?done=dismiss")
		if n := mod.get("/moderation").page().Find(".queue > li").Length(); n != 2 {
			t.Errorf("%d rows", n)
		}
	})
	t.Run("leaves the name of a reporter out whose account is gone", func(t *testing.T) {
		s.data.must(s.data.store.Users.Delete(s.data.ctx(), bob.user.ID))
		mod.get("/moderation?order=most").hasNo(`a[href="/@bob"]`)
	})
}

func TestModerating(t *testing.T) {
	type scene struct {
		*site
		ada, bob, mod *visitor
		post          domain.Post
		comment       domain.Comment
		path          map[string]string
	}
	begin := func(t *testing.T) scene {
		s := newSite(t)
		sc := scene{site: s, ada: s.member("ada"), bob: s.member("bob"), mod: moderator(s, "max")}
		sc.post = sc.ada.aPost("A title", "Some text.")
		sc.comment = sc.ada.comments(sc.post, "A comment.")[0]
		sc.path = map[string]string{"post": "/posts/" + sc.post.ID, "comment": "/posts/" + sc.post.ID + "/comments/" + sc.comment.ID}
		return sc
	}
	held := func(s scene, kind string) domain.Hold {
		if kind == "post" {
			return s.data.post(s.post.ID).Held
		}
		return s.data.comments(s.post.ID)[0].Held
	}
	for _, kind := range []string{"post", "comment"} {
		t.Run("hides a "+kind+" and restores it, and the log says who did", func(t *testing.T) {
			s := begin(t)
			s.bob.post(s.path[kind]+"/report", "reason", "spam").want(http.StatusSeeOther)
			s.mod.post(s.path[kind]+"/moderate", "do", "hide", "why", "spam", "version", "1").wantRedirect(http.StatusSeeOther, s.path[kind]+"/moderate?done=hide")
			if h := held(s, kind); h != domain.HeldByModerator {
				t.Errorf("held %q", h)
			}
			page := s.mod.get(s.path[kind]+"/moderate?done=hide").want(http.StatusOK).has(`[role="status"]`, "Hidden.").has(".decided", "Hidden by @max on")
			page.has(`button[value="restore"]`, "Restore").hasNo(`button[value="hide"]`)
			s.mod.get("/moderation").hasNo(".queue > li")
			s.mod.post(s.path[kind]+"/moderate", "do", "restore", "version", "2", "text", map[string]string{"post": "1", "comment": "unedited"}[kind]).want(http.StatusSeeOther)
			if h := held(s, kind); h != domain.NotHeld {
				t.Errorf("held %q", h)
			}
			if log := s.data.audited(); len(log) != 2 || log[0].ActorName != "max" || log[0].Action == log[1].Action {
				t.Errorf("the log says %+v", log)
			}
		})
	}
	t.Run("tells the second of two what the first has decided", func(t *testing.T) {
		s := begin(t)
		other := moderator(s.site, "otto")
		s.bob.post(s.path["post"]+"/report", "reason", "spam")
		s.mod.post(s.path["post"]+"/moderate", "do", "dismiss", "version", "1").want(http.StatusSeeOther)
		other.post(s.path["post"]+"/moderate", "do", "hide", "why", "spam", "version", "1").want(http.StatusConflict).has(`[role="alert"]`, "@max has already handled this").has(".decided", "Dismissed by @max")
		if h := held(s, "post"); h != domain.NotHeld {
			t.Errorf("held %q", h)
		}
	})
	t.Run("finishes, sent again, what could not be done before", func(t *testing.T) {
		s := begin(t)
		s.data.fail("Posts.Hold")
		s.mod.post(s.path["post"]+"/moderate", "do", "hide", "why", "spam", "version", "0").want(http.StatusServiceUnavailable)
		s.data.recover("Posts.Hold")
		s.mod.post(s.path["post"]+"/moderate", "do", "hide", "why", "spam", "version", "0").want(http.StatusSeeOther)
		if h := held(s, "post"); h != domain.HeldByModerator || len(s.data.audited()) != 1 {
			t.Errorf("held %q, log %+v", h, s.data.audited())
		}
	})
	t.Run("approves what waits, whose author is trusted then", func(t *testing.T) {
		s := begin(t)
		s.hold(s.post.ID, "", domain.HeldForReview)
		s.mod.get("/moderation").has(`.tabs a[href="/moderation/held"]`, "In review (1)")
		s.mod.get("/moderation/held").has(".queue > li", "In review").has(`button[value="approve"]`, "Approve")
		s.mod.post(s.path["post"]+"/moderate", "do", "approve", "version", "0", "text", "1", "back", "/moderation/held").wantRedirect(http.StatusSeeOther, "/moderation/held?done=approve")
		s.mod.get("/moderation/held?done=approve").hasNo(".queue > li").has(`[role="status"]`, "Approved.").hasNo(`.tabs a:contains("(")`)
		if h := held(s, "post"); h != domain.NotHeld || !s.data.user(s.ada.user.ID).Trusted {
			t.Errorf("held %q, author %+v", h, s.data.user(s.ada.user.ID))
		}
		s.mod.get("/admin/log").has(".log", "@max approved the post A title")
		s.mod.get(s.path["post"]+"/moderate").has(".decided", "Approved by @max")
		s.bob.post(s.path["post"]+"/report", "reason", "spam").want(http.StatusSeeOther)
		s.mod.get("/moderation").has(".queue > li", "Reported since it was approved").has(".queue > li", "1 report")
	})
	t.Run("shows beneath what waits where its links lead, as text", func(t *testing.T) {
		s := begin(t)
		s.data.must(s.data.rewrite(s.ada, s.post.ID, "A title", "See [my shop](https://pills.example/buy), [again](https://pills.example/buy) and [this](/tags/go)."))
		s.hold(s.post.ID, "", domain.HeldForReview)
		page := s.mod.get("/moderation/held").want(http.StatusOK).hasNo(`a[href*="pills.example"]`)
		if links := page.page().Find(".queue bdi:contains('://')"); links.Length() != 1 || links.Text() != "https://pills.example/buy" {
			t.Errorf("shows %q", links.Text())
		}
	})
	t.Run("a held post offers its author nothing about comments, and does not say why none are taken", func(t *testing.T) {
		s := begin(t)
		s.ada.get(s.post.Path()).has(".close-comments", "Close comments")
		s.hold(s.post.ID, "", domain.HeldForReview)
		s.ada.get(s.post.Path()).want(http.StatusOK).has(".hold-notice", "n review").hasNo(".close-comments").hasNo("#Page-comments .invite").hasNo("#Page-comment-form")
	})
	t.Run("names the comment that it approves by its author", func(t *testing.T) {
		s := begin(t)
		s.hold(s.post.ID, s.comment.ID, domain.HeldForReview)
		s.mod.post(s.path["comment"]+"/moderate", "do", "approve", "version", "0", "text", "unedited").want(http.StatusSeeOther)
		s.mod.get("/admin/log").has(".log", "@max approved a comment by @ada")
	})
	t.Run("tells what was dismissed and reported again from what is reported first", func(t *testing.T) {
		s := begin(t)
		target := domain.Target{PostID: s.post.ID}
		day := func(n int) time.Time { return time.Date(2026, 1, n, 0, 0, 0, 0, time.UTC) }
		report := func(by *visitor, n int) domain.Report {
			return domain.Report{UserID: by.user.ID, Reason: domain.ReasonSpam, At: day(n)}
		}
		first, err := s.data.store.Reports.Report(t.Context(), target, report(s.bob, 1), time.Time{})
		s.data.must(err)
		_, err = s.data.store.Reports.Decide(t.Context(), target, first.Version, domain.DecisionDismissed, s.mod.user.ID, "", day(2))
		s.data.must(err)
		_, err = s.data.store.Reports.Report(t.Context(), target, report(s.ada, 3), time.Time{})
		s.data.must(err)
		s.mod.get("/moderation").has(".queue > li", "Reported again since it was dismissed")
	})
	t.Run("suspends an author, with a reason", func(t *testing.T) {
		s := begin(t)
		s.mod.post(s.path["post"]+"/moderate", "do", "suspend").want(http.StatusUnprocessableEntity).complains("reason", "Enter a reason.")
		s.mod.post(s.path["post"]+"/moderate", "do", "suspend", "reason", "Spam.").want(http.StatusSeeOther)
		if u := s.data.user(s.ada.user.ID); u.Suspended.IsZero() || u.SuspendedFor != "Spam." {
			t.Errorf("%+v", u)
		}
		s.mod.get(s.path["post"]+"/moderate").has("main", "@ada is suspended: Spam.").hasNo(`button[value="suspend"]`)
		s.mod.post(s.path["post"]+"/moderate", "do", "suspend", "reason", "Typed").want(http.StatusConflict).has("main", "already suspended")
	})
	t.Run("ends the sessions of whom it suspends, also for the time after", func(t *testing.T) {
		s := begin(t)
		s.mod.post(s.path["post"]+"/moderate", "do", "suspend", "reason", "Spam.").want(http.StatusSeeOther)
		if _, err := s.data.store.Users.Restore(t.Context(), s.ada.user.ID); err != nil { // by a command
			t.Fatal(err)
		}
		s.ada.get("/settings").wantRedirect(http.StatusSeeOther, "/login?next=%2Fsettings")
	})
	t.Run("nobody decides about what is their own, nor moderators about administrators", func(t *testing.T) {
		s := begin(t)
		s.staff("anna", domain.RoleAdministrator)
		s.give(s.ada, domain.RoleAdministrator)
		for _, do := range []string{"hide", "dismiss", "suspend"} {
			s.mod.post(s.path["post"]+"/moderate", "do", do, "version", "0", "reason", "Because").want(http.StatusForbidden)
		}
		s.mod.get(s.path["post"]+"/moderate").want(http.StatusOK).has("main", "only administrators can moderate it").hasNo(`button[value="hide"]`)
		s.give(s.ada, domain.RoleModerator)
		s.ada.post(s.path["post"]+"/moderate", "do", "hide", "why", "spam", "version", "0").want(http.StatusForbidden)
		s.mod.post(s.path["post"]+"/moderate", "do", "suspend", "reason", "Because").want(http.StatusForbidden)
		if len(s.data.audited()) != 0 {
			t.Errorf("the log says %+v", s.data.audited())
		}
	})
	t.Run("does nothing that it is not asked for", func(t *testing.T) {
		s := begin(t)
		s.mod.post(s.path["post"]+"/moderate", "do", "explode", "version", "0").want(http.StatusUnprocessableEntity)
		s.mod.post(s.path["post"]+"/moderate", "do", "hide", "why", "spam").want(http.StatusConflict)
		s.mod.get("/posts/" + domain.NewID() + "/moderate").want(http.StatusNotFound)
		s.mod.get("/posts/x/moderate").want(http.StatusNotFound)
		if h := held(s, "post"); h != domain.NotHeld {
			t.Errorf("held %q", h)
		}
	})
}
