package mail

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"

	"inkfeed/domain"
)

// Limits of the outbox, since the operator may never read it.
const (
	maxOutbox    = 200
	maxOutboxAge = 7 * 24 * time.Hour
)

// outbox is a folder of mails for the operator.
type outbox struct{ folder string }

// save writes the mail, without an encoding of its text, to a new file and deletes surplus files. It
// returns the file's name if the mail was saved, also when the deletion failed.
func (o outbox) save(m *gomail.Msg) (name string, err error) {
	if err := os.MkdirAll(o.folder, 0o700); err != nil {
		return "", err
	}
	// The names sort by time.
	name = filepath.Join(o.folder, time.Now().UTC().Format("20060102T150405.000")+"-"+rand.Text()[:8]+".eml")
	file, err := os.OpenFile(name+".new", os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return "", err
	}
	for _, part := range m.GetParts() { // the operator copies links from the file
		part.SetEncoding(gomail.NoEncoding)
	}
	_, err = m.WriteTo(file)
	if err = cmp.Or(err, file.Close()); err == nil {
		err = os.Rename(name+".new", name)
	}
	if err != nil {
		return "", errors.Join(err, os.Remove(name+".new"))
	}
	return name, o.prune(time.Now())
}

// prune deletes mails that are too old, and the oldest mails beyond maxOutbox.
func (o outbox) prune(now time.Time) error {
	entries, err := os.ReadDir(o.folder) // sorted by name
	if err != nil {
		return err
	}
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
		return !strings.HasSuffix(strings.TrimSuffix(e.Name(), ".new"), ".eml")
	})
	for i, e := range entries {
		info, err := e.Info()
		if err != nil || i >= len(entries)-maxOutbox && now.Sub(info.ModTime()) < maxOutboxAge {
			continue // the file was deleted in the meantime, or stays
		}
		if err := os.Remove(filepath.Join(o.folder, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// folderSession saves mails for the operator.
type folderSession struct{ m *Mailer }

func (s folderSession) Deliver(ctx context.Context, d domain.Delivery, done func()) error {
	return s.m.handOver(ctx, s, d, done)
}

// Send implements Sender.
func (s folderSession) Send(_ context.Context, id string, created time.Time, mail domain.Mail, done func()) error {
	msg, err := s.m.message(id, created, mail)
	if err != nil {
		return err
	}
	file, err := s.m.outbox.save(msg)
	if file == "" {
		return fmt.Errorf("save a mail in the outbox: %w", err)
	}
	if err != nil {
		s.m.logger.Warn("old mails could not be deleted from the outbox", "error", err)
	}
	s.m.logger.Info("a mail was saved in the outbox: no mail server is configured", "mail", mail.Subject, "file", file)
	done()
	return nil
}

func (folderSession) Close() {}
