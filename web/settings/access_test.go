package settings_test

import (
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

func TestActiveSessions(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	phone := s.Anonymous()
	phone.Header.Set("User-Agent", "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) "+
		"AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1")
	phone.Post("/login", "username", "ada", "password", webtest.Password).Want(303)
	s.SignUp("ben")
	t.Run("lists the user's sessions and marks the current one", func(t *testing.T) {
		a := ada.Get("/settings/sessions").Want(200).Has(".sessions em", "This device")
		if n := a.Page().Find(".sessions li").Length(); n != 2 || !strings.Contains(a.Body, "Safari on iOS") {
			t.Errorf("%d sessions are listed:\n%s", n, a.Body)
		}
	})
	t.Run("ends one session at once", func(t *testing.T) {
		if !phone.IsSignedIn() {
			t.Fatal("the phone is not signed in")
		}
		a := ada.Get("/settings/sessions")
		id := a.Page().Find(`.sessions li:not(:has(em)) [name="session"]`).AttrOr("value", "")
		ada.Post("/settings/sessions/end", "session", id).WantRedirect(303, "/settings/sessions?ended=yes")
		ada.Get("/settings/sessions?ended=yes").Has(`[role="status"]`, "Logged out")
		if phone.IsSignedIn() || !ada.IsSignedIn() {
			t.Error("the wrong session has ended, or none")
		}
	})
	t.Run("ends all other sessions", func(t *testing.T) {
		var others []*webtest.Visitor
		for range 3 {
			v := s.Anonymous()
			v.Post("/login", "username", "ada", "password", webtest.Password).Want(303)
			others = append(others, v)
		}
		for _, wrong := range []string{"", "wrong " + webtest.Password} {
			ada.Post("/settings/sessions/end-others", "password", wrong).Want(422).
				HasFieldError("password", "password.")
		}
		for _, v := range others {
			if !v.IsSignedIn() {
				t.Fatal("a session has ended without the password")
			}
		}
		ada.Post("/settings/sessions/end-others", "password", webtest.Password).Want(303)
		for _, v := range others {
			if v.IsSignedIn() {
				t.Error("another session is still active")
			}
		}
		if !ada.IsSignedIn() {
			t.Error("the current session has ended")
		}
	})
	t.Run("ends no session of another user", func(t *testing.T) {
		ben := s.Anonymous()
		ben.Post("/login", "username", "ben", "password", webtest.Password).Want(303)
		for _, session := range s.Data.Sessions() {
			if session.UserID != ada.User.ID {
				ada.Post("/settings/sessions/end", "session", session.ID).Want(303)
			}
		}
		ada.Post("/settings/sessions/end", "session", "../ben").Want(404)
		if !ben.IsSignedIn() {
			t.Error("the session of another user has ended")
		}
	})
	t.Run("logs out when the current session is ended", func(t *testing.T) {
		a := ada.Get("/settings/sessions")
		id := a.Page().Find(`.sessions li:has(em) [name="session"]`).AttrOr("value", "")
		ada.Post("/settings/sessions/end", "session", id).WantRedirect(303, "/")
		if ada.IsSignedIn() || ada.Cookies["inkfeed"] != "" {
			t.Error("the current session is still active")
		}
	})
}

// A thief who has copied the cookie of a session some time ago must not end those of its owner.
func TestEndingAnotherSessionIsConfirmed(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := webtest.NewSite(t)
		ada := s.SignUp("ada")
		id := s.Data.Sessions()[0].ID
		time.Sleep(time.Second)
		thief := s.Anonymous()
		thief.Post("/login", "username", "ada", "password", webtest.Password).Want(303)
		time.Sleep(20 * time.Minute)
		thief.Post("/settings/sessions/end", "session", id).Want(403).Has("h1", "Confirm")
		if !ada.IsSignedIn() {
			t.Error("the session has ended")
		}
		thief.Post("/settings/sessions/end", "session", id, "confirm-user", ada.User.ID, "confirm-password",
			webtest.Password).WantRedirect(303, "/settings/sessions?ended=yes")
		if ada.IsSignedIn() {
			t.Error("the session has not ended")
		}
	})
}

func TestChangingThePassword(t *testing.T) {
	t.Run("requires the old password, ends all other sessions and invalidates reset links", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada := s.SignUp("ada")
		ada.VerifyEmail("ada@example.org")
		phone := s.Anonymous()
		phone.Post("/login", "username", "ada", "password", webtest.Password).Want(303)
		s.Anonymous().Post("/reset", "account", "ada").Want(200)
		link := s.MailTo("ada@example.org").Link(t)
		ada.Post("/settings/password", "current", webtest.Password, "password", webtest.NewPassword).
			WantRedirect(303, "/settings/sessions?password=yes")
		ada.Get("/settings/sessions?password=yes").Has(`[role="status"]`, "Password changed")
		if phone.IsSignedIn() || !ada.IsSignedIn() {
			t.Error("the phone is still signed in, or this browser is not")
		}
		s.Anonymous().Get(link).Want(404)
		s.Anonymous().Post(link, "password", "yet another one").Want(404)
		s.Anonymous().Post("/login", "username", "ada", "password", webtest.Password).Want(422)
		s.Anonymous().Post("/login", "username", "ada", "password", webtest.NewPassword).Want(303)
		if m := s.MailTo("ada@example.org"); !strings.Contains(m.Text, "was changed") {
			t.Errorf("the mail is %s", m.Text)
		}
	})
	t.Run("shows errors beside the wrong field", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada := s.SignUp("ada")
		ada.Post("/settings/password", "current", "not the password", "password", webtest.NewPassword).Want(422).
			HasFieldError("current", "Wrong password")
		ada.Post("/settings/password", "current", "", "password", "short").Want(422).HasFieldError("current", "Enter").
			HasFieldError("password", "at least")
		ada.Post("/settings/password", "current", webtest.Password, "password", "short").Want(422).
			HasFieldError("password", "at least").HasNo("#current-error")
		s.Data.Before("Credentials.Set",
			func() { s.Data.SetCredentials(ada.User.ID, func(*domain.Credentials) {}) })
		ada.Post("/settings/password", "current", webtest.Password, "password", webtest.NewPassword).Want(409).
			Has(`[role="alert"]`, "login settings were changed")
		s.Anonymous().Post("/login", "username", "ada", "password", webtest.Password).Want(303)
	})
	t.Run("allows a first password only soon after a log-in", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := webtest.NewSite(t)
			ada := s.SignUp("ada")
			s.Data.SetCredentials(ada.User.ID, func(c *domain.Credentials) { c.PasswordHash = "" })
			ada.Get("/settings/password").Want(200).Has("h1", "Choose a password").HasNo("#current")
			time.Sleep(16 * time.Minute)
			ada.Get("/settings/password").WantRedirect(303, "/confirm?next=%2Fsettings%2Fpassword")
			ada.Post("/settings/password", "password", webtest.NewPassword).
				WantRedirect(303, "/confirm?next=%2Fsettings%2Fpassword")
			s.Anonymous().Post("/login", "username", "ada", "password", webtest.NewPassword).Want(422)
			ada.Post("/logout").Want(303)
			s.Data.SetCredentials(ada.User.ID, func(c *domain.Credentials) { c.PasswordHash = "" })
		})
	})
}

func TestANewEmailAddressCountsOnlyWhenVerified(t *testing.T) {
	t.Run("sends at most twelve mails an hour to one address for all accounts of a network", func(t *testing.T) {
		s := webtest.NewLimitedSite(t, webtest.NewDatabase(t), webtest.NewCounters(), "")
		ask := func(v *webtest.Visitor, times int) (last *webtest.Response) {
			for i := range times {
				last = v.Post("/settings/email", "email", []string{"eve@example.org", "Eve@example.org"}[i%2])
			}
			return last
		}
		ask(s.SignUp("ada"), 6).Want(429)
		ask(s.SignUp("ben"), 1).Want(303) // one account cannot use up the limit of an address
		ask(s.SignUp("cyd"), 5).Want(303)
		ask(s.SignUp("dan"), 1).Want(303)
		eve := s.SignUp("eve")
		ask(eve, 6).Want(429).Has("main", "several emails to this address")
		if n := len(s.Data.Mails()); n != 12 {
			t.Errorf("%d mails were sent, want 12", n)
		}
		// The owner of the address is in another network, and the refused requests do not count against her account.
		ask(eve.From("198.51.100.7"), 5).Want(303)
	})
	t.Run("verifies the address when the button behind its link is pressed", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada := s.SignUp("ada")
		ada.Get("/settings/email").Want(200).Has("main", "You haven't added an email address")
		ada.Post("/settings/email", "email", " Ada@Example.org ").WantRedirect(303, "/settings/email?asked=yes")
		ada.Get("/settings/email?asked=yes").Has(`[role="status"]`, "sending you an email").
			Has("#awaited-title + p", "We sent a link to Ada@example.org")
		link := s.MailTo("Ada@example.org").Link(t)
		for range 3 { // mail scanners follow links
			ada.Get(link).Want(200).Has("main form", "Ada@example.org")
		}
		if s.Data.Credentials(ada.User.ID).EmailVerified {
			t.Fatal("opening the link verified the address")
		}
		ada.Post(link).Want(200).Has(`[role="status"]`, "is now the email address of your account")
		ada.Get("/settings/email").Has("main", "Verified: Ada@example.org")
		for range 2 { // a double click
			ada.Post(link).Want(200).Has(`[role="status"]`, "is now the email address of your account")
		}
		ada.Get(link).Want(200).HasNo("main form")
		ada.Post("/settings/email/remove").Want(303)
		ada.Post(link).Want(404).Has("main", "has expired")
	})
	t.Run("accepts the link only from the user who requested it", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada, ben := s.SignUp("ada"), s.SignUp("ben")
		ada.Post("/settings/email", "email", "ben@example.org").Want(303) // a typing mistake
		link := s.MailTo("ben@example.org").Link(t)
		ben.Get(link).Want(403)
		ben.Post(link).Want(403)
		s.Anonymous().Post(link).WantRedirect(303, "/login?next="+strings.ReplaceAll(link, "/", "%2F"))
		if s.Data.Credentials(ada.User.ID).EmailVerified || s.Data.Credentials(ben.User.ID).Email != "" {
			t.Error("the address was verified")
		}
	})
	t.Run("refuses an address that another account has verified", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada, ben := s.SignUp("ada"), s.SignUp("ben")
		ada.VerifyEmail("ada@example.org")
		// the response does not reveal that the address is in use
		ben.Post("/settings/email", "email", "ADA@example.org").WantRedirect(303, "/settings/email?asked=yes")
		ben.Post(s.MailTo("ADA@example.org").Link(t)).Want(422).
			Has(`[role="alert"]`, "Another account uses this address")
	})
	t.Run("keeps the old address until the new one is verified, and notifies it", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada := s.SignUp("ada")
		ada.VerifyEmail("old@example.org")
		ada.Post("/settings/email", "email", "new@example.org").Want(303)
		ada.Get("/settings/email").Has("main", "Verified: old@example.org").
			Has("#awaited-title + p", "Until then, we keep using old@example.org").
			Has(`#email[value="new@example.org"]`, "")
		s.Anonymous().Post("/reset", "account", "ada").Want(200)
		s.MailTo("old@example.org") // still in use
		s.Anonymous().Post("/reset", "account", "new@example.org").Want(200)
		mails := s.Data.Mails()
		if len(mails) != 3 {
			t.Errorf("%d mails were sent", len(mails))
		}
		ada.Post(mails[1].Link(t)).Want(200)
		ada.Get("/settings/email").Has("main", "Verified: new@example.org")
		s.MailTo("old@example.org")
		ada.Post("/settings/email/remove").WantRedirect(303, "/settings/email?removed=yes")
		ada.Get("/settings/email").Has("main", "You haven't added an email address")
		s.MailTo("new@example.org")
	})
	t.Run("sends another link for a new address and cancels the change", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada := s.SignUp("ada")
		ada.VerifyEmail("old@example.org")
		ada.Post("/settings/email", "email", "new@example.org").Want(303)
		first := s.MailTo("new@example.org").Link(t)
		again := ada.Get("/settings/email").Page().Find(`form:has([type="hidden"][name="email"])`)
		if again.AttrOr("action", "") != "/settings/email" {
			t.Fatal("no form sends another link")
		}
		ada.Post("/settings/email", "email", again.Find("input").AttrOr("value", "")).
			WantRedirect(303, "/settings/email?asked=yes")
		second := s.MailTo("new@example.org").Link(t)
		if first == second {
			t.Error("the second link is the first one")
		}
		ada.Get("/settings/email").Has(`form[action="/settings/email/cancel"] button`, "Cancel this change")
		ada.Post("/settings/email/cancel").WantRedirect(303, "/settings/email?cancelled=yes")
		ada.Get("/settings/email?cancelled=yes").Has(`[role="status"]`, "Change cancelled").
			Has("main", "Verified: old@example.org").HasNo("#awaited-title")
		for _, link := range []string{first, second} {
			ada.Get(link).Want(404)
			ada.Post(link).Want(404)
		}
		if c := s.Data.Credentials(ada.User.ID); c.Email != "old@example.org" || !c.EmailVerified {
			t.Errorf("the credentials are %+v", c)
		}
		ada.Post("/settings/email/cancel").Want(303) // a double click

		ada.Post("/settings/email", "email", "new@example.org").Want(303)
		former := s.MailTo("new@example.org").Link(t)
		ada.Post("/settings/email", "email", "newer@example.org").Want(303)
		ada.Post(former).Want(404) // another address was entered since
		ada.Post(s.MailTo("newer@example.org").Link(t)).Want(200)
		ada.Get("/settings/email").Has("main", "Verified: newer@example.org").HasNo("#awaited-title")
	})
	t.Run("cancels the verification of a first address", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada := s.SignUp("ada")
		ada.Post("/settings/email", "email", "ada@example.org").Want(303)
		link := s.MailTo("ada@example.org").Link(t)
		ada.Get("/settings/email").HasNo(`form[action="/settings/email/remove"]`)
		ada.Post("/settings/email/cancel").Want(303)
		ada.Get("/settings/email").Has("main", "You haven't added an email address")
		ada.Post(link).Want(404)
	})
	t.Run("sends no mail before the address is stored", func(t *testing.T) {
		s := webtest.NewSite(t)
		ada := s.SignUp("ada")
		ada.VerifyEmail("old@example.org")
		s.Data.Fail("Credentials.Set")
		before := len(s.Data.Mails())
		ada.Post("/settings/email", "email", "new@example.org").Want(503)
		s.Data.Recover("Credentials.Set")
		if len(s.Data.Mails()) != before {
			t.Error("a mail was sent to an address that was not stored")
		}
		ada.Get("/settings/email").HasNo("#awaited-title")
	})
	t.Run("shows an invalid address again", func(t *testing.T) {
		a := webtest.NewSite(t).SignUp("ada").Post("/settings/email", "email", "ada at home").Want(422).
			HasFieldError("email", "Enter an email address")
		if a.Value("email") != "ada at home" {
			t.Error("the typed address is lost")
		}
	})
	t.Run("requires a recent confirmation of the user's identity", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := webtest.NewSite(t)
			ada := s.SignUp("ada")
			time.Sleep(16 * time.Minute)
			ada.Get("/settings/email").WantRedirect(303, "/confirm?next=%2Fsettings%2Femail")
			ada.Post("/settings/email", "email", "x@example.org").Want(403).Has("h1", "Confirm it's you")
			ada.Post("/settings/email/remove").Want(403).Has("h1", "Confirm it's you")
			ada.HTMX().Post("/settings/email", "email", "x@example.org").Want(403)
		})
	})
	t.Run("accepts an optional address at sign-up", func(t *testing.T) {
		s := webtest.NewSite(t)
		v := s.Anonymous()
		v.Post("/signup", "username", "ada", "password", webtest.Password, "email", "nonsense").Want(422).
			HasFieldError("email", "Enter an email address")
		v.Post("/signup", "username", "ada", "password", webtest.Password, "email", "ada@example.org").
			WantRedirect(303, "/welcome?asked=yes")
		v.Post(s.MailTo("ada@example.org").Link(t)).Want(200)
	})
	t.Run("says that mail is not configured instead of claiming to send it", func(t *testing.T) {
		s := webtest.NewSite(t)
		s.Data.Mail.Away = true
		v := s.SignUp("ada")
		v.Post("/settings/email", "email", "ada@example.org").Want(303)
		v.Get("/settings/email?asked=yes").Has(`[role="note"]`, "can't send email yet. Ask its administrator").
			HasNo(`[role="status"]`)
		s.SignUpAs("quinn", domain.RoleAdministrator).Get("/settings/email").
			Has(`[role="note"]`, "can't send email yet, so no link arrives. Set INKFEED_SMTP_URL")
		a := v.Post("/reset", "account", "ada").Want(200).Has(`[role="note"]`, "can't send email yet")
		if strings.Contains(a.Body, "sending") {
			t.Error("the page says that a mail was sent")
		}
	})
}
