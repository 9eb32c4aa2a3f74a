package account_test

import (
	"io"
	"net/http"
	"testing"

	"github.com/alexedwards/argon2id"

	"inkfeed/domain"
	"inkfeed/domain/siteinfo"
	"inkfeed/web/site"
	"inkfeed/web/webtest"
)

// weakPasswords are easy to guess for the user of newOwner, with the message for each.
var weakPasswords = map[string]string{
	"password":         "easy to guess",
	"12345678":         "easy to guess",
	"Ada-Ada-1999":     "Don't use your name",
	"inkfeed2026":      "Don't use your name",
	"ada@example.org!": "Don't use your name",
}

func TestWeakPasswordsAreRefused(t *testing.T) {
	s := newServers(t)
	t.Run("at sign-up, also of the first administrator", func(t *testing.T) {
		v := s.second.Anonymous()
		v.Get("/signup").Want(200).Has("#password-hint", domain.PasswordAdvice)
		for weak, message := range weakPasswords {
			a := v.Post("/signup", "username", "ada", "password", weak, "email", "ada@example.org").
				Want(http.StatusUnprocessableEntity)
			if a.HasFieldError("password", message).Value("username") != "ada" || a.Value("password") != "" {
				t.Errorf("%s: the form has %q, %q", weak, a.Value("username"), a.Value("password"))
			}
		}
		if _, err := s.store.Users.ByName(t.Context(), "ada"); !domain.Is(err, domain.NotFound) {
			t.Errorf("the account was created, or the error is %v", err)
		}
	})
	t.Run("with the site's name", func(t *testing.T) {
		named := webtest.NewSite(t)
		c := webtest.Config(named.Data, io.Discard, webtest.KeyOne)
		c.Current = site.NewCurrentSettings()
		c.Current.Apply(domain.Settings{Info: siteinfo.Info{Name: "Wolfsgarten"}})
		named.Restart(c)
		named.Anonymous().Post("/signup", "username", "ada", "password", "Wolfsgarten2026").
			Want(http.StatusUnprocessableEntity).HasFieldError("password", "Don't use your name")
	})
	o := s.newOwner(t, false)
	before := o.credentials(t)
	t.Run("in the settings", func(t *testing.T) {
		o.browser.Get("/settings/password").Want(200).Has("#password-hint", domain.PasswordAdvice)
		for weak, message := range weakPasswords {
			o.browser.Post("/settings/password", "current", webtest.Password, "password", weak).
				Want(422).
				HasFieldError("password", message)
		}
	})
	t.Run("with a reset link, which stays valid", func(t *testing.T) {
		v := s.second.Anonymous()
		v.Post("/reset", "account", "ada").Want(200)
		link := v.MailTo("ada@example.org").Link(t)
		v.Get(link).Want(200).Has("#password-hint", domain.PasswordAdvice)
		for weak, message := range weakPasswords {
			v.Post(link, "password", weak).Want(422).HasFieldError("password", message)
		}
		if o.credentials(t).Version != before.Version {
			t.Error("the credentials have changed")
		}
		v.Post(link, "password", webtest.NewPassword).Want(200)
	})
}

func TestAnAccountWithAWeakPasswordCanLogIn(t *testing.T) {
	s := newServers(t)
	o := s.newOwner(t, false)
	hash, err := argon2id.CreateHash("password",
		&argon2id.Params{Memory: 64, Iterations: 1, Parallelism: 1, SaltLength: 16, KeyLength: 32})
	if err == nil {
		err = s.store.Credentials.SetPassword(t.Context(), o.browser.User.ID, hash)
	}
	if err != nil {
		t.Fatal(err)
	}
	v := s.first.Anonymous()
	v.Post("/login", "username", "ada", "password", "password").WantRedirect(303, "/")
	v.Post("/confirm", "password", "password").Want(303)
	v.Post("/settings/password", "current", "password", "password", webtest.NewPassword).Want(303)
	if !v.IsSignedIn() {
		t.Error("the user is signed out")
	}
}
