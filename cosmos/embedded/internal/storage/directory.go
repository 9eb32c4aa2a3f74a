package storage

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// makeDirectory creates a data directory and its missing parents. It syncs each parent, so that
// acknowledged writes cannot disappear together with a directory.
func makeDirectory(dir string) error {
	switch info, err := os.Stat(dir); {
	case err == nil && info.IsDir():
		return nil
	case err == nil:
		return fmt.Errorf("%s is not a directory", dir)
	case !errors.Is(err, fs.ErrNotExist):
		return err
	}
	parent := filepath.Dir(filepath.Clean(dir))
	if err := makeDirectory(parent); err != nil {
		return err
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !errors.Is(err, fs.ErrExist) {
		return err
	}
	return syncDirectory(parent)
}

// HasDatabase reports whether a directory contains an engine's database, damaged or not.
func HasDatabase(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, DatabaseFile))
	return err == nil
}

// WritePrivate writes a small file, such as a key, that only its owner can read. After a crash
// either all of it or nothing is there.
func WritePrivate(path string, text []byte) error {
	draft := path + ".new"
	f, err := os.OpenFile(draft, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(text)
	if err := errors.Join(err, f.Sync(), f.Close()); err != nil {
		return err
	}
	return os.Rename(draft, path)
}

// syncDirectory syncs a directory, so that its entries are on disk.
func syncDirectory(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// lockTime is how long lockDirectory waits for the lock, because a Backup holds it for a moment.
const lockTime = 2 * time.Second

// lockDirectory locks a data directory until the process ends or the lock is released.
func lockDirectory(dir string) (*flock.Flock, error) {
	lock := flock.New(filepath.Join(dir, LockFile))
	ctx, cancel := context.WithTimeout(context.Background(), lockTime)
	defer cancel()
	switch _, err := lock.TryLockContext(ctx, lockTime/100); {
	case errors.Is(err, context.DeadlineExceeded):
		return nil, fmt.Errorf("data directory %q is in use by another process: stop the server first", dir)
	case err != nil:
		return nil, fmt.Errorf("lock data directory %q: %w", dir, err)
	}
	return lock, nil
}
