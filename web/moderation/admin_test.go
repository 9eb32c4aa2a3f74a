package moderation_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/web/site"
	"inkfeed/web/webtest"
)

func TestReadersCannotWrite(t *testing.T) {
	s := webtest.NewSite(t)
	author := s.SignUp("ada")
	p := author.CreatePost("A post", "Text.")
	reader := s.SignUpAs("rita", domain.RoleReader)
	t.Run("shows no links to the pages for writing", func(t *testing.T) {
		for _, path := range []string{"/", "/@rita", p.Path()} {
			page := reader.Get(path).Page()
			for _, link := range []string{"/new", "/drafts"} {
				if page.Find(`a[href="`+link+`"]`).Length() > 0 {
					t.Errorf("%s links to %s", path, link)
				}
			}
		}
		if author.Get("/").Page().Find(`a[href="/new"]`).Length() == 0 {
			t.Error("an author gets no link to the editor either")
		}
	})
	t.Run("explains the missing permission on those pages", func(t *testing.T) {
		for _, path := range []string{"/new", "/images"} {
			a := reader.Get(path)
			if a.StatusCode != http.StatusForbidden || !strings.Contains(a.Body, "You can read, like and comment") {
				t.Errorf("%s: %d\n%.300s", path, a.StatusCode, webtest.CollapseSpace(a.Body))
			}
		}
		// Readers who were authors find their drafts and posts there, to read and export them.
		reader.Get("/drafts").Want(http.StatusOK).Has("main", "You can read, like and comment").
			HasNo(`a[href="/new"]`).HasNo("main form")
		reader.Get("/drafts/unlisted").Want(http.StatusOK).HasNo(`a[href="/new"]`).HasNo("main form")
	})
	t.Run("refuses every form that publishes", func(t *testing.T) {
		id := domain.NewID()
		for _, path := range []string{
			"/posts", "/posts/" + p.ID, "/drafts/" + id, "/preview", "/posts/" + p.ID + "/versions/1/restore",
			"/images",
		} {
			a := reader.Post(path, "title", "A", "content", "B", "do", "publish", "post", id)
			if a.StatusCode != http.StatusForbidden {
				t.Errorf("%s is answered with %d", path, a.StatusCode)
			}
		}
	})
	t.Run("publishes nothing if the role cannot be read at first", func(t *testing.T) {
		s.Data.Fail("Users.ByID")
		s.Data.Before("Users.ByID", func() { // the first request fails, the second does not
			s.Data.Before("Users.ByID", func() { s.Data.Recover("Users.ByID") })
		})
		reader.Post("/posts", "title", "Sneaked in", "content", "My text").Want(http.StatusServiceUnavailable).
			Has("textarea[name=content]", "My text")
		s.Data.CatchUp()
		if strings.Contains(s.Anonymous().Get("/").Body, "Sneaked in") {
			t.Error("the post is published")
		}
	})
	t.Run("allows comments, likes and bookmarks", func(t *testing.T) {
		for path, fields := range map[string][]string{
			"/comments": {"content", "Nice."},
			"/like":     nil,
			"/bookmark": nil,
		} {
			if a := reader.Post("/posts/"+p.ID+path, fields...); a.StatusCode != http.StatusSeeOther {
				t.Errorf("%s is answered with %d", path, a.StatusCode)
			}
		}
	})
}

func TestRegistration(t *testing.T) {
	t.Run("gives new accounts the role of the settings", func(t *testing.T) {
		s := webtest.NewSite(t)
		s.SetSettings(domain.Settings{NewRole: domain.RoleReader})
		s.SignUp("rita")
		if role := s.User("rita").Role; role != domain.RoleReader {
			t.Errorf("the role is %s", role)
		}
	})
	t.Run("logs who became the first administrator", func(t *testing.T) {
		s := webtest.NewSiteOn(t, webtest.NewEmptyDatabase(t), webtest.KeyOne)
		quinn := s.SignUp("quinn")
		s.SignUp("ada")
		text := webtest.CollapseSpace(quinn.Get("/admin/log").Page().Find(".log").Text())
		if strings.Count(text, "became the first administrator") != 1 || !strings.Contains(text, "@quinn became") {
			t.Errorf("the log is %s", text)
		}
	})
	t.Run("says that invitations do not work while registration is closed", func(t *testing.T) {
		s := webtest.NewSite(t)
		admin := s.SignUpAs("quinn", domain.RoleAdministrator)
		admin.Get("/admin/invitations").HasNo(".hold-notice")
		s.SetSettings(domain.Settings{Registration: domain.RegistrationClosed})
		admin.Get("/admin/invitations").Has(".hold-notice", "invitations don't work")
	})
	t.Run("logs changes, also whether invited accounts are trusted", func(t *testing.T) {
		s := webtest.NewSite(t)
		admin := s.SignUpAs("quinn", domain.RoleAdministrator)
		save := func(registration, invited, version string) {
			admin.Post("/admin/settings", "registration", registration, "role", "author", "days", "3", "invited",
				invited, "version", version).Want(http.StatusSeeOther)
		}
		save("invitation", "trusted", "1")
		save("invitation", "new", "2")
		save("invitation", "new", "3")
		admin.Get("/admin/log").Has(".log li:nth-child(1)", "@quinn changed the site settings: Invited accounts").
			Has(".log li:nth-child(2)", "@quinn changed the site settings: Who can sign up").
			HasNo(".log li:nth-child(4)")
	})
	t.Run("shows older entries of the log as they are stored", func(t *testing.T) {
		s := webtest.NewSite(t)
		admin := s.SignUpAs("quinn", domain.RoleAdministrator)
		e := domain.NewAuditEntry(admin.User, domain.AuditSettings, time.Now())
		e.TargetKind, e.Detail = domain.AuditsSite, "registration open, name \"Notes\""
		s.Data.Must(s.Data.Store.Audit.Record(t.Context(), e))
		admin.Get("/admin/log").Has(".log", "@quinn changed the site settings:").
			Has(`.log [lang="en"]`, "registration open, name \"Notes\"")
	})
	t.Run("shows that registration is closed and refuses new accounts", func(t *testing.T) {
		s := webtest.NewSite(t)
		s.SetSettings(domain.Settings{Registration: domain.RegistrationClosed})
		page := s.Anonymous().Get("/signup").Page()
		if page.Find(`form[action="/signup"]`).Length() > 0 || !strings.Contains(page.Text(), "Sign-up is closed") {
			t.Errorf("the page has\n%s", webtest.CollapseSpace(page.Find("main").Text()))
		}
		a := s.Anonymous().Post("/signup", "username", "ada", "password", webtest.Password)
		if a.StatusCode != http.StatusForbidden {
			t.Errorf("status %d", a.StatusCode)
		}
		if s.User("ada").ID != "" {
			t.Error("the account was created")
		}
	})
	t.Run("offers no sign-up link while registration is closed", func(t *testing.T) {
		s := webtest.NewSite(t)
		p := s.SignUp("ada").CreatePost("A title", "Some text.")
		for _, closed := range []bool{false, true} {
			c := webtest.Config(s.Data, io.Discard, webtest.KeyOne)
			c.Current = site.NewCurrentSettings()
			if closed {
				c.Current.Apply(domain.Settings{Registration: domain.RegistrationClosed})
			}
			s.Restart(c)
			for name, a := range map[string]*webtest.Response{
				"front page":    s.Anonymous().Get("/"),
				"post":          s.Anonymous().Get(p.Path()),
				"comments":      s.Anonymous().Get("/posts/" + p.ID + "/comments"),
				"log-in":        s.Anonymous().Get("/login"),
				"failed log-in": s.Anonymous().Post("/login", "username", "ada", "password", "wrong"),
				"missing page":  s.Anonymous().Get("/nothing"),
				"empty list":    s.Anonymous().Get("/tags/nothing"),
			} {
				if invites := a.Page().Find(`a[href^="/signup"]`).Length() > 0; invites == closed ||
					a.Page().Find(`a[href^="/login"], form[action="/login"]`).Length() == 0 {
					t.Errorf("closed is %t: %s has a sign-up link: %t", closed, name, invites)
				}
			}
		}
	})
	t.Run("admits as many accounts as the invitation allows", func(t *testing.T) {
		s := webtest.NewSite(t)
		admin := s.SignUpAs("quinn", domain.RoleAdministrator)
		s.SetSettings(domain.Settings{Registration: domain.RegistrationByCode})
		admin.Post("/admin/invitations", "uses", "1", "days", "7", "note", "For Ada").
			WantRedirect(http.StatusSeeOther, "/admin/invitations?done=made")
		admin.Get("/admin/log").Has(".log", "created an invitation “For Ada”")
		address := admin.Get("/admin/invitations").Page().Find(".invitations input").AttrOr("value", "")
		_, code, _ := strings.Cut(address, "/signup?invitation=")
		if got := s.Anonymous().Get("/signup?invitation="+code).Page().Find("#invitation").
			AttrOr("value", ""); got != code || code == "" {
			t.Errorf("the form has the invitation code %q, want %q", got, code)
		}
		for _, wrong := range []string{"", "nonsense", domain.NewID()} {
			a := s.Anonymous().Post("/signup", "username", "ada", "password", webtest.Password, "invitation", wrong)
			if a.StatusCode != http.StatusUnprocessableEntity || a.Page().Find("#invitation-error").Length() != 1 ||
				a.Page().Find("#username").AttrOr("value", "") != "ada" {
				t.Errorf("%q: %d\n%.300s", wrong, a.StatusCode, webtest.CollapseSpace(a.Body))
			}
		}
		// A form that fails for another reason does not use up the invitation.
		a := s.Anonymous().Post("/signup", "username", "quinn", "password", webtest.Password, "invitation", code)
		if a.StatusCode != http.StatusUnprocessableEntity {
			t.Errorf("a taken username is answered with %d", a.StatusCode)
		}
		s.Anonymous().Post("/signup", "username", "ada", "password", webtest.Password, "invitation", code).
			WantRedirect(http.StatusSeeOther, "/welcome?invitation="+code)
		a = s.Anonymous().Post("/signup", "username", "ben", "password", webtest.Password, "invitation", code)
		if a.StatusCode != http.StatusUnprocessableEntity {
			t.Errorf("the second use of the invitation is answered with %d", a.StatusCode)
		}
		text := admin.Get("/admin/invitations").Page().Find(".invitations").Text()
		if !strings.Contains(text, "1 of 1 used") {
			t.Errorf("the invitations are listed as %s", webtest.CollapseSpace(text))
		}
		admin.Get("/admin/invitations").Has(".invitations", "used up").HasNo(".invitations input").
			Has(".invitations button", "Remove")
		admin.Post("/admin/invitations/"+code+"/revoke").
			WantRedirect(http.StatusSeeOther, "/admin/invitations?done=revoked")
		if n := admin.Get("/admin/invitations").Page().Find(".invitations li").Length(); n != 0 {
			t.Errorf("%d invitations are left", n)
		}
	})
	t.Run("rejects an invitation with values out of range", func(t *testing.T) {
		s := webtest.NewSite(t)
		admin := s.SignUpAs("quinn", domain.RoleAdministrator)
		a := admin.Post("/admin/invitations", "uses", "0", "days", "x", "note", "Kept")
		if page := a.Page(); a.StatusCode != http.StatusUnprocessableEntity || page.Find("#uses-error").Length() != 1 ||
			page.Find("#days-error").Length() != 1 || page.Find("#note").AttrOr("value", "") != "Kept" {
			t.Errorf("%d\n%s", a.StatusCode, webtest.CollapseSpace(a.Body))
		}
	})
	t.Run("does not overwrite settings that another administrator has changed", func(t *testing.T) {
		s := webtest.NewSite(t)
		admin := s.SignUpAs("quinn", domain.RoleAdministrator)
		admin.Post("/admin/settings", "registration", "closed", "role", "reader", "days", "7", "invited", "new",
			"version", "1").WantRedirect(http.StatusSeeOther, "/admin/settings?done=yes")
		a := admin.Post("/admin/settings", "registration", "open", "role", "author", "days", "3", "version", "1")
		if a.StatusCode != http.StatusConflict || a.Page().Find(`input[value="open"][checked]`).Length() != 1 ||
			!strings.Contains(a.Page().Find(".conflict").Text(), "No one") {
			t.Errorf("%d\n%s", a.StatusCode, webtest.CollapseSpace(a.Body))
		}
		if got := s.Data.Settings().Registration; got != domain.RegistrationClosed {
			t.Errorf("registration is %s", got)
		}
	})
}

func TestChangingRoles(t *testing.T) {
	s := webtest.NewSite(t)
	admin, ada := s.SignUpAs("quinn", domain.RoleAdministrator), s.SignUp("ada")
	t.Run("accepts a new role from an administrator", func(t *testing.T) {
		admin.Post("/admin/users/"+ada.User.ID+"/role", "role", "moderator").
			WantRedirect(http.StatusSeeOther, "/admin/users?name=ada&done=role")
		if role := s.User("ada").Role; role != domain.RoleModerator {
			t.Errorf("the role is %s", role)
		}
		if ada.Get("/").Page().Find(`a[href="/admin/users"]`).Length() == 0 {
			t.Error("a moderator gets no link to the accounts")
		}
		if text := admin.Get("/admin/log").Page().Text(); !strings.Contains(text, "author → moderator") {
			t.Error("the change is not in the log")
		}
	})
	t.Run("rejects an unknown role", func(t *testing.T) {
		a := admin.Post("/admin/users/"+ada.User.ID+"/role", "role", "king")
		if a.StatusCode != http.StatusUnprocessableEntity {
			t.Errorf("status %d", a.StatusCode)
		}
	})
	t.Run("keeps the last administrator", func(t *testing.T) {
		a := admin.Post("/admin/users/"+admin.User.ID+"/role", "role", "author")
		if a.StatusCode != http.StatusConflict ||
			!strings.Contains(a.Page().Find(".error-summary").Text(), "no other administrator") {
			t.Errorf("%d\n%s", a.StatusCode, webtest.CollapseSpace(a.Body))
		}
		if role := s.User("quinn").Role; role != domain.RoleAdministrator {
			t.Errorf("the role is %s", role)
		}
	})
}
