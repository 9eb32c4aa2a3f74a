package embedded

import (
	"context"
	"errors"

	"inkfeed/cosmos/embedded/internal/storage"
)

// Progress is called with the number of database pages copied so far and their total. It may be
// nil.
type Progress = storage.Progress

// Backup copies the database of a data directory to a new file. An [Engine] of this process or
// another may be using the directory. The copy is a snapshot of one moment after Backup began, and
// neither readers nor writers wait for it. Meanwhile SQLite cannot write back later changes, so the
// write-ahead log grows.
//
// The file gets its name after it has been copied completely, checked and synced. On any error
// nothing is left of it. It contains everything that an Engine needs: [Restore] makes a data
// directory from it.
func Backup(ctx context.Context, dir, file string, progress Progress) error {
	return storage.Backup(ctx, dir, file, progress)
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
	return storage.Restore(ctx, file, dir, progress, reset)
}

// HasDatabase reports whether a directory contains an engine's database, damaged or not.
func HasDatabase(dir string) bool { return storage.HasDatabase(dir) }

// WritePrivate writes a small file, such as a key, that only its owner can read. After a crash
// either all of it or nothing is there.
func WritePrivate(path string, text []byte) error { return storage.WritePrivate(path, text) }

// errClosing ends a backup when the engine is closed.
var errClosing = errors.New("the engine is closing")

// Backup copies the engine's database to a new file, like the function Backup. Close cancels it.
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
