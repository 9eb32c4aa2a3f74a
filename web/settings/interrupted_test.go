package settings_test

import (
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

// An intruder must not be able to suppress the mail by closing the connection.
func TestCredentialChangesAreMadeAndMailedAlthoughThePageWasClosed(t *testing.T) {
	const setCredentials = "Credentials.Set"
	newPassword := func(before, after domain.Credentials) bool { return before.PasswordHash != after.PasswordHash }
	for name, change := range map[string]struct {
		do      func(s *webtest.Site, ada *webtest.Visitor)
		changed func(before, after domain.Credentials) bool
	}{
		"changing the password": {
			func(_ *webtest.Site, ada *webtest.Visitor) {
				ada.PostAndLeave(setCredentials, "/settings/password", "current", webtest.Password,
					"password", webtest.NewPassword)
			},
			newPassword,
		},
		"removing the password": {
			func(_ *webtest.Site, ada *webtest.Visitor) {
				ada.PostAndLeave(setCredentials, "/settings/security/password")
			},
			func(_, c domain.Credentials) bool { return c.PasswordHash == "" },
		},
		"adding a passkey": {
			func(_ *webtest.Site, ada *webtest.Visitor) {
				ada.PostAndLeave(setCredentials, "/settings/security/passkeys/new", "name", "Tablet", "passkey",
					webtest.NewPasskeys(t).Create(ada.PasskeyOptions("new")))
			},
			func(_, c domain.Credentials) bool { return len(c.Passkeys) == 2 },
		},
		"resetting the password": {
			func(s *webtest.Site, ada *webtest.Visitor) {
				s.Anonymous().Post("/reset", "account", "ada").Want(200)
				link := s.MailTo("ada@example.org").Link(t)
				s.Data.ForgetMails()
				s.Anonymous().PostAndLeave(setCredentials, link, "password", webtest.NewPassword)
			},
			newPassword,
		},
		"verifying another address": {
			func(s *webtest.Site, ada *webtest.Visitor) {
				ada.Post("/settings/email", "email", "new@example.org").Want(303)
				link := s.MailTo("new@example.org").Link(t)
				s.Data.ForgetMails()
				ada.PostAndLeave(setCredentials, link)
			},
			func(_, c domain.Credentials) bool { return c.Email == "new@example.org" && c.EmailVerified },
		},
		"removing the address": {
			func(_ *webtest.Site, ada *webtest.Visitor) {
				ada.PostAndLeave(setCredentials, "/settings/email/remove")
			},
			func(_, c domain.Credentials) bool { return c.Email == "" },
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := webtest.NewSite(t)
			ada := s.SignUp("ada")
			ada.RegisterPasskey()
			ada.SetVerifiedEmail("ada@example.org")
			before := s.Data.Credentials(ada.User.ID)
			change.do(s, ada)
			if !change.changed(before, s.Data.Credentials(ada.User.ID)) {
				t.Error("the credentials were not changed")
			}
			if len(s.Data.Mails()) != 1 {
				t.Fatalf("%d mails were sent, want 1", len(s.Data.Mails()))
			}
			s.MailTo("ada@example.org")
			if !ada.IsSignedIn() && name != "resetting the password" {
				t.Error("the session that made the change has ended")
			}
		})
	}
	t.Run("cancelling a deletion", func(t *testing.T) {
		s := webtest.NewSiteWithGrace(t)
		ada := s.SignUp("ada")
		ada.SetVerifiedEmail("ada@example.org")
		ada.Post("/settings/delete", "password", webtest.Password).Want(303)
		ada.PostAndLeave("AccountDeletions.CancelDeletion", "/settings/delete/cancel")
		if !s.Data.User(ada.User.ID).ScheduledDeletion.IsZero() {
			t.Error("the deletion was not cancelled")
		}
		if len(s.Data.Mails()) != 2 {
			t.Errorf("%d mails were sent, want 2", len(s.Data.Mails()))
		}
	})
}

func TestLoggingOutOtherDevicesTwiceAtOnceKeepsTheSession(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	phone := s.Anonymous()
	phone.LogIn("ada", webtest.Password)
	const path = "/settings/sessions/end-others"
	s.Data.Before("Credentials.EndSessions", func() { ada.Post(path, "password", webtest.Password).Want(303) })
	ada.Post(path, "password", webtest.Password).WantRedirect(303, "/settings/sessions?ended=yes")
	if !ada.IsSignedIn() || phone.IsSignedIn() {
		t.Error("the wrong session has ended")
	}
}
