package web_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/descope/virtualwebauthn"

	"inkfeed/domain"
)

// device holds one passkey for http://example.com.
type device struct {
	t     testing.TB
	party virtualwebauthn.RelyingParty
	auth  virtualwebauthn.Authenticator
	key   virtualwebauthn.Credential
}

func newDevice(t testing.TB) *device {
	return &device{t, virtualwebauthn.RelyingParty{Name: "Inkfeed", ID: "example.com", Origin: "http://example.com"},
		virtualwebauthn.NewAuthenticator(), newKey()}
}

// newKey is a passkey whose coordinates have all their 32 bytes, as COSE wants and devices
// send them. The library leaves out leading zeros, which one key of 128 has.
func newKey() virtualwebauthn.Credential {
	for {
		key := virtualwebauthn.NewCredential(virtualwebauthn.KeyTypeEC2)
		if len(key.Key.AttestationData()) == 77 {
			return key
		}
	}
}

// challenged is what the site asks, of the options in its answer.
func (v *visitor) challenged(purpose string, more ...string) string {
	v.t.Helper()
	a := v.post("/passkeys/challenge", append([]string{"for", purpose}, more...)...).want(200)
	if a.Header.Get("Cache-Control") != "no-store" {
		v.t.Error("a challenge may be kept")
	}
	var said struct{ PublicKey json.RawMessage }
	if err := json.Unmarshal([]byte(a.body), &said); err != nil {
		v.t.Fatal(err)
	}
	return string(said.PublicKey)
}

// makes is the device's answer to options for a new passkey.
func (d *device) makes(options string) string {
	d.t.Helper()
	o, err := virtualwebauthn.ParseAttestationOptions(options)
	if err != nil {
		d.t.Fatal(err)
	}
	var user struct{ User struct{ ID string } }
	if err := json.Unmarshal([]byte(options), &user); err != nil {
		d.t.Fatal(err)
	}
	d.auth.Options.UserHandle = []byte(o.UserID)
	return virtualwebauthn.CreateAttestationResponse(d.party, d.auth, d.key, *o)
}

// answers is the device's answer to options for one that is there.
func (d *device) answers(options string) string {
	d.t.Helper()
	o, err := virtualwebauthn.ParseAssertionOptions(options)
	if err != nil {
		d.t.Fatal(err)
	}
	d.key.Counter++
	return virtualwebauthn.CreateAssertionResponse(d.party, d.auth, d.key, *o)
}

// registers gives the visitor a passkey.
func (v *visitor) registers() *device {
	v.t.Helper()
	d := newDevice(v.t)
	v.post("/settings/security/passkeys/new", "name", "Telephone", "passkey", d.makes(v.challenged("new"))).
		wantRedirect(303, "/settings/security?done=passkey")
	return d
}

// in logs in by a passkey.
func (s *site) in(d *device) *visitor {
	s.t.Helper()
	v := s.stranger()
	v.post("/login", "passkey", d.answers(v.challenged("login"))).wantRedirect(303, "/")
	return v
}

func TestRegisteringAPasskey(t *testing.T) {
	t.Run("lets one log in with it, to where one was going", func(t *testing.T) {
		s := newSite(t)
		ada := s.member("ada")
		d := ada.registers()
		ada.get("/settings/security?done=passkey").want(200).has(`[role="status"]`, "Passkey added").has(".passkeys li", "Telephone").has(".passkeys li", "Never used")
		v := s.stranger()
		v.post("/login", "passkey", d.answers(v.challenged("login")), "next", "/new").wantRedirect(303, "/new")
		v.get("/settings/security").want(200).has("header .me", "@ada").has(".passkeys li", "Last used")
	})
	t.Run("brings the form back when it cannot be", func(t *testing.T) {
		s := newSite(t)
		ada := s.member("ada")
		options := ada.challenged("new")
		answer := newDevice(t).makes(options)
		for _, sent := range []string{"", "x", "{}", answer[:len(answer)/2], newDevice(t).makes(strings.Replace(options, `"challenge":"`, `"challenge":"AAAA`, 1))} {
			a := ada.post("/settings/security/passkeys/new", "name", "My key", "passkey", sent).want(422).has("#passkey-error", "")
			if a.Value("name") != "My key" {
				t.Error("the name is lost")
			}
		}
		ada.post("/settings/security/passkeys/new", "name", " ", "passkey", answer).want(422).complains("name", "cannot be empty")
		ada.post("/settings/security/passkeys/new", "name", "My key", "passkey", answer).want(303) // the challenge is unspent
		ada.post("/settings/security/passkeys/new", "name", "My key", "passkey", answer).want(422).has("#passkey-error", "sent twice")
	})
	t.Run("is for who was asked", func(t *testing.T) {
		s := newSite(t)
		ada, ben := s.member("ada"), s.member("ben")
		answer := newDevice(t).makes(ada.challenged("new"))
		ben.post("/settings/security/passkeys/new", "name", "Key", "passkey", answer).want(422)
		if len(s.data.credentials(ben.user.ID).Passkeys) != 0 {
			t.Error("ben has it")
		}
	})
	t.Run("is not done with an answer that is for something else", func(t *testing.T) {
		s := newSite(t)
		ada := s.member("ada")
		answer := newDevice(t).makes(s.stranger().challenged("signup", "username", "eve"))
		ada.post("/settings/security/passkeys/new", "name", "Key", "passkey", answer).want(422)
	})
	t.Run("ends at twenty", func(t *testing.T) {
		s := newSite(t)
		ada := s.member("ada")
		for i := range 20 {
			s.keep(ada, domain.Passkey{ID: string(rune('a' + i)), Name: "x"})
		}
		ada.get("/settings/security").hasNo(`a[href="/settings/security/passkeys/new"]`)
		ada.post("/settings/security/passkeys/new", "name", "Key", "passkey", newDevice(t).makes(ada.challenged("new"))).want(409)
	})
	t.Run("is not possible at a bare number", func(t *testing.T) {
		s := newSite(t)
		r := newForm("/passkeys/challenge", "for", "login")
		r.Host = "127.0.0.1:8080"
		if w := s.serve(r); w.Code != 422 || !strings.Contains(w.Body.String(), "Use the site's domain name") {
			t.Errorf("%d %s", w.Code, w.Body)
		}
	})
	t.Run("is not offered at a bare number, but where the site has a name", func(t *testing.T) {
		s := newSite(t)
		ada := s.member("ada")
		ada.registers()
		for host, offered := range map[string]bool{"127.0.0.1:8080": false, "[::1]:8080": false, "localhost:8080": true} {
			for _, path := range []string{"/login", "/signup"} {
				for _, r := range []*http.Request{httptest.NewRequest("GET", path, nil), newForm(path, "username", "", "password", "")} {
					r.Host = host
					if w := s.serve(r); w.Code >= 500 || strings.Contains(w.Body.String(), "data-passkey") != offered || strings.Contains(w.Body.String(), "/passkeys") != offered {
						t.Errorf("%s %s at %s: status %d, a passkey is offered: %t", r.Method, path, host, w.Code, !offered)
					}
				}
			}
		}
	})
}

func TestLoggingInByPasskey(t *testing.T) {
	s := newSite(t)
	ada := s.member("ada")
	d := ada.registers()
	t.Run("needs no code of an app", func(t *testing.T) {
		ada.enrols()
		s.in(d).get("/settings/security").want(200)
		s.half("ada")
	})
	t.Run("is refused when the passkey is nobody's, or of who was deleted", func(t *testing.T) {
		v := s.stranger()
		stray := newDevice(t)
		for _, handle := range []string{ada.user.ID, domain.NewUserID(nil), "x", ""} {
			stray.auth.Options.UserHandle = []byte(handle)
			v.post("/login", "passkey", stray.answers(v.challenged("login"))).want(422).has("#passkey-error", "").hasNo("#username-error")
		}
		ben := s.member("ben")
		his := ben.registers()
		ben.post("/settings/delete", "password", password).want(303)
		v.post("/login", "passkey", his.answers(v.challenged("login"))).want(422).has("#passkey-error", "doesn't belong to any account")
		if len(v.cookies) != 0 {
			t.Error("somebody is signed in")
		}
	})
	t.Run("takes each answer once, and none that is late or to something else", func(t *testing.T) {
		v := s.stranger()
		answer := d.answers(v.challenged("login"))
		s.stranger().post("/login", "passkey", answer).want(303)
		v.post("/login", "passkey", answer).want(422).has("#passkey-error", "sent twice")
		for _, secret := range []string{d.answers(ada.challenged("confirm"))} {
			v.post("/login", "passkey", secret).want(422)
		}
		answer = d.answers(v.challenged("login"))
		s.data.expireSecrets(domain.SecretPasskey, 5*time.Minute)
		v.post("/login", "passkey", answer).want(422).has("#passkey-error", "took too long")
		v.get("/settings").want(303)
	})
	t.Run("keeps the counter, and refuses one that goes back", func(t *testing.T) {
		s.in(d)
		d.key.Counter -= 2
		v := s.stranger()
		v.post("/login", "passkey", d.answers(v.challenged("login"))).want(422)
		d.key.Counter += 2
		s.in(d)
	})
	t.Run("brings the form back when nothing was sent, or the data cannot be reached", func(t *testing.T) {
		v := s.stranger()
		v.post("/login", "passkey", "x", "next", "/new").want(422).has("#passkey-error", "Try again").has(`[name="next"][value="/new"]`, "")
		answer := d.answers(v.challenged("login"))
		s.data.fail("Secrets.Take")
		v.post("/login", "passkey", answer).want(503)
		s.data.recover("Secrets.Take")
		s.data.fail("Secrets.Put")
		v.post("/passkeys/challenge", "for", "login").want(503)
		s.data.recover("Secrets.Put")
	})
	t.Run("is offered as the second step, too", func(t *testing.T) {
		v := s.half("ada")
		v.get("/login/second").want(200).has(`.passkey button`, "Use a passkey instead")
		v.post("/login/second", "passkey", d.answers(v.challenged("second")), "next", "/new").wantRedirect(303, "/new")
		ben := s.member("ben2")
		his := ben.registers()
		v = s.half("ada")
		o := ben.challenged("confirm")
		v.post("/login/second", "passkey", his.answers(o)).want(422)
		v.post("/login/second", "passkey", his.answers(v.challenged("second"))).want(422)
		s.stranger().post("/passkeys/challenge", "for", "second").want(401)
	})
	t.Run("asks nothing about what there is not", func(t *testing.T) {
		s.member("cleo").post("/passkeys/challenge", "for", "confirm").want(422)
		s.stranger().post("/passkeys/challenge", "for", "x").want(400)
		s.stranger().post("/passkeys/challenge", "for", "new").want(401)
	})
}

func TestSigningUpByPasskey(t *testing.T) {
	s := newSite(t)
	d := newDevice(t)
	v := s.stranger()
	v.get("/signup").has(".passkey button", "Sign up with a passkey")
	v.post("/signup", "username", "ada", "password", "", "passkey", d.makes(v.challenged("signup", "username", "ada")), "next", "/new").wantRedirect(303, "/new")
	u, err := s.data.store.Users.ByName(t.Context(), "ada")
	if err != nil {
		t.Fatal(err)
	}
	v.user = u
	t.Run("makes an account without a password, which the passkey opens", func(t *testing.T) {
		if s.data.credentials(u.ID).PasswordHash != "" {
			t.Error("there is a password")
		}
		s.in(d).get("/settings/security").want(200).has("header .me", "@ada").has("#password-title + p", "Not set")
		s.stranger().post("/login", "username", "ada", "password", password).want(422).complains("password", "Wrong username or password")
	})
	t.Run("keeps the only way in", func(t *testing.T) {
		path := "/settings/security/passkeys/" + domain.SecretDigest(s.data.credentials(u.ID).Passkeys[0].ID)[:24]
		v.get("/settings/security").hasNo(".passkeys a.danger")
		v.get(path + "/delete").want(409)
		v.post(path+"/delete").want(409).has(`[role="alert"]`, "only way")
		s.in(d)
	})
	t.Run("confirms by the passkey", func(t *testing.T) {
		later := halfAnHourLater(v)
		later.get("/confirm?next=/settings/security").want(200).hasNo("#password")
		later.post("/confirm", "password", password).want(422)
		later.post("/confirm", "passkey", d.answers(later.challenged("confirm")), "next", "/settings/security/passkeys/new").
			wantRedirect(303, "/settings/security/passkeys/new")
		later.get("/settings/security/passkeys/new").want(200)
	})
	t.Run("says at once that a name is taken or is none", func(t *testing.T) {
		for name, says := range map[string]string{"ADA": "is taken", "a b": "letters", "": "Choose a username"} {
			if a := s.stranger().post("/passkeys/challenge", "for", "signup", "username", name).want(422); !strings.Contains(a.body, says) {
				t.Errorf("%q: %s", name, a.body)
			}
		}
		late := newDevice(t)
		answer := late.makes(s.stranger().challenged("signup", "username", "eve"))
		s.member("eve")
		s.stranger().post("/signup", "username", "eve", "passkey", answer).want(422).complains("username", "is taken")
	})
	t.Run("lets the account be deleted without a password", func(t *testing.T) {
		later := halfAnHourLater(v)
		later.get("/settings/delete").wantRedirect(303, "/confirm?next=%2Fsettings%2Fdelete")
		later.post("/settings/delete").wantRedirect(303, "/confirm?next=%2Fsettings%2Fdelete")
		later.post("/confirm", "passkey", d.answers(later.challenged("confirm"))).want(303)
		later.get("/settings/delete").want(200).hasNo("#password")
		later.post("/settings/delete").wantRedirect(303, "/goodbye")
	})
}

func TestManagingPasskeys(t *testing.T) {
	s := newSite(t)
	ada := s.member("ada")
	d := ada.registers()
	path := "/settings/security/passkeys/" + domain.SecretDigest(s.data.credentials(ada.user.ID).Passkeys[0].ID)[:24]
	t.Run("renames", func(t *testing.T) {
		if got := ada.get(path).want(200).Value("name"); got != "Telephone" {
			t.Errorf("the form says %q", got)
		}
		ada.post(path, "name", "  My \n key ").wantRedirect(303, "/settings/security?done=renamed")
		ada.get("/settings/security").has(".passkeys strong", "My key")
		for _, name := range []string{"", strings.Repeat("x", 61)} {
			if got := ada.post(path, "name", name).want(422).Value("name"); got != name {
				t.Errorf("what was typed is lost: %q", got)
			}
		}
		ada.post(path+"0", "name", "x").want(404)
	})
	t.Run("removes the password, while there is a passkey", func(t *testing.T) {
		ben := s.member("ben")
		ben.get("/settings/security").hasNo(`a[href="/settings/security/password"]`)
		ben.get("/settings/security/password").want(409)
		ben.post("/settings/security/password").want(409)
		ada.get("/settings/security/password").want(200)
		ada.post("/settings/security/password").wantRedirect(303, "/settings/security?done=password")
		s.stranger().post("/login", "username", "ada", "password", password).want(422)
		s.in(d)
		ada.post(path + "/delete").want(409)
		s.data.setCredentials(ada.user.ID, func(c *domain.Credentials) { c.PasswordHash = "hash" })
	})
	t.Run("removes", func(t *testing.T) {
		ada.get(path+"/delete").want(200).has("main form", "“My key”")
		ada.post(path+"/delete").wantRedirect(303, "/settings/security?done=removed")
		ada.post(path+"/delete").wantRedirect(303, "/settings/security?done=removed") // a double click
		v := s.stranger()
		v.post("/login", "passkey", d.answers(v.challenged("login"))).want(422)
		if len(s.data.credentials(ada.user.ID).Passkeys) != 0 {
			t.Error("it is there")
		}
	})
}
