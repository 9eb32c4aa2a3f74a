package storage

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"sync/atomic"

	"github.com/gofrs/flock"
	"modernc.org/sqlite"
)

const (
	DatabaseFile  = "inkfeed.db"
	LockFile      = "lock"
	applicationID = 0x494E4B46 // "INKF"
	schemaVersion = 2
)

// SQLite writes the log back to the file once it has so many pages, a little behind the
// commits, as far as no reader needs what the file has. When all of it is written back
// and nobody reads from it, the log begins again at its front.
const (
	logPages = 8000     // 32 MB
	logKept  = 64 << 20 // what is left of a log that was longer
)

const schema = `
CREATE TABLE databases (
	num INTEGER PRIMARY KEY,
	id  TEXT NOT NULL UNIQUE,
	ts  INTEGER NOT NULL
);
CREATE TABLE containers (
	num        INTEGER PRIMARY KEY AUTOINCREMENT,
	database   INTEGER NOT NULL,
	id         TEXT NOT NULL,
	ts         INTEGER NOT NULL,
	revision   INTEGER NOT NULL,
	definition TEXT NOT NULL,
	UNIQUE (database, id)
);
CREATE TABLE ranges (
	container INTEGER NOT NULL,
	id        INTEGER NOT NULL,
	min       TEXT NOT NULL,
	max       TEXT NOT NULL,
	parents   TEXT NOT NULL DEFAULT '',
	lsn       INTEGER NOT NULL,
	version   INTEGER NOT NULL,
	PRIMARY KEY (container, id)
) WITHOUT ROWID;
CREATE TABLE offers (
	num      INTEGER PRIMARY KEY AUTOINCREMENT,
	resource TEXT NOT NULL UNIQUE,
	link     TEXT NOT NULL,
	content  TEXT NOT NULL,
	ts       INTEGER NOT NULL,
	revision INTEGER NOT NULL
);
`

// store is the database file: the connection of the writer and those of the readers.
type Store struct {
	lock    *flock.Flock
	Driver  *sqlite.Driver
	File    string
	Writer  *Conn
	Readers *readers
	log     *slog.Logger
	Damaged atomic.Bool // see examine
}

// openStore takes possession of a data directory and its database, which are made if
// they do not exist.
func Open(dir string, log *slog.Logger) (*Store, error) {
	if err := makeDirectory(dir); err != nil {
		return nil, err
	}
	lock, err := lockDirectory(dir)
	if err != nil {
		return nil, err
	}
	s := &Store{lock: lock, Driver: NewDriver(), File: filepath.Join(dir, DatabaseFile), log: log}
	if err := s.open(); err != nil {
		return nil, errors.Join(err, s.Close())
	}
	return s, nil
}

func (s *Store) open() error {
	_, err := os.Stat(s.File)
	fresh := errors.Is(err, os.ErrNotExist)
	if fresh {
		if log, err := ReadLog(s.File + "-wal"); err != nil || log.pages > 0 {
			return errors.Join(fmt.Errorf("%s is missing, but its log is there", s.File), err)
		}
		err = s.Create()
	} else {
		err = s.inspect()
	}
	if err != nil {
		return err
	}
	// The writer's cache is small on purpose. When SQLite balances a tree it gives a page a
	// number beyond the end of the file for a moment, and at the commit it then searches the
	// whole cache for pages beyond the end: with 128 MB that took a third of all its time.
	// What the cache does not have is in the system's. A page of it takes 8 KiB: SQLite in Go
	// rounds what it allocates up to a power of two, and a page's header makes it more than four.
	s.Writer, err = OpenConn(s.Driver, s.File, false,
		"journal_mode(wal)", "synchronous(full)", "cache_size(-4096)", "temp_store(memory)",
		fmt.Sprintf("wal_autocheckpoint(%d)", logPages), fmt.Sprintf("journal_size_limit(%d)", logKept))
	if err != nil {
		return fmt.Errorf("open %s: %w", s.File, err)
	}
	s.Readers = newReaders(runtime.GOMAXPROCS(0) + 1)
	return nil
}

// create makes the database under another name first, so that a crash leaves either
// none or all of it. It has its log from the beginning: to change to that later would take
// a rollback journal, which inspect could not deal with if a crash left it.
func (s *Store) Create() error {
	temporary := s.File + ".new"
	for _, left := range []string{"", "-journal", "-wal", "-shm"} {
		if err := os.Remove(temporary + left); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	c, err := OpenConn(s.Driver, temporary, false, "synchronous(full)")
	if err != nil {
		return fmt.Errorf("create %s: %w", s.File, err)
	}
	_, err = c.Exec(fmt.Sprintf("BEGIN IMMEDIATE; %s PRAGMA application_id = %d; PRAGMA user_version = %d; COMMIT; PRAGMA journal_mode = wal",
		schema, applicationID, schemaVersion))
	// It holds what not every user of the machine may read, and the folder may be open. Log
	// and index of it take after it.
	if err := errors.Join(err, c.Close(), os.Chmod(temporary, 0o600)); err != nil {
		return fmt.Errorf("create %s: %w", s.File, err)
	}
	if err := os.Rename(temporary, s.File); err != nil {
		return err
	}
	return syncDirectory(filepath.Dir(s.File))
}

// inspect refuses a file that is not a sound database of ours. It only reads, so that
// a foreign file is left as it was.
func (s *Store) inspect() error {
	if err := refuseTorn(s.File); err != nil {
		return err
	}
	c, err := OpenConn(s.Driver, s.File, true)
	if err != nil {
		return unsound(s.File, "it cannot be opened", err)
	}
	return errors.Join(c.identify(s.File), c.Close())
}

// identify refuses a database that is not one of ours, of this version.
func (c *Conn) identify(file string) error {
	for _, check := range []struct {
		pragma string
		want   int64
		less   string
		more   string
	}{
		{"PRAGMA application_id", applicationID, "it belongs to another application", "it belongs to another application"},
		{"PRAGMA user_version", schemaVersion, "it is of an older version of this engine", "it is of a newer version of this engine"},
		{"SELECT count(*) FROM sqlite_schema WHERE name IN ('databases', 'containers', 'ranges', 'offers')", 4, "tables are missing", ""},
	} {
		row, err := c.One(check.pragma)
		if err != nil {
			return unsound(file, "it cannot be read", err)
		}
		switch got := AsInt(row[0]); {
		case got < check.want:
			return unsound(file, fmt.Sprintf("%s (%d, not %d)", check.less, got, check.want), nil)
		case got > check.want:
			return unsound(file, fmt.Sprintf("%s (%d, not %d)", check.more, got, check.want), nil)
		}
	}
	return nil
}

// unsound says why a file is not opened, for people, in one line.
func unsound(file, why string, err error) error {
	if err != nil {
		return fmt.Errorf("%s is not a database of this engine: %s: %w", file, why, err)
	}
	return fmt.Errorf("%s is not a database of this engine: %s", file, why)
}

// read lends a read-only connection to f. It waits for one while ctx lasts.
func (s *Store) Read(ctx context.Context, f func(*Conn) error) error {
	c, err := s.Readers.take(ctx)
	if err != nil {
		return err
	}
	defer func() { s.Readers.Give(c) }()
	if c == nil {
		if c, err = s.OpenReader(); err != nil {
			return s.Examine(err)
		}
	}
	if err := f(c); err != nil {
		return s.Examine(err)
	}
	return nil
}

// openReader opens a connection for reading. What its cache does not have is in the system's: copying it
// from there takes hardly longer than mapping the file, and what a server holds then is its own.
func (s *Store) OpenReader() (*Conn, error) {
	return OpenConn(s.Driver, s.File, true, "query_only(1)", "cache_size(-512)", "temp_store(memory)", "busy_timeout(10000)")
}

// close gives the data directory up. No read may be in progress.
func (s *Store) Close() error {
	var errs []error
	if s.Readers != nil {
		for _, c := range s.Readers.TakeAll() {
			if c != nil {
				errs = append(errs, c.Close())
			}
		}
	}
	if s.Writer != nil {
		errs = append(errs, s.Writer.Close())
	}
	return errors.Join(append(errs, s.lock.Unlock())...)
}
