package account_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/PuerkitoBio/goquery"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

// pendingFields returns the fields of the form that a page asks to confirm, as alternating names and values.
func pendingFields(a *webtest.Response, more ...string) []string {
	var all []string
	a.Page().Find(`main form input[type="hidden"]`).Each(func(_ int, field *goquery.Selection) {
		all = append(all, field.AttrOr("name", ""), field.AttrOr("value", ""))
	})
	return append(all, more...)
}

func TestConfirmingAForm(t *testing.T) {
	change := func(s *webtest.Site, role string) (admin, bob *webtest.Visitor, path string, asked *webtest.Response) {
		admin, bob = halfAnHourLater(s.SignUpAs("quinn", domain.RoleAdministrator)), s.SignUp("bob")
		path = "/admin/users/" + bob.User.ID + "/role"
		return admin, bob, path, admin.Post(path, "role", role)
	}
	roleOf := func(v *webtest.Visitor) domain.Role { return v.Data.User(v.User.ID).Role }
	t.Run("names its action and takes effect", func(t *testing.T) {
		s := webtest.NewSite(t)
		admin, bob, path, asked := change(s, "moderator")
		asked.Want(http.StatusForbidden).Has("h1", "Confirm it's you").
			Has("main strong", "Change @bob's role to moderator").
			Has(`form[action="`+path+`"] a[href="/admin/users?name=bob"]`, "Cancel").
			Has(`form[action="`+path+`"] input[name="role"][value="moderator"]`, "")
		if asked.Header.Get("Cache-Control") != "no-store" || roleOf(bob) != domain.RoleAuthor {
			t.Errorf("the page is %s, the role %s", asked.Header.Get("Cache-Control"), roleOf(bob))
		}
		fields := pendingFields(asked, "confirm-password", webtest.Password)
		for range 2 { // also after a double click
			admin.Post(path, fields...).WantRedirect(http.StatusSeeOther, "/admin/users?name=bob&done=role")
		}
		if log := s.Data.AuditLog(); roleOf(bob) != domain.RoleModerator || len(log) != 1 {
			t.Errorf("the role is %s, the log %+v", roleOf(bob), log)
		}
		admin.Post(path, "role", "author").Want(http.StatusSeeOther) // confirmed for fifteen minutes
	})
	t.Run("keeps its fields after a wrong password", func(t *testing.T) {
		admin, bob, path, asked := change(webtest.NewSite(t), "moderator")
		for typed, message := range map[string]string{"": "Enter your password", "wrong password": "Wrong password"} {
			again := admin.Post(path, pendingFields(asked, "confirm-password", typed)...).
				Want(http.StatusUnprocessableEntity).HasFieldError("password", message).
				Has("main strong", "Change @bob's role to moderator")
			if got, want := pendingFields(again), pendingFields(asked); !slices.Equal(got, want) {
				t.Errorf("the fields are %q, want %q", got, want)
			}
		}
		if roleOf(bob) != domain.RoleAuthor {
			t.Errorf("the role is %s", roleOf(bob))
		}
	})
	t.Run("comes back with its own errors", func(t *testing.T) {
		ada := halfAnHourLater(webtest.NewSite(t).SignUp("ada"))
		asked := ada.Post("/settings/email", "email", "ada at home").Want(http.StatusForbidden).
			Has("main strong", "Change your email address to ada at home")
		again := ada.Post("/settings/email", pendingFields(asked, "confirm-password", webtest.Password)...).
			Want(http.StatusUnprocessableEntity).Has("#email-error", "")
		if again.Value("email") != "ada at home" {
			t.Errorf("the field has %q", again.Value("email"))
		}
	})
	t.Run("takes a passkey instead of the password", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada := s.SignUp("ada")
		device := ada.RegisterPasskey()
		ada = halfAnHourLater(ada)
		asked := ada.Post("/settings/email", "email", "ada@example.org").Want(http.StatusForbidden).Has(".passkey", "")
		fields := pendingFields(asked, "passkey", device.Sign(ada.PasskeyOptions("confirm")))
		for range 2 {
			ada.Post("/settings/email", fields...).WantRedirect(http.StatusSeeOther, "/settings/email?asked=yes")
		}
	})
	t.Run("is refused when someone else has logged in meanwhile", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada, bob := halfAnHourLater(s.SignUp("ada")), s.SignUp("bob")
		asked := ada.Post("/settings/email", "email", "ada@example.org").Want(http.StatusForbidden)
		bob.Post("/settings/email", pendingFields(asked, "confirm-password", webtest.Password)...).
			Want(http.StatusForbidden).Has("main", "Someone else has logged in with this browser.")
		if e := s.Data.Credentials(bob.User.ID); e.AwaitedEmail() != "" {
			t.Errorf("the address is %s", e.AwaitedEmail())
		}
	})
	t.Run("is not repeated in a page if it contains a password, is large or has a file", func(t *testing.T) {
		ada := halfAnHourLater(webtest.NewSite(t).SignUp("ada"))
		const to = "/confirm?next=%2Fsettings%2Femail"
		ada.Post("/settings/email", "email", "ada@example.org", "password", "secret").WantRedirect(303, to)
		ada.Post("/settings/email", "email", strings.Repeat("a", 20_000)).WantRedirect(303, to)
		ada.Upload("/settings/email", webtest.GreyPNG(t, 2)).WantRedirect(303, to)
	})
	t.Run("answers 503 and keeps its fields when it cannot be stored", func(t *testing.T) {
		admin, bob, path, asked := change(webtest.NewSite(t), "moderator")
		admin.Data.Fail("Sessions.Confirm")
		again := admin.Post(path, pendingFields(asked, "confirm-password", webtest.Password)...).
			Want(http.StatusServiceUnavailable).Has(`input[name="role"][value="moderator"]`, "")
		admin.Data.Recover("Sessions.Confirm")
		admin.Post(path, pendingFields(again, "confirm-password", webtest.Password)...).Want(http.StatusSeeOther)
		if roleOf(bob) != domain.RoleModerator {
			t.Errorf("the role is %s", roleOf(bob))
		}
	})
}

// Every form that requires a confirmation names its action and takes effect once confirmed.
func TestEveryProtectedFormIsResumed(t *testing.T) {
	for path, f := range map[string]struct {
		action string
		fields []string
		then   string
	}{
		"/settings/security/totp/delete": {"Turn off two-step verification", nil, "/settings/security?done=off"},
		"/settings/security/password":    {"Remove your password", nil, "/settings/security?done=password"},
		"/settings/security/passkeys/ID": {"Rename the passkey “Laptop” to “Phone”", []string{"name", " Phone "},
			"/settings/security?done=renamed"},
		"/settings/security/passkeys/ID/delete": {"Remove the passkey “Laptop”", nil,
			"/settings/security?done=removed"},
		"/settings/security/recovery": {"Create new recovery codes", nil, ""},
		"/settings/email": {"Change your email address to ada@example.org",
			[]string{"email", "ada@example.org"}, "/settings/email?asked=yes"},
		"/settings/email/cancel": {"Cancel the change of your email address", nil, "/settings/email?cancelled=yes"},
		"/settings/email/remove": {"Remove your email address", nil, "/settings/email?removed=yes"},
	} {
		t.Run(f.action, func(t *testing.T) {
			s := webtest.NewSite(t)
			ada := s.SignUp("ada")
			ada.EnableAuthenticator()
			path := strings.Replace(path, "ID", s.AddPasskey(ada, domain.Passkey{ID: "x", Name: "Laptop"}), 1)
			ada = halfAnHourLater(ada)
			asked := ada.Post(path, f.fields...).Want(http.StatusForbidden).Has("main strong", f.action)
			cancel := asked.Page().Find(`a:contains("Cancel")`).AttrOr("href", "")
			ada.Get(cancel).Want(http.StatusOK).Has("h1", "")
			a := ada.Post(path, pendingFields(asked, "confirm-password", webtest.Password)...)
			if f.then != "" {
				a.WantRedirect(http.StatusSeeOther, f.then)
			} else {
				a.Want(http.StatusOK).Has("h1", "Your recovery codes")
			}
		})
	}
}
