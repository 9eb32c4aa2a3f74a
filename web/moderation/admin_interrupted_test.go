package moderation_test

import (
	"fmt"
	"net/http"
	"testing"

	"github.com/PuerkitoBio/goquery"

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
	detail       string // in the log
}{
	"a new role": {method: "Accounts.ChangeRole", path: "/role", fields: []string{"role", "moderator"},
		action: domain.AuditRole, done: func(u domain.User) bool { return u.Role == domain.RoleModerator },
		detail: "author → moderator"},
	"a suspension": {method: "Accounts.Suspend", path: "/suspend", fields: []string{"reason", "Spam."},
		action: domain.AuditSuspend, done: func(u domain.User) bool { return !u.Suspended.IsZero() },
	},
	"the end of a suspension": {method: "Accounts.EndSuspension", path: "/restore", suspended: true,
		action: domain.AuditRestore, done: func(u domain.User) bool { return u.Suspended.IsZero() },
	},
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
		t.Run("with "+name+" once, although the form is sent twice", func(t *testing.T) {
			s, admin, path := begin(t)
			fields := append(formFields(admin, path), c.fields...)
			for range 2 {
				admin.Post(path, fields...).Want(http.StatusSeeOther)
			}
			wantLogged(t, s)
		})
		t.Run("with "+name+", although an earlier attempt ended before the log was written", func(t *testing.T) {
			s, admin, path := begin(t)
			fields := append(formFields(admin, path), c.fields...)
			s.Data.Fail("Audit.Record")
			admin.Post(path, fields...).Want(http.StatusSeeOther)
			s.Data.Recover("Audit.Record")
			admin.Post(path, fields...).Want(http.StatusSeeOther)
			wantLogged(t, s)
			if detail := s.Data.AuditLog()[0].Detail; detail != c.detail {
				t.Errorf("the detail is %q", detail)
			}
		})
	}
}

// formFields returns the hidden fields of the form with an action on the page of the account ada.
func formFields(admin *webtest.Visitor, action string) (fields []string) {
	hidden := admin.Get("/admin/users?name=ada").Page().Find(`form[action="` + action + `"] [type="hidden"]`)
	hidden.Each(func(_ int, field *goquery.Selection) {
		fields = append(fields, field.AttrOr("name", ""), field.AttrOr("value", ""))
	})
	return fields
}

func TestFormThatChangesNoAccountIsNotLogged(t *testing.T) {
	for name, c := range accountChanges {
		if c.action == domain.AuditSuspend {
			continue // the reason must be the same
		}
		for _, logged := range []bool{true, false} {
			t.Run(fmt.Sprintf("after %s by another administrator, logged: %t", name, logged), func(t *testing.T) {
				s := webtest.NewSite(t)
				first := s.SignUpAs("quinn", domain.RoleAdministrator)
				second := s.SignUpAs("mo", domain.RoleAdministrator)
				ada := s.SignUp("ada")
				if c.suspended {
					s.Suspend(ada)
				}
				path := "/admin/users/" + ada.User.ID + c.path
				stale := append(formFields(second, path), c.fields...)
				if !logged {
					s.Data.Fail("Audit.Record")
				}
				// The ids of forms are no secrets.
				first.Post(path, stale...).Want(http.StatusSeeOther)
				if !logged {
					s.Data.Recover("Audit.Record")
				}
				before := len(s.Data.AuditLog())
				second.Post(path, stale...).Want(http.StatusSeeOther)
				if log := s.Data.AuditLog(); len(log) != before {
					t.Errorf("the log is %+v", log)
				}
			})
		}
	}
	t.Run("if its fields are made up", func(t *testing.T) {
		s := webtest.NewSite(t)
		admin := s.SignUpAs("quinn", domain.RoleAdministrator)
		path := "/admin/users/" + s.SignUp("ada").User.ID
		admin.Post(path+"/role", append(formFields(admin, path+"/role"), "from", "administrator", "role", "author")...).
			Want(http.StatusSeeOther)
		admin.Post(path+"/restore", "since", "2026-01-02T03:04:05Z").Want(http.StatusSeeOther)
		if log := s.Data.AuditLog(); len(log) != 0 {
			t.Errorf("the log is %+v", log)
		}
	})
}

func TestRoleThatAFormSetsAgainIsLoggedAgain(t *testing.T) {
	s := webtest.NewSite(t)
	admin := s.SignUpAs("quinn", domain.RoleAdministrator)
	ada := s.SignUp("ada")
	path := "/admin/users/" + ada.User.ID + "/role"
	fields := append(formFields(admin, path), "role", "moderator")
	for range 2 {
		s.SetRole(ada, domain.RoleAuthor)
		admin.Post(path, fields...).Want(http.StatusSeeOther)
	}
	if log := s.Data.AuditLog(); len(log) != 2 {
		t.Errorf("the log is %+v", log)
	}
}

func TestSamplesOfAnAbandonedForm(t *testing.T) {
	setup := []string{"name", "Notes", "registration", "open", "samples", "yes"}
	t.Run("are published with the settings", func(t *testing.T) {
		_, ada := newSite(t)
		ada.PostAndLeave("Settings.Set", "/admin/setup", setup...)
		if titles, _ := samplesBy(ada); len(titles) != 8 {
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
