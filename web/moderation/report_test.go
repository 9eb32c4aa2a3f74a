package moderation_test

import (
	"net/http"
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestReportingPostsAndComments(t *testing.T) {
	s := webtest.NewSite(t)
	ada, bob := s.SignUp("ada"), s.SignUp("bob")
	p := ada.CreatePost("A title", "Text")
	comment := ada.CreateComments(p, "A comment")[0]
	of := map[string]domain.Target{
		"/posts/" + p.ID + "/report":                             {PostID: p.ID},
		"/posts/" + p.ID + "/comments/" + comment.ID + "/report": {PostID: p.ID, CommentID: comment.ID},
	}
	for path, target := range of {
		known := func() domain.Reported { return s.Data.Reported(target) }
		t.Run("is offered to all users but the author: "+target.ID(), func(t *testing.T) {
			bob.Get(p.Path()).Has(`a[href="`+path+`"][rel="nofollow"]`, "Report")
			s.Anonymous().Get(p.Path()).Has(`a[href="`+path+`"]`, "Report")
			ada.Get(p.Path()).HasNo(`a[href="` + path + `"]`)
		})
		t.Run("shows the reasons beside the reported text: "+path, func(t *testing.T) {
			page := bob.Get(path).Want(http.StatusOK).Has("h1", "Report a ").Has("legend", "Reason for your report")
			if n := page.Page().Find(`input[type="radio"][name="reason"]`).Length(); n != len(domain.ReportReasons()) {
				t.Errorf("%d reasons are offered", n)
			}
		})
		t.Run("requires a reason, and a description for another reason: "+path, func(t *testing.T) {
			bob.Post(path, "text", "typed").Want(http.StatusUnprocessableEntity).
				HasFieldError("reason", "Choose a reason.").Has("#text", "typed")
			page := bob.Post(path, "reason", "other").Want(http.StatusUnprocessableEntity).
				HasFieldError("text", "Describe the problem in a few words.")
			page.Has(`#reason-other[checked]`, "")
			bob.Post(path, "reason", "spam", "text", strings.Repeat("x", domain.MaxReportText+1)).
				Want(http.StatusUnprocessableEntity).HasFieldError("text", "at most 1,000")
			if known().Count != 0 {
				t.Error("an invalid report was stored")
			}
		})
		t.Run("confirms the report and lets the reporter edit it: "+path, func(t *testing.T) {
			bob.Post(path, "reason", "spam", "text", " Look.\r\n ").WantRedirect(http.StatusSeeOther, path+"?sent=yes")
			bob.Get(path+"?sent=yes").Has(`[role="status"]`, "Thank you").HasNo("main form")
			if r := known(); r.Count != 1 || r.From(bob.User.ID).Text != "Look." ||
				r.From(bob.User.ID).Reason != domain.ReasonSpam {
				t.Errorf("the reports are %+v", r)
			}
			bob.Get(path).Has("main form", "You reported this on").Has("#text", "Look.").
				Has("#reason-spam[checked]", "")
			bob.Post(path, "reason", "abuse", "text", "Look again.").Want(http.StatusSeeOther)
			if r := known(); r.Count != 1 || r.From(bob.User.ID).Text != "Look again." {
				t.Errorf("the reports are %+v", r)
			}
		})
		t.Run("keeps the input when the session has expired or storage fails: "+path, func(t *testing.T) {
			bob.WithoutSession().Post(path, "reason", "spam", "text", "typed").Want(http.StatusUnauthorized).
				Has("#text", "typed").Has("#reason-spam[checked]", "")
			s.Data.Fail("Reports.Report")
			bob.Post(path, "reason", "spam", "text", "typed").Want(http.StatusServiceUnavailable).Has("#text", "typed")
			s.Data.Recover("Reports.Report")
		})
		t.Run("keeps the input when the reported text cannot be read: "+path, func(t *testing.T) {
			for _, method := range []string{"Posts.Get", "Posts.Comment"} {
				if method == "Posts.Comment" && target.CommentID == "" {
					continue
				}
				s.Data.Fail(method)
				bob.Post(path, "reason", "spam", "text", "typed").Want(http.StatusServiceUnavailable).
					Has("#text", "typed").Has("#reason-spam[checked]", "").Has(`main form[action="`+path+`"]`, "").
					HasNo(`main a[href="/posts/"]`)
				s.Data.Recover(method)
			}
		})
	}
	t.Run("refuses reports of one's own texts and of missing ones", func(t *testing.T) {
		for path := range of {
			ada.Get(path).Want(http.StatusForbidden)
			ada.Post(path, "reason", "spam").Want(http.StatusForbidden)
		}
		bob.Get("/posts/" + domain.NewID() + "/report").Want(http.StatusNotFound)
		bob.Get("/posts/" + p.ID + "/comments/" + domain.NewID() + "/report").Want(http.StatusNotFound)
	})
}
