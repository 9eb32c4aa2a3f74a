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

// Summarizer returns the summary of a post, and its whole text.
type Summarizer interface {
	SummarizeWhole(p domain.Post) (s domain.Summary, whole string)
}

// Index is an open full-text index. It is safe for concurrent use.
type Index struct {
	markdown Summarizer
	log      *slog.Logger
	lock     *flock.Flock
	path     string

	mu      sync.RWMutex // held for writing while the file is replaced
	writer  *sql.DB      // one connection; nil after Close, or if no file could be created
	readers *sql.DB
}

// maxProcesses is the maximum number of processes that share a data folder. Each has its own file.
const maxProcesses = 16

// readConnections is the maximum number of concurrent searches.
const readConnections = 4

// Open opens the index in a folder. It creates the folder and the index if they do not exist, and replaces a file that
// cannot be used. So an error concerns the folder.
func Open(dir string, markdown Summarizer, logger *slog.Logger) (*Index, error) {
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
			x.log.Warn("cannot use the search index, building a new one", "file", x.path, "reason", err)
		}
		err = x.create()
	}
	if err != nil {
		x.lock.Unlock()
		return nil, fmt.Errorf("create search index %s: %w", x.path, err)
	}
	return x, nil
}

// claim locks a file that no other process uses.
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
	return fmt.Errorf("lock a search index in %s: %d other processes use the folder", dir, maxProcesses)
}

// Discard deletes the indexes in a folder, so that they are rebuilt for another database. No process may have them
// open.
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

// Close closes the index, which must not be used afterwards.
func (x *Index) Close() error {
	x.mu.Lock()
	defer x.mu.Unlock()
	err := x.close()
	return errors.Join(err, x.lock.Unlock())
}

// close closes the connections.
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

// open opens an existing file and checks its form.
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
	// The feed no longer delivers posts that were deleted so long ago. The index is incomplete until the feed has shown
	// what was written while no process had the file open, such as an import.
	_, err := x.writer.Exec(`UPDATE marks SET complete = 0;
		DELETE FROM posts WHERE NOT listed AND deleted BETWEEN 1 AND unixepoch() * 1000 - ?`,
		2*domain.MarkerTime.Milliseconds())
	return err
}

// create replaces the file, if there is one, by a new one.
func (x *Index) create() error {
	x.close()
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		if err := os.Remove(x.path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	file, err := os.OpenFile(x.path, os.O_CREATE|os.O_RDWR, 0o600) // SQLite would allow others to read it
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

// connect opens the connections. A loss of power may undo the last transactions, each with its changes and their mark.
func (x *Index) connect() (err error) {
	// The caches are small, because the system caches the file too.
	common := []string{"journal_mode(wal)", "synchronous(normal)", "busy_timeout(10000)"}
	if x.writer, err = database(x.path, append(common, "cache_size(-8000)", "journal_size_limit(67108864)"),
		1); err != nil {
		return err
	}
	x.readers, err = database(x.path, append(common, "cache_size(-2000)", "query_only(1)"), readConnections)
	return err
}

// database opens a database file with pragmas and a number of connections.
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

// errClosed is the error of an index that was closed, or for which no new file could be created.
var errClosed = domain.NewError(domain.Unavailable, "Search isn't available at the moment. Please try again soon.")

// read calls a function with the connections for reading. If the file is damaged, it is rebuilt.
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
		x.replace(db, err)
	}
	return &domain.Error{Kind: domain.Unavailable, Message: errClosed.(*domain.Error).Message, Err: err}
}

// write calls a function in a transaction. It returns ErrLost if the file was damaged and is rebuilt.
func (x *Index) write(ctx context.Context, call func(tx *sql.Tx) error) error {
	x.mu.RLock()
	db, reading := x.writer, x.readers
	if db == nil {
		x.mu.RUnlock()
		return x.replace(nil, errClosed)
	}
	err := transaction(ctx, db, call)
	x.mu.RUnlock()
	if isDamage(err) || isForeign(err) {
		return x.replace(reading, err)
	}
	return err
}

// transaction commits what call has done, unless it fails.
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

// replace replaces a damaged file, unless that has happened since the caller took its connections.
func (x *Index) replace(damaged *sql.DB, reason error) error {
	x.mu.Lock()
	defer x.mu.Unlock()
	if x.readers != damaged {
		return tailer.ErrLost
	}
	if !x.lock.Locked() { // closed
		return errClosed
	}
	x.log.Error("the search index is damaged, building a new one", "file", x.path, "reason", reason)
	if err := x.create(); err != nil {
		x.close()
		return fmt.Errorf("create search index %s: %w", x.path, err)
	}
	return tailer.ErrLost
}

// isDamage reports whether an error means that the file is damaged or not a database.
func isDamage(err error) bool {
	code := codeOf(err)
	return code == sqlite3.SQLITE_CORRUPT || code == sqlite3.SQLITE_NOTADB
}

// isForeign reports whether an error means that the file has other tables. Only for statements that contain no user
// input, because a syntax error has the same code.
func isForeign(err error) bool { return codeOf(err) == sqlite3.SQLITE_ERROR }

// codeOf returns the primary result code of SQLite.
func codeOf(err error) int {
	if failed, ok := errors.AsType[*sqlite.Error](err); ok {
		return failed.Code() & 0xff
	}
	return sqlite3.SQLITE_OK
}
