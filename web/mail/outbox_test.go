package mail_test

import (
	"bytes"
	"context"
	"errors"
	"log/slog"
	netmail "net/mail"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-smtp"

	"inkfeed/web/mail"
)

// storedMails returns the mails in an outbox. It reports an error if the log does not name their files.
func storedMails(t *testing.T, folder, logged string) (mails []string) {
	t.Helper()
	files, _ := filepath.Glob(filepath.Join(folder, "*"))
	for _, path := range files {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := netmail.ReadMessage(bytes.NewReader(text)); err != nil {
			t.Errorf("%s is not a mail: %v", path, err)
		}
		if !strings.Contains(logged, filepath.Base(path)) {
			t.Errorf("the log does not name the file of the mail: %s", logged)
		}
		mails = append(mails, string(text))
	}
	return mails
}

func TestUnsentMailsAreStoredInTheOutbox(t *testing.T) {
	for cause, answers := range map[string][]error{
		"no server answers":          nil,
		"the server refuses":         {&smtp.SMTPError{Code: 550, Message: "nobody is ada@example.com"}},
		"the process ends meanwhile": nil,
	} {
		t.Run(cause, func(t *testing.T) {
			address, folder := "smtp://127.0.0.1:1", filepath.Join(t.TempDir(), "outbox")
			if answers != nil {
				_, address = posted(t, answers...)
			}
			o := mail.Options{SMTP: address, From: from, Outbox: folder}
			var logged *logs
			if cause == "the process ends meanwhile" {
				logged = &logs{}
				o.Logger = slog.New(slog.NewTextHandler(logged, nil))
				m, err := mail.New(o)
				if err != nil {
					t.Fatal(err)
				}
				m.Send("ada@example.com", "A new password", "https://blog.example.org/reset/AAAA")
				ended, cancel := context.WithCancel(t.Context())
				cancel()
				m.Run(ended)
			} else {
				var m *mail.Mailer
				var stop func()
				m, stop, logged = mailing(t, o)
				m.Send("ada@example.com", "A new password", "https://blog.example.org/reset/AAAA")
				logged.await(t, "in the outbox")
				stop()
				if n := strings.Count(logged.String(), "could not be sent yet"); answers == nil && n != m.Attempts()-1 {
					t.Errorf("%d attempts", 1+n)
				}
			}
			text := logged.String()
			mails := storedMails(t, folder, text)
			if len(mails) != 1 || !strings.Contains(mails[0], "ada@example.com") ||
				!strings.Contains(mails[0], "/reset/AAAA") {
				t.Errorf("the outbox has %q", mails)
			}
			if !strings.Contains(text, `level=ERROR`) || !strings.Contains(text, `mail="A new password"`) {
				t.Errorf("the log does not name the mail: %s", text)
			}
			if strings.Contains(text, "ada@") || strings.Contains(text, "AAAA") {
				t.Errorf("the log has the address or the link: %s", text)
			}
		})
	}
}

func TestMailsBeyondTheQueueAreStoredInTheOutbox(t *testing.T) {
	folder := t.TempDir()
	logged := &logs{}
	m, err := mail.New(mail.Options{
		SMTP:   "smtp://127.0.0.1:1",
		From:   from,
		Outbox: folder,
		Logger: slog.New(slog.NewTextHandler(logged, nil)),
	})
	if err != nil {
		t.Fatal(err)
	}
	for range mail.Queued + 1 { // the mailer does not run yet
		m.Send("ada@example.com", "Subject", "Text")
	}
	if mails := storedMails(t, folder, logged.String()); len(mails) != 1 {
		t.Errorf("the outbox has %d mails, want 1", len(mails))
	}
}

func TestALostMailIsLogged(t *testing.T) {
	file := filepath.Join(t.TempDir(), "outbox")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	m, stop, logged := mailing(t, mail.Options{Outbox: file})
	m.Send("ada@example.com", "A new password", "Text")
	stop()
	if text := logged.String(); !strings.Contains(text, "a mail is lost") ||
		!strings.Contains(text, `mail="A new password"`) {
		t.Errorf("the log is %s", text)
	}
}

func TestWithoutAServerMailsAreStoredInTheOutbox(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "outbox")
	m, stop, logged := mailing(t, mail.Options{Outbox: folder})
	if m.Sends() {
		t.Error("Sends is true")
	}
	m.Send("ada@example.com", "Ünïcode", "Größe")
	stop()
	files, _ := filepath.Glob(filepath.Join(folder, "*"))
	if len(files) != 1 || !strings.HasSuffix(files[0], ".eml") {
		t.Fatalf("the outbox has %v", files)
	}
	for path, want := range map[string]os.FileMode{folder: 0o700, files[0]: 0o600} {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm() != want {
			t.Errorf("the mode of %s is %v, error %v", path, info.Mode(), err)
		}
	}
	text, _ := os.ReadFile(files[0])
	if _, err := netmail.ReadMessage(bytes.NewReader(text)); err != nil ||
		!bytes.Contains(text, []byte("ada@example.com")) {
		t.Errorf("the mail is %s, %v", text, err)
	}
	if !strings.Contains(logged.String(), "no mail server") || strings.Contains(logged.String(), "was sent") {
		t.Errorf("the log is %s", logged)
	}
}

func TestLinksStayWholeInTheOutbox(t *testing.T) {
	link := "https://blog.example.org/reset/" + strings.Repeat("A", 60) + "?next=settings"
	for language, text := range map[string]string{
		"in English":     "Open this page:\n\n" + link + "\n",
		"with an umlaut": "Öffne diese Seite:\n\n" + link + "\n",
	} {
		t.Run(language, func(t *testing.T) {
			for cause, o := range map[string]mail.Options{
				"without a server":                   {},
				"with a server that does not answer": {SMTP: "smtp://127.0.0.1:1", From: from},
			} {
				t.Run(cause, func(t *testing.T) {
					o.Outbox = t.TempDir()
					m, stop, logged := mailing(t, o)
					m.Send("ada@example.com", "A new password", text)
					logged.await(t, "in the outbox")
					stop()
					mails := storedMails(t, o.Outbox, logged.String())
					if len(mails) != 1 || !strings.HasSuffix(mails[0], "\r\n\r\n"+text) {
						t.Errorf("the outbox has %q", mails)
					}
				})
			}
		})
	}
}

func TestTheOutboxIsBounded(t *testing.T) {
	folder := t.TempDir()
	old := filepath.Join(folder, "20200101T000000.000-AAAAAAAA.eml")
	other := filepath.Join(folder, "notes.txt")
	for _, path := range []string{old, other} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	past := time.Now().Add(-mail.OutboxAge)
	if err := errors.Join(os.Chtimes(old, past, past), os.Chtimes(other, past, past)); err != nil {
		t.Fatal(err)
	}
	m, stop, _ := mailing(t, mail.Options{Outbox: folder})
	for range mail.MaxOutbox + 20 {
		m.Send("ada@example.com", "Subject", "Text")
	}
	stop()
	files, _ := filepath.Glob(filepath.Join(folder, "*.eml"))
	if len(files) > mail.MaxOutbox || len(files) < mail.MaxOutbox-20 {
		t.Errorf("the outbox has %d mails", len(files))
	}
	if _, err := os.Stat(old); err == nil {
		t.Error("the old mail was not deleted")
	}
	if _, err := os.Stat(other); err != nil {
		t.Error("a file that is not a mail was deleted")
	}
}
