package web_test

import (
	"net/http"
	"strings"
	"testing"

	"inkfeed/domain"
)

func TestReporting(t *testing.T) {
	s := newSite(t)
	ada, bob := s.member("ada"), s.member("bob")
	p := ada.aPost("A title", "Text")
	comment := ada.comments(p, "A comment")[0]
	of := map[string]domain.Target{
		"/posts/" + p.ID + "/report":                             {PostID: p.ID},
		"/posts/" + p.ID + "/comments/" + comment.ID + "/report": {PostID: p.ID, CommentID: comment.ID},
	}
	for path, target := range of {
		known := func() domain.Reported { return s.data.reported(target) }
		t.Run("begins with a link beside "+target.ID(), func(t *testing.T) {
			bob.get(p.Path()).has(`a[href="`+path+`"][rel="nofollow"]`, "Report")
			s.stranger().get(p.Path()).has(`a[href="`+path+`"]`, "Report")
			ada.get(p.Path()).hasNo(`a[href="` + path + `"]`)
		})
		t.Run("asks why, beside what is reported: "+path, func(t *testing.T) {
			page := bob.get(path).want(http.StatusOK).has("h1", "Report a ").has("legend", "Reason for your report")
			if n := page.page().Find(`input[type="radio"][name="reason"]`).Length(); n != len(domain.ReportReasons()) {
				t.Errorf("%d reasons", n)
			}
		})
		t.Run("needs a reason, and words for another one: "+path, func(t *testing.T) {
			bob.post(path, "text", "typed").want(http.StatusUnprocessableEntity).complains("reason", "Choose a reason.").has("#text", "typed")
			page := bob.post(path, "reason", "other").want(http.StatusUnprocessableEntity).complains("text", "Describe the problem in a few words.")
			page.has(`#reason-other[checked]`, "")
			bob.post(path, "reason", "spam", "text", strings.Repeat("x", domain.MaxReportText+1)).want(http.StatusUnprocessableEntity).complains("text", "at most 1,000")
			if known().Count != 0 {
				t.Error("something was kept")
			}
		})
		t.Run("tells that it came, and shows it again: "+path, func(t *testing.T) {
			bob.post(path, "reason", "spam", "text", " Look.\r\n ").wantRedirect(http.StatusSeeOther, path+"?sent=yes")
			bob.get(path+"?sent=yes").has(`[role="status"]`, "Thank you").hasNo("main form")
			if r := known(); r.Count != 1 || r.From(bob.user.ID).Text != "Look." || r.From(bob.user.ID).Reason != domain.ReasonSpam {
				t.Errorf("%+v", r)
			}
			bob.get(path).has("main form", "You reported this on").has("#text", "Look.").has("#reason-spam[checked]", "")
			bob.post(path, "reason", "abuse", "text", "Look again.").want(http.StatusSeeOther)
			if r := known(); r.Count != 1 || r.From(bob.user.ID).Text != "Look again." {
				t.Errorf("%+v", r)
			}
		})
		t.Run("loses nothing when the session ended, or the data cannot be reached: "+path, func(t *testing.T) {
			bob.forgotten().post(path, "reason", "spam", "text", "typed").want(http.StatusUnauthorized).has("#text", "typed").has("#reason-spam[checked]", "")
			s.data.fail("Reports.Report")
			bob.post(path, "reason", "spam", "text", "typed").want(http.StatusServiceUnavailable).has("#text", "typed")
			s.data.recover("Reports.Report")
		})
	}
	t.Run("is not for what is one's own, or is not there", func(t *testing.T) {
		for path := range of {
			ada.get(path).want(http.StatusForbidden)
			ada.post(path, "reason", "spam").want(http.StatusForbidden)
		}
		bob.get("/posts/" + domain.NewID() + "/report").want(http.StatusNotFound)
		bob.get("/posts/" + p.ID + "/comments/" + domain.NewID() + "/report").want(http.StatusNotFound)
	})
}
