package storage

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"github.com/gofrs/flock"
	"modernc.org/sqlite"
)

// backupStep is the number of pages that are copied between two calls of Progress and checks of the
// context.
const backupStep = 512

// Progress is called with the number of database pages copied so far and their total. It may be
// nil.
type Progress func(done, total int64)

// Backup copies the database of a data directory to a new file. An Engine of this process or
// another may be using the directory. The copy is a snapshot of one moment after Backup began, and
// neither readers nor writers wait for it. Meanwhile SQLite cannot write back later changes, so the
// write-ahead log grows.
//
// The file gets its name after it has been copied completely, checked and synced. On any error
// nothing is left of it. It contains everything that an Engine needs: [Restore] makes a data
// directory from it.
func Backup(ctx context.Context, dir, file string, progress Progress) error {
	source := filepath.Join(dir, DatabaseFile)
	if _, err := os.Stat(source); err != nil {
		return fmt.Errorf("there is no database in %s: %w", dir, err)
	}
	lock := flock.New(filepath.Join(dir, LockFile))
	idle, err := lock.TryRLock() // backups share the lock; an Engine or a Restore has it alone
	if err != nil {
		return fmt.Errorf("lock data directory %s: %w", dir, err)
	}
	defer lock.Unlock()
	if idle {
		// If an Engine uses the directory, it has made this check when it opened the database. The
		// lengths of the file and the log are changing now.
		if err := refuseTorn(source); err != nil {
			return err
		}
	}
	snapshot, err := openSnapshot(NewDriver(), source, false)
	if err != nil {
		return err
	}
	defer snapshot.Close()
	// An Engine may start from now on. The snapshot does not change.
	if err := lock.Unlock(); err != nil {
		return err
	}
	return snapshot.copyTo(ctx, file, "quick_check", progress, nil)
}

// Backup copies the open database to a file, like the function Backup.
func (s *Store) Backup(ctx context.Context, file string, progress Progress) error {
	snapshot, err := openSnapshot(s.Driver, s.File, false)
	if err != nil {
		return err
	}
	defer snapshot.Close()
	return snapshot.copyTo(ctx, file, "quick_check", progress, nil)
}

// Restore makes a data directory from a file that Backup wrote, and checks the whole file. It fails
// if the directory has a database or a write-ahead log: SQLite would apply that log to the restored
// file.
//
// Writes after the backup are lost, and their LSNs are assigned again. Session tokens from that
// time are rejected, as the service rejects tokens from the future. Consumers of a change feed
// outside of the database must start again from the beginning: reset, which may be nil, deletes what they
// keep in the directory. It is called once the copy is complete, before it becomes the database.
func Restore(ctx context.Context, file, dir string, progress Progress, reset func() error) error {
	if err := makeDirectory(dir); err != nil {
		return err
	}
	lock, err := lockDirectory(dir)
	if err != nil {
		return err
	}
	defer lock.Unlock()
	target := filepath.Join(dir, DatabaseFile)
	if err := removeDrafts(target); err != nil {
		return err
	}
	for _, found := range []string{target, target + "-wal"} {
		if err := refuseExisting(found); err != nil {
			return fmt.Errorf("restore a backup into an empty directory: %w", err)
		}
	}
	if err := refuseTorn(file); err != nil {
		return err
	}
	// A file without a log can be read on read-only media.
	_, err = os.Stat(file + "-wal")
	snapshot, err := openSnapshot(NewDriver(), file, errors.Is(err, fs.ErrNotExist))
	if err != nil {
		return err
	}
	defer snapshot.Close()
	return snapshot.copyTo(ctx, target, "integrity_check", progress, reset)
}

// openSnapshot opens a database and reads it as of one moment until the connection is closed. An
// immutable file has no log, and no process changes it.
func openSnapshot(drv *sqlite.Driver, file string, immutable bool) (*Conn, error) {
	params := url.Values{"mode": {"ro"}}
	if immutable {
		params.Set("immutable", "1")
	}
	c, err := openWith(drv, file, params, []string{"busy_timeout(10000)"})
	if err != nil {
		return nil, errUnsound(file, "it cannot be opened", err)
	}
	if _, err = c.Exec("BEGIN"); err == nil {
		err = c.identify(file) // the first read fixes the moment of the snapshot
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// draftPattern is the suffix of a copy's name until the copy is complete.
const draftPattern = ".*.new"

// removeDrafts deletes the drafts that an interrupted Restore has left, each as large as the
// database. The caller must hold the directory's lock.
func removeDrafts(target string) error {
	dir := filepath.Dir(target)
	files, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, f := range files {
		if draft, _ := filepath.Match(filepath.Base(target)+draftPattern, f.Name()); !draft {
			continue
		}
		if err := os.Remove(filepath.Join(dir, f.Name())); err != nil {
			return err
		}
	}
	return nil
}

// copyTo copies the connection's snapshot to a new file. It writes a draft beside the file, so that
// only a complete copy gets the name. Just before that it calls before, which may be nil.
//
// It copies pages, which takes less time than VACUUM INTO, because no tables and indexes are built.
// The snapshot's transaction keeps writes of other processes from restarting the copy.
func (c *Conn) copyTo(ctx context.Context, file, check string, progress Progress, before func() error) error {
	if err := refuseExisting(file); err != nil {
		return err
	}
	draft, err := os.CreateTemp(filepath.Dir(file), filepath.Base(file)+draftPattern)
	if err != nil {
		return err
	}
	defer os.Remove(draft.Name())
	err = c.copyPages(ctx, draft.Name(), progress)
	if err == nil {
		_, err = c.Exec("ROLLBACK") // the remaining steps need only the draft
	}
	if err == nil {
		err = checkCopy(ctx, draft.Name(), check)
	}
	if err == nil {
		err = draft.Sync()
	}
	if err := errors.Join(err, draft.Close()); err != nil {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		return fmt.Errorf("copy to %s: %w", file, err)
	}
	if before != nil {
		if err := before(); err != nil {
			return err
		}
	}
	if err := renameDraft(draft.Name(), file); err != nil {
		return err
	}
	return syncDirectory(filepath.Dir(file))
}

func (c *Conn) copyPages(ctx context.Context, file string, progress Progress) error {
	raw := c.raw.(interface {
		NewBackup(string) (*sqlite.Backup, error)
	})
	// An incomplete draft is discarded, so it needs no journal.
	target, err := dsn(file, nil, []string{"journal_mode(off)", "synchronous(off)"})
	if err != nil {
		return err
	}
	b, err := raw.NewBackup(target)
	if err != nil {
		return err
	}
	for more := true; more && err == nil; {
		if err = ctx.Err(); err != nil {
			break
		}
		more, err = b.Step(backupStep)
		if progress != nil && err == nil {
			total := int64(b.PageCount())
			progress(total-int64(b.Remaining()), total)
		}
	}
	if finished := b.Finish(); err == nil { // otherwise it returns the same error again
		err = finished
	}
	return err
}

// checkCopy reads a copy completely. The original may have damaged pages that have not been read
// yet.
func checkCopy(ctx context.Context, file, check string) error {
	c, err := openWith(NewDriver(), file, url.Values{"mode": {"ro"}, "immutable": {"1"}}, nil)
	if err != nil {
		return err
	}
	defer c.Close()
	return c.Query(ctx, "PRAGMA "+check+"(1)", nil, func(r []driver.Value) (bool, error) {
		if found := AsText(r[0]); found != "ok" {
			return false, fmt.Errorf("the database is damaged: %s", strings.ReplaceAll(found, "\n", " "))
		}
		return true, nil
	})
}

// renameDraft gives the draft its final name, unless a file with that name exists.
func renameDraft(draft, file string) error {
	err := os.Link(draft, file)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err // the caller removes the draft's first name
	}
	// Without hard links, the check and the renaming cannot be atomic.
	if err := refuseExisting(file); err != nil {
		return err
	}
	return os.Rename(draft, file)
}

func refuseExisting(file string) error {
	_, err := os.Lstat(file)
	switch {
	case err == nil:
		return fmt.Errorf("%s already exists", file)
	case errors.Is(err, fs.ErrNotExist):
		return nil
	}
	return err
}
