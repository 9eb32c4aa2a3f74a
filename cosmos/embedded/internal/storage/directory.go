package storage

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gofrs/flock"
)

// makeDirectory makes a data directory, if there is none, and those that it is in. Each
// is on disk with its name before anything is written to it: what an engine acknowledges
// must not vanish with the directory.
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

// holdsDatabase tells whether there is an engine's database in a directory, sound or not.
func Holds(dir string) bool {
	_, err := os.Stat(filepath.Join(dir, DatabaseFile))
	return err == nil
}

// writePrivate writes a small file of a data directory, such as a key, for its owner's eyes
// only. A crash leaves all of it or none.
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

// syncDirectory brings the names in a directory to disk.
func syncDirectory(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	return errors.Join(d.Sync(), d.Close())
}

// lockDirectory takes possession of a data directory for as long as the process lives
// or until the lock is undone.
func lockDirectory(dir string) (*flock.Flock, error) {
	lock := flock.New(filepath.Join(dir, LockFile))
	locked, err := lock.TryLock()
	if err != nil {
		return nil, fmt.Errorf("lock data directory %q: %w", dir, err)
	}
	if !locked {
		return nil, fmt.Errorf("data directory %q is in use by another process: stop the server first", dir)
	}
	return lock, nil
}
