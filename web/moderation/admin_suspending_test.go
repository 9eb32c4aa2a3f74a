package moderation_test

import (
	"net/http"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestSuspendingAccounts(t *testing.T) {
	s := webtest.NewSite(t)
	admin, moderator := s.SignUpAs("quinn", domain.RoleAdministrator), s.SignUpAs("mo", domain.RoleModerator)
	ada := s.SignUp("ada")
	path := "/admin/users/" + ada.User.ID
	t.Run("requires a reason", func(t *testing.T) {
		a := moderator.Post(path+"/suspend", "reason", " ")
		if a.StatusCode != http.StatusUnprocessableEntity || a.Page().Find("#reason-error").Length() != 1 {
			t.Errorf("%d\n%s", a.StatusCode, webtest.CollapseSpace(a.Body))
		}
	})
	t.Run("refuses moderators who suspend themselves or an administrator", func(t *testing.T) {
		for _, other := range []*webtest.Visitor{moderator, admin} {
			a := moderator.Post("/admin/users/"+other.User.ID+"/suspend", "reason", "Why not")
			if a.StatusCode != http.StatusForbidden {
				t.Errorf("suspending %s is answered with %d", other.User.Username, a.StatusCode)
			}
		}
	})
	t.Run("ends sessions, hides the profile and shows the reason at the next log-in", func(t *testing.T) {
		moderator.Post(path+"/suspend", "reason", "Sold <pills>.").
			WantRedirect(http.StatusSeeOther, "/admin/users?name=ada&done=suspended")
		ada.Get("/settings").Want(http.StatusForbidden).Has("main", "Reason: Sold <pills>.")
		ada.Get("/settings").WantRedirect(http.StatusSeeOther, "/login?next=%2Fsettings")
		if a := s.Anonymous().Get("/@ada"); a.StatusCode != http.StatusNotFound {
			t.Errorf("the profile is answered with %d", a.StatusCode)
		}
		visitor := s.Anonymous()
		a := visitor.Post("/login", "username", "ada", "password", "not the password")
		if strings.Contains(a.Body, "pills") {
			t.Error("the reason is shown without the right password")
		}
		a = visitor.Post("/login", "username", "ada", "password", webtest.Password)
		if a.StatusCode != http.StatusForbidden || !strings.Contains(a.Page().Text(), "Sold <pills>.") {
			t.Errorf("%d\n%s", a.StatusCode, webtest.CollapseSpace(a.Body))
		}
		if a := visitor.Get("/settings"); a.StatusCode != http.StatusSeeOther {
			t.Errorf("the suspended account is logged in: %d", a.StatusCode)
		}
	})
	t.Run("shows a suspension and ends it", func(t *testing.T) {
		text := moderator.Get("/admin/users?name=@ada").Page().Find(".account").Text()
		if !strings.Contains(text, "Sold <pills>.") {
			t.Errorf("the account is %s", webtest.CollapseSpace(text))
		}
		moderator.Post(path+"/restore").WantRedirect(http.StatusSeeOther, "/admin/users?name=ada&done=restored")
		s.Anonymous().Post("/login", "username", "ada", "password", webtest.Password).
			WantRedirect(http.StatusSeeOther, "/")
	})
	t.Run("hides posts at once at each of their addresses, but not from moderators", func(t *testing.T) {
		bob := s.SignUp("bob")
		p := bob.CreatePost("Cheap pills", "Text")
		comment := bob.CreateComments(p, "A comment")[0]
		former := domain.Redirect{Path: "/2019/05/pills", OwnerID: bob.User.ID, PostID: p.ID}
		if _, err := s.Data.Store.Redirects.Put(s.Data.Context(), former); err != nil {
			t.Fatal(err)
		}
		visitors := []*webtest.Visitor{s.Anonymous(), s.Anonymous().HTMX(), s.SignUp("cleo")}
		s.Data.StopProjection()
		defer s.Data.ResumeProjection()
		s.Suspend(bob)
		path := "/posts/" + p.ID
		for _, address := range []string{path, p.Path(), path + "/comments", path + "/likes",
			path + "/comments/" + comment.ID, former.Path} {
			for _, visitor := range visitors {
				if a := visitor.Get(address); a.StatusCode != http.StatusNotFound {
					t.Errorf("%s is answered with %d %s", address, a.StatusCode, a.Header.Get("Location"))
				}
			}
		}
		dana := s.SignUp("dana")
		for _, address := range []string{"/report", "/comments/" + comment.ID + "/report",
			"/comments/" + comment.ID + "/reply"} {
			dana.Get(path + address).Want(http.StatusNotFound)
		}
		dana.Post(path + "/bookmark").Want(http.StatusNotFound)
		moderator.Get(p.Path()).Want(http.StatusOK)
		moderator.Get(path + "/comments").Want(http.StatusOK)
		moderator.Get(path + "/likes").Want(http.StatusOK)
	})
	t.Run("lets only another administrator restore an administrator", func(t *testing.T) {
		lee := s.SignUpAs("lee", domain.RoleAdministrator) // a command can suspend an administrator
		if _, err := s.Data.Store.Accounts.Suspend(t.Context(), lee.User.ID, "On leave.", time.Now()); err != nil {
			t.Fatal(err)
		}
		restore := "/admin/users/" + lee.User.ID + "/restore"
		if moderator.Get("/admin/users?name=lee").Page().Find(`form[action="`+restore+`"]`).Length() != 0 {
			t.Error("a moderator is offered to restore an administrator")
		}
		if a := moderator.Post(restore); a.StatusCode != http.StatusForbidden {
			t.Errorf("a moderator who restores an administrator gets %d", a.StatusCode)
		}
		if admin.Get("/admin/users?name=lee").Page().Find(`form[action="`+restore+`"]`).Length() != 1 {
			t.Error("an administrator is not offered to restore another one")
		}
		admin.Post(restore).WantRedirect(http.StatusSeeOther, "/admin/users?name=lee&done=restored")
		if s.User("lee").Suspended != (time.Time{}) {
			t.Error("the suspension has not ended")
		}
	})
	t.Run("logs suspensions and restorations", func(t *testing.T) {
		text := webtest.CollapseSpace(moderator.Get("/admin/log").Page().Find(".log").Text())
		for _, want := range []string{"@mo", "suspended", "@ada", "Sold <pills>.", "restored"} {
			if !strings.Contains(text, want) {
				t.Errorf("%q is missing from %s", want, text)
			}
		}
	})
	t.Run("reports an unknown username", func(t *testing.T) {
		if a := moderator.Get("/admin/users?name=nobody"); a.StatusCode != http.StatusNotFound ||
			a.Page().Find("#q-error").Length() != 1 {
			t.Errorf("an unknown username is answered with %d", a.StatusCode)
		}
	})
}
