package moderation_test

import (
	"net/http"
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

// accountChanges are the changes of an account in the administration.
var accountChanges = map[string]struct {
	method, path string
	fields       []string
	suspended    bool // before the change
	action       domain.AuditAction
	done         func(domain.User) bool
}{
	"a new role": {method: "Users.SetRole", path: "/role", fields: []string{"role", "moderator"},
		action: domain.AuditRole, done: func(u domain.User) bool { return u.Role == domain.RoleModerator }},
	"a suspension": {method: "Users.Suspend", path: "/suspend", fields: []string{"reason", "Spam."},
		action: domain.AuditSuspend, done: func(u domain.User) bool { return !u.Suspended.IsZero() }},
	"the end of a suspension": {method: "Users.Restore", path: "/restore", suspended: true,
		action: domain.AuditRestore, done: func(u domain.User) bool { return u.Suspended.IsZero() }},
}

func TestChangedAccountIsLogged(t *testing.T) {
	for name, c := range accountChanges {
		begin := func(t *testing.T) (s *webtest.Site, admin *webtest.Visitor, path string) {
			s = webtest.NewSite(t)
			admin = s.SignUpAs("quinn", domain.RoleAdministrator)
			ada := s.SignUp("ada")
			if c.suspended {
				s.Suspend(ada)
			}
			return s, admin, "/admin/users/" + ada.User.ID + c.path
		}
		wantLogged := func(t *testing.T, s *webtest.Site) {
			t.Helper()
			if u := s.User("ada"); !c.done(u) {
				t.Errorf("the account is %+v", u)
			}
			if log := s.Data.AuditLog(); len(log) != 1 || log[0].Action != c.action {
				t.Errorf("the log is %+v", log)
			}
		}
		t.Run("with "+name+", although no read after the write succeeds", func(t *testing.T) {
			s, admin, path := begin(t)
			s.Data.Before(c.method, func() { // the read
				s.Data.Before(c.method, func() { // the write
					s.Data.Before(c.method, func() { s.Data.Fail(c.method) })
				})
			})
			admin.Post(path, c.fields...).Want(http.StatusSeeOther)
			wantLogged(t, s)
		})
		t.Run("with "+name+", although the request has ended", func(t *testing.T) {
			s, admin, path := begin(t)
			admin.PostAndLeave(c.method, path, c.fields...)
			wantLogged(t, s)
		})
	}
}

func TestSamplesOfAnAbandonedForm(t *testing.T) {
	setup := []string{"name", "Notes", "registration", "open", "samples", "yes"}
	t.Run("are published with the settings", func(t *testing.T) {
		_, ada := newSite(t)
		ada.PostAndLeave("Settings.Set", "/admin/setup", setup...)
		if titles, _ := samplesBy(ada); len(titles) != 3 {
			t.Errorf("the posts are %q", titles)
		}
	})
	t.Run("are deleted with their picture", func(t *testing.T) {
		_, ada := newSite(t)
		ada.Post("/admin/setup", setup...).Want(http.StatusSeeOther)
		logged := len(ada.Data.AuditLog())
		ada.PostAndLeave("Posts.DeleteRevision", "/admin/samples/delete")
		if titles, _ := samplesBy(ada); len(titles) != 0 {
			t.Errorf("the posts are %q", titles)
		}
		if records := ada.Data.ImageRecords(); len(records) != 0 {
			t.Errorf("the pictures are %v", records)
		}
		if log := ada.Data.AuditLog(); len(log) != logged+1 {
			t.Errorf("the log is %+v", log)
		}
	})
}
