package moderation_test

import (
	"net/http"
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

// reportedScene is a site with a post and a comment that are reported.
type reportedScene struct {
	*webtest.Site
	ada, mod *webtest.Visitor
	post     domain.Post
	targets  map[string]domain.Target
	paths    map[string]string
	holds    map[string]string // the methods of the store that hide
}

func beginReported(t *testing.T) reportedScene {
	s := reportedScene{Site: webtest.NewSite(t)}
	s.ada, s.mod = s.SignUp("ada"), moderator(s.Site, "max")
	s.post = s.ada.CreatePost("A title", "Some text.")
	c := s.ada.CreateComments(s.post, "A comment.")[0]
	s.targets = map[string]domain.Target{"post": {PostID: s.post.ID},
		"comment": {PostID: s.post.ID, CommentID: c.ID}}
	s.paths = map[string]string{"post": "/posts/" + s.post.ID, "comment": webtest.CommentPath(c, "")}
	s.holds = map[string]string{"post": "Posts.Hold", "comment": "Posts.HoldComment"}
	eve := s.SignUp("eve")
	for _, path := range s.paths {
		eve.Post(path+"/report", "reason", "spam").Want(http.StatusSeeOther)
	}
	return s
}

func (s reportedScene) wantHidden(kind string, hidden bool) {
	s.T.Helper()
	held := s.Data.Post(s.post.ID).Held
	if kind == "comment" {
		held = s.Data.Comments(s.post.ID)[0].Held
	}
	if hidden != (held == domain.HeldByModerator) {
		s.T.Errorf("the %s is held as %q", kind, held)
	}
}

func (s reportedScene) wantDecision(kind string, want domain.Decision) {
	s.T.Helper()
	if r := s.Data.Reported(s.targets[kind]); r.Decision != want {
		s.T.Errorf("the decision is %q, want %q", r.Decision, want)
	}
}

func TestInterruptedHidingIsCompletedByTheSameForm(t *testing.T) {
	for _, kind := range []string{"post", "comment"} {
		for form, fields := range map[string][]string{
			"in the queue":      {"do", "hide", "why", "spam", "version", "1"},
			"below the " + kind: {"do", "hide", "why", "spam", "seen", ""},
		} {
			t.Run("that is "+form, func(t *testing.T) {
				s := beginReported(t)
				s.Data.Fail(s.holds[kind])
				s.mod.Post(s.paths[kind]+"/moderate", fields...).Want(http.StatusServiceUnavailable)
				s.Data.Recover(s.holds[kind])
				s.wantHidden(kind, false)
				moderator(s.Site, "otto").Get(s.paths[kind]+"/moderate").Has(`form button[value="hide"]`, "Hide")
				for range 2 {
					s.mod.Post(s.paths[kind]+"/moderate", fields...).Want(http.StatusSeeOther)
				}
				s.wantHidden(kind, true)
				s.wantDecision(kind, domain.DecisionHidden)
				s.ada.Get("/notifications").Has(`.notifications li:contains("hid")`, "A title")
				s.mod.Get("/admin/log").Has(".log", "@max hid")
				if log := s.Data.AuditLog(); len(log) != 1 {
					t.Errorf("the log is %+v", log)
				}
			})
		}
	}
}

func TestDecisionIsCarriedOutAfterItsRequestEnds(t *testing.T) {
	for do, c := range map[string]struct {
		first    string // the method of the store that writes first
		fields   []string
		decision domain.Decision
		hidden   bool
	}{
		"hide":    {"Reports.Hide", []string{"why", "spam", "version", "1"}, domain.DecisionHidden, true},
		"dismiss": {"Reports.Decide", []string{"version", "1"}, domain.DecisionDismissed, false},
		"restore": {"Reports.Decide", []string{"version", "2", "text", "1"}, domain.DecisionDismissed, false},
		"undo":    {"Posts.Unhide", []string{"version", "2"}, domain.Undecided, false},
	} {
		t.Run(do, func(t *testing.T) {
			s := beginReported(t)
			path := s.paths["post"] + "/moderate"
			if do == "restore" || do == "undo" {
				s.mod.Post(path, "do", "hide", "why", "spam", "version", "1").Want(http.StatusSeeOther)
			}
			logged := len(s.Data.AuditLog())
			s.mod.PostAndLeave(c.first, path, append([]string{"do", do}, c.fields...)...)
			s.wantHidden("post", c.hidden)
			s.wantDecision("post", c.decision)
			if log := s.Data.AuditLog(); len(log) != logged+1 {
				t.Errorf("the log is %+v", log)
			}
		})
	}
}
