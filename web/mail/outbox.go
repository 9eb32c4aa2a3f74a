package mail

import (
	"cmp"
	"crypto/rand"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	gomail "github.com/wneessen/go-mail"
)

// What stays in an outbox, in which nobody may ever look.
const (
	maxOutbox = 200
	outboxAge = 7 * 24 * time.Hour
)

// outbox is a folder of mails, which only the operator reads.
type outbox struct{ folder string }

// put returns the file that the mail is in, if it is, also when others could not be tidied.
func (o outbox) put(m *gomail.Msg) (name string, err error) {
	if err := os.MkdirAll(o.folder, 0o700); err != nil {
		return "", err
	}
	// By their names they are in the order of time.
	name = filepath.Join(o.folder, time.Now().UTC().Format("20060102T150405.000")+"-"+rand.Text()[:8]+".eml")
	file, err := os.OpenFile(name+".new", os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return "", err
	}
	_, err = m.WriteTo(file)
	if err = cmp.Or(err, file.Close()); err == nil {
		err = os.Rename(name+".new", name)
	}
	if err != nil {
		return "", errors.Join(err, os.Remove(name+".new"))
	}
	return name, o.tidy(time.Now())
}

// tidy deletes what is old, and the oldest of what is too much.
func (o outbox) tidy(now time.Time) error {
	entries, err := os.ReadDir(o.folder) // sorted by name
	if err != nil {
		return err
	}
	entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool {
		return !strings.HasSuffix(strings.TrimSuffix(e.Name(), ".new"), ".eml")
	})
	for i, e := range entries {
		info, err := e.Info()
		if err != nil || i >= len(entries)-maxOutbox && now.Sub(info.ModTime()) < outboxAge {
			continue // another's tidying came first
		}
		if err := os.Remove(filepath.Join(o.folder, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}
