package web_test

import (
	"net/http"
	"testing"

	"github.com/alexedwards/argon2id"

	"inkfeed/domain"
)

// weakPasswords are easy to guess for the user of newOwner, with the message for each.
var weakPasswords = map[string]string{
	"password":         "easy to guess",
	"12345678":         "easy to guess",
	"Ada-Ada-1999":     "Don't use your name",
	"inkfeed2026":      "Don't use your name",
	"ada@example.org!": "Don't use your name",
}

func TestAWeakPasswordIsRefusedWhereverOneIsSet(t *testing.T) {
	s := newServers(t)
	t.Run("at the sign-up, of the first administrator too", func(t *testing.T) {
		v := s.second.stranger()
		v.get("/signup").want(200).has("#password-hint", domain.PasswordAdvice)
		for weak, says := range weakPasswords {
			a := v.post("/signup", "username", "ada", "password", weak, "email", "ada@example.org").
				want(http.StatusUnprocessableEntity)
			if a.complains("password", says).Value("username") != "ada" || a.Value("password") != "" {
				t.Errorf("%s: the form holds %q, %q", weak, a.Value("username"), a.Value("password"))
			}
		}
		if _, err := s.store.Users.ByName(t.Context(), "ada"); !domain.Is(err, domain.NotFound) {
			t.Errorf("there is an account, or %v", err)
		}
	})
	o := s.newOwner(t, false)
	before := o.credentials(t)
	t.Run("in the settings", func(t *testing.T) {
		o.browser.get("/settings/password").want(200).has("#password-hint", domain.PasswordAdvice)
		for weak, says := range weakPasswords {
			o.browser.post("/settings/password", "current", password, "password", weak).
				want(422).
				complains("password", says)
		}
	})
	t.Run("by a mailed link, which stays good", func(t *testing.T) {
		v := s.second.stranger()
		v.post("/reset", "account", "ada").want(200)
		link := v.mailed("ada@example.org").link(t)
		v.get(link).want(200).has("#password-hint", domain.PasswordAdvice)
		for weak, says := range weakPasswords {
			v.post(link, "password", weak).want(422).complains("password", says)
		}
		if o.credentials(t).Version != before.Version {
			t.Error("the credentials have changed")
		}
		v.post(link, "password", newPassword).want(200)
	})
}

func TestAnAccountWithAWeakPasswordCanLogIn(t *testing.T) {
	s := newServers(t)
	o := s.newOwner(t, false)
	hash, err := argon2id.CreateHash("password",
		&argon2id.Params{Memory: 64, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32})
	if err == nil {
		err = s.store.Users.SetPassword(t.Context(), o.browser.user.ID, hash)
	}
	if err != nil {
		t.Fatal(err)
	}
	v := s.first.stranger()
	v.post("/login", "username", "ada", "password", "password").wantRedirect(303, "/")
	v.post("/confirm", "password", "password").want(303)
	v.post("/settings/password", "current", "password", "password", newPassword).want(303)
	if !v.signedIn() {
		t.Error("nobody is signed in")
	}
}
