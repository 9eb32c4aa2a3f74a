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

// install installs a shell script in place of the program inkfeed.
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

// write writes a file that was last modified the given time ago.
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
	t.Run("keeps 24 copies, and the newest of each of 14 days before", func(t *testing.T) {
		f := newBackupFolders(t)
		newest := time.Date(2026, 11, 27, 21, 0, 7, 0, time.UTC)
		for i := range 22 * 4 { // of an earlier version, which named no copy after its day
			name := newest.Add(-time.Duration(i) * 6 * time.Hour).Format("blog-2006-01-02T150405Z.db")
			f.write(t, filepath.Join(f.backups, name), name, 0)
		}
		f.install(t, "exit 1") // as on a full disk
		for range 2 {
			if f.run(t) {
				t.Error("the unit succeeds without a backup")
			}
		}
		hourly, err := filepath.Glob(filepath.Join(f.backups, "blog-*T*Z.db"))
		if err != nil || len(hourly) != 24 {
			t.Errorf("%d copies are left with their names, want 24: %v, error %v", len(hourly), hourly, err)
		}
		for day := range 22 {
			date := newest.AddDate(0, 0, -day).Format(time.DateOnly)
			text, err := os.ReadFile(filepath.Join(f.backups, "blog-"+date+".db"))
			if kept := 6 <= day && day < 20; kept != (err == nil) {
				t.Errorf("the copy of %s is kept: %t, want %t", date, err == nil, kept)
			}
			if want := "blog-" + date + "T210007Z.db"; err == nil && string(text) != want {
				t.Errorf("the copy of %s is %s, want %s", date, text, want)
			}
		}
	})
	t.Run("deletes what an interrupted backup left", func(t *testing.T) {
		f := newBackupFolders(t)
		left := filepath.Join(f.backups, "blog-2026-11-26T190000Z.db.12345.new")
		f.write(t, left, "database", 25*time.Hour)
		if !f.run(t) || f.exists(left) {
			t.Error("the file is still there")
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
		f.write(t, filepath.Join(f.backups, "media", "0456.import"), "of an earlier version", time.Hour)
		first := f.run(t)
		if err := os.Remove(picture); err != nil {
			t.Fatal(err)
		}
		if !first || !f.run(t) {
			t.Fatal("the unit fails")
		}
		for name, want := range map[string]bool{"media/picture.webp": false, "deleted-media/picture.webp": true,
			"media/0123.import": false, "media/0456.import": false} {
			if got := f.exists(filepath.Join(f.backups, name)); got != want {
				t.Errorf("%s: exists is %t, want %t", name, got, want)
			}
		}
	})
}
