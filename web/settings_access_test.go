package web_test

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/domain"
)

// mailed is the last mail, which must be to that address.
func (s *site) mailed(to string) sentMail {
	s.t.Helper()
	if len(s.data.mail.mails) == 0 {
		s.t.Fatal("no mail was sent")
	}
	last := s.data.mail.mails[len(s.data.mail.mails)-1]
	if last.to != to {
		s.t.Fatalf("the last mail is to %s, want %s", last.to, to)
	}
	return last
}

var linkPattern = regexp.MustCompile(`(?m)^\S*(/(?:reset|verify-email)/\S+)$`)

// link is the path of the one link of a mail.
func (m sentMail) link(t testing.TB) string {
	t.Helper()
	found := linkPattern.FindStringSubmatch(m.text)
	if found == nil {
		t.Fatalf("there is no link in %q", m.text)
	}
	return found[1]
}

// verifies gives a visitor a verified address.
func (v *visitor) verifies(email string) {
	v.t.Helper()
	v.post("/settings/email", "email", email).wantRedirect(303, "/settings/email?asked=yes")
	v.post(v.mailed(email).link(v.t)).want(200)
}

func TestSessionsPage(t *testing.T) {
	s := newSite(t)
	ada := s.member("ada")
	phone := s.stranger()
	phone.header.Set("User-Agent", "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/18.0 Mobile/15E148 Safari/604.1")
	phone.post("/login", "username", "ada", "password", password).want(303)
	s.member("ben")
	t.Run("lists one's own, and says which this is", func(t *testing.T) {
		a := ada.get("/settings/sessions").want(200).has(".sessions em", "This device")
		if n := a.page().Find(".sessions li").Length(); n != 2 || !strings.Contains(a.body, "Safari on iOS") {
			t.Errorf("%d are listed:\n%s", n, a.body)
		}
	})
	t.Run("ends one, here at once", func(t *testing.T) {
		if !phone.signedIn() {
			t.Fatal("the phone is not signed in")
		}
		a := ada.get("/settings/sessions")
		id := a.page().Find(`.sessions li:not(:has(em)) [name="session"]`).AttrOr("value", "")
		ada.post("/settings/sessions/end", "session", id).wantRedirect(303, "/settings/sessions?ended=yes")
		ada.get("/settings/sessions?ended=yes").has(`[role="status"]`, "Logged out")
		if phone.signedIn() || !ada.signedIn() {
			t.Error("the wrong one has ended, or none")
		}
	})
	t.Run("ends all others", func(t *testing.T) {
		var others []*visitor
		for range 3 {
			v := s.stranger()
			v.post("/login", "username", "ada", "password", password).want(303)
			others = append(others, v)
		}
		ada.post("/settings/sessions/end-others").want(303)
		for _, v := range others {
			if v.signedIn() {
				t.Error("one goes on")
			}
		}
		if !ada.signedIn() {
			t.Error("this one has ended")
		}
	})
	t.Run("ends nobody else's", func(t *testing.T) {
		ben := s.stranger()
		ben.post("/login", "username", "ben", "password", password).want(303)
		for _, kept := range s.data.sessions() {
			if kept.UserID != ada.user.ID {
				ada.post("/settings/sessions/end", "session", kept.ID).want(303)
			}
		}
		ada.post("/settings/sessions/end", "session", "../ben").want(404)
		if !ben.signedIn() {
			t.Error("a stranger has ended it")
		}
	})
	t.Run("ending this one logs out", func(t *testing.T) {
		a := ada.get("/settings/sessions")
		id := a.page().Find(`.sessions li:has(em) [name="session"]`).AttrOr("value", "")
		ada.post("/settings/sessions/end", "session", id).wantRedirect(303, "/")
		if ada.signedIn() || ada.cookies["inkfeed"] != "" {
			t.Error("it goes on")
		}
	})
}

const newPassword = "battery staple horse"

func TestChangingThePassword(t *testing.T) {
	t.Run("needs the old one, ends all other sessions and makes links for another void", func(t *testing.T) {
		s := newSite(t)
		ada := s.member("ada")
		ada.verifies("ada@example.org")
		phone := s.stranger()
		phone.post("/login", "username", "ada", "password", password).want(303)
		s.stranger().post("/reset", "account", "ada").want(200)
		link := s.mailed("ada@example.org").link(t)
		ada.post("/settings/password", "current", password, "password", newPassword).wantRedirect(303, "/settings/sessions?password=yes")
		ada.get("/settings/sessions?password=yes").has(`[role="status"]`, "Password changed")
		if phone.signedIn() || !ada.signedIn() {
			t.Error("the phone is signed in, or this browser is not")
		}
		s.stranger().get(link).want(404)
		s.stranger().post(link, "password", "yet another one").want(404)
		s.stranger().post("/login", "username", "ada", "password", password).want(422)
		s.stranger().post("/login", "username", "ada", "password", newPassword).want(303)
		if m := s.mailed("ada@example.org"); !strings.Contains(m.text, "was changed") {
			t.Errorf("the mail says %s", m.text)
		}
	})
	t.Run("is refused with the field that is wrong", func(t *testing.T) {
		s := newSite(t)
		ada := s.member("ada")
		ada.post("/settings/password", "current", "not the password", "password", newPassword).want(422).complains("current", "Wrong password")
		ada.post("/settings/password", "current", "", "password", "short").want(422).complains("current", "Enter").complains("password", "at least")
		ada.post("/settings/password", "current", password, "password", "short").want(422).complains("password", "at least").hasNo("#current-error")
		s.data.before("Users.SetCredentials", func() { s.data.setCredentials(ada.user.ID, func(*domain.Credentials) {}) })
		ada.post("/settings/password", "current", password, "password", newPassword).want(409).has(`[role="alert"]`, "login settings were changed")
		s.stranger().post("/login", "username", "ada", "password", password).want(303)
	})
	t.Run("chooses the first one soon after a log-in only", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newSite(t)
			ada := s.member("ada")
			s.data.setCredentials(ada.user.ID, func(c *domain.Credentials) { c.PasswordHash = "" })
			ada.get("/settings/password").want(200).has("h1", "Choose a password").hasNo("#current")
			time.Sleep(16 * time.Minute)
			ada.get("/settings/password").wantRedirect(303, "/confirm?next=%2Fsettings%2Fpassword")
			ada.post("/settings/password", "password", newPassword).wantRedirect(303, "/confirm?next=%2Fsettings%2Fpassword")
			s.stranger().post("/login", "username", "ada", "password", newPassword).want(422)
			ada.post("/logout").want(303)
			s.data.setCredentials(ada.user.ID, func(c *domain.Credentials) { c.PasswordHash = "" })
		})
	})
}

func TestEmailAddress(t *testing.T) {
	t.Run("counts once the button behind its link is pressed", func(t *testing.T) {
		s := newSite(t)
		ada := s.member("ada")
		ada.get("/settings/email").want(200).has("main", "You haven't added an email address")
		ada.post("/settings/email", "email", " Ada@Example.org ").wantRedirect(303, "/settings/email?asked=yes")
		ada.get("/settings/email?asked=yes").has(`[role="status"]`, "sending you an email").has("#awaited-title + p", "We sent a link to Ada@example.org")
		link := s.mailed("Ada@example.org").link(t)
		for range 3 { // what looks at mails follows links
			ada.get(link).want(200).has("main form", "Ada@example.org")
		}
		if s.data.credentials(ada.user.ID).EmailVerified {
			t.Fatal("looking has verified it")
		}
		ada.post(link).want(200).has(`[role="status"]`, "is now the email address of your account")
		ada.get("/settings/email").has("main", "Verified: Ada@example.org")
		ada.post(link).want(404).has("main", "has expired")
	})
	t.Run("is verified by whoever gave it alone", func(t *testing.T) {
		s := newSite(t)
		ada, ben := s.member("ada"), s.member("ben")
		ada.post("/settings/email", "email", "ben@example.org").want(303) // a slip
		link := s.mailed("ben@example.org").link(t)
		ben.get(link).want(403)
		ben.post(link).want(403)
		s.stranger().post(link).wantRedirect(303, "/login?next="+strings.ReplaceAll(link, "/", "%2F"))
		if s.data.credentials(ada.user.ID).EmailVerified || s.data.credentials(ben.user.ID).Email != "" {
			t.Error("it is verified")
		}
	})
	t.Run("of another account is refused, once that has proved to have it", func(t *testing.T) {
		s := newSite(t)
		ada, ben := s.member("ada"), s.member("ben")
		ada.verifies("ada@example.org")
		ben.post("/settings/email", "email", "ADA@example.org").wantRedirect(303, "/settings/email?asked=yes") // tells nobody
		ben.post(s.mailed("ADA@example.org").link(t)).want(422).has(`[role="alert"]`, "Another account uses this address")
	})
	t.Run("changed stays as it was until the new one is verified; the old one is told", func(t *testing.T) {
		s := newSite(t)
		ada := s.member("ada")
		ada.verifies("old@example.org")
		ada.post("/settings/email", "email", "new@example.org").want(303)
		ada.get("/settings/email").has("main", "Verified: old@example.org").has("#awaited-title + p", "Until then, we keep using old@example.org").has(`#email[value="new@example.org"]`, "")
		s.stranger().post("/reset", "account", "ada").want(200)
		s.mailed("old@example.org") // it stays in use
		s.stranger().post("/reset", "account", "new@example.org").want(200)
		if len(s.data.mail.mails) != 3 {
			t.Errorf("%d mails were sent", len(s.data.mail.mails))
		}
		s.data.mail.mails = s.data.mail.mails[:2]
		ada.post(s.mailed("new@example.org").link(t)).want(200)
		ada.get("/settings/email").has("main", "Verified: new@example.org")
		s.mailed("old@example.org")
		ada.post("/settings/email/remove").wantRedirect(303, "/settings/email?removed=yes")
		ada.get("/settings/email").has("main", "You haven't added an email address")
		s.mailed("new@example.org")
	})
	t.Run("that is new can be sent another link, or be forgotten", func(t *testing.T) {
		s := newSite(t)
		ada := s.member("ada")
		ada.verifies("old@example.org")
		ada.post("/settings/email", "email", "new@example.org").want(303)
		first := s.mailed("new@example.org").link(t)
		again := ada.get("/settings/email").page().Find(`form:has([type="hidden"][name="email"])`)
		if again.AttrOr("action", "") != "/settings/email" {
			t.Fatal("there is no way to another link")
		}
		ada.post("/settings/email", "email", again.Find("input").AttrOr("value", "")).wantRedirect(303, "/settings/email?asked=yes")
		second := s.mailed("new@example.org").link(t)
		if first == second {
			t.Error("no other link was sent")
		}
		ada.get("/settings/email").has(`form[action="/settings/email/cancel"] button`, "Cancel this change")
		ada.post("/settings/email/cancel").wantRedirect(303, "/settings/email?cancelled=yes")
		ada.get("/settings/email?cancelled=yes").has(`[role="status"]`, "Change cancelled").has("main", "Verified: old@example.org").hasNo("#awaited-title")
		for _, link := range []string{first, second} {
			ada.get(link).want(404)
			ada.post(link).want(404)
		}
		if c := s.data.credentials(ada.user.ID); c.Email != "old@example.org" || !c.EmailVerified {
			t.Errorf("the credentials are %+v", c)
		}
		ada.post("/settings/email/cancel").want(303) // the second half of a double click

		ada.post("/settings/email", "email", "new@example.org").want(303)
		former := s.mailed("new@example.org").link(t)
		ada.post("/settings/email", "email", "newer@example.org").want(303)
		ada.post(former).want(404) // another was given since
		ada.post(s.mailed("newer@example.org").link(t)).want(200)
		ada.get("/settings/email").has("main", "Verified: newer@example.org").hasNo("#awaited-title")
	})
	t.Run("that is the first can be forgotten, too", func(t *testing.T) {
		s := newSite(t)
		ada := s.member("ada")
		ada.post("/settings/email", "email", "ada@example.org").want(303)
		link := s.mailed("ada@example.org").link(t)
		ada.get("/settings/email").hasNo(`form[action="/settings/email/remove"]`)
		ada.post("/settings/email/cancel").want(303)
		ada.get("/settings/email").has("main", "You haven't added an email address")
		ada.post(link).want(404)
	})
	t.Run("is sent no mail before it is noted", func(t *testing.T) {
		s := newSite(t)
		ada := s.member("ada")
		ada.verifies("old@example.org")
		s.data.fail("Users.SetCredentials")
		before := len(s.data.mail.mails)
		ada.post("/settings/email", "email", "new@example.org").want(503)
		s.data.recover("Users.SetCredentials")
		if len(s.data.mail.mails) != before {
			t.Error("a mail was sent about an address that is not noted")
		}
		ada.get("/settings/email").hasNo("#awaited-title")
	})
	t.Run("that is none comes back", func(t *testing.T) {
		a := newSite(t).member("ada").post("/settings/email", "email", "ada at home").want(422).complains("email", "Enter an email address")
		if a.Value("email") != "ada at home" {
			t.Error("what was typed is lost")
		}
	})
	t.Run("is asked for with proof of who one is", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newSite(t)
			ada := s.member("ada")
			time.Sleep(16 * time.Minute)
			for _, a := range []*answer{ada.get("/settings/email"), ada.post("/settings/email", "email", "x@example.org"), ada.post("/settings/email/remove")} {
				a.wantRedirect(303, "/confirm?next=%2Fsettings%2Femail")
			}
			ada.htmx().post("/settings/email", "email", "x@example.org").want(403)
		})
	})
	t.Run("comes with the sign-up, if one likes", func(t *testing.T) {
		s := newSite(t)
		v := s.stranger()
		v.post("/signup", "username", "ada", "password", password, "email", "nonsense").want(422).complains("email", "Enter an email address")
		v.post("/signup", "username", "ada", "password", password, "email", "ada@example.org").wantRedirect(303, "/settings/email?asked=yes")
		v.post(s.mailed("ada@example.org").link(t)).want(200)
	})
	t.Run("is never said to be written to where mail is not set up", func(t *testing.T) {
		s := newSite(t)
		s.data.mail.away = true
		v := s.member("ada")
		v.post("/settings/email", "email", "ada@example.org").want(303)
		v.get("/settings/email?asked=yes").has(`[role="note"]`, "can't send email yet").hasNo(`[role="status"]`)
		a := v.post("/reset", "account", "ada").want(200).has(`[role="note"]`, "can't send email yet")
		if strings.Contains(a.body, "sending") {
			t.Error("it says that a mail was sent")
		}
	})
}

func TestResettingAPassword(t *testing.T) {
	t.Run("by name or address, once, ends all sessions", func(t *testing.T) {
		for _, account := range []string{"ada", " @Ada ", "ADA@example.org"} {
			s := newSite(t)
			ada := s.member("ada")
			ada.verifies("ada@example.org")
			v := s.stranger()
			v.get("/login").has(`a[href="/reset"]`, "Forgot")
			v.post("/reset", "account", account).want(200).has(`[role="status"]`, "we're sending it a link")
			link := s.mailed("ada@example.org").link(t)
			a := v.get(link).want(200)
			if got := a.Header.Get("Referrer-Policy"); got != "same-origin" || !strings.Contains(a.Header.Get("Cache-Control"), "no-store") {
				t.Errorf("the address may leak: %q", got)
			}
			v.post(link, "password", "short").want(422).complains("password", "at least") // and is still good
			v.post(link, "password", newPassword).want(200).has("h1", "Password changed")
			if ada.signedIn() || v.signedIn() {
				t.Error("somebody is signed in")
			}
			v.post(link, "password", "yet another one").want(404).has("main", "has expired")
			v.post("/login", "username", "ada", "password", password).want(422)
			v.post("/login", "username", "ada", "password", newPassword).want(303)
		}
	})
	t.Run("answers the same whoever is asked for, before anything is looked for", func(t *testing.T) {
		s := newSite(t)
		ada := s.member("ada")
		ada.verifies("ada@example.org")
		s.member("ben") // without an address
		s.data.mail.hold = true
		sent, looked := len(s.data.mail.mails), s.data.calls("Users.AccountByName", "Users.AccountByEmail")
		var said []string
		for _, account := range []string{"ada", "ben", "nobody", "ada@example.org", "nobody@example.org", "a b", strings.Repeat("x", 500)} {
			said = append(said, s.stranger().post("/reset", "account", account).want(200).body)
		}
		for _, one := range said[1:] {
			if one != said[0] {
				t.Error("the answers differ")
			}
		}
		if s.data.calls("Users.AccountByName", "Users.AccountByEmail") != looked {
			t.Error("the store was asked before the answer")
		}
		for _, do := range s.data.mail.later {
			do(context.Background())
		}
		if got := len(s.data.mail.mails) - sent; got != 2 {
			t.Errorf("%d mails were sent", got)
		}
	})
	t.Run("not to an address that nobody has verified", func(t *testing.T) {
		s := newSite(t)
		ada := s.member("ada")
		ada.post("/settings/email", "email", "ada@example.org").want(303)
		before := len(s.data.mail.mails)
		s.stranger().post("/reset", "account", "ada").want(200)
		s.stranger().post("/reset", "account", "ada@example.org").want(200)
		if len(s.data.mail.mails) != before {
			t.Error("a mail was sent")
		}
	})
	t.Run("within an hour", func(t *testing.T) {
		synctest.Test(t, func(t *testing.T) {
			s := newSite(t)
			s.member("ada").verifies("ada@example.org")
			s.stranger().post("/reset", "account", "ada").want(200)
			link := s.mailed("ada@example.org").link(t)
			time.Sleep(59 * time.Minute)
			s.stranger().get(link).want(200)
			time.Sleep(time.Minute)
			s.stranger().get(link).want(404)
			s.stranger().post(link, "password", newPassword).want(404)
		})
	})
	t.Run("by a link for nothing else", func(t *testing.T) {
		s := newSite(t)
		ada := s.member("ada")
		ada.post("/settings/email", "email", "ada@example.org").want(303)
		other := strings.Replace(s.mailed("ada@example.org").link(t), "verify-email", "reset", 1)
		s.stranger().get(other).want(404)
		s.stranger().post(other, "password", newPassword).want(404)
		s.stranger().get("/reset/x").want(404)
	})
	t.Run("leads nowhere that a request names", func(t *testing.T) {
		s := newSite(t)
		s.member("ada").verifies("ada@example.org")
		r := newForm("/reset", "account", "ada")
		r.Host = "evil.example"
		if w := s.serve(r); w.Code != 200 {
			t.Fatalf("status %d", w.Code)
		}
		if m := s.mailed("ada@example.org"); strings.Contains(m.text, "evil.example") || !strings.Contains(m.text, "\n/reset/") {
			t.Errorf("the mail says %s", m.text)
		}
	})
	t.Run("says so when it cannot be done now", func(t *testing.T) {
		s := newSite(t)
		s.member("ada").verifies("ada@example.org")
		s.stranger().post("/reset", "account", "ada").want(200)
		link := s.mailed("ada@example.org").link(t)
		s.data.fail("Secrets.Get")
		s.stranger().get(link).want(503)
		s.data.recover("Secrets.Get")
		s.data.fail("Users.SetCredentials")
		s.stranger().post(link, "password", newPassword).want(503).has("main form", "New password")
		s.data.recover("Users.SetCredentials")
		s.stranger().post(link, "password", newPassword).want(200)
	})
	t.Run("leaves no secret, address or password in the log", func(t *testing.T) {
		s := newSite(t)
		s.member("ada").verifies("ada@example.org")
		s.stranger().post("/reset", "account", "ada@example.org").want(200)
		link := s.mailed("ada@example.org").link(t)
		s.stranger().get(link).want(200)
		s.stranger().post(link, "password", newPassword).want(200)
		s.stranger().post(link, "password", newPassword).want(404)
		for _, secret := range []string{strings.TrimPrefix(link, "/reset/"), "ada@", newPassword, password} {
			if strings.Contains(s.log.String(), secret) {
				t.Errorf("the log has %q", secret)
			}
		}
	})
}
