package settings_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

// Each change of the credentials is mailed to the verified address.
func TestCredentialChangesAreMailed(t *testing.T) {
	const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	ada.VerifyEmail("ada@example.org")
	ada.Header.Set("User-Agent", firefox)
	var a *webtest.Authenticator
	passkey := func() string {
		return "/settings/security/passkeys/" + domain.SecretDigest(s.Data.Credentials(ada.User.ID).Passkeys[0].ID)[:24]
	}
	for _, change := range []struct {
		message string
		do      func()
	}{
		{"A passkey was added: Telephone", func() { ada.RegisterPasskey() }},
		{"Two-step verification was turned on", func() { a = ada.EnableAuthenticator() }},
		{"New recovery codes were created.", func() { ada.Post("/settings/security/recovery").Want(200) }},
		{"Two-step verification was turned off", func() { ada.Post("/settings/security/totp/delete").Want(303) }},
		{"The password was removed.", func() { ada.Post("/settings/security/password").Want(303) }},
		{
			"The password was changed.",
			func() { ada.Post("/settings/password", "password", webtest.NewPassword).Want(303) },
		},
		{"A passkey was removed: Telephone", func() { ada.Post(passkey() + "/delete").Want(303) }},
		{"with a link sent to this address", func() {
			s.Anonymous().Post("/reset", "account", "ada").Want(200)
			link := s.MailTo("ada@example.org").Link(t)
			s.Data.ForgetMails()
			ada.Post(link, "password", webtest.Password).Want(200)
		}},
	} {
		t.Run(change.message, func(t *testing.T) {
			s.Data.ForgetMails()
			change.do()
			if n := len(s.Data.Mails()); n != 1 {
				t.Fatalf("%d mails were sent, want 1", n)
			}
			m := s.MailTo("ada@example.org")
			for _, want := range []string{
				"Hello ada", change.message, "Browser: Firefox on Linux",
				"When: " + time.Now().UTC().Format("2 January 2006"), "\n/reset\n", "/settings/security",
			} {
				if !strings.Contains(m.Text, want) {
					t.Errorf("the mail lacks %q:\n%s", want, m.Text)
				}
			}
			secrets := append(slices.Clone(secrets(a)), webtest.Password, webtest.NewPassword)
			for _, secret := range secrets {
				if strings.Contains(m.Text, secret) {
					t.Errorf("the mail has the secret %q:\n%s", secret, m.Text)
				}
			}
		})
	}
	t.Run("has the time in UTC", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { // the clock of the bubble begins at the start of 2000
			s := webtest.NewSite(t)
			ada := s.SignUp("ada")
			ada.VerifyEmail("ada@example.org")
			ada.Post("/settings/password", "current", webtest.Password, "password", webtest.NewPassword).Want(303)
			if m := s.MailTo("ada@example.org"); !strings.Contains(m.Text, "When: 1 January 2000, 00:00 UTC") {
				t.Errorf("the mail is %s", m.Text)
			}
		})
	})
	t.Run("goes to the former address, without a reset link", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada := s.SignUp("ada")
		ada.VerifyEmail("old@example.org")
		if len(s.Data.Mails()) != 1 { // the mail to verify the address
			t.Error("the address was not verified")
		}
		ada.Post("/settings/email", "email", "new@example.org").Want(303)
		ada.Post(s.MailTo("new@example.org").Link(t)).Want(200)
		if m := s.MailTo("old@example.org"); !strings.Contains(m.Text, "Your account now has another email address") ||
			strings.Contains(m.Text, "new@") || strings.Contains(m.Text, "/reset") ||
			!strings.Contains(m.Text, "/settings/email") {
			t.Errorf("the mail is %s", m.Text)
		}
		ada.Post("/settings/email/remove").Want(303)
		if m := s.MailTo("new@example.org"); !strings.Contains(m.Text, "was removed") ||
			strings.Contains(m.Text, "/reset") {
			t.Errorf("the mail is %s", m.Text)
		}
	})
	t.Run("is not sent to an unverified address", func(t *testing.T) {
		s := webtest.NewSite(t)
		ben := s.SignUp("ben")
		ben.Post("/settings/email", "email", "ben@example.org").Want(303)
		before := len(s.Data.Mails())
		ben.Post("/settings/password", "current", webtest.Password, "password", webtest.NewPassword).Want(303)
		ben.Post("/settings/email/remove").Want(303)
		if len(s.Data.Mails()) != before {
			t.Errorf("a mail was sent: %v", s.Data.Mails()[before:])
		}
	})
	t.Run("is sent once for each successful change", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada := s.SignUp("ada")
		ada.VerifyEmail("ada@example.org")
		ada.RegisterPasskey()
		path := "/settings/security/passkeys/" +
			domain.SecretDigest(s.Data.Credentials(ada.User.ID).Passkeys[0].ID)[:24]
		s.Data.ForgetMails()
		ada.Post("/settings/password", "current", "not the password", "password", webtest.NewPassword).Want(422)
		s.Data.Fail("Credentials.Set")
		ada.Post("/settings/security/password").Want(503)
		s.Data.Recover("Credentials.Set")
		if len(s.Data.Mails()) != 0 {
			t.Errorf("a mail was sent: %v", s.Data.Mails())
		}
		for range 2 {
			ada.Post(path + "/delete").Want(303)
		}
		if len(s.Data.Mails()) != 1 {
			t.Errorf("%d mails were sent", len(s.Data.Mails()))
		}
	})
}

// secrets returns the secret of an authenticator app and its recovery codes.
func secrets(a *webtest.Authenticator) []string {
	if a == nil {
		return nil
	}
	return append(slices.Clone(a.Codes), a.Secret)
}
