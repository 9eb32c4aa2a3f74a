package search

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"log/slog"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"sync"

	"github.com/gofrs/flock"
	"modernc.org/sqlite"
	sqlite3 "modernc.org/sqlite/lib"

	"inkfeed/domain"
	"inkfeed/workers/tailer"
)

// Texter takes the text from Markdown.
type Texter interface{ PlainText(source string) string }

// Index is an open index. It is safe for concurrent use.
type Index struct {
	markdown Texter
	log      *slog.Logger
	lock     *flock.Flock
	path     string

	mu      sync.RWMutex // held for writing while the file is changed for another
	writer  *sql.DB      // one connection
	readers *sql.DB
}

// maxProcesses is how many processes may share a data folder, each with a file of its own.
const maxProcesses = 16

// readConnections is how many searches run at a time.
const readConnections = 4

// Open opens the index in a folder, which it makes, like the index, when there is none. A
// file that cannot be used is made anew, so an error is about the folder.
func Open(dir string, markdown Texter, logger *slog.Logger) (*Index, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	x := &Index{markdown: markdown, log: logger}
	if err := x.claim(dir); err != nil {
		return nil, err
	}
	err := x.open()
	if err != nil {
		if !errors.Is(err, fs.ErrNotExist) {
			x.log.Warn("the search index cannot be used and is made anew", "file", x.path, "reason", err)
		}
		err = x.create()
	}
	if err != nil {
		x.lock.Unlock()
		return nil, fmt.Errorf("search index %s: %w", x.path, err)
	}
	return x, nil
}

// claim finds a file that no other process has.
func (x *Index) claim(dir string) error {
	for i := 1; i <= maxProcesses; i++ {
		name := "search"
		if i > 1 {
			name += "-" + strconv.Itoa(i)
		}
		x.path = filepath.Join(dir, name+".db")
		x.lock = flock.New(filepath.Join(dir, name+".lock"), flock.SetPermissions(0o600))
		ours, err := x.lock.TryLock()
		if err != nil || ours {
			return err
		}
	}
	return fmt.Errorf("%d processes use the search indexes in %s", maxProcesses, dir)
}

// Discard deletes the indexes in a folder that no process has open: those of another
// database than the one that is put there.
func Discard(dir string) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, file := range files {
		if ours, _ := filepath.Match("search*.db*", file.Name()); ours {
			if err := os.Remove(filepath.Join(dir, file.Name())); err != nil {
				return err
			}
		}
	}
	return nil
}

// Close closes the index. It must not be used after it.
func (x *Index) Close() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	err := x.close()
	return errors.Join(err, x.lock.Unlock())
}

func (x *Index) close() error {
	var err error
	for _, db := range []*sql.DB{x.readers, x.writer} {
		if db != nil {
			err = errors.Join(err, db.Close())
		}
	}
	x.readers, x.writer = nil, nil
	return err
}

// open opens a file that is there, and checks that it is an index of this form.
func (x *Index) open() error {
	if _, err := os.Stat(x.path); err != nil {
		return err
	}
	if err := x.connect(); err != nil {
		return err
	}
	for pragma, want := range map[string]int{"application_id": applicationID, "user_version": schemaVersion} {
		var got int
		if err := x.writer.QueryRow("PRAGMA " + pragma).Scan(&got); err != nil {
			return err
		}
		if got != want {
			return fmt.Errorf("its %s is %d, not %d", pragma, got, want)
		}
	}
	// What was deleted is in the feed no longer either.
	_, err := x.writer.Exec(`DELETE FROM posts WHERE NOT listed AND deleted BETWEEN 1 AND unixepoch() * 1000 - ?`,
		2*domain.MarkerTime.Milliseconds())
	return err
}

// create makes a new file in the place of the one that may be there.
func (x *Index) create() error {
	x.close() // of a file that goes
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		if err := os.Remove(x.path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	file, err := os.OpenFile(x.path, os.O_CREATE|os.O_RDWR, 0o600) // as SQLite would not
	if err != nil {
		return err
	}
	if err := file.Close(); err != nil {
		return err
	}
	if err := x.connect(); err != nil {
		return err
	}
	_, err = x.writer.Exec(fmt.Sprintf("BEGIN; %s PRAGMA application_id = %d; PRAGMA user_version = %d; COMMIT",
		schema, applicationID, schemaVersion))
	return err
}

// connect opens the connections. Losing power may cost the last transactions, and with
// each both the changes and their mark.
func (x *Index) connect() (err error) {
	// The caches are small: what they do not have is in the system's.
	common := []string{"journal_mode(wal)", "synchronous(normal)", "busy_timeout(10000)"}
	if x.writer, err = database(x.path, append(common, "cache_size(-8000)", "journal_size_limit(67108864)"),
		1); err != nil {
		return err
	}
	x.readers, err = database(x.path, append(common, "cache_size(-2000)", "query_only(1)"), readConnections)
	return err
}

func database(path string, pragmas []string, connections int) (*sql.DB, error) {
	path, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	name := url.URL{Scheme: "file", Path: path, RawQuery: url.Values{"_pragma": pragmas,
		"_txlock": {"immediate"}}.Encode()}
	db, err := sql.Open("sqlite", name.String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(connections)
	db.SetMaxIdleConns(connections)
	return db, db.Ping()
}

// errClosed is what an index answers after Close, or when no new file could be made.
var errClosed = domain.Errorf(domain.Unavailable, "Search isn't available at the moment. Please try again soon.")

// read makes a call on the connections for reading.
func (x *Index) read(ctx context.Context, call func(db *sql.DB) error) error {
	x.mu.RLock()
	db := x.readers
	if db == nil {
		x.mu.RUnlock()
		return errClosed
	}
	err := call(db)
	x.mu.RUnlock()
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		err = errors.Join(ctx.Err(), err)
	case isDamage(err):
		x.renew(db, err)
	}
	return &domain.Error{Kind: domain.Unavailable, Message: errClosed.(*domain.Error).Message, Err: err}
}

// write makes a call in a transaction. ErrLost tells that the file was damaged and is made
// anew.
func (x *Index) write(ctx context.Context, call func(tx *sql.Tx) error) error {
	x.mu.RLock()
	db, reading := x.writer, x.readers
	if db == nil {
		x.mu.RUnlock()
		return x.renew(nil, errClosed)
	}
	err := transaction(ctx, db, call)
	x.mu.RUnlock()
	if isDamage(err) || isForeign(err) {
		return x.renew(reading, err)
	}
	return err
}

func transaction(ctx context.Context, db *sql.DB, call func(tx *sql.Tx) error) error {
	tx, err := db.BeginTx(ctx, nil)
	if err != nil {
		return err
	}
	defer tx.Rollback()
	if err := call(tx); err != nil {
		return err
	}
	return tx.Commit()
}

// renew makes the file anew, unless somebody has since its connections were taken.
func (x *Index) renew(damaged *sql.DB, reason error) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.readers != damaged {
		return tailer.ErrLost
	}
	if !x.lock.Locked() { // closed
		return errClosed
	}
	x.log.Error("the search index is damaged and is made anew", "file", x.path, "reason", reason)
	if err := x.create(); err != nil {
		x.close()
		return fmt.Errorf("search index %s: %w", x.path, err)
	}
	return tailer.ErrLost
}

// isDamage reports whether an error says that the file is no sound database.
func isDamage(err error) bool {
	code := codeOf(err)
	return code == sqlite3.SQLITE_CORRUPT || code == sqlite3.SQLITE_NOTADB
}

// isForeign reports whether an error of a statement that makes no use of anything typed
// says that the file has not our tables.
func isForeign(err error) bool { return codeOf(err) == sqlite3.SQLITE_ERROR }

func codeOf(err error) int {
	if failed, ok := errors.AsType[*sqlite.Error](err); ok {
		return failed.Code() & 0xff
	}
	return sqlite3.SQLITE_OK
}
