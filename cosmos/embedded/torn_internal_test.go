package embedded

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"inkfeed/cosmos/embedded/internal/storage"
)

// mustDirectory returns a data directory with items in the file and in the log, copied as a killed
// process leaves it.
func mustDirectory(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	write := func(e *Engine, from, to int) {
		for i := from; i < to; i++ {
			create(t, e, fmt.Sprintf(`{"id":"%d","pk":"a","x":%q}`, i, strings.Repeat("x", 2000))).want(t, 201)
		}
	}
	e := reopen(t, dir)
	send(t, e, "POST", "/dbs", `{"id":"d"}`).want(t, 201)
	send(t, e, "POST", "/dbs/d/colls", plainContainer).want(t, 201)
	write(e, 0, 100)
	if err := e.Close(); err != nil {
		t.Fatal(err)
	}
	e = reopen(t, dir)
	write(e, 100, 120)
	copied := t.TempDir()
	for _, name := range []string{storage.DatabaseFile, storage.DatabaseFile + "-wal"} {
		content, err := os.ReadFile(filepath.Join(dir, name))
		if err != nil || len(content) == 0 {
			t.Fatal(name, len(content), err)
		}
		if err := os.WriteFile(filepath.Join(copied, name), content, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return copied
}

func reopen(t *testing.T, dir string) *Engine {
	t.Helper()
	e, err := Open(dir, Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { e.Close() })
	return e
}

func TestOpenAfterKillFindsTheLog(t *testing.T) {
	e := reopen(t, mustDirectory(t))
	for _, id := range []string{"0", "99", "119"} {
		send(t, e, "GET", docs+"/"+id, "", pk("a")...).want(t, 200)
	}
}

func TestOpenRefusesATornFile(t *testing.T) {
	for name, damage := range map[string]func(file string, size int64) error{
		"cut in half, with a log": func(file string, size int64) error { return os.Truncate(file, size/2) },
		"without its last page":   func(file string, size int64) error { return os.Truncate(file, size-4096) },
		"cut to a part of a page": func(file string, size int64) error { return os.Truncate(file, 50) },
		"empty, with a log":       func(file string, size int64) error { return os.Truncate(file, 0) },
		"cut in half, without one": func(file string, size int64) error {
			return errors.Join(os.Truncate(file, size/2), os.Remove(file+"-wal"))
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := mustDirectory(t)
			file := filepath.Join(dir, storage.DatabaseFile)
			info, err := os.Stat(file)
			if err != nil {
				t.Fatal(err)
			}
			if err := damage(file, info.Size()); err != nil {
				t.Fatal(err)
			}
			before, _ := os.ReadFile(file + "-wal")
			e, err := Open(dir, Options{})
			if err == nil {
				e.Close()
				t.Fatal("opened")
			}
			if !strings.Contains(err.Error(), "it is torn") {
				t.Errorf("got %v", err)
			}
			if after, _ := os.ReadFile(file + "-wal"); string(after) != string(before) {
				t.Error("the log was changed")
			}
		})
	}
}

func TestOpenRefusesALogWithoutItsFile(t *testing.T) {
	dir := mustDirectory(t)
	if err := os.Remove(filepath.Join(dir, storage.DatabaseFile)); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(dir, Options{}); err == nil || !strings.Contains(err.Error(),
		"is missing, but its log exists") {
		t.Errorf("got %v", err)
	}
}

func TestOpenRefusesDefinitionsThatDoNotAgree(t *testing.T) {
	for sql, want := range map[string]string{
		"DELETE FROM databases":                        "container c has no database",
		"DELETE FROM containers":                       "feed range 0 has no container",
		"DELETE FROM ranges":                           "container c has no feed ranges",
		"DROP TABLE items_1":                           "container c has no table",
		"PRAGMA user_version = 1":                      "an older version of this engine",
		"PRAGMA user_version = 3":                      "a newer version of this engine (3, not 2)",
		"UPDATE containers SET definition = '{\"id\"'": "container c",
	} {
		t.Run(sql, func(t *testing.T) {
			dir := mustDirectory(t)
			c, err := storage.OpenConn(storage.NewDriver(), filepath.Join(dir, storage.DatabaseFile), false)
			if err != nil {
				t.Fatal(err)
			}
			if _, err := c.Exec(sql); err != nil {
				t.Fatal(err)
			}
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
			e, err := Open(dir, Options{})
			if err == nil {
				e.Close()
				t.Fatal("opened")
			}
			if !strings.Contains(err.Error(), want) {
				t.Errorf("got %v, want %s", err, want)
			}
		})
	}
}

func TestNewDatabaseHasItsLogFromTheBeginning(t *testing.T) {
	s := &storage.Store{Driver: storage.NewDriver(), File: filepath.Join(t.TempDir(), storage.DatabaseFile)}
	if err := s.Create(); err != nil {
		t.Fatal(err)
	}
	content, err := os.ReadFile(s.File)
	if err != nil || content[18] != 2 || content[19] != 2 { // 1 means rollback journal
		t.Errorf("the versions in the header are %v (%v)", content[18:20], err)
	}
	if left, err := filepath.Glob(s.File + "?*"); err != nil || len(left) > 0 {
		t.Errorf("the remaining files are %v (%v)", left, err)
	}
}
