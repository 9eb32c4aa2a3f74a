package account_test

import (
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestLoggingInWithAPasskey(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	d := ada.RegisterPasskey()
	t.Run("requires no code of an app", func(t *testing.T) {
		ada.EnableAuthenticator()
		s.LogInWithPasskey(d).Get("/settings/security").Want(200)
		s.HalfSignedIn("ada")
	})
	t.Run("refuses an unknown passkey and that of a deleted account", func(t *testing.T) {
		v := s.Anonymous()
		stray := webtest.NewPasskeys(t)
		for _, handle := range []string{ada.User.ID, domain.NewUserID(nil), "x", ""} {
			stray.Auth.Options.UserHandle = []byte(handle)
			v.Post("/login", "passkey", stray.Sign(v.PasskeyOptions("login"))).Want(422).Has("#passkey-error", "").
				HasNo("#username-error")
		}
		ben := s.SignUp("ben")
		his := ben.RegisterPasskey()
		ben.Post("/settings/delete", "password", webtest.Password).Want(303)
		v.Post("/login", "passkey", his.Sign(v.PasskeyOptions("login"))).Want(422).
			Has("#passkey-error", "doesn't belong to any account")
		if len(v.Cookies) != 0 {
			t.Error("the visitor is signed in")
		}
	})
	t.Run("accepts each answer once, in time and only for its purpose", func(t *testing.T) {
		v := s.Anonymous()
		answer := d.Sign(v.PasskeyOptions("login"))
		s.Anonymous().Post("/login", "passkey", answer).Want(303)
		v.Post("/login", "passkey", answer).Want(422).Has("#passkey-error", "sent twice")
		for _, secret := range []string{d.Sign(ada.PasskeyOptions("confirm"))} {
			v.Post("/login", "passkey", secret).Want(422)
		}
		answer = d.Sign(v.PasskeyOptions("login"))
		s.Data.ExpireSecrets(domain.SecretPasskey, 5*time.Minute)
		v.Post("/login", "passkey", answer).Want(422).Has("#passkey-error", "took too long")
		v.Get("/settings").Want(303)
	})
	t.Run("stores the counter and refuses an older one", func(t *testing.T) {
		s.LogInWithPasskey(d)
		d.Key.Counter -= 2
		v := s.Anonymous()
		v.Post("/login", "passkey", d.Sign(v.PasskeyOptions("login"))).Want(422)
		d.Key.Counter += 2
		s.LogInWithPasskey(d)
	})
	t.Run("shows the form again after an invalid answer or a failure", func(t *testing.T) {
		v := s.Anonymous()
		v.Post("/login", "passkey", "x", "next", "/new").Want(422).Has("#passkey-error", "Try again").
			Has(`[name="next"][value="/new"]`, "")
		answer := d.Sign(v.PasskeyOptions("login"))
		s.Data.Fail("Secrets.Take")
		v.Post("/login", "passkey", answer).Want(503)
		s.Data.Recover("Secrets.Take")
		s.Data.Fail("Secrets.Put")
		v.Post("/passkeys/challenge", "for", "login").Want(503)
		s.Data.Recover("Secrets.Put")
	})
	t.Run("is offered as the second step", func(t *testing.T) {
		v := s.HalfSignedIn("ada")
		v.Get("/login/second").Want(200).Has(`.passkey button`, "Use a passkey instead")
		v.Post("/login/second", "passkey", d.Sign(v.PasskeyOptions("second")), "next", "/new").WantRedirect(303, "/new")
		ben := s.SignUp("ben2")
		his := ben.RegisterPasskey()
		v = s.HalfSignedIn("ada")
		o := ben.PasskeyOptions("confirm")
		v.Post("/login/second", "passkey", his.Sign(o)).Want(422)
		v.Post("/login/second", "passkey", his.Sign(v.PasskeyOptions("second"))).Want(422)
		s.Anonymous().Post("/passkeys/challenge", "for", "second").Want(401)
	})
	t.Run("refuses challenges for unknown purposes", func(t *testing.T) {
		s.SignUp("cleo").Post("/passkeys/challenge", "for", "confirm").Want(422)
		s.Anonymous().Post("/passkeys/challenge", "for", "x").Want(400)
		s.Anonymous().Post("/passkeys/challenge", "for", "new").Want(401)
	})
}

func TestSigningUpWithAPasskey(t *testing.T) {
	s := webtest.NewSite(t)
	d := webtest.NewPasskeys(t)
	v := s.Anonymous()
	v.Get("/signup").Has(".passkey button", "Sign up with a passkey")
	v.Post("/signup", "username", "ada", "password", "", "passkey",
		d.Create(v.PasskeyOptions("signup", "username", "ada")), "next", "/new").WantRedirect(303, "/new")
	u, err := s.Data.Store.Users.ByName(t.Context(), "ada")
	if err != nil {
		t.Fatal(err)
	}
	v.User = u
	t.Run("creates an account without a password", func(t *testing.T) {
		if s.Data.Credentials(u.ID).PasswordHash != "" {
			t.Error("the account has a password")
		}
		s.LogInWithPasskey(d).Get("/settings/security").Want(200).Has("header .me", "@ada").
			Has("#password-title + p", "Not set")
		s.Anonymous().Post("/login", "username", "ada", "password", webtest.Password).Want(422).
			HasFieldError("password", "Wrong username or password")
	})
	t.Run("keeps the account's only passkey", func(t *testing.T) {
		path := "/settings/security/passkeys/" + domain.SecretDigest(s.Data.Credentials(u.ID).Passkeys[0].ID)[:24]
		v.Get("/settings/security").HasNo(".passkeys a.danger")
		v.Get(path + "/delete").Want(409)
		v.Post(path+"/delete").Want(409).Has(`[role="alert"]`, "only way")
		s.LogInWithPasskey(d)
	})
	t.Run("confirms the identity with the passkey", func(t *testing.T) {
		later := halfAnHourLater(v)
		later.Get("/confirm?next=/settings/security").Want(200).HasNo("#password")
		later.Post("/confirm", "password", webtest.Password).Want(422)
		later.Post("/confirm", "passkey", d.Sign(later.PasskeyOptions("confirm")),
			"next", "/settings/security/passkeys/new").
			WantRedirect(303, "/settings/security/passkeys/new")
		later.Get("/settings/security/passkeys/new").Want(200)
	})
	t.Run("reports a taken or invalid username before the device creates a passkey", func(t *testing.T) {
		for name, message := range map[string]string{"ADA": "is taken", "a b": "letters", "": "Choose a username"} {
			a := s.Anonymous().Post("/passkeys/challenge", "for", "signup", "username", name).Want(422)
			if !strings.Contains(a.Body, message) {
				t.Errorf("%q is answered with %s", name, a.Body)
			}
		}
		late := webtest.NewPasskeys(t)
		answer := late.Create(s.Anonymous().PasskeyOptions("signup", "username", "eve"))
		s.SignUp("eve")
		s.Anonymous().Post("/signup", "username", "eve", "passkey", answer).Want(422).
			HasFieldError("username", "is taken")
	})
	t.Run("allows deleting the account without a password", func(t *testing.T) {
		later := halfAnHourLater(v)
		later.Get("/settings/delete").WantRedirect(303, "/confirm?next=%2Fsettings%2Fdelete")
		later.Post("/settings/delete").Want(403).Has("main strong", "Delete your account").HasNo("#password").
			Has(".passkey", "")
		later.Post("/confirm", "passkey", d.Sign(later.PasskeyOptions("confirm"))).Want(303)
		later.Get("/settings/delete").Want(200).HasNo("#password")
		later.Post("/settings/delete").WantRedirect(303, "/goodbye")
	})
}
