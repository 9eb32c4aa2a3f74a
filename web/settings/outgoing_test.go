package settings_test

import (
	"archive/zip"
	"encoding/json"
	"fmt"
	"io"
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/web/webtest"
)

// mailedChange is a change of an account and the address that is told of it.
type mailedChange struct {
	prepare func(ada *webtest.Visitor) (do func())
	to      string
}

// post returns a change that submits a form.
func post(to, path string, fields ...string) mailedChange {
	return mailedChange{to: to, prepare: func(ada *webtest.Visitor) func() {
		return func() { ada.Post(path, fields...) }
	}}
}

// followLink returns a change that submits the page to which a mailed link leads.
func followLink(to, asks, field, value, mailed string, fields ...string) mailedChange {
	return mailedChange{to: to, prepare: func(ada *webtest.Visitor) func() {
		ada.Post(asks, field, value)
		link := ada.MailTo(mailed).Link(ada.T)
		return func() { ada.Post(link, fields...) }
	}}
}

var mailedChanges = map[string]mailedChange{
	"a new password": post("ada@example.org", "/settings/password", "current", webtest.Password,
		"password", webtest.NewPassword),
	"a removed password":   post("ada@example.org", "/settings/security/password"),
	"a removed address":    post("ada@example.org", "/settings/email/remove"),
	"an address to verify": post("new@example.org", "/settings/email", "email", "new@example.org"),
	"a verified address": followLink("ada@example.org", "/settings/email", "email", "new@example.org",
		"new@example.org"),
	"a password chosen with a link": followLink("ada@example.org", "/reset", "account", "ada", "ada@example.org",
		"password", webtest.NewPassword),
	"a scheduled deletion": post("ada@example.org", "/settings/delete", "password", webtest.Password),
	"a cancelled deletion": {to: "ada@example.org", prepare: func(ada *webtest.Visitor) func() {
		ada.Post("/settings/delete", "password", webtest.Password).Want(303)
		return func() { ada.Post("/settings/delete/cancel") }
	}},
	"a new passkey": {to: "ada@example.org", prepare: func(ada *webtest.Visitor) func() {
		answer := webtest.NewPasskeys(ada.T).Create(ada.PasskeyOptions("new"))
		return func() { ada.Post("/settings/security/passkeys/new", "name", "Tablet", "passkey", answer) }
	}},
}

// account is what the changes change.
func account(s *webtest.Site, ada *webtest.Visitor) string {
	return fmt.Sprint(s.Data.Credentials(ada.User.ID), s.Data.User(ada.User.ID).ScheduledDeletion)
}

// prepared returns a site whose user ada can make the change.
func (c mailedChange) prepared(t *testing.T) (*webtest.Site, *webtest.Visitor, func()) {
	t.Helper()
	s := webtest.NewSiteWithGrace(t)
	ada := s.SignUp("ada")
	ada.RegisterPasskey()
	ada.SetVerifiedEmail("ada@example.org")
	do := c.prepare(ada)
	s.Data.ForgetMails()
	return s, ada, do
}

func TestChangesAndTheirMailsSurviveACrashTogether(t *testing.T) {
	for name, change := range mailedChanges {
		t.Run(name, func(t *testing.T) {
			crashed := true
			for writes := 0; crashed; writes++ {
				s, ada, do := change.prepared(t)
				before := account(s, ada)
				end := s.Data.CutAfter(writes)
				do()
				crashed = end()
				changed, mails := account(s, ada) != before, s.Data.Mails()
				if changed && (len(mails) != 1 || mails[0].To != change.to) || !changed && len(mails) != 0 {
					t.Errorf("a crash after %d writes: changed %t, the mails are %+v", writes, changed, mails)
				}
				if !changed && !crashed {
					t.Error("the account was not changed")
				}
				for _, m := range mails {
					if strings.Contains(m.Text, "/verify-email/") {
						ada.Get(m.Link(t)).Want(200)
					}
				}
			}
		})
	}
}

func TestMailsAreSentOnceAlthoughTheirProjectionIsInterrupted(t *testing.T) {
	for name, failing := range map[string]string{
		"before the mail is stored":           "Deliveries.Put",
		"before the outgoing item is deleted": "Deliveries.DeleteOutgoing",
	} {
		t.Run(name, func(t *testing.T) {
			s, _, do := mailedChanges["a new password"].prepared(t)
			s.Data.StopProjection()
			s.Data.Fail(failing)
			do()
			if err := s.Data.ForwardMails(t.Context()); !domain.Is(err, domain.Unavailable) {
				t.Fatalf("the error is %v", err)
			}
			s.Data.Recover(failing)
			s.Data.Mails() // sends what is stored
			s.Data.Must(s.Data.ForwardMails(t.Context()))
			if mails := s.Data.Mails(); len(mails) != 1 {
				t.Errorf("the mails are %+v", mails)
			}
			if left := s.Data.Items("users", "outgoing"); len(left) != 0 {
				t.Errorf("outgoing items are left: %v", left)
			}
		})
	}
}

func TestStoredMailsRevealNothing(t *testing.T) {
	for name, change := range mailedChanges {
		t.Run(name, func(t *testing.T) {
			s, ada, do := change.prepared(t)
			s.Data.StopProjection()
			do()
			s.Anonymous().Post("/reset", "account", "ada@example.org").Want(200)
			check := func(when string, want int) {
				t.Helper()
				items := append(s.Data.Items("users", "outgoing"), s.Data.Items("deliveries", "delivery")...)
				waiting := make(map[string]bool) // one may wait in both places
				for _, item := range items {
					if item["sealed"] != nil && item["sealed"] != "" {
						waiting[strings.TrimPrefix(item["id"].(string), "outgoing.")] = true
					}
					text, err := json.Marshal(item)
					s.Data.Must(err)
					for _, secret := range []string{"example.org", `"ada"`, "Hello", "reset/", "verify-email",
						"Browser"} {
						if strings.Contains(string(text), secret) {
							t.Errorf("%s, an item has %q: %s", when, secret, text)
						}
					}
				}
				if len(waiting) != want {
					t.Errorf("%s, %d mails wait, want %d: %v", when, len(waiting), want, items)
				}
			}
			check("before the projection", 2)
			s.Data.ResumeProjection()
			mails := s.Data.Mails()
			check("after the mails were sent", 0)
			dump := s.Data.Dump()
			for _, m := range mails {
				if link := webtest.LinkPattern.FindStringSubmatch(m.Text); link != nil {
					secret := link[1][strings.LastIndexByte(link[1], '/')+1:]
					if strings.Contains(dump, secret) {
						t.Errorf("the storage has the secret of %s", link[1])
					}
				}
				if strings.Contains(dump, m.Subject) {
					t.Errorf("the storage has the subject %q", m.Subject)
				}
			}
			s.Data.Must(s.Data.Store.AccountDeletions.Delete(s.Data.Context(), ada.User.ID))
			s.Data.CatchUp()
			for _, item := range append(s.Data.Items("users", "outgoing"), s.Data.Items("deliveries", "delivery")...) {
				if item["userId"] == ada.User.ID {
					t.Errorf("after the deletion of the account, an item is left: %v", item)
				}
			}
		})
	}
}

func TestAnotherLinkForAnAddressIsAskedForAgainAfterAFailure(t *testing.T) {
	s := webtest.NewSite(t)
	ada := s.SignUp("ada")
	ada.Post("/settings/email", "email", "ada@example.org").WantRedirect(303, "/settings/email?asked=yes")
	s.MailTo("ada@example.org")
	s.Data.ForgetMails()
	s.Data.FailWrites("Deliveries.Put", webtest.StatusUnavailable)
	ada.Post("/settings/email", "email", "ada@example.org").Want(503).Has(`#email[value="ada@example.org"]`, "")
	s.Data.Recover("Deliveries.Put")
	ada.Post("/settings/email", "email", "ada@example.org").WantRedirect(303, "/settings/email?asked=yes")
	ada.Post(s.MailTo("ada@example.org").Link(t)).Want(200)
	if mails := s.Data.Mails(); len(mails) != 1 {
		t.Errorf("the mails are %+v", mails)
	}
}

func TestExportsHaveNoMails(t *testing.T) {
	s, ada, do := mailedChanges["a new password"].prepared(t)
	s.Data.StopProjection()
	do()
	sealed := s.Data.Items("users", "outgoing")[0]["sealed"].(string)
	archive := ada.Get("/settings/export").Want(200).Body
	packed, err := zip.NewReader(strings.NewReader(archive), int64(len(archive)))
	s.Data.Must(err)
	for _, f := range packed.File {
		r, err := f.Open()
		s.Data.Must(err)
		content, err := io.ReadAll(r)
		s.Data.Must(err)
		if strings.Contains(string(content), sealed) || strings.Contains(f.Name, "outgoing") {
			t.Errorf("the export has a mail in %s", f.Name)
		}
	}
}
