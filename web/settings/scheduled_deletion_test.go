package settings_test

import (
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/web/settings"
	"inkfeed/web/site"
	"inkfeed/web/webtest"
)

const keepButton = `form[action="/settings/delete/cancel"] button`

func TestScheduledDeletion(t *testing.T) {
	// in runs a subtest with a clock of its own.
	in := func(t *testing.T, name string, do func(t *testing.T, s *webtest.Site, ada *webtest.Visitor)) {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := webtest.NewSiteWithGrace(t)
				do(t, s, s.SignUp("ada"))
			})
		})
	}
	leave := func(ada *webtest.Visitor) {
		ada.T.Helper()
		ada.Post("/settings/delete", "password", webtest.Password).WantRedirect(303, "/settings/delete?asked=yes")
	}
	in(t, "offers the export first, and lists what is deleted when",
		func(t *testing.T, s *webtest.Site, ada *webtest.Visitor) {
			a := ada.Get("/settings/delete").Want(200).
				Has(`main a[href="/settings/export"][download]`, "Download your content")
			for _, what := range []string{
				"@ada", "all your posts", "comments and likes", "drafts, pictures and bookmarks", "in 14 days",
				"you can cancel", "old usernames", "can't get your account back",
			} {
				a.Has("main form", what)
			}
			a.Has("main form button.danger", "Delete my account in 14 days").HasNo(".deletion-notice")
			page := a.Page()
			if page.Find("main #export-title, main form").First().Is("form") {
				t.Error("the export comes after the form")
			}
		})
	in(t, "keeps the account until then, with a notice on every page",
		func(t *testing.T, s *webtest.Site, ada *webtest.Visitor) {
			p := ada.CreatePost("A title", "text")
			phone := s.Anonymous()
			phone.Post("/login", "username", "ada", "password", webtest.Password).Want(303)
			leave(ada)
			want := time.Now().Add(webtest.DeletionGrace)
			got := s.Data.User(ada.User.ID).ScheduledDeletion
			if !got.Equal(want) || s.Data.Calls("AccountDeletions.Delete") != 0 {
				t.Errorf("the deletion is scheduled for %s, want %s", got, want)
			}
			for _, v := range []*webtest.Visitor{ada, phone} {
				for _, path := range []string{"/", p.Path(), "/settings", "/new", "/@ada", "/drafts", "/nothing"} {
					v.Get(path).Has("aside.deletion-notice", "will be deleted").
						Has("aside.deletion-notice time", want.UTC().Format("2 January 2006, 15:04 UTC")).
						Has("aside.deletion-notice "+keepButton, "Keep my account")
				}
			}
			ada.CreatePost("Another", "text")
			s.Anonymous().Get(p.Path()).Want(200).HasNo(".deletion-notice")
			s.SignUp("ben").Get("/").HasNo(".deletion-notice")
			s.Anonymous().Post("/login", "username", "ada", "password", webtest.Password).WantRedirect(303, "/")
		})
	in(t, "shows when the account is deleted and how to keep it",
		func(t *testing.T, s *webtest.Site, ada *webtest.Visitor) {
			leave(ada)
			for path, confirmed := range map[string]bool{
				"/settings/delete?asked=yes": true,
				"/settings/delete":           false,
			} {
				a := ada.Get(path).Want(200).Has("h1", "will be deleted").
					Has("main time", time.Now().Add(webtest.DeletionGrace).UTC().Format("2 January 2006")).
					Has("main", "all your posts").Has(`main a[href="/settings/export"]`, "").
					Has("main "+keepButton, "Keep my account").HasNo("aside.deletion-notice")
				if shown := a.Page().Find(`[role="status"]`).Length() == 1; shown != confirmed {
					t.Errorf("%s: the page confirms the request: %t", path, shown)
				}
			}
			ada.Get("/settings").Has("main", "will be deleted on").HasNo("main a.danger")
		})
	in(t, "keeps the first time and sends one mail if it is requested twice",
		func(t *testing.T, s *webtest.Site, ada *webtest.Visitor) {
			ada.SetVerifiedEmail("ada@example.org")
			leave(ada)
			first := s.Data.User(ada.User.ID).ScheduledDeletion
			time.Sleep(time.Hour)
			ada.Post("/settings/delete", "password", webtest.Password).WantRedirect(303, "/settings/delete")
			if got := s.Data.User(ada.User.ID).ScheduledDeletion; !got.Equal(first) || len(s.Data.Mails()) != 1 {
				t.Errorf("the deletion is scheduled for %s, want %s; %d mails", got, first, len(s.Data.Mails()))
			}
		})
	in(t, "is cancelled by a button", func(t *testing.T, s *webtest.Site, ada *webtest.Visitor) {
		leave(ada)
		ada.Post("/settings/delete/cancel").WantRedirect(303, "/settings?kept=yes")
		ada.Get("/settings?kept=yes").Want(200).Has(`[role="status"]`, "Deletion cancelled").
			Has("main a.danger", "Delete your account").HasNo(".deletion-notice")
		ada.Get("/settings/delete").Has("h1", "Delete your account?")
		ada.Post("/settings/delete/cancel").WantRedirect(303, "/settings") // a double click
	})
	in(t, "answers a late cancellation with goodbye", func(t *testing.T, s *webtest.Site, ada *webtest.Visitor) {
		leave(ada)
		elsewhere := *ada
		elsewhere.Cookies = map[string]string{"inkfeed": ada.Cookies["inkfeed"]}
		s.Data.Before("AccountDeletions.CancelDeletion",
			func() { s.Data.Must(s.Data.Store.AccountDeletions.Delete(s.Data.Context(), ada.User.ID)) })
		ada.Post("/settings/delete/cancel").WantRedirect(303, "/goodbye")
		ada.Get("/goodbye").Want(200).Has(`[role="status"]`, "Your account is deleted")
		elsewhere.Post("/settings/delete/cancel").WantRedirect(303, "/goodbye")
	})
	in(t, "requires the password or a recent log-in with a passkey",
		func(t *testing.T, s *webtest.Site, ada *webtest.Visitor) {
			ada.Post("/settings/delete", "password", "wrong password").Want(422).
				HasFieldError("password", "Wrong password")
			ada.Post("/settings/delete").Want(422).HasFieldError("password", "Enter your password")
			s.Data.SetCredentials(ada.User.ID, func(c *domain.Credentials) { c.PasswordHash = "" })
			time.Sleep(time.Hour)
			ada.Post("/settings/delete").Want(403).Has("main strong", "Delete your account")
			if s.Data.Calls("AccountDeletions.ScheduleDeletion") != 0 {
				t.Error("the deletion was scheduled")
			}
			ada.Get("/").HasNo(".deletion-notice")
		})
	in(t, "reports a failure and accepts another attempt",
		func(t *testing.T, s *webtest.Site, ada *webtest.Visitor) {
			for _, method := range []string{"AccountDeletions.ScheduleDeletion", "Credentials.PasswordHash"} {
				s.Data.Fail(method)
				ada.Post("/settings/delete", "password", webtest.Password).Want(503).
					Has("h1", "Temporarily unavailable")
				s.Data.Recover(method)
			}
			leave(ada)
			s.Data.Fail("AccountDeletions.CancelDeletion")
			ada.Post("/settings/delete/cancel").Want(503)
			s.Data.Recover("AccountDeletions.CancelDeletion")
			ada.Post("/settings/delete/cancel").WantRedirect(303, "/settings?kept=yes")
		})
	in(t, "refuses the last administrator", func(t *testing.T, s *webtest.Site, ada *webtest.Visitor) {
		s.SetRole(ada, domain.RoleAdministrator)
		ada.Post("/settings/delete", "password", webtest.Password).Want(409).
			Has(`main [role="alert"]`, "no other administrator").Has("#password", "")
		s.Data.SetCredentials(ada.User.ID, func(c *domain.Credentials) { c.PasswordHash = "" })
		ada.Post("/settings/delete").Want(409).Has(`main [role="alert"]`, "no other administrator").HasNo("#password")
	})
	in(t, "shows on every page why a deletion was abandoned, until it is dismissed",
		func(t *testing.T, s *webtest.Site, ada *webtest.Visitor) {
			s.Data.ChangeUser(ada.User.ID,
				func(item map[string]any) { item["leavingProblem"] = "This site has no other administrator." })
			ada.Get("/").Has("aside.deletion-notice", "couldn't delete").
				Has("aside.deletion-notice", "no other administrator")
			ada.Get("/settings/delete").Has("h1", "Delete your account?").Has("main form button.danger", "14 days")
			ada.Post("/settings/delete/cancel").WantRedirect(303, "/settings")
			ada.Get("/").HasNo(".deletion-notice")
		})
	in(t, "requires a session, which a suspended user does not have",
		func(t *testing.T, s *webtest.Site, ada *webtest.Visitor) {
			s.Anonymous().Post("/settings/delete/cancel").WantRedirect(303, "/login")
			leave(ada)
			s.Suspend(ada)
			for _, path := range []string{"/settings/delete", "/settings/delete/cancel"} {
				ada.Post(path, "password", webtest.Password).Want(403).Has("main", "Reason: Sold <pills>.")
			}
			if s.Data.User(ada.User.ID).ScheduledDeletion.IsZero() {
				t.Error("the deletion was cancelled")
			}
		})
}

func TestMailsAboutScheduledDeletions(t *testing.T) {
	leave := func(t *testing.T, ada *webtest.Visitor) *webtest.Response {
		t.Helper()
		ada.Post("/settings/delete", "password", webtest.Password).Want(303)
		return ada.Get("/settings/delete?asked=yes").Want(http.StatusOK)
	}
	t.Run("go to the verified address after the request and after its cancellation", func(t *testing.T) {
		s := webtest.NewSiteWithGrace(t)
		ada := s.SignUp("ada")
		ada.SetVerifiedEmail("ada@example.org")
		leave(t, ada).Has(`[role="status"]`, "also sent you an email")
		at := s.Data.User(ada.User.ID).ScheduledDeletion.UTC().Format("2 January 2006 at 15:04 UTC")
		ada.Post("/settings/delete/cancel").Want(303)
		mails := s.Data.Mails()
		if len(mails) != 2 {
			t.Fatalf("the mails are %+v", mails)
		}
		for i, want := range [][]string{
			{"Your account will be deleted", "Hello ada", "/settings/delete", "/reset", at},
			{"Your account will not be deleted", "Hello ada", "cancelled", at},
		} {
			for _, part := range want {
				text := strings.Join(strings.Fields(mails[i].Subject+" "+mails[i].Text), " ")
				if mails[i].To != "ada@example.org" || !strings.Contains(text, part) {
					t.Errorf("mail %d to %s lacks %q: %s", i, mails[i].To, part, mails[i].Text)
				}
			}
		}
	})
	t.Run("are not sent to an unverified address, nor announced on the page", func(t *testing.T) {
		s := webtest.NewSiteWithGrace(t)
		ada := s.SignUp("ada")
		s.Data.SetCredentials(ada.User.ID, func(c *domain.Credentials) { c.Email = "ada@example.org" })
		if text := leave(t, ada).Page().Find(".room-content").Text(); strings.Contains(text, "mail") ||
			len(s.Data.Mails()) != 0 {
			t.Errorf("%d mails were sent; the page is %s", len(s.Data.Mails()), text)
		}
	})
	t.Run("are not announced if mail is not configured", func(t *testing.T) {
		s := webtest.NewSiteWithGrace(t)
		s.Data.Mail.Away = true
		ada := s.SignUp("ada")
		ada.SetVerifiedEmail("ada@example.org")
		if text := leave(t, ada).Page().Find(".room-content").Text(); strings.Contains(text, "mail") {
			t.Errorf("the page is %s", text)
		}
	})
	t.Run("cannot be missing: the deletion is not scheduled, or not cancelled, if the address cannot be read",
		func(t *testing.T) {
			s := webtest.NewSiteWithGrace(t)
			ada := s.SignUp("ada")
			ada.SetVerifiedEmail("ada@example.org")
			s.Data.Before("Credentials.Get", func() { // checks the password
				s.Data.Before("Credentials.Get", func() { s.Data.Fail("Credentials.Get") })
			})
			ada.Post("/settings/delete", "password", webtest.Password).Want(503)
			s.Data.Recover("Credentials.Get")
			if !s.Data.User(ada.User.ID).ScheduledDeletion.IsZero() {
				t.Error("the deletion was scheduled")
			}
			leave(t, ada)
			s.Data.Fail("Credentials.Get")
			ada.Post("/settings/delete/cancel").Want(503)
			s.Data.Recover("Credentials.Get")
			if s.Data.User(ada.User.ID).ScheduledDeletion.IsZero() {
				t.Error("the deletion was cancelled")
			}
			ada.Post("/settings/delete/cancel").WantRedirect(303, "/settings?kept=yes")
			if mails := s.Data.Mails(); len(mails) != 2 {
				t.Errorf("the mails are %+v", mails)
			}
		})
	t.Run("are sent although no read after the write succeeds", func(t *testing.T) {
		s := webtest.NewSiteWithGrace(t)
		ada := s.SignUp("ada")
		ada.SetVerifiedEmail("ada@example.org")
		const method = "AccountDeletions.ScheduleDeletion"
		s.Data.Before(method, func() { // the read
			s.Data.Before(method, func() { // the write
				s.Data.Before(method, func() { s.Data.Fail(method) })
			})
		})
		ada.Post("/settings/delete", "password", webtest.Password).WantRedirect(303, "/settings/delete?asked=yes")
		if len(s.Data.Mails()) != 1 {
			t.Errorf("the mails are %+v", s.Data.Mails())
		}
	})
	t.Run("are sent although the page was closed", func(t *testing.T) {
		s := webtest.NewSiteWithGrace(t)
		ada := s.SignUp("ada")
		ada.SetVerifiedEmail("ada@example.org")
		ada.PostAndLeave("AccountDeletions.ScheduleDeletion", "/settings/delete", "password", webtest.Password)
		if s.Data.User(ada.User.ID).ScheduledDeletion.IsZero() || len(s.Data.Mails()) != 1 {
			t.Errorf("the mails are %+v", s.Data.Mails())
		}
	})
	t.Run("say why a deletion was abandoned", func(t *testing.T) {
		s := webtest.NewSiteWithGrace(t)
		ada, ben := s.SignUp("ada"), s.SignUp("ben")
		ada.SetVerifiedEmail("ada@example.org")
		mailer := settings.AbandonedDeletionMailer{Current: site.NewCurrentSettings(),
			Users:       s.Data.Store.Users,
			Credentials: s.Data.Store.Credentials,
			Mailer:      s.Data.Mail,
			URL:         "https://blog.example.org",
			Languages:   locale.NewSet(locale.All()...),
		}
		for _, userID := range []string{ada.User.ID, ben.User.ID, domain.NewUserID(nil)} {
			mails, err := mailer.Mail(t.Context(), userID, "This site has no other administrator.")
			s.Data.Must(err)
			s.Data.Must(s.Data.Store.Deliveries.Put(t.Context(), mails...))
		}
		mails := s.Data.Mails()
		if len(mails) != 1 || mails[0].To != "ada@example.org" {
			t.Fatalf("the mails are %+v", mails)
		}
		for _, part := range []string{
			"Hello ada", "no other administrator", "https://blog.example.org/settings/delete",
		} {
			if !strings.Contains(mails[0].Text, part) {
				t.Errorf("the mail lacks %q: %s", part, mails[0].Text)
			}
		}
	})
}
