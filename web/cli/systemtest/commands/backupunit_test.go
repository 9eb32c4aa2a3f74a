package commands

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// backupFolders are folders of a machine in which a test runs the commands of inkfeed-backup.service.
type backupFolders struct{ data, backups, program string }

func newBackupFolders(t *testing.T) backupFolders {
	t.Helper()
	if _, err := exec.LookPath("rsync"); err != nil {
		t.Skip(err)
	}
	root := t.TempDir()
	f := backupFolders{filepath.Join(root, "data"), filepath.Join(root, "backups"), filepath.Join(root, "inkfeed")}
	for _, folder := range []string{filepath.Join(f.data, "media"), f.backups} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	f.install(t, `echo database > "$2"`)
	return f
}

// install makes a shell script the program inkfeed.
func (f backupFolders) install(t *testing.T, script string) {
	t.Helper()
	if err := os.WriteFile(f.program, []byte("#!/bin/sh\n"+script+"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
}

var unitCommand = regexp.MustCompile(`(?m)^ExecStart(?:Pre)?=(-?)(.*)$`)

// run runs the commands of the unit like systemd: up to the first that fails, unless a minus sign precedes it. It
// reports whether all others succeeded.
func (f backupFolders) run(t *testing.T) bool {
	t.Helper()
	unit := strings.NewReplacer("\\\n", "", "$$", "$", "%%", "%", "/var/lib/inkfeed", f.data, "/usr/local/bin/inkfeed",
		f.program).Replace(readFile(t, "systemd/inkfeed-backup.service"))
	commands := unitCommand.FindAllStringSubmatch(unit, -1)
	if len(commands) < 3 {
		t.Fatalf("the unit has only %d commands", len(commands))
	}
	for _, c := range commands {
		cmd := exec.Command("/bin/sh", "-c", c[2])
		cmd.Dir = f.backups
		if out, err := cmd.CombinedOutput(); err != nil && c[1] == "" {
			t.Logf("%s: %v\n%s", c[2], err, out)
			return false
		}
	}
	return true
}

// write writes a file below the common folder and dates it.
func (f backupFolders) write(t *testing.T, path, text string, age time.Duration) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	then := time.Now().Add(-age)
	if err := os.Chtimes(path, then, then); err != nil {
		t.Fatal(err)
	}
}

func (f backupFolders) exists(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

func TestBackupUnit(t *testing.T) {
	t.Parallel()
	const day = 24 * time.Hour
	t.Run("keeps the copies of a day, and one of each of 14 days", func(t *testing.T) {
		f := newBackupFolders(t)
		f.install(t, "exit 1") // as on a full disk
		copies := map[string]struct {
			age  time.Duration
			kept bool
		}{
			"blog-2026-11-27T210000Z.db":           {23 * time.Hour, true},
			"blog-2026-11-26T190000Z.db":           {25 * time.Hour, false},
			"blog-2026-11-26T190000Z.db.12345.new": {25 * time.Hour, false},
			"blog-2026-11-14.db":                   {13 * day, true},
			"blog-2026-11-11.db":                   {16 * day, false},
		}
		for name, c := range copies {
			f.write(t, filepath.Join(f.backups, name), "database", c.age)
		}
		if f.run(t) {
			t.Error("the unit succeeds without a backup")
		}
		for name, c := range copies {
			if kept := f.exists(filepath.Join(f.backups, name)); kept != c.kept {
				t.Errorf("%s: kept is %t, want %t", name, kept, c.kept)
			}
		}
	})
	t.Run("names the newest copy of a day after the day", func(t *testing.T) {
		f := newBackupFolders(t)
		f.write(t, filepath.Join(f.backups, "blog-"+time.Now().UTC().Format(time.DateOnly)+".db"), "older", time.Hour)
		if !f.run(t) {
			t.Fatal("the unit fails")
		}
		hourly, err := filepath.Glob(filepath.Join(f.backups, "blog-*T*Z.db"))
		if err != nil || len(hourly) != 1 {
			t.Fatalf("the copies are %v, error %v", hourly, err)
		}
		day, _, _ := strings.Cut(filepath.Base(hourly[0]), "T")
		if text, err := os.ReadFile(filepath.Join(f.backups, day+".db")); err != nil || string(text) != "database\n" {
			t.Errorf("the copy of the day is %q, error %v", text, err)
		}
	})
	t.Run("copies a picture again whose copy is incomplete", func(t *testing.T) {
		f := newBackupFolders(t)
		f.write(t, filepath.Join(f.data, "media", "ab", "picture.webp"), "complete", time.Hour)
		copied := filepath.Join(f.backups, "media", "ab", "picture.webp")
		f.write(t, copied, "comp", 0)
		if !f.run(t) {
			t.Fatal("the unit fails")
		}
		if text, err := os.ReadFile(copied); err != nil || string(text) != "complete" {
			t.Errorf("the copy is %q, error %v", text, err)
		}
	})
	t.Run("sets deleted pictures apart and leaves out uploaded blogs", func(t *testing.T) {
		f := newBackupFolders(t)
		picture := filepath.Join(f.data, "media", "picture.webp")
		f.write(t, picture, "picture", time.Hour)
		f.write(t, filepath.Join(f.data, "media", "0123.import"), "blog", time.Hour)
		first := f.run(t)
		if err := os.Remove(picture); err != nil {
			t.Fatal(err)
		}
		if !first || !f.run(t) {
			t.Fatal("the unit fails")
		}
		for name, want := range map[string]bool{"media/picture.webp": false, "deleted-media/picture.webp": true,
			"media/0123.import": false} {
			if got := f.exists(filepath.Join(f.backups, name)); got != want {
				t.Errorf("%s: exists is %t, want %t", name, got, want)
			}
		}
	})
}
