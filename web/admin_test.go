package web_test

import (
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
)

// staff is a member of that role.
func (s *site) staff(name string, role domain.Role) *visitor {
	s.t.Helper()
	v := s.member(name)
	s.give(v, role)
	return v
}

// set changes the settings behind the site's back.
func (s *site) set(settings domain.Settings) {
	s.data.set(settings)
}

// user reads the account of that name, also a suspended one. Without one it returns the zero user.
func (s *site) user(name string) domain.User {
	s.t.Helper()
	u, err := s.data.store.Users.AccountByName(s.data.ctx(), name)
	if err != nil && !domain.Is(err, domain.NotFound) {
		s.t.Fatal(err)
	}
	return u
}

func TestReaders(t *testing.T) {
	s := newSite(t)
	author := s.member("ada")
	p := author.aPost("A post", "Text.")
	reader := s.staff("rita", domain.RoleReader)
	t.Run("are not led to where posts are written", func(t *testing.T) {
		for _, path := range []string{"/", "/@rita", p.Path()} {
			page := reader.get(path).page()
			for _, link := range []string{"/new", "/drafts"} {
				if page.Find(`a[href="`+link+`"]`).Length() > 0 {
					t.Errorf("%s leads to %s", path, link)
				}
			}
		}
		if author.get("/").page().Find(`a[href="/new"]`).Length() == 0 {
			t.Error("an author is not, either")
		}
	})
	t.Run("are told so there", func(t *testing.T) {
		for _, path := range []string{"/new", "/drafts", "/drafts/unlisted", "/images"} {
			a := reader.get(path)
			if a.StatusCode != http.StatusForbidden || !strings.Contains(a.body, "You can read, like and comment") {
				t.Errorf("%s: %d\n%.300s", path, a.StatusCode, squeeze(a.body))
			}
		}
	})
	t.Run("publish nothing", func(t *testing.T) {
		id := domain.NewID()
		for _, path := range []string{"/posts", "/posts/" + p.ID, "/drafts/" + id, "/preview", "/posts/" + p.ID + "/versions/1/restore", "/images"} {
			if a := reader.post(path, "title", "A", "content", "B", "do", "publish", "post", id); a.StatusCode != http.StatusForbidden {
				t.Errorf("%s: %d", path, a.StatusCode)
			}
		}
	})
	t.Run("comment, like and keep", func(t *testing.T) {
		for path, fields := range map[string][]string{"/comments": {"content", "Nice."}, "/like": nil, "/bookmark": nil} {
			if a := reader.post("/posts/"+p.ID+path, fields...); a.StatusCode != http.StatusSeeOther {
				t.Errorf("%s: %d", path, a.StatusCode)
			}
		}
	})
}

func TestRegistration(t *testing.T) {
	t.Run("new accounts have the role of the settings", func(t *testing.T) {
		s := newSite(t)
		s.set(domain.Settings{NewRole: domain.RoleReader})
		s.member("rita")
		if role := s.user("rita").Role; role != domain.RoleReader {
			t.Errorf("the role is %s", role)
		}
	})
	t.Run("who becomes administrator by it stands in the log", func(t *testing.T) {
		s := newSiteOn(t, newVacantDatabase(t), keyOne)
		quinn := s.member("quinn")
		s.member("ada")
		if text := squeeze(quinn.get("/admin/log").page().Find(".log").Text()); strings.Count(text, "became the first administrator") != 1 || !strings.Contains(text, "@quinn became") {
			t.Errorf("the log is %s", text)
		}
	})
	t.Run("closed, invitations are said to let nobody in", func(t *testing.T) {
		s := newSite(t)
		admin := s.staff("quinn", domain.RoleAdministrator)
		admin.get("/admin/invitations").hasNo(".hold-notice")
		s.set(domain.Settings{Registration: domain.RegistrationClosed})
		admin.get("/admin/invitations").has(".hold-notice", "invitations don't work")
	})
	t.Run("the log says whether the invited are trusted", func(t *testing.T) {
		s := newSite(t)
		admin := s.staff("quinn", domain.RoleAdministrator)
		admin.post("/admin/settings", "registration", "invitation", "role", "author", "days", "3", "invited", "trusted", "version", "1").want(http.StatusSeeOther)
		admin.get("/admin/log").has(".log", "invited accounts trusted")
	})
	t.Run("closed, the page says so, and nobody gets in", func(t *testing.T) {
		s := newSite(t)
		s.set(domain.Settings{Registration: domain.RegistrationClosed})
		page := s.stranger().get("/signup").page()
		if page.Find(`form[action="/signup"]`).Length() > 0 || !strings.Contains(page.Text(), "Sign-up is closed") {
			t.Errorf("the page is\n%s", squeeze(page.Find("main").Text()))
		}
		if a := s.stranger().post("/signup", "username", "ada", "password", password); a.StatusCode != http.StatusForbidden {
			t.Errorf("status %d", a.StatusCode)
		}
		if s.user("ada").ID != "" {
			t.Error("there is an account")
		}
	})
	t.Run("closed, no page invites anybody to sign up", func(t *testing.T) {
		s := newSite(t)
		p := s.member("ada").aPost("A title", "Some text.")
		for _, closed := range []bool{false, true} {
			c := config(s.data, io.Discard, keyOne)
			c.Closed = func() bool { return closed }
			s.restart(c)
			for what, a := range map[string]*answer{"front page": s.stranger().get("/"), "post": s.stranger().get(p.Path()), "comments": s.stranger().get("/posts/" + p.ID + "/comments"),
				"log-in": s.stranger().get("/login"), "failed log-in": s.stranger().post("/login", "username", "ada", "password", "wrong"),
				"missing page": s.stranger().get("/nothing"), "empty list": s.stranger().get("/tags/nothing")} {
				if invites := a.page().Find(`a[href^="/signup"]`).Length() > 0; invites == closed || a.page().Find(`a[href^="/login"], form[action="/login"]`).Length() == 0 {
					t.Errorf("closed is %t: %s invites is %t", closed, what, invites)
				}
			}
		}
	})
	t.Run("by invitation, as many get in as it is for", func(t *testing.T) {
		s := newSite(t)
		admin := s.staff("quinn", domain.RoleAdministrator)
		s.set(domain.Settings{Registration: domain.RegistrationByCode})
		admin.post("/admin/invitations", "uses", "1", "days", "7", "note", "For Ada").wantRedirect(http.StatusSeeOther, "/admin/invitations?done=made")
		admin.get("/admin/log").has(".log", "created an invitation “For Ada”")
		address := admin.get("/admin/invitations").page().Find(".invitations input").AttrOr("value", "")
		_, code, _ := strings.Cut(address, "/signup?invitation=")
		if got := s.stranger().get("/signup?invitation="+code).page().Find("#invitation").AttrOr("value", ""); got != code || code == "" {
			t.Errorf("the form has the code %q, want %q", got, code)
		}
		for _, wrong := range []string{"", "nonsense", domain.NewID()} {
			a := s.stranger().post("/signup", "username", "ada", "password", password, "invitation", wrong)
			if a.StatusCode != http.StatusUnprocessableEntity || a.page().Find("#invitation-error").Length() != 1 ||
				a.page().Find("#username").AttrOr("value", "") != "ada" {
				t.Errorf("%q: %d\n%.300s", wrong, a.StatusCode, squeeze(a.body))
			}
		}
		// What fails for another reason takes no use.
		if a := s.stranger().post("/signup", "username", "quinn", "password", password, "invitation", code); a.StatusCode != http.StatusUnprocessableEntity {
			t.Errorf("a taken name: %d", a.StatusCode)
		}
		s.stranger().post("/signup", "username", "ada", "password", password, "invitation", code).wantRedirect(http.StatusSeeOther, "/")
		if a := s.stranger().post("/signup", "username", "ben", "password", password, "invitation", code); a.StatusCode != http.StatusUnprocessableEntity {
			t.Errorf("the second: %d", a.StatusCode)
		}
		if text := admin.get("/admin/invitations").page().Find(".invitations").Text(); !strings.Contains(text, "1 of 1 used") {
			t.Errorf("listed as %s", squeeze(text))
		}
		admin.get("/admin/invitations").has(".invitations", "used up").hasNo(".invitations input").has(".invitations button", "Remove")
		admin.post("/admin/invitations/"+code+"/revoke").wantRedirect(http.StatusSeeOther, "/admin/invitations?done=revoked")
		if n := admin.get("/admin/invitations").page().Find(".invitations li").Length(); n != 0 {
			t.Errorf("%d invitations are left", n)
		}
	})
	t.Run("an invitation out of bounds comes back", func(t *testing.T) {
		s := newSite(t)
		admin := s.staff("quinn", domain.RoleAdministrator)
		a := admin.post("/admin/invitations", "uses", "0", "days", "x", "note", "Kept")
		if page := a.page(); a.StatusCode != http.StatusUnprocessableEntity || page.Find("#uses-error").Length() != 1 ||
			page.Find("#days-error").Length() != 1 || page.Find("#note").AttrOr("value", "") != "Kept" {
			t.Errorf("%d\n%s", a.StatusCode, squeeze(a.body))
		}
	})
	t.Run("administrators change it, and not what another has changed meanwhile", func(t *testing.T) {
		s := newSite(t)
		admin := s.staff("quinn", domain.RoleAdministrator)
		admin.post("/admin/settings", "registration", "closed", "role", "reader", "days", "7", "invited", "new", "version", "1").wantRedirect(http.StatusSeeOther, "/admin/settings?done=yes")
		a := admin.post("/admin/settings", "registration", "open", "role", "author", "days", "3", "version", "1")
		if a.StatusCode != http.StatusConflict || a.page().Find(`input[value="closed"][checked]`).Length() != 1 {
			t.Errorf("%d\n%s", a.StatusCode, squeeze(a.body))
		}
		if got := s.data.settings().Registration; got != domain.RegistrationClosed {
			t.Errorf("registration is %s", got)
		}
	})
}

func TestSuspension(t *testing.T) {
	s := newSite(t)
	admin, moderator, ada := s.staff("quinn", domain.RoleAdministrator), s.staff("mo", domain.RoleModerator), s.member("ada")
	path := "/admin/users/" + ada.user.ID
	t.Run("needs a reason", func(t *testing.T) {
		a := moderator.post(path+"/suspend", "reason", " ")
		if a.StatusCode != http.StatusUnprocessableEntity || a.page().Find("#reason-error").Length() != 1 {
			t.Errorf("%d\n%s", a.StatusCode, squeeze(a.body))
		}
	})
	t.Run("of themselves or of administrators is not for moderators", func(t *testing.T) {
		for _, other := range []*visitor{moderator, admin} {
			if a := moderator.post("/admin/users/"+other.user.ID+"/suspend", "reason", "Why not"); a.StatusCode != http.StatusForbidden {
				t.Errorf("%s: %d", other.user.Username, a.StatusCode)
			}
		}
	})
	t.Run("ends sessions and takes the page away, and says why at the next log-in", func(t *testing.T) {
		moderator.post(path+"/suspend", "reason", "Sold <pills>.").wantRedirect(http.StatusSeeOther, "/admin/users?name=ada&done=suspended")
		if a := ada.get("/settings"); a.StatusCode != http.StatusSeeOther {
			t.Errorf("signed in still: %d", a.StatusCode)
		}
		if a := s.stranger().get("/@ada"); a.StatusCode != http.StatusNotFound {
			t.Errorf("the page: %d", a.StatusCode)
		}
		visitor := s.stranger()
		if a := visitor.post("/login", "username", "ada", "password", "not the password"); strings.Contains(a.body, "pills") {
			t.Error("told to who does not know the password")
		}
		a := visitor.post("/login", "username", "ada", "password", password)
		if a.StatusCode != http.StatusForbidden || !strings.Contains(a.page().Text(), "Sold <pills>.") {
			t.Errorf("%d\n%s", a.StatusCode, squeeze(a.body))
		}
		if a := visitor.get("/settings"); a.StatusCode != http.StatusSeeOther {
			t.Errorf("logged in: %d", a.StatusCode)
		}
	})
	t.Run("is shown, and can be ended", func(t *testing.T) {
		if text := moderator.get("/admin/users?name=@ada").page().Find(".account").Text(); !strings.Contains(text, "Sold <pills>.") {
			t.Errorf("the account is %s", squeeze(text))
		}
		moderator.post(path+"/restore").wantRedirect(http.StatusSeeOther, "/admin/users?name=ada&done=restored")
		s.stranger().post("/login", "username", "ada", "password", password).wantRedirect(http.StatusSeeOther, "/")
	})
	t.Run("of an administrator is ended by another one, and by nobody else", func(t *testing.T) {
		lee := s.staff("lee", domain.RoleAdministrator) // suspended by a command
		if _, err := s.data.store.Users.Suspend(t.Context(), lee.user.ID, "On leave.", time.Now()); err != nil {
			t.Fatal(err)
		}
		restore := "/admin/users/" + lee.user.ID + "/restore"
		if moderator.get("/admin/users?name=lee").page().Find(`form[action="`+restore+`"]`).Length() != 0 {
			t.Error("a moderator is offered to end it")
		}
		if a := moderator.post(restore); a.StatusCode != http.StatusForbidden {
			t.Errorf("a moderator: %d", a.StatusCode)
		}
		if admin.get("/admin/users?name=lee").page().Find(`form[action="`+restore+`"]`).Length() != 1 {
			t.Error("an administrator is not offered to end it")
		}
		admin.post(restore).wantRedirect(http.StatusSeeOther, "/admin/users?name=lee&done=restored")
		if s.user("lee").Suspended != (time.Time{}) {
			t.Error("it has not ended")
		}
	})
	t.Run("stands in the log", func(t *testing.T) {
		text := squeeze(moderator.get("/admin/log").page().Find(".log").Text())
		for _, want := range []string{"@mo", "suspended", "@ada", "Sold <pills>.", "restored"} {
			if !strings.Contains(text, want) {
				t.Errorf("no %q in %s", want, text)
			}
		}
	})
	t.Run("nobody of that name is found", func(t *testing.T) {
		if a := moderator.get("/admin/users?name=nobody"); a.StatusCode != http.StatusNotFound || a.page().Find("#name-error").Length() != 1 {
			t.Errorf("%d", a.StatusCode)
		}
	})
}

func TestRolesAreGiven(t *testing.T) {
	s := newSite(t)
	admin, ada := s.staff("quinn", domain.RoleAdministrator), s.member("ada")
	t.Run("by administrators", func(t *testing.T) {
		admin.post("/admin/users/"+ada.user.ID+"/role", "role", "moderator").wantRedirect(http.StatusSeeOther, "/admin/users?name=ada&done=role")
		if role := s.user("ada").Role; role != domain.RoleModerator {
			t.Errorf("the role is %s", role)
		}
		if ada.get("/").page().Find(`a[href="/admin/users"]`).Length() == 0 {
			t.Error("a moderator is not led to the accounts")
		}
		if text := admin.get("/admin/log").page().Text(); !strings.Contains(text, "author → moderator") {
			t.Error("it is not in the log")
		}
	})
	t.Run("of which there are four", func(t *testing.T) {
		if a := admin.post("/admin/users/"+ada.user.ID+"/role", "role", "king"); a.StatusCode != http.StatusUnprocessableEntity {
			t.Errorf("status %d", a.StatusCode)
		}
	})
	t.Run("but the last administrator stays one", func(t *testing.T) {
		a := admin.post("/admin/users/"+admin.user.ID+"/role", "role", "author")
		if a.StatusCode != http.StatusConflict || !strings.Contains(a.page().Find(".problems").Text(), "no other administrator") {
			t.Errorf("%d\n%s", a.StatusCode, squeeze(a.body))
		}
		if role := s.user("quinn").Role; role != domain.RoleAdministrator {
			t.Errorf("the role is %s", role)
		}
	})
}
