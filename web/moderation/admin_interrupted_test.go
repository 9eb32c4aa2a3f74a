package moderation_test

import (
	"net/http"
	"testing"
	"time"

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
	change       func(s *webtest.Site, userID string) // makes the change without logging it
	detail       string                               // in the log
}{
	"a new role": {method: "Users.SetRole", path: "/role", fields: []string{"role", "moderator"},
		action: domain.AuditRole, done: func(u domain.User) bool { return u.Role == domain.RoleModerator },
		change: func(s *webtest.Site, userID string) {
			_, err := s.Data.Store.Users.SetRole(s.T.Context(), userID, domain.RoleModerator)
			s.Data.Must(err)
		}, detail: "author → moderator"},
	"a suspension": {method: "Users.Suspend", path: "/suspend", fields: []string{"reason", "Spam."},
		action: domain.AuditSuspend, done: func(u domain.User) bool { return !u.Suspended.IsZero() },
		change: func(s *webtest.Site, userID string) {
			_, err := s.Data.Store.Users.Suspend(s.T.Context(), userID, "Spam.", time.Now())
			s.Data.Must(err)
		}},
	"the end of a suspension": {method: "Users.Restore", path: "/restore", suspended: true,
		action: domain.AuditRestore, done: func(u domain.User) bool { return u.Suspended.IsZero() },
		change: func(s *webtest.Site, userID string) {
			_, err := s.Data.Store.Users.Restore(s.T.Context(), userID)
			s.Data.Must(err)
		}},
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
			c.change(s, s.User("ada").ID)
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

func TestChoosingTheSameRoleIsNotLogged(t *testing.T) {
	s := webtest.NewSite(t)
	admin := s.SignUpAs("quinn", domain.RoleAdministrator)
	path := "/admin/users/" + s.SignUp("ada").User.ID + "/role"
	admin.Post(path, append(formFields(admin, path), "role", "author")...).Want(http.StatusSeeOther)
	if log := s.Data.AuditLog(); len(log) != 0 {
		t.Errorf("the log is %+v", log)
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
