package embedded

import (
	"context"
	"errors"

	"inkfeed/cosmos/embedded/internal/storage"
)

// Progress is told how many pages of a database have been copied, and of how many. It
// may be nil.
type Progress = storage.Progress

// Backup copies the database of a data directory to a file, which must not exist. The
// directory may be in use by an [Engine], of this process or another: the copy is of one
// moment after Backup began, and neither readers nor writers wait for it. (Meanwhile the
// log cannot be written back past that moment, so it grows by what is written.)
//
// The file appears once it is whole, checked and on disk. If ctx ends, or anything fails,
// nothing is left of it. It is the directory's only content that matters to an Engine;
// [Restore] makes a data directory of it.
func Backup(ctx context.Context, dir, file string, progress Progress) error {
	return storage.Backup(ctx, dir, file, progress)
}

// Restore makes a data directory of a file that Backup wrote, which it reads whole to
// check it. It refuses a directory that has a database, or the log of one: SQLite would
// take that for the restored file's, and mix the two.
//
// What was written after the backup is gone, and the LSNs of those writes will be given
// again: session tokens from that time are refused as the service refuses tokens from
// the future, and who follows a change feed from outside must begin anew.
func Restore(ctx context.Context, file, dir string, progress Progress) error {
	return storage.Restore(ctx, file, dir, progress)
}

// Holds tells whether there is an engine's database in a directory, sound or not.
func Holds(dir string) bool { return storage.Holds(dir) }

// WritePrivate writes a small file of a data directory, such as a key, for its owner's eyes
// only. A crash leaves all of it or none.
func WritePrivate(path string, text []byte) error { return storage.WritePrivate(path, text) }

// errClosing stops a backup of an engine that closes.
var errClosing = errors.New("the engine is closing")

// Backup is the function of that name on the engine's own directory. Close stops it.
func (e *Engine) Backup(ctx context.Context, file string, progress Progress) error {
	e.mu.RLock()
	defer e.mu.RUnlock()
	if e.closed {
		return errClosing
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-e.stopPurge:
			cancel(errClosing)
		case <-ctx.Done():
		}
	}()
	return e.store.Backup(ctx, file, progress)
}
