package moderation_test

import (
	"net/http"
	"testing"

	"inkfeed/domain"
	"inkfeed/domain/siteinfo"
	"inkfeed/views"
	"inkfeed/web/webtest"
)

func TestSavingTheSiteSettings(t *testing.T) {
	const path = "/admin/settings"
	t.Run("twice from the same form is no conflict", func(t *testing.T) {
		s := webtest.NewSite(t)
		admin := s.SignUpAs("quinn", domain.RoleAdministrator)
		form := siteForm(admin, "name", "Notes")
		for range 2 {
			admin.Post(path, form...).WantRedirect(http.StatusSeeOther, path+"?done=yes")
		}
		if log := s.Data.AuditLog(); len(log) != 1 {
			t.Errorf("the log is %+v", log)
		}
	})
	t.Run("over another change is a conflict", func(t *testing.T) {
		s := webtest.NewSite(t)
		admin := s.SignUpAs("quinn", domain.RoleAdministrator)
		form := siteForm(admin, "name", "Notes")
		admin.Post(path, siteForm(admin, "name", "Letters")...).Want(http.StatusSeeOther)
		admin.Post(path, form...).Want(http.StatusConflict).Has(`[role="alert"]`, "Another administrator")
	})
	t.Run("over another change shows every setting that would be replaced", func(t *testing.T) {
		s := webtest.NewSite(t)
		admin, ada := s.SignUpAs("quinn", domain.RoleAdministrator), s.SignUp("ada")
		post := ada.CreatePost("Seen from the hill", "Text.")
		form := siteForm(admin, "name", "Notes")
		admin.Post(path, siteForm(admin, "invited", "new", "front", "ada", "featured1", views.PostPath(post.ID))...).
			Want(http.StatusSeeOther)
		answer := admin.Post(path, form...).Want(http.StatusConflict)
		for _, text := range []string{"Invited accounts", "Reviewed like other new accounts",
			"Blog on the front page", "ada", "Featured posts", views.PostPath(post.ID)} {
			answer.Has(".conflict", text)
		}
	})
	t.Run("is no conflict if it is unknown whether another change came first", func(t *testing.T) {
		s := webtest.NewSite(t)
		admin := s.SignUpAs("quinn", domain.RoleAdministrator)
		form := siteForm(admin, "name", "Notes")
		const method = "Settings.Set"
		s.Data.Before(method, func() { // the read
			s.Data.Before(method, func() { // the write
				now, err := s.Data.Store.Settings.Get(s.Data.Context())
				s.Data.Must(err)
				now.Info = siteinfo.Info{Name: "Letters"}
				s.SetSettings(now)
				s.Data.Before(method, func() { s.Data.Fail(method) })
			})
		})
		admin.Post(path, form...).Want(http.StatusServiceUnavailable)
	})
}
