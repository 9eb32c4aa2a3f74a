package moderation_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

// moderator signs up a user and makes them a moderator.
func moderator(s *webtest.Site, name string) *webtest.Visitor {
	s.T.Helper()
	v := s.SignUp(name)
	s.SetRole(v, domain.RoleModerator)
	v.User.Role = domain.RoleModerator
	return v
}

func TestReportsAreQueuedForModerators(t *testing.T) {
	s := webtest.NewSite(t)
	ada, bob, mod := s.SignUp("ada"), s.SignUp("bob"), moderator(s, "max")
	first, second := ada.CreatePost("The first", "Some *text*."), ada.CreatePost("The second", "More.")
	comment := ada.CreateComments(first, "What a comment.")[0]
	t.Run("is empty at first and linked in the menu", func(t *testing.T) {
		mod.Get("/").Has(`header a[href="/moderation"]`, "Moderation")
		bob.Get("/").HasNo(`header a[href="/moderation"]`)
		mod.Get("/moderation").Want(http.StatusOK).
			Has(".room-content > p", "No open reports. Reported posts and comments appear here.")
		mod.Get("/moderation/held").Want(http.StatusOK).Has(".room-content > p", "Nothing to review.").
			HasNo(`.tabs a[href="/moderation"][aria-current]`)
	})
	t.Run("counts texts in review up to 99", func(t *testing.T) {
		var waiting []domain.Target
		defer func() {
			for _, target := range waiting {
				s.Data.Must(s.Data.Store.Reviews.Done(s.Data.Context(), target))
			}
		}()
		for n, want := range []string{
			0: "In review", 99: "In review (99)", 100: "In review (99+)", 150: "In review (99+)",
		} {
			if want == "" {
				continue
			}
			for len(waiting) < n {
				waiting = append(waiting, domain.Target{PostID: domain.NewID()})
				s.Data.Must(s.Data.Store.Reviews.Put(s.Data.Context(),
					domain.Review{Target: waiting[len(waiting)-1], AuthorID: ada.User.ID, At: time.Now()}))
			}
			if got := mod.Get("/moderation").Page().Find(`.tabs a[href="/moderation/held"]`).Text(); got != want {
				t.Errorf("with %d in review, the tab is %q", n, got)
			}
		}
	})
	bob.Post("/posts/"+first.ID+"/report", "reason", "spam", "text", "Look at that.")
	mod.Post("/posts/"+first.ID+"/report", "reason", "spam")
	bob.Post("/posts/"+second.ID+"/report", "reason", "abuse")
	bob.Post("/posts/"+first.ID+"/comments/"+comment.ID+"/report", "reason", "personal")
	t.Run("shows the reported text, the reporters and their reasons", func(t *testing.T) {
		page := mod.Get("/moderation").Want(http.StatusOK)
		page.Has(`article[aria-label="Comment by @ada"]`, "What a comment.")
		rows := page.Page().Find(".queue > li")
		if rows.Length() != 3 {
			t.Fatalf("%d rows, want 3", rows.Length())
		}
		text := webtest.CollapseSpace(rows.Filter(`:contains("2 reports")`).Text())
		for _, want := range []string{
			"The first", "Some text.", "2 reports", "Spam or advertising × 2", "@bob: Look at that.",
			"Dismiss", "Hide",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%q lacks %q", text, want)
			}
		}
	})
	t.Run("sorts by the number of reports", func(t *testing.T) {
		row := mod.Get("/moderation?order=most").Page().Find(".queue > li").First().Text()
		if !strings.Contains(row, "The first") {
			t.Errorf("the first row is %q", webtest.CollapseSpace(row))
		}
	})
	t.Run("marks a reported text that its author deleted", func(t *testing.T) {
		ada.Post("/posts/" + second.ID + "/delete").Want(http.StatusSeeOther)
		mod.Get("/moderation").Has(`.queue > li:contains("In the author's trash")`, "Hide")
		ada.Post("/posts/" + second.ID + "/erase").Want(http.StatusSeeOther)
		mod.Get("/moderation").Has(`.queue > li:contains("Deleted by its author")`, "Remove")
		mod.Post("/posts/"+second.ID+"/moderate", "do", "dismiss", "version", "1", "back", "/moderation").
			WantRedirect(http.StatusSeeOther, "/moderation?done=dismiss")
		if n := mod.Get("/moderation").Page().Find(".queue > li").Length(); n != 2 {
			t.Errorf("%d rows, want 2", n)
		}
	})
	t.Run("omits the names of deleted reporters", func(t *testing.T) {
		s.Data.Must(s.Data.Store.AccountDeletions.Delete(s.Data.Context(), bob.User.ID))
		mod.Get("/moderation?order=most").HasNo(`a[href="/@bob"]`)
	})
}

func TestModeratorsDecideReports(t *testing.T) {
	type scene struct {
		*webtest.Site
		ada, bob, mod *webtest.Visitor
		post          domain.Post
		comment       domain.Comment
		path, target  map[string]string
	}
	begin := func(t *testing.T) scene {
		s := webtest.NewSite(t)
		sc := scene{Site: s, ada: s.SignUp("ada"), bob: s.SignUp("bob"), mod: moderator(s, "max")}
		sc.post = sc.ada.CreatePost("A title", "Some text.")
		sc.comment = sc.ada.CreateComments(sc.post, "A comment.")[0]
		sc.path = map[string]string{
			"post":    "/posts/" + sc.post.ID,
			"comment": "/posts/" + sc.post.ID + "/comments/" + sc.comment.ID,
		}
		sc.target = map[string]string{"post": sc.post.ID, "comment": sc.post.ID + "~" + sc.comment.ID}
		return sc
	}
	held := func(s scene, kind string) domain.Hold {
		if kind == "post" {
			return s.Data.Post(s.post.ID).Held
		}
		return s.Data.Comments(s.post.ID)[0].Held
	}
	for _, kind := range []string{"post", "comment"} {
		t.Run("hides and restores a "+kind+" and logs the moderator", func(t *testing.T) {
			s := begin(t)
			s.bob.Post(s.path[kind]+"/report", "reason", "spam").Want(http.StatusSeeOther)
			s.mod.Post(s.path[kind]+"/moderate", "do", "hide", "why", "spam", "version", "1").
				WantRedirect(http.StatusSeeOther, s.path[kind]+"/moderate?done=hide&undo="+s.target[kind])
			if h := held(s, kind); h != domain.HeldByModerator {
				t.Errorf("held as %q", h)
			}
			page := s.mod.Get(s.path[kind]+"/moderate?done=hide").Want(http.StatusOK).Has(`[role="status"]`, "Hidden.").
				Has(".decided", "Hidden by @max on")
			page.Has(`button[value="restore"]`, "Restore").HasNo(`button[value="hide"]`)
			s.mod.Get("/moderation").HasNo(".queue > li")
			s.mod.Post(s.path[kind]+"/moderate", "do", "restore", "version", "2", "text",
				map[string]string{"post": "1", "comment": "unedited"}[kind]).Want(http.StatusSeeOther)
			if h := held(s, kind); h != domain.NotHeld {
				t.Errorf("held as %q", h)
			}
			if log := s.Data.AuditLog(); len(log) != 2 || log[0].ActorName != "max" || log[0].Action == log[1].Action {
				t.Errorf("the log is %+v", log)
			}
		})
	}
	t.Run("shows a second moderator the decision of the first", func(t *testing.T) {
		s := begin(t)
		other := moderator(s.Site, "otto")
		s.bob.Post(s.path["post"]+"/report", "reason", "spam")
		s.mod.Post(s.path["post"]+"/moderate", "do", "dismiss", "version", "1").Want(http.StatusSeeOther)
		other.Post(s.path["post"]+"/moderate", "do", "hide", "why", "spam", "version", "1").Want(http.StatusConflict).
			Has(`[role="alert"]`, "@max has already handled this").Has(".decided", "Dismissed by @max")
		if h := held(s, "post"); h != domain.NotHeld {
			t.Errorf("held as %q", h)
		}
	})
	t.Run("completes a failed decision when it is sent again", func(t *testing.T) {
		s := begin(t)
		s.Data.Fail("Posts.Hold")
		s.mod.Post(s.path["post"]+"/moderate", "do", "hide", "why", "spam", "version", "0").
			Want(http.StatusServiceUnavailable)
		s.Data.Recover("Posts.Hold")
		s.mod.Post(s.path["post"]+"/moderate", "do", "hide", "why", "spam", "version", "0").Want(http.StatusSeeOther)
		if h := held(s, "post"); h != domain.HeldByModerator || len(s.Data.AuditLog()) != 1 {
			t.Errorf("held as %q, log %+v", h, s.Data.AuditLog())
		}
	})
	t.Run("approves a held post and trusts its author", func(t *testing.T) {
		s := begin(t)
		s.Hold(s.post.ID, "", domain.HeldForReview)
		s.mod.Get("/moderation").Has(`.tabs a[href="/moderation/held"]`, "In review (1)")
		s.mod.Get("/moderation/held").Has(".queue > li", "In review").Has(`button[value="approve"]`, "Approve")
		s.mod.Post(s.path["post"]+"/moderate", "do", "approve", "version", "0", "text", "1", "back",
			"/moderation/held").WantRedirect(http.StatusSeeOther, "/moderation/held?done=approve")
		s.mod.Get("/moderation/held?done=approve").HasNo(".queue > li").Has(`[role="status"]`, "Approved.").
			HasNo(`.tabs a:contains("(")`)
		if h := held(s, "post"); h != domain.NotHeld || !s.Data.User(s.ada.User.ID).Trusted {
			t.Errorf("held as %q, author %+v", h, s.Data.User(s.ada.User.ID))
		}
		s.mod.Get("/admin/log").Has(".log", "@max approved the post A title")
		s.mod.Get(s.path["post"]+"/moderate").Has(".decided", "Approved by @max")
		s.bob.Post(s.path["post"]+"/report", "reason", "spam").Want(http.StatusSeeOther)
		s.mod.Get("/moderation").Has(".queue > li", "Reported after approval").Has(".queue > li", "1 report")
	})
	t.Run("lists the link targets of a held text as plain text", func(t *testing.T) {
		s := begin(t)
		s.Data.Must(s.Data.EditPost(s.ada, s.post.ID, "A title",
			"See [my shop](https://pills.example/buy), [again](https://pills.example/buy) and [this](/tags/go)."))
		s.Hold(s.post.ID, "", domain.HeldForReview)
		page := s.mod.Get("/moderation/held").Want(http.StatusOK).HasNo(`a[href*="pills.example"]`)
		if links := page.Page().Find(".queue bdi:contains('://')"); links.Length() != 1 ||
			links.Text() != "https://pills.example/buy" {
			t.Errorf("the link targets are %q", links.Text())
		}
	})
	t.Run("offers the author of a held post no actions for comments", func(t *testing.T) {
		s := begin(t)
		s.ada.Get(s.post.Path()).Has(".close-comments", "Close comments")
		s.Hold(s.post.ID, "", domain.HeldForReview)
		s.ada.Get(s.post.Path()).Want(http.StatusOK).Has(".hold-notice", "n review").HasNo(".close-comments").
			HasNo("#Page-comments .comment-prompt").HasNo("#Page-comment-form")
	})
	t.Run("logs the approved comment with its author", func(t *testing.T) {
		s := begin(t)
		s.Hold(s.post.ID, s.comment.ID, domain.HeldForReview)
		s.mod.Post(s.path["comment"]+"/moderate", "do", "approve", "version", "0", "text", "unedited").
			Want(http.StatusSeeOther)
		s.mod.Get("/admin/log").Has(".log", "@max approved a comment by @ada")
	})
	t.Run("distinguishes a report after a dismissal from a first report", func(t *testing.T) {
		s := begin(t)
		target := domain.Target{PostID: s.post.ID}
		day := func(n int) time.Time { return time.Date(2026, 1, n, 0, 0, 0, 0, time.UTC) }
		report := func(by *webtest.Visitor, n int) domain.Report {
			return domain.Report{UserID: by.User.ID, Reason: domain.ReasonSpam, At: day(n)}
		}
		first, err := s.Data.Store.Reports.Report(t.Context(), target, report(s.bob, 1), time.Time{})
		s.Data.Must(err)
		_, err = s.Data.Store.Reports.Decide(t.Context(), target, first.Version, domain.DecisionDismissed,
			s.mod.User.ID, "", day(2))
		s.Data.Must(err)
		_, err = s.Data.Store.Reports.Report(t.Context(), target, report(s.ada, 3), time.Time{})
		s.Data.Must(err)
		s.mod.Get("/moderation").Has(".queue > li", "Reported again after dismissal")
	})
	t.Run("suspends an author for a given reason", func(t *testing.T) {
		s := begin(t)
		s.mod.Post(s.path["post"]+"/moderate", "do", "suspend").Want(http.StatusUnprocessableEntity).
			HasFieldError("reason", "Enter a reason.")
		s.mod.Post(s.path["post"]+"/moderate", "do", "suspend", "reason", "Spam.").Want(http.StatusSeeOther)
		if u := s.Data.User(s.ada.User.ID); u.Suspended.IsZero() || u.SuspendedFor != "Spam." {
			t.Errorf("the author is %+v", u)
		}
		s.mod.Get(s.path["post"]+"/moderate").Has("main", "@ada is suspended: Spam.").HasNo(`button[value="suspend"]`)
		s.mod.Post(s.path["post"]+"/moderate", "do", "suspend", "reason", "Typed").Want(http.StatusConflict).
			Has("main", "already suspended")
	})
	t.Run("ends the sessions of a suspended user for good", func(t *testing.T) {
		s := begin(t)
		s.mod.Post(s.path["post"]+"/moderate", "do", "suspend", "reason", "Spam.").Want(http.StatusSeeOther)
		if _, err := s.Data.Store.Accounts.Restore(t.Context(), s.ada.User.ID); err != nil { // a command can do this
			t.Fatal(err)
		}
		s.ada.Get("/settings").WantRedirect(http.StatusSeeOther, "/login?next=%2Fsettings")
	})
	t.Run("refuses decisions on one's own texts, and those of moderators on administrators", func(t *testing.T) {
		s := begin(t)
		s.SignUpAs("anna", domain.RoleAdministrator)
		s.SetRole(s.ada, domain.RoleAdministrator)
		for _, do := range []string{"hide", "dismiss", "suspend"} {
			s.mod.Post(s.path["post"]+"/moderate", "do", do, "version", "0", "reason", "Because").
				Want(http.StatusForbidden)
		}
		s.mod.Get(s.path["post"]+"/moderate").Want(http.StatusOK).Has("main", "only administrators can moderate it").
			HasNo(`button[value="hide"]`)
		s.SetRole(s.ada, domain.RoleModerator)
		s.ada.Post(s.path["post"]+"/moderate", "do", "hide", "why", "spam", "version", "0").Want(http.StatusForbidden)
		s.mod.Post(s.path["post"]+"/moderate", "do", "suspend", "reason", "Because").Want(http.StatusForbidden)
		if len(s.Data.AuditLog()) != 0 {
			t.Errorf("the log is %+v", s.Data.AuditLog())
		}
	})
	t.Run("rejects an unknown decision and answers 404 for an unknown post", func(t *testing.T) {
		s := begin(t)
		s.mod.Post(s.path["post"]+"/moderate", "do", "explode", "version", "0").Want(http.StatusUnprocessableEntity)
		s.mod.Post(s.path["post"]+"/moderate", "do", "hide", "why", "spam").Want(http.StatusConflict)
		s.mod.Get("/posts/" + domain.NewID() + "/moderate").Want(http.StatusNotFound)
		s.mod.Get("/posts/x/moderate").Want(http.StatusNotFound)
		if h := held(s, "post"); h != domain.NotHeld {
			t.Errorf("held as %q", h)
		}
	})
}
