package settings_test

import (
	"regexp"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
	"inkfeed/domain/locale"
	"inkfeed/web"
	"inkfeed/web/settings"
	"inkfeed/web/site"
	"inkfeed/web/webtest"
)

// pseudoLocales are the languages of a site with a language in which all translated texts have accents.
func pseudoLocales() *locale.Set {
	return locale.NewSet(append([]*locale.Language{locale.English()}, locale.Pseudo()...)...)
}

func withPseudoLocales(c *web.Config) { c.Languages = pseudoLocales() }

// plainWord matches a word without accents. In the pseudo-locale, only names and addresses are such words.
var plainWord = regexp.MustCompile(`\b[A-Za-z]{2,}\b`)

// wantTranslated reports words in a mail that are not translated. Links, and the given names, are no such words.
func wantTranslated(t *testing.T, subject, text string, names ...string) {
	t.Helper()
	if subject == "" || strings.ContainsAny(subject, "aeiou") {
		t.Errorf("the subject is %q", subject)
	}
	for line := range strings.Lines(text) {
		if strings.Contains(line, "/") && !strings.Contains(strings.TrimSpace(line), " ") {
			continue // a link
		}
		for _, name := range append(names, "ada", "Inkfeed", "UTC") {
			line = strings.ReplaceAll(line, name, "")
		}
		if words := plainWord.FindAllString(line, -1); words != nil {
			t.Errorf("the mail has %q in: %s", words, line)
		}
	}
}

func TestMailsAreInTheLanguageOfTheirRecipient(t *testing.T) {
	const firefox = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"
	for by, choose := range map[string]func(v *webtest.Visitor){
		"by their own setting": func(v *webtest.Visitor) {
			v.Post("/settings/language", "language", "en-XA").Want(303)
			v.Header.Set("Accept-Language", "en")
		},
		"by the browser that caused the mail": func(v *webtest.Visitor) {
			v.Header.Set("Accept-Language", "en-XA")
		},
	} {
		t.Run(by, func(t *testing.T) {
			s := webtest.NewSiteWithGrace(t, withPseudoLocales)
			ada := s.SignUp("ada")
			ada.Header.Set("User-Agent", firefox)
			choose(ada)
			anonymous := s.Anonymous()
			anonymous.Header.Set("Accept-Language", ada.Header.Get("Accept-Language"))
			passkey := func() string {
				id := s.Data.Credentials(ada.User.ID).Passkeys[0].ID
				return "/settings/security/passkeys/" + domain.SecretDigest(id)[:24]
			}
			reset := ""
			for _, mail := range []struct {
				name string
				send func()
			}{
				{"to verify an address", func() { ada.VerifyEmail("ada@example.org") }},
				{"about a removed address", func() { ada.Post("/settings/email/remove").Want(303) }},
				{"about a new passkey", func() {
					ada.VerifyEmail("ada@example.org")
					ada.RegisterPasskey()
				}},
				{"about two-step verification", func() { ada.EnableAuthenticator() }},
				{"about recovery codes", func() { ada.Post("/settings/security/recovery").Want(200) }},
				{"about its end", func() { ada.Post("/settings/security/totp/delete").Want(303) }},
				{"about a removed password", func() { ada.Post("/settings/security/password").Want(303) }},
				{"about a new password", func() {
					ada.Post("/settings/password", "password", webtest.NewPassword).Want(303)
				}},
				{"about a removed passkey", func() { ada.Post(passkey() + "/delete").Want(303) }},
				{"about a scheduled deletion", func() {
					ada.Post("/settings/delete", "password", webtest.NewPassword).Want(303)
				}},
				{"about its cancellation", func() { ada.Post("/settings/delete/cancel").Want(303) }},
				{"about another address", func() {
					ada.Post("/settings/email", "email", "ada@example.com").Want(303)
					link := s.MailTo("ada@example.com").Link(t)
					s.Data.ForgetMails()
					ada.Post(link).Want(200)
				}},
				{"to reset the password", func() {
					anonymous.Post("/reset", "account", "ada").Want(200)
					reset = s.MailTo("ada@example.com").Link(t)
				}},
				{"after the reset", func() { ada.Post(reset, "password", webtest.Password).Want(200) }},
			} {
				t.Run(mail.name, func(t *testing.T) {
					s.Data.ForgetMails()
					mail.send()
					if len(s.Data.Mails()) == 0 {
						t.Fatal("no mail was sent")
					}
					m := s.Data.Mails()[len(s.Data.Mails())-1]
					wantTranslated(t, m.Subject, m.Text, "Firefox", "Linux", "Telephone")
				})
			}
		})
	}
	t.Run("when a scheduler causes them", func(t *testing.T) {
		s := webtest.NewSiteWithGrace(t, withPseudoLocales)
		ada, ben := s.SignUp("ada"), s.SignUp("ben")
		ada.SetVerifiedEmail("ada@example.org")
		ben.SetVerifiedEmail("ben@example.org")
		ada.Post("/settings/language", "language", "en-XA").Want(303)
		mailer := settings.AbandonedDeletionMailer{Current: site.NewCurrentSettings(), Users: s.Data.Store.Users,
			Credentials: s.Data.Store.Credentials, Mailer: s.Data.Mail, Languages: pseudoLocales()}
		problem := locale.M("Suspended since {date}.", "date", time.Date(2026, 1, 2, 3, 4, 5, 6, time.UTC)).Stored()
		abandon := func(userID string) {
			mails, err := mailer.Mail(t.Context(), userID, problem)
			s.Data.Must(err)
			s.Data.Must(s.Data.Store.Deliveries.Put(t.Context(), mails...))
		}
		abandon(ada.User.ID)
		m := s.MailTo("ada@example.org")
		wantTranslated(t, m.Subject, m.Text)
		abandon(ben.User.ID)
		if m := s.MailTo("ben@example.org"); !strings.Contains(m.Text, "Suspended since 2 January 2026.") {
			t.Errorf("the mail to a user without a setting is %s", m.Text)
		}
	})
}
