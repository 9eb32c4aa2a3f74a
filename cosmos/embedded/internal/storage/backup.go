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

// backupStep is how many pages are copied before progress is told and the context asked.
const backupStep = 512

// progress is told how many pages of a database have been copied, and of how many. It
// may be nil.
type Progress func(done, total int64)

// backupDirectory copies the database of a data directory to a file, which must not exist. The
// directory may be in use by an [Engine], of this process or another: the copy is of one
// moment after Backup began, and neither readers nor writers wait for it. (Meanwhile the
// log cannot be written back past that moment, so it grows by what is written.)
//
// The file appears once it is whole, checked and on disk. If ctx ends, or anything fails,
// nothing is left of it. It is the directory's only content that matters to an Engine;
// [Restore] makes a data directory of it.
func Backup(ctx context.Context, dir, file string, progress Progress) error {
	source := filepath.Join(dir, DatabaseFile)
	if _, err := os.Stat(source); err != nil {
		return fmt.Errorf("there is no database in %s: %w", dir, err)
	}
	lock := flock.New(filepath.Join(dir, LockFile))
	idle, err := lock.TryLock()
	if err != nil {
		return fmt.Errorf("lock data directory %s: %w", dir, err)
	}
	defer lock.Unlock()
	if idle {
		// An engine that uses the directory has looked when it opened it, and by now the
		// length of the file and the log are in motion.
		if err := refuseTorn(source); err != nil {
			return err
		}
	}
	snapshot, err := openSnapshot(NewDriver(), source, false)
	if err != nil {
		return err
	}
	defer snapshot.Close()
	// An engine may start from now on: the snapshot stays what it is.
	if err := lock.Unlock(); err != nil {
		return err
	}
	return snapshot.copyTo(ctx, file, "quick_check", progress)
}

// backup copies the open database to a file, as Backup does.
func (s *Store) Backup(ctx context.Context, file string, progress Progress) error {
	snapshot, err := openSnapshot(s.Driver, s.File, false)
	if err != nil {
		return err
	}
	defer snapshot.Close()
	return snapshot.copyTo(ctx, file, "quick_check", progress)
}

// restoreDirectory makes a data directory of a file that Backup wrote, which it reads whole to
// check it. It refuses a directory that has a database, or the log of one: SQLite would
// take that for the restored file's, and mix the two.
//
// What was written after the backup is gone, and the LSNs of those writes will be given
// again: session tokens from that time are refused as the service refuses tokens from
// the future, and who follows a change feed from outside must begin anew.
func Restore(ctx context.Context, file, dir string, progress Progress) error {
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
			return fmt.Errorf("a backup is restored to a folder without a database: %w", err)
		}
	}
	if err := refuseTorn(file); err != nil {
		return err
	}
	// Without a log, the file can be read where nothing can be written.
	_, err = os.Stat(file + "-wal")
	snapshot, err := openSnapshot(NewDriver(), file, errors.Is(err, fs.ErrNotExist))
	if err != nil {
		return err
	}
	defer snapshot.Close()
	return snapshot.copyTo(ctx, target, "integrity_check", progress)
}

// openSnapshot opens a database of ours for reading, as it is now and will be until the
// connection is closed. An immutable file has no log and is changed by nobody.
func openSnapshot(drv *sqlite.Driver, file string, immutable bool) (*Conn, error) {
	params := url.Values{"mode": {"ro"}}
	if immutable {
		params.Set("immutable", "1")
	}
	c, err := openWith(drv, file, params, []string{"busy_timeout(10000)"})
	if err != nil {
		return nil, unsound(file, "it cannot be opened", err)
	}
	if _, err = c.Exec("BEGIN"); err == nil {
		err = c.identify(file) // the first read is what fixes the moment
	}
	if err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// draftPattern is what the name of a copy ends in until it is whole.
const draftPattern = ".*.new"

// removeDrafts removes what a Restore that was killed has left in a directory: each is as
// large as the database. It must be called by whoever has the directory's lock.
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

// copyTo copies what the connection sees, which is in a transaction, to a new file. It
// makes a draft beside it, for only a whole file may bear the name.
//
// Pages are copied as they are, which holds the snapshot for less time than VACUUM INTO
// would, by the time that it takes to build every table and index anew; and because of
// the transaction, other processes' writes do not make SQLite begin again.
func (c *Conn) copyTo(ctx context.Context, file, check string, progress Progress) error {
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
		_, err = c.Exec("ROLLBACK") // what follows needs only the draft
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
	if err := place(draft.Name(), file); err != nil {
		return err
	}
	return syncDirectory(filepath.Dir(file))
}

func (c *Conn) copyPages(ctx context.Context, file string, progress Progress) error {
	raw := c.raw.(interface {
		NewBackup(string) (*sqlite.Backup, error)
	})
	// The draft is nothing until it is finished: it needs no journal.
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
	if finished := b.Finish(); err == nil { // otherwise it says the same again
		err = finished
	}
	return err
}

// checkCopy reads a copy whole: what it was copied from may have a damaged page that
// nobody has read yet.
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

// place gives the draft its name, unless another file has got it meanwhile.
func place(draft, file string) error {
	err := os.Link(draft, file)
	if err == nil || errors.Is(err, fs.ErrExist) {
		return err // the draft's other name is removed by whoever made it
	}
	// This file system has no links, so no way to do both at once.
	if err := refuseExisting(file); err != nil {
		return err
	}
	return os.Rename(draft, file)
}

func refuseExisting(file string) error {
	_, err := os.Lstat(file)
	switch {
	case err == nil:
		return fmt.Errorf("%s is there already", file)
	case errors.Is(err, fs.ErrNotExist):
		return nil
	}
	return err
}
