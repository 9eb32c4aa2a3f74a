package account_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestResettingThePassword(t *testing.T) {
	t.Run("works once, by username or address, and ends all sessions", func(t *testing.T) {
		for _, account := range []string{"ada", " @Ada ", "ADA@example.org"} {
			s := webtest.NewSite(t)
			ada := s.SignUp("ada")
			ada.VerifyEmail("ada@example.org")
			v := s.Anonymous()
			v.Get("/login").Has(`a[href="/reset"]`, "Forgot")
			v.Post("/reset", "account", account).Want(200).Has(`[role="status"]`, "we're sending it a link")
			link := s.MailTo("ada@example.org").Link(t)
			a := v.Get(link).Want(200)
			if got := a.Header.Get("Referrer-Policy"); got != "same-origin" ||
				!strings.Contains(a.Header.Get("Cache-Control"), "no-store") {
				t.Errorf("the address may leak: the Referrer-Policy is %q", got)
			}
			v.Post(link, "password", "short").Want(422).HasFieldError("password", "at least") // the link stays valid
			v.Post(link, "password", webtest.NewPassword).Want(200).Has("h1", "Password changed")
			if ada.IsSignedIn() || v.IsSignedIn() {
				t.Error("the visitor is signed in")
			}
			v.Post(link, "password", "yet another one").Want(404).Has("main", "has expired")
			v.Post("/login", "username", "ada", "password", webtest.Password).Want(422)
			v.Post("/login", "username", "ada", "password", webtest.NewPassword).Want(303)
		}
	})
	t.Run("answers the same for every name, before the account is read", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada := s.SignUp("ada")
		ada.VerifyEmail("ada@example.org")
		s.SignUp("ben") // without an address
		sent, looked := len(s.Data.Mails()), s.Data.Calls("Users.AccountByName", "EmailAddresses.Owner")
		var bodies []string
		for _, account := range []string{
			"ada", "ben", "nobody", "ada@example.org", "nobody@example.org", "a b", strings.Repeat("x", 500),
		} {
			bodies = append(bodies, s.Anonymous().Post("/reset", "account", account).Want(200).Body)
		}
		for _, body := range bodies[1:] {
			if body != bodies[0] {
				t.Error("the responses differ")
			}
		}
		if s.Data.Calls("Users.AccountByName", "EmailAddresses.Owner") != looked {
			t.Error("the account was read before the response")
		}
		if got := len(s.Data.Mails()) - sent; got != 2 {
			t.Errorf("%d mails were sent, want 2", got)
		}
	})
	t.Run("comes back with what was typed if the request cannot be stored", func(t *testing.T) {
		s := webtest.NewSite(t)
		s.SignUp("ada").SetVerifiedEmail("ada@example.org")
		s.Data.FailWrites("Deliveries.Put", webtest.StatusUnavailable)
		for _, account := range []string{"ada", "nobody"} {
			s.Anonymous().Post("/reset", "account", account).Want(503).Has(`input[value="`+account+`"]`, "").
				HasNo("main:contains('sending it a link')")
		}
		s.Data.Recover("Deliveries.Put")
		s.Anonymous().Post("/reset", "account", "ada").Want(200)
		s.MailTo("ada@example.org")
	})
	t.Run("is tried again after a failure, and counts once towards the limit of mails", func(t *testing.T) {
		s := webtest.NewLimitedSite(t, webtest.NewDatabase(t), webtest.NewCounters(), "")
		s.SignUp("ada").SetVerifiedEmail("ada@example.org")
		s.Anonymous().Post("/reset", "account", "ada").Want(200)
		list, err := s.Data.Store.Deliveries.Waiting(s.Data.Context(), domain.UrgentMail, 1)
		s.Data.Must(err)
		for list[0].Attempts = range 10 {
			for range 10 { // failures of the mail server are no attempts
				if _, err := s.Data.Mail.Mail(s.Data.Context(), list[0]); err != nil {
					t.Fatalf("attempt %d: %v", list[0].Attempts+1, err)
				}
			}
		}
		for range 4 {
			s.Anonymous().Post("/reset", "account", "ada").Want(200)
		}
		list[0].Attempts = 10
		s.Data.Must(s.Data.Store.Deliveries.Retry(s.Data.Context(), list[0]))
		if n := len(s.Data.Mails()); n != 5 {
			t.Errorf("%d mails were sent, want 5", n)
		}
	})
	t.Run("stores little, however much was sent", func(t *testing.T) {
		s := webtest.NewSite(t)
		v := s.Anonymous()
		v.Header.Set("Accept-Language", strings.Repeat("x", 10_000))
		v.Post("/reset", "account", strings.Repeat("x", 100_000)).Want(200)
		for _, item := range s.Data.Items("deliveries", "delivery") {
			if n := len(item["sealed"].(string)); n > 2000 {
				t.Errorf("%d bytes are stored", n)
			}
		}
		if mails := s.Data.Mails(); len(mails) != 0 {
			t.Errorf("the mails are %+v", mails)
		}
	})
	t.Run("lets the user change the address although strangers request mails", func(t *testing.T) {
		s := webtest.NewLimitedSite(t, webtest.NewDatabase(t), webtest.NewCounters(), "")
		ada := s.SignUp("ada")
		ada.SetVerifiedEmail("ada@example.org")
		for range 6 {
			s.Anonymous().Post("/reset", "account", "ada").Want(200)
		}
		if n := len(s.Data.Mails()); n != 5 {
			t.Errorf("%d mails were sent, want 5", n)
		}
		ada.Post("/settings/email", "email", "new@example.org").WantRedirect(303, "/settings/email?asked=yes")
	})
	t.Run("sends no mail to an unverified address", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada := s.SignUp("ada")
		ada.Post("/settings/email", "email", "ada@example.org").Want(303)
		before := len(s.Data.Mails())
		s.Anonymous().Post("/reset", "account", "ada").Want(200)
		s.Anonymous().Post("/reset", "account", "ada@example.org").Want(200)
		if len(s.Data.Mails()) != before {
			t.Error("a mail was sent")
		}
	})
	t.Run("expires after an hour", func(t *testing.T) {
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
	t.Run("requires a link that was mailed for this purpose", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada := s.SignUp("ada")
		ada.Post("/settings/email", "email", "ada@example.org").Want(303)
		other := strings.Replace(s.MailTo("ada@example.org").Link(t), "verify-email", "reset", 1)
		s.Anonymous().Get(other).Want(404)
		s.Anonymous().Post(other, "password", webtest.NewPassword).Want(404)
		s.Anonymous().Get("/reset/x").Want(404)
	})
	t.Run("ignores the host of the request in the link", func(t *testing.T) {
		s := webtest.NewSite(t)
		s.SignUp("ada").VerifyEmail("ada@example.org")
		r := webtest.NewForm("/reset", "account", "ada")
		r.Host = "evil.example"
		if w := s.Serve(r); w.Code != 200 {
			t.Fatalf("status %d", w.Code)
		}
		if m := s.MailTo("ada@example.org"); strings.Contains(m.Text, "evil.example") ||
			!strings.Contains(m.Text, "\n/reset/") {
			t.Errorf("the mail is %s", m.Text)
		}
	})
	t.Run("reports a failure and accepts another attempt", func(t *testing.T) {
		s := webtest.NewSite(t)
		s.SignUp("ada").VerifyEmail("ada@example.org")
		s.Anonymous().Post("/reset", "account", "ada").Want(200)
		link := s.MailTo("ada@example.org").Link(t)
		s.Data.Fail("Secrets.Get")
		s.Anonymous().Get(link).Want(503)
		s.Data.Recover("Secrets.Get")
		s.Data.Fail("Credentials.Set")
		s.Anonymous().Post(link, "password", webtest.NewPassword).Want(503).Has("main form", "New password")
		s.Data.Recover("Credentials.Set")
		s.Anonymous().Post(link, "password", webtest.NewPassword).Want(200)
	})
	t.Run("logs no secret, address or password", func(t *testing.T) {
		s := webtest.NewSite(t)
		s.SignUp("ada").VerifyEmail("ada@example.org")
		s.Anonymous().Post("/reset", "account", "ada@example.org").Want(200)
		link := s.MailTo("ada@example.org").Link(t)
		s.Anonymous().Get(link).Want(200)
		s.Anonymous().Post(link, "password", webtest.NewPassword).Want(200)
		s.Anonymous().Post(link, "password", webtest.NewPassword).Want(404)
		for _, secret := range []string{
			strings.TrimPrefix(link, "/reset/"), "ada@", webtest.NewPassword, webtest.Password,
		} {
			if strings.Contains(s.Log.String(), secret) {
				t.Errorf("the log has %q", secret)
			}
		}
	})
}
