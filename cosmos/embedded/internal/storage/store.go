// Package storage manages the SQLite database in a data directory: creation, locking, connections,
// detection of torn and damaged files, backup and restore.
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
	// DatabaseFile is the name of the database in the data directory.
	DatabaseFile = "inkfeed.db"
	// LockFile is the name of the file in the data directory that a running engine locks.
	LockFile      = "lock"
	applicationID = 0x494E4B46 // "INKF"
	schemaVersion = 2
)

// SQLite checkpoints (writes the write-ahead log back to the file) once the log has logPages pages,
// as far as no reader needs the old content. When everything is written back and no reader uses the
// log, SQLite restarts it from the front.
const (
	logPages = 8000     // 32 MB
	logKept  = 64 << 20 // size to which a longer log is truncated
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

// Store is the database file of a data directory, with the writer's connection and the readers'
// connections.
type Store struct {
	lock    *flock.Flock
	Driver  *sqlite.Driver
	File    string
	Writer  *Conn
	Readers *readers
	log     *slog.Logger
	Damaged atomic.Bool // see Examine
}

// Open locks a data directory and opens its database. It creates both if they do not exist.
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
			return errors.Join(fmt.Errorf("%s is missing, but its log exists", s.File), err)
		}
		err = s.Create()
	} else {
		err = s.inspect()
	}
	if err != nil {
		return err
	}
	// The writer's cache is small on purpose. When SQLite balances a tree, it temporarily numbers a
	// page beyond the end of the file. At the commit it then searches the whole cache for such
	// pages. With a cache of 128 MB that took a third of the writer's time. Pages outside this
	// cache are usually in the system's. Each cached page takes 8 KiB: SQLite in Go rounds
	// allocations up to a power of two, and the page's header exceeds 4 KiB.
	s.Writer, err = OpenConn(s.Driver, s.File, false,
		"journal_mode(wal)", "synchronous(full)", "cache_size(-4096)", "temp_store(memory)",
		fmt.Sprintf("wal_autocheckpoint(%d)", logPages), fmt.Sprintf("journal_size_limit(%d)", logKept))
	if err != nil {
		return fmt.Errorf("open %s: %w", s.File, err)
	}
	s.Readers = newReaders(runtime.GOMAXPROCS(0) + 1)
	return nil
}

// Create creates the database under a temporary name, so that a crash leaves all or nothing of it.
// The database uses a write-ahead log from the beginning. Changing the mode later would need a
// rollback journal, which inspect could not handle after a crash.
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
	_,
		err = c.Exec(
		fmt.Sprintf(
			"BEGIN IMMEDIATE; %s PRAGMA application_id = %d; PRAGMA user_version = %d; COMMIT; PRAGMA "+
				"journal_mode = wal",
			schema,
			applicationID,
			schemaVersion,
		))
	// The database contains data that other users of the machine must not read, even if they can
	// read the directory. The log and its index inherit the file's permissions.
	if err := errors.Join(err, c.Close(), os.Chmod(temporary, 0o600)); err != nil {
		return fmt.Errorf("create %s: %w", s.File, err)
	}
	if err := os.Rename(temporary, s.File); err != nil {
		return err
	}
	return syncDirectory(filepath.Dir(s.File))
}

// inspect fails if the file is not an intact database of this engine. It only reads, so another
// application's file is not changed.
func (s *Store) inspect() error {
	if err := refuseTorn(s.File); err != nil {
		return err
	}
	c, err := OpenConn(s.Driver, s.File, true)
	if err != nil {
		return errUnsound(s.File, "it cannot be opened", err)
	}
	return errors.Join(c.identify(s.File), c.Close())
}

// identify fails if the database does not belong to this engine or has another schema version.
func (c *Conn) identify(file string) error {
	for _, check := range []struct {
		pragma string
		want   int64
		less   string
		more   string
	}{
		{"PRAGMA application_id", applicationID, "it belongs to another application",
			"it belongs to another application"},
		{"PRAGMA user_version", schemaVersion, "it is of an older version of this engine",
			"it is of a newer version of this engine"},
		{"SELECT count(*) FROM sqlite_schema WHERE name IN ('databases', 'containers', 'ranges', 'offers')", 4,
			"tables are missing", ""},
	} {
		row, err := c.One(check.pragma)
		if err != nil {
			return errUnsound(file, "it cannot be read", err)
		}
		switch got := AsInt(row[0]); {
		case got < check.want:
			return errUnsound(file, fmt.Sprintf("%s (%d, not %d)", check.less, got, check.want), nil)
		case got > check.want:
			return errUnsound(file, fmt.Sprintf("%s (%d, not %d)", check.more, got, check.want), nil)
		}
	}
	return nil
}

// errUnsound returns the error for a file that is not opened, in one line.
func errUnsound(file, why string, err error) error {
	if err != nil {
		return fmt.Errorf("%s is not a database of this engine: %s: %w", file, why, err)
	}
	return fmt.Errorf("%s is not a database of this engine: %s", file, why)
}

// Read calls f with a read-only connection. It waits for one until ctx ends.
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

// ReadSnapshot is Read for several statements. All of them see the database at the same moment.
func (s *Store) ReadSnapshot(ctx context.Context, f func(*Conn) error) error {
	return s.Read(ctx, func(c *Conn) (err error) {
		if _, err = c.Exec("BEGIN"); err != nil {
			return err
		}
		defer func() {
			if _, end := c.Exec("ROLLBACK"); err == nil {
				err = end
			}
		}()
		return f(c)
	})
}

// OpenReader opens a connection for reading. Its cache is small, because the system caches the
// file. Copying a page from there takes hardly longer than mapping the file, and the memory of the
// process stays its own.
func (s *Store) OpenReader() (*Conn, error) {
	return OpenConn(s.Driver, s.File, true, "query_only(1)", "cache_size(-512)", "temp_store(memory)",
		"busy_timeout(10000)")
}

// Close closes the database and releases the directory. No read may be in progress.
func (s *Store) Close() error {
	var errs []error
	if s.Readers != nil {
		conns, err := s.Readers.TakeAll(context.Background())
		errs = append(errs, err)
		for _, c := range conns {
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
