package account_test

import (
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestNewUsersAreWelcomed(t *testing.T) {
	signUp := func(s *webtest.Site, name string, fields ...string) *webtest.Response {
		v := s.Anonymous()
		to := v.Post("/signup", append([]string{"username", name, "password", webtest.Password}, fields...)...).
			Want(303).Header.Get("Location")
		return v.Get(to).Want(200).Has("h1", "Welcome, @"+name)
	}
	t.Run("with what they can do next", func(t *testing.T) {
		s := webtest.NewScreeningSite(t)
		signUp(s, "ada").Has(`main a[href="/new"].button`, "Write").
			Has(`main a[href="/settings/profile"]`, "profile").Has(`main a[href="/settings/email"]`, "email").
			Has("main", "posts and comments with links").HasNo("main:contains('invitation')")
		signUp(s, "ben", "email", "ben@example.org").Has(`[role="status"]`, "sending you an email").
			HasNo(`main a[href="/settings/email"]`)
	})
	t.Run("without writing if they are readers", func(t *testing.T) {
		s := webtest.NewSite(t)
		s.SetSettings(domain.Settings{NewRole: domain.RoleReader})
		signUp(s, "ada").HasNo(`main a[href="/new"]`).Has(`main a[href="/"].button`, "Start reading")
	})
	t.Run("with the invitation that they have used", func(t *testing.T) {
		s := webtest.NewSite(t)
		admin := s.SignUpAs("quinn", domain.RoleAdministrator)
		s.SetSettings(domain.Settings{Registration: domain.RegistrationByCode})
		admin.Post("/admin/invitations", "uses", "1", "days", "1", "note", "").Want(303)
		code := s.Data.NewestInvitation().Code
		signUp(s, "ada", "invitation", code).Has(`[role="status"]`, "an invitation from @quinn").
			HasNo("main:contains('links to other sites')")
		admin.Get("/welcome?invitation=" + code).Want(200).HasNo("main:contains('an invitation from')")
	})
	t.Run("with an invitation that an open site does not require", func(t *testing.T) {
		s := webtest.NewScreeningSite(t)
		admin := s.SignUpAs("quinn", domain.RoleAdministrator)
		admin.Post("/admin/invitations", "uses", "1", "days", "1", "note", "").Want(303)
		code := s.Data.NewestInvitation().Code
		link := "/signup?invitation=" + code
		signUp(s, "ada", "invitation", s.Anonymous().Get(link).Value("invitation")).
			Has(`[role="status"]`, "an invitation from @quinn").HasNo("main:contains('links to other sites')")
		signUp(s, "ben", "invitation", code).HasNo("main:contains('an invitation from')"). // it is used up
													Has("main", "posts and comments with links")
	})
}
