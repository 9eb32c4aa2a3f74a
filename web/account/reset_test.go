package account_test

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/web/webtest"
)

func TestResettingAPassword(t *testing.T) {
	t.Run("by name or address, once, ends all sessions", func(t *testing.T) {
		for _, account := range []string{"ada", " @Ada ", "ADA@example.org"} {
			s := webtest.NewSite(t)
			ada := s.SignUp("ada")
			ada.VerifyEmail("ada@example.org")
			v := s.Anonymous()
			v.Get("/login").Has(`a[href="/reset"]`, "Forgot")
			v.Post("/reset", "account", account).Want(200).Has(`[role="status"]`, "we're sending it a link")
			link := s.MailTo("ada@example.org").Link(t)
			a := v.Get(link).Want(200)
			if got := a.Header.Get("Referrer-Policy"); got != "same-origin" || !strings.Contains(a.Header.Get("Cache-Control"), "no-store") {
				t.Errorf("the address may leak: %q", got)
			}
			v.Post(link, "password", "short").Want(422).HasFieldError("password", "at least") // and is still good
			v.Post(link, "password", webtest.NewPassword).Want(200).Has("h1", "Password changed")
			if ada.IsSignedIn() || v.IsSignedIn() {
				t.Error("somebody is signed in")
			}
			v.Post(link, "password", "yet another one").Want(404).Has("main", "has expired")
			v.Post("/login", "username", "ada", "password", webtest.Password).Want(422)
			v.Post("/login", "username", "ada", "password", webtest.NewPassword).Want(303)
		}
	})
	t.Run("answers the same whoever is asked for, before anything is looked for", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada := s.SignUp("ada")
		ada.VerifyEmail("ada@example.org")
		s.SignUp("ben") // without an address
		s.Data.Mail.Hold = true
		sent, looked := len(s.Data.Mail.Mails), s.Data.Calls("Users.AccountByName", "Users.AccountByEmail")
		var said []string
		for _, account := range []string{"ada", "ben", "nobody", "ada@example.org", "nobody@example.org", "a b", strings.Repeat("x", 500)} {
			said = append(said, s.Anonymous().Post("/reset", "account", account).Want(200).Body)
		}
		for _, one := range said[1:] {
			if one != said[0] {
				t.Error("the answers differ")
			}
		}
		if s.Data.Calls("Users.AccountByName", "Users.AccountByEmail") != looked {
			t.Error("the store was asked before the answer")
		}
		for _, do := range s.Data.Mail.Later {
			do(context.Background())
		}
		if got := len(s.Data.Mail.Mails) - sent; got != 2 {
			t.Errorf("%d mails were sent", got)
		}
	})
	t.Run("not to an address that nobody has verified", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada := s.SignUp("ada")
		ada.Post("/settings/email", "email", "ada@example.org").Want(303)
		before := len(s.Data.Mail.Mails)
		s.Anonymous().Post("/reset", "account", "ada").Want(200)
		s.Anonymous().Post("/reset", "account", "ada@example.org").Want(200)
		if len(s.Data.Mail.Mails) != before {
			t.Error("a mail was sent")
		}
	})
	t.Run("within an hour", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := webtest.NewSite(t)
			s.SignUp("ada").VerifyEmail("ada@example.org")
			s.Anonymous().Post("/reset", "account", "ada").Want(200)
			link := s.MailTo("ada@example.org").Link(t)
			time.Sleep(59 * time.Minute)
			s.Anonymous().Get(link).Want(200)
			time.Sleep(time.Minute)
			s.Anonymous().Get(link).Want(404)
			s.Anonymous().Post(link, "password", webtest.NewPassword).Want(404)
		})
	})
	t.Run("by a link for nothing else", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada := s.SignUp("ada")
		ada.Post("/settings/email", "email", "ada@example.org").Want(303)
		other := strings.Replace(s.MailTo("ada@example.org").Link(t), "verify-email", "reset", 1)
		s.Anonymous().Get(other).Want(404)
		s.Anonymous().Post(other, "password", webtest.NewPassword).Want(404)
		s.Anonymous().Get("/reset/x").Want(404)
	})
	t.Run("leads nowhere that a request names", func(t *testing.T) {
		s := webtest.NewSite(t)
		s.SignUp("ada").VerifyEmail("ada@example.org")
		r := webtest.NewForm("/reset", "account", "ada")
		r.Host = "evil.example"
		if w := s.Serve(r); w.Code != 200 {
			t.Fatalf("status %d", w.Code)
		}
		if m := s.MailTo("ada@example.org"); strings.Contains(m.Text, "evil.example") || !strings.Contains(m.Text, "\n/reset/") {
			t.Errorf("the mail says %s", m.Text)
		}
	})
	t.Run("says so when it cannot be done now", func(t *testing.T) {
		s := webtest.NewSite(t)
		s.SignUp("ada").VerifyEmail("ada@example.org")
		s.Anonymous().Post("/reset", "account", "ada").Want(200)
		link := s.MailTo("ada@example.org").Link(t)
		s.Data.Fail("Secrets.Get")
		s.Anonymous().Get(link).Want(503)
		s.Data.Recover("Secrets.Get")
		s.Data.Fail("Users.SetCredentials")
		s.Anonymous().Post(link, "password", webtest.NewPassword).Want(503).Has("main form", "New password")
		s.Data.Recover("Users.SetCredentials")
		s.Anonymous().Post(link, "password", webtest.NewPassword).Want(200)
	})
	t.Run("leaves no secret, address or password in the log", func(t *testing.T) {
		s := webtest.NewSite(t)
		s.SignUp("ada").VerifyEmail("ada@example.org")
		s.Anonymous().Post("/reset", "account", "ada@example.org").Want(200)
		link := s.MailTo("ada@example.org").Link(t)
		s.Anonymous().Get(link).Want(200)
		s.Anonymous().Post(link, "password", webtest.NewPassword).Want(200)
		s.Anonymous().Post(link, "password", webtest.NewPassword).Want(404)
		for _, secret := range []string{strings.TrimPrefix(link, "/reset/"), "ada@", webtest.NewPassword, webtest.Password} {
			if strings.Contains(s.Log.String(), secret) {
				t.Errorf("the log has %q", secret)
			}
		}
	})
}
