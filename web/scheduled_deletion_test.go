package web_test

import (
	"bytes"
	"log/slog"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/domain"
	"inkfeed/web/settings"
)

const grace = 14 * 24 * time.Hour

// patient is a site where an account that is to be deleted stays for a while.
func patient(t *testing.T) *site {
	t.Helper()
	data, log := newDatabase(t), &bytes.Buffer{}
	c := config(data, log, keyOne)
	c.DeletionGrace = grace
	s := &site{t: t, data: data, log: log}
	s.restart(c)
	return s
}

// verified gives a member a verified address.
func (v *visitor) verified(email string) {
	v.data.setCredentials(v.user.ID, func(c *domain.Credentials) { c.Email, c.EmailVerified = email, true })
}

const keepButton = `form[action="/settings/delete/cancel"] button`

func TestScheduledDeletion(t *testing.T) {
	// in gives each its own clock.
	in := func(t *testing.T, name string, do func(t *testing.T, s *site, ada *visitor)) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := patient(t)
				do(t, s, s.member("ada"))
			})
		})
	}
	leave := func(ada *visitor) {
		ada.t.Helper()
		ada.post("/settings/delete", "password", password).wantRedirect(303, "/settings/delete?asked=yes")
	}
	in(t, "offers the export before it asks, and says what goes and when", func(t *testing.T, s *site, ada *visitor) {
		a := ada.get("/settings/delete").want(200).has(`main a[href="/settings/export"][download]`, "Download your content")
		for _, what := range []string{"@ada", "all your posts", "comments and likes", "drafts, pictures and bookmarks", "in 14 days", "you can cancel", "old usernames", "cannot be undone"} {
			a.has("main form", what)
		}
		a.has("main form button.danger", "Delete my account in 14 days").hasNo(".deletion-notice")
		page := a.page()
		if page.Find("main #export-title, main form").First().Is("form") {
			t.Error("the export comes after the question")
		}
	})
	in(t, "an account stays as it is until then, and says so on every page", func(t *testing.T, s *site, ada *visitor) {
		p := ada.aPost("A title", "text")
		phone := s.stranger()
		phone.post("/login", "username", "ada", "password", password).want(303)
		leave(ada)
		want := time.Now().Add(grace)
		if got := s.data.user(ada.user.ID).ScheduledDeletion; !got.Equal(want) || s.data.calls("Users.Delete") != 0 {
			t.Errorf("leaves at %s, want %s", got, want)
		}
		for _, v := range []*visitor{ada, phone} {
			for _, path := range []string{"/", p.Path(), "/settings", "/new", "/@ada", "/drafts", "/nothing"} {
				v.get(path).has("aside.deletion-notice", "will be deleted").has("aside.deletion-notice time", want.UTC().Format("2 January 2006, 15:04 UTC")).
					has("aside.deletion-notice "+keepButton, "Keep my account")
			}
		}
		ada.aPost("Another", "text")
		s.stranger().get(p.Path()).want(200).hasNo(".deletion-notice")
		s.member("ben").get("/").hasNo(".deletion-notice")
		s.stranger().post("/login", "username", "ada", "password", password).wantRedirect(303, "/")
	})
	in(t, "its page says when, what goes, and how to keep it", func(t *testing.T, s *site, ada *visitor) {
		leave(ada)
		for path, noted := range map[string]bool{"/settings/delete?asked=yes": true, "/settings/delete": false} {
			a := ada.get(path).want(200).has("h1", "will be deleted").has("main time", time.Now().Add(grace).UTC().Format("2 January 2006")).
				has("main", "all your posts").has(`main a[href="/settings/export"]`, "").has("main "+keepButton, "Keep my account").hasNo("aside.deletion-notice")
			if said := a.page().Find(`[role="status"]`).Length() == 1; said != noted {
				t.Errorf("%s: it says that it was noted: %t", path, said)
			}
		}
		ada.get("/settings").has("main", "will be deleted on").hasNo("main a.danger")
	})
	in(t, "asked for twice keeps the first time, and sends one mail", func(t *testing.T, s *site, ada *visitor) {
		ada.verified("ada@example.org")
		leave(ada)
		first := s.data.user(ada.user.ID).ScheduledDeletion
		time.Sleep(time.Hour)
		ada.post("/settings/delete", "password", password).wantRedirect(303, "/settings/delete")
		if got := s.data.user(ada.user.ID).ScheduledDeletion; !got.Equal(first) || len(s.data.mail.mails) != 1 {
			t.Errorf("leaves at %s, not %s; %d mails", got, first, len(s.data.mail.mails))
		}
	})
	in(t, "is taken back by a button", func(t *testing.T, s *site, ada *visitor) {
		leave(ada)
		ada.post("/settings/delete/cancel").wantRedirect(303, "/settings?kept=yes")
		ada.get("/settings?kept=yes").want(200).has(`[role="status"]`, "Deletion cancelled").has("main a.danger", "Delete your account").hasNo(".deletion-notice")
		ada.get("/settings/delete").has("h1", "Delete your account?")
		ada.post("/settings/delete/cancel").wantRedirect(303, "/settings") // the second half of a double click
	})
	in(t, "taken back too late says goodbye", func(t *testing.T, s *site, ada *visitor) {
		leave(ada)
		elsewhere := *ada
		elsewhere.cookies = map[string]string{"inkfeed": ada.cookies["inkfeed"]}
		s.data.before("Users.CancelDeletion", func() { s.data.must(s.data.store.Users.Delete(s.data.ctx(), ada.user.ID)) })
		ada.post("/settings/delete/cancel").wantRedirect(303, "/goodbye")
		ada.get("/goodbye").want(200).has(`[role="status"]`, "Your account is deleted")
		elsewhere.post("/settings/delete/cancel").wantRedirect(303, "/goodbye")
	})
	in(t, "needs the password, or a passkey that was just used", func(t *testing.T, s *site, ada *visitor) {
		ada.post("/settings/delete", "password", "wrong password").want(422).complains("password", "Wrong password")
		ada.post("/settings/delete").want(422).complains("password", "Enter your password")
		s.data.setCredentials(ada.user.ID, func(c *domain.Credentials) { c.PasswordHash = "" })
		time.Sleep(time.Hour)
		ada.post("/settings/delete").wantRedirect(303, "/confirm?next=%2Fsettings%2Fdelete")
		if s.data.calls("Users.ScheduleDeletion") != 0 {
			t.Error("it was noted")
		}
		ada.get("/").hasNo(".deletion-notice")
	})
	in(t, "a failure says so, and another try is possible", func(t *testing.T, s *site, ada *visitor) {
		for _, method := range []string{"Users.ScheduleDeletion", "Users.PasswordHash"} {
			s.data.fail(method)
			ada.post("/settings/delete", "password", password).want(503).has("h1", "Temporarily unavailable")
			s.data.recover(method)
		}
		leave(ada)
		s.data.fail("Users.CancelDeletion")
		ada.post("/settings/delete/cancel").want(503)
		s.data.recover("Users.CancelDeletion")
		ada.post("/settings/delete/cancel").wantRedirect(303, "/settings?kept=yes")
	})
	in(t, "the last administrator is told on the form", func(t *testing.T, s *site, ada *visitor) {
		s.give(ada, domain.RoleAdministrator)
		ada.post("/settings/delete", "password", password).want(409).has(`main [role="alert"]`, "no other administrator").has("#password", "")
		s.data.setCredentials(ada.user.ID, func(c *domain.Credentials) { c.PasswordHash = "" })
		ada.post("/settings/delete").want(409).has(`main [role="alert"]`, "no other administrator").hasNo("#password")
	})
	in(t, "who could not go is told on every page, until that was read", func(t *testing.T, s *site, ada *visitor) {
		s.data.changeUser(ada.user.ID, func(item map[string]any) { item["leavingProblem"] = "This site has no other administrator." })
		ada.get("/").has("aside.deletion-notice", "couldn't delete").has("aside.deletion-notice", "no other administrator")
		ada.get("/settings/delete").has("h1", "Delete your account?").has("main form button.danger", "14 days")
		ada.post("/settings/delete/cancel").wantRedirect(303, "/settings")
		ada.get("/").hasNo(".deletion-notice")
	})
	in(t, "is for who is signed in, and a suspended user is told no lie", func(t *testing.T, s *site, ada *visitor) {
		s.stranger().post("/settings/delete/cancel").wantRedirect(303, "/login")
		leave(ada)
		s.suspend(ada, true)
		for _, path := range []string{"/settings/delete", "/settings/delete/cancel"} {
			a := ada.post(path, "password", password).want(303)
			if to := a.Header.Get("Location"); !strings.HasPrefix(to, "/login") {
				t.Errorf("%s leads to %s", path, to)
			}
		}
		if s.data.user(ada.user.ID).ScheduledDeletion.IsZero() {
			t.Error("it was taken back")
		}
	})
}

func TestMailsAboutScheduledDeletions(t *testing.T) {
	leave := func(t *testing.T, ada *visitor) *answer {
		t.Helper()
		ada.post("/settings/delete", "password", password).want(303)
		return ada.get("/settings/delete?asked=yes").want(http.StatusOK)
	}
	t.Run("go to the verified address when it is asked for, and taken back", func(t *testing.T) {
		s := patient(t)
		ada := s.member("ada")
		ada.verified("ada@example.org")
		leave(t, ada).has(`[role="status"]`, "also sent you an email")
		at := s.data.user(ada.user.ID).ScheduledDeletion.UTC().Format("2 January 2006 at 15:04 UTC")
		ada.post("/settings/delete/cancel").want(303)
		mails := s.data.mail.mails
		if len(mails) != 2 {
			t.Fatalf("mails: %+v", mails)
		}
		for i, want := range [][]string{{"Your account will be deleted", "Hello ada", "/settings/delete", "/reset", at}, {"Your account will not be deleted", "Hello ada", "cancelled", at}} {
			for _, part := range want {
				if mails[i].to != "ada@example.org" || !strings.Contains(mails[i].subject+"\n"+mails[i].text, part) {
					t.Errorf("mail %d to %s lacks %q: %s", i, mails[i].to, part, mails[i].text)
				}
			}
		}
	})
	t.Run("go to no address that is not verified, and the page claims none", func(t *testing.T) {
		s := patient(t)
		ada := s.member("ada")
		s.data.setCredentials(ada.user.ID, func(c *domain.Credentials) { c.Email = "ada@example.org" })
		if text := leave(t, ada).page().Find("main").Text(); strings.Contains(text, "mail") || len(s.data.mail.mails) != 0 {
			t.Errorf("%d mails; the page: %s", len(s.data.mail.mails), text)
		}
	})
	t.Run("are not claimed where mail is not set up", func(t *testing.T) {
		s := patient(t)
		s.data.mail.away = true
		ada := s.member("ada")
		ada.verified("ada@example.org")
		if text := leave(t, ada).page().Find("main").Text(); strings.Contains(text, "mail") {
			t.Errorf("the page: %s", text)
		}
	})
	t.Run("that cannot be sent stand in nobody's way", func(t *testing.T) {
		s := patient(t)
		ada := s.member("ada")
		s.data.before("Users.ScheduleDeletion", func() { s.data.fail("Users.Credentials") }) // it is asked for the password before
		ada.post("/settings/delete", "password", password).wantRedirect(303, "/settings/delete?asked=yes")
		if !strings.Contains(s.log.String(), "cannot send a mail about the deletion") {
			t.Error("the log does not say so")
		}
	})
	t.Run("tell who could not go at the time", func(t *testing.T) {
		s := patient(t)
		ada, ben := s.member("ada"), s.member("ben")
		ada.verified("ada@example.org")
		kept := settings.AbandonedDeletionMailer{Users: s.data.store.Users, Mailer: s.data.mail, URL: "https://blog.example.org", Logger: slog.New(slog.DiscardHandler)}
		for _, userID := range []string{ada.user.ID, ben.user.ID, domain.NewUserID(nil)} {
			kept.Mail(t.Context(), userID, "This site has no other administrator.")
		}
		mails := s.data.mail.mails
		if len(mails) != 1 || mails[0].to != "ada@example.org" {
			t.Fatalf("mails: %+v", mails)
		}
		for _, part := range []string{"Hello ada", "no other administrator", "https://blog.example.org/settings/delete"} {
			if !strings.Contains(mails[0].text, part) {
				t.Errorf("it lacks %q: %s", part, mails[0].text)
			}
		}
	})
}
