package mail_test

import (
	"bytes"
	"errors"
	netmail "net/mail"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

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

func TestMailThatCannotBeSavedIsNotRecorded(t *testing.T) {
	file := filepath.Join(t.TempDir(), "outbox")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	m, _ := mailing(t, mail.Options{Outbox: file})
	errs, recorded := deliver(t, m, sealed(m, "ada@example.com", "A new password", "Text"))
	if errs[0] == nil || recorded[0] != 0 {
		t.Errorf("error %v, recorded %d times", errs[0], recorded[0])
	}
}

func TestWithoutAServerMailsAreStoredInTheOutbox(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "outbox")
	m, logged := mailing(t, mail.Options{Outbox: folder})
	if m.Sends() {
		t.Error("Sends is true")
	}
	send(t, m, "ada@example.com", "Ünïcode", "Größe")
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
			folder := t.TempDir()
			m, logged := mailing(t, mail.Options{Outbox: folder})
			send(t, m, "ada@example.com", "A new password", text)
			mails := storedMails(t, folder, logged.String())
			if len(mails) != 1 || !strings.HasSuffix(mails[0], "\r\n\r\n"+text) {
				t.Errorf("the outbox has %q", mails)
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
	m, _ := mailing(t, mail.Options{Outbox: folder})
	for range mail.MaxOutbox + 20 {
		send(t, m, "ada@example.com", "Subject", "Text")
	}
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
