package settings_test

import (
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestRegisteringAPasskey(t *testing.T) {
	t.Run("allows a log-in with it, which returns to the requested page", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada := s.SignUp("ada")
		d := ada.RegisterPasskey()
		ada.Get("/settings/security?done=passkey").Want(200).Has(`[role="status"]`, "Passkey added").
			Has(".passkeys li", "Telephone").Has(".passkeys li", "Never used")
		v := s.Anonymous()
		v.Post("/login", "passkey", d.Sign(v.PasskeyOptions("login")), "next", "/new").WantRedirect(303, "/new")
		v.Get("/settings/security").Want(200).Has("header .me", "@ada").Has(".passkeys li", "Last used")
	})
	t.Run("shows the form again if the answer of the device is invalid", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada := s.SignUp("ada")
		options := ada.PasskeyOptions("new")
		answer := webtest.NewPasskeys(t).Create(options)
		other := webtest.NewPasskeys(t).Create(strings.Replace(options, `"challenge":"`, `"challenge":"AAAA`, 1))
		for _, sent := range []string{"", "x", "{}", answer[:len(answer)/2], other} {
			a := ada.Post("/settings/security/passkeys/new", "name", "My key", "passkey", sent).Want(422).
				Has("#passkey-error", "")
			if a.Value("name") != "My key" {
				t.Error("the name is lost")
			}
		}
		ada.Post("/settings/security/passkeys/new", "name", " ", "passkey", answer).Want(422).
			HasFieldError("name", "can't be empty")
		// the challenge is still unused
		ada.Post("/settings/security/passkeys/new", "name", "My key", "passkey", answer).Want(303)
		ada.Post("/settings/security/passkeys/new", "name", "My key", "passkey", answer).Want(422).
			Has("#passkey-error", "sent twice")
	})
	t.Run("rejects the challenge of another user", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada, ben := s.SignUp("ada"), s.SignUp("ben")
		answer := webtest.NewPasskeys(t).Create(ada.PasskeyOptions("new"))
		ben.Post("/settings/security/passkeys/new", "name", "Key", "passkey", answer).Want(422)
		if len(s.Data.Credentials(ben.User.ID).Passkeys) != 0 {
			t.Error("ben has the passkey")
		}
	})
	t.Run("rejects an answer to a challenge for signing up", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada := s.SignUp("ada")
		answer := webtest.NewPasskeys(t).Create(s.Anonymous().PasskeyOptions("signup", "username", "eve"))
		ada.Post("/settings/security/passkeys/new", "name", "Key", "passkey", answer).Want(422)
	})
	t.Run("allows at most twenty passkeys", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada := s.SignUp("ada")
		for i := range 20 {
			s.AddPasskey(ada, domain.Passkey{ID: string(rune('a' + i)), Name: "x"})
		}
		ada.Get("/settings/security").HasNo(`a[href="/settings/security/passkeys/new"]`)
		ada.Post("/settings/security/passkeys/new", "name", "Key",
			"passkey", webtest.NewPasskeys(t).Create(ada.PasskeyOptions("new"))).Want(409)
	})
	t.Run("is refused at an IP address", func(t *testing.T) {
		s := webtest.NewSite(t)
		r := webtest.NewForm("/passkeys/challenge", "for", "login")
		r.Host = "127.0.0.1:8080"
		if w := s.Serve(r); w.Code != 422 || !strings.Contains(w.Body.String(), "Use the site's domain name") {
			t.Errorf("the response has the status %d: %s", w.Code, w.Body)
		}
	})
	t.Run("is offered at host names but not at IP addresses", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada := s.SignUp("ada")
		ada.RegisterPasskey()
		for host, offered := range map[string]bool{
			"127.0.0.1:8080": false,
			"[::1]:8080":     false,
			"localhost:8080": true,
		} {
			for _, path := range []string{"/login", "/signup"} {
				for _, r := range []*http.Request{
					httptest.NewRequest("GET", path, nil), webtest.NewForm(path, "username", "", "password", ""),
				} {
					r.Host = host
					if w := s.Serve(r); w.Code >= 500 || strings.Contains(w.Body.String(), "data-passkey") != offered ||
						strings.Contains(w.Body.String(), "/passkeys") != offered {
						t.Errorf("%s %s at %s: status %d, a passkey is offered: %t", r.Method, path, host, w.Code,
							!offered)
					}
				}
			}
		}
	})
}

func TestManagingPasskeys(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	d := ada.RegisterPasskey()
	path := "/settings/security/passkeys/" + domain.SecretDigest(s.Data.Credentials(ada.User.ID).Passkeys[0].ID)[:24]
	t.Run("renames a passkey", func(t *testing.T) {
		if got := ada.Get(path).Want(200).Value("name"); got != "Telephone" {
			t.Errorf("the form has the name %q", got)
		}
		ada.Post(path, "name", "  My \n key ").WantRedirect(303, "/settings/security?done=renamed")
		ada.Get("/settings/security").Has(".passkeys strong", "My key")
		for _, name := range []string{"", strings.Repeat("x", 61)} {
			if got := ada.Post(path, "name", name).Want(422).Value("name"); got != name {
				t.Errorf("the form has the name %q", got)
			}
		}
		ada.Post(path+"0", "name", "x").Want(404)
	})
	t.Run("removes the password while there is a passkey", func(t *testing.T) {
		ben := s.SignUp("ben")
		ben.Get("/settings/security").HasNo(`a[href="/settings/security/password"]`)
		ben.Get("/settings/security/password").Want(409)
		ben.Post("/settings/security/password").Want(409)
		ada.Get("/settings/security/password").Want(200)
		ada.Post("/settings/security/password").WantRedirect(303, "/settings/security?done=password")
		s.Anonymous().Post("/login", "username", "ada", "password", webtest.Password).Want(422)
		s.LogInWithPasskey(d)
		ada.Post(path + "/delete").Want(409)
		s.Data.SetCredentials(ada.User.ID, func(c *domain.Credentials) { c.PasswordHash = "hash" })
	})
	t.Run("removes a passkey", func(t *testing.T) {
		ada.Get(path+"/delete").Want(200).Has("main form", "“My key”")
		ada.Post(path+"/delete").WantRedirect(303, "/settings/security?done=removed")
		ada.Post(path+"/delete").WantRedirect(303, "/settings/security?done=removed") // a double click
		v := s.Anonymous()
		v.Post("/login", "passkey", d.Sign(v.PasskeyOptions("login"))).Want(422)
		if len(s.Data.Credentials(ada.User.ID).Passkeys) != 0 {
			t.Error("the passkey was not removed")
		}
	})
}
