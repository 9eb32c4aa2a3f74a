package web_test

import (
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/domain"
)

// Whoever has a verified address is told there of each change of how to log in.
func TestChangesOfHowToLogInAreMailed(t *testing.T) {
	const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
	s := newSite(t)
	ada := s.member("ada")
	ada.verifies("ada@example.org")
	ada.header.Set("User-Agent", firefox)
	var a *app
	passkey := func() string {
		return "/settings/security/passkeys/" + domain.SecretDigest(s.data.credentials(ada.user.ID).Passkeys[0].ID)[:24]
	}
	for _, change := range []struct {
		says string
		do   func()
	}{
		{"A passkey was added: Telephone", func() { ada.registers() }},
		{"Two-step verification was turned on", func() { a = ada.enrols() }},
		{"New recovery codes were created.", func() { ada.post("/settings/security/recovery").want(200) }},
		{"Two-step verification was turned off", func() { ada.post("/settings/security/totp/delete").want(303) }},
		{"The password was removed.", func() { ada.post("/settings/security/password").want(303) }},
		{"The password was changed.", func() { ada.post("/settings/password", "password", newPassword).want(303) }},
		{"A passkey was removed: Telephone", func() { ada.post(passkey() + "/delete").want(303) }},
		{"with a link sent to this address", func() {
			s.stranger().post("/reset", "account", "ada").want(200)
			link := s.mailed("ada@example.org").link(t)
			s.data.mail.mails = nil
			ada.post(link, "password", password).want(200)
		}},
	} {
		t.Run(change.says, func(t *testing.T) {
			s.data.mail.mails = nil
			change.do()
			if n := len(s.data.mail.mails); n != 1 {
				t.Fatalf("%d mails were sent", n)
			}
			m := s.mailed("ada@example.org")
			for _, want := range []string{"Hello ada", change.says, "With: Firefox on Linux", "When: " + time.Now().UTC().Format("2 January 2006"), "\n/reset\n", "/settings/security"} {
				if !strings.Contains(m.text, want) {
					t.Errorf("it does not say %q:\n%s", want, m.text)
				}
			}
			secrets := append(slices.Clone(secrets(a)), password, newPassword)
			for _, secret := range secrets {
				if strings.Contains(m.text, secret) {
					t.Errorf("it tells %q:\n%s", secret, m.text)
				}
			}
		})
	}
	t.Run("says when, in UTC", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) { // its clock begins at the start of 2000
			s := newSite(t)
			ada := s.member("ada")
			ada.verifies("ada@example.org")
			ada.post("/settings/password", "current", password, "password", newPassword).want(303)
			if m := s.mailed("ada@example.org"); !strings.Contains(m.text, "When: 1 January 2000, 00:00 UTC") {
				t.Errorf("it says %s", m.text)
			}
		})
	})
	t.Run("goes to the address from before, which is no way in any more", func(t *testing.T) {
		s := newSite(t)
		ada := s.member("ada")
		ada.verifies("old@example.org")
		if len(s.data.mail.mails) != 1 { // the one to verify it
			t.Error("there was nobody to tell")
		}
		ada.post("/settings/email", "email", "new@example.org").want(303)
		ada.post(s.mailed("new@example.org").link(t)).want(200)
		if m := s.mailed("old@example.org"); !strings.Contains(m.text, "Your account now has another email address") ||
			strings.Contains(m.text, "new@") || strings.Contains(m.text, "/reset") || !strings.Contains(m.text, "/settings/email") {
			t.Errorf("it says %s", m.text)
		}
		ada.post("/settings/email/remove").want(303)
		if m := s.mailed("new@example.org"); !strings.Contains(m.text, "was removed") || strings.Contains(m.text, "/reset") {
			t.Errorf("it says %s", m.text)
		}
	})
	t.Run("goes to no address that nobody has verified", func(t *testing.T) {
		s := newSite(t)
		ben := s.member("ben")
		ben.post("/settings/email", "email", "ben@example.org").want(303)
		before := len(s.data.mail.mails)
		ben.post("/settings/password", "current", password, "password", newPassword).want(303)
		ben.post("/settings/email/remove").want(303)
		if len(s.data.mail.mails) != before {
			t.Errorf("a mail was sent: %v", s.data.mail.mails[before:])
		}
	})
	t.Run("is sent of nothing that was refused, nor twice of what was asked twice", func(t *testing.T) {
		s := newSite(t)
		ada := s.member("ada")
		ada.verifies("ada@example.org")
		ada.registers()
		path := "/settings/security/passkeys/" + domain.SecretDigest(s.data.credentials(ada.user.ID).Passkeys[0].ID)[:24]
		s.data.mail.mails = nil
		ada.post("/settings/password", "current", "not the password", "password", newPassword).want(422)
		s.data.fail("Users.SetCredentials")
		ada.post("/settings/security/password").want(503)
		s.data.recover("Users.SetCredentials")
		if len(s.data.mail.mails) != 0 {
			t.Errorf("a mail was sent: %v", s.data.mail.mails)
		}
		for range 2 {
			ada.post(path + "/delete").want(303)
		}
		if len(s.data.mail.mails) != 1 {
			t.Errorf("%d mails were sent", len(s.data.mail.mails))
		}
	})
}

// secrets are what an app and its codes consist of.
func secrets(a *app) []string {
	if a == nil {
		return nil
	}
	return append(slices.Clone(a.codes), a.secret)
}
