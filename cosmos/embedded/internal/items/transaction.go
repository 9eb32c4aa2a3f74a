package items

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"

	"inkfeed/cosmos/embedded/internal/apierror"
	"inkfeed/cosmos/embedded/internal/catalog"
	"inkfeed/cosmos/embedded/internal/storage"
)

// Txn is the writer's transaction as one write sees it.
type Txn struct {
	*storage.Conn
	writer *Writer
	Now    int64
	lsns   map[*catalog.FeedRange]int64 // LSNs of the changed ranges after the commit
	owners map[*catalog.FeedRange]*catalog.Container
	Ctx    context.Context    // context of the current write
	Range  *catalog.FeedRange // feed range that the current write has changed
	After  []func()           // functions to call after the commit
	shared bool               // several writes share the transaction
	undone bool               // the only write was rejected, so roll back
	broken error              // error that prevents the commit
	row    []driver.Value     // reused argument list, because an insert has many values
}

// begin starts the transaction. It fails if the database is damaged.
func (t *Txn) begin() error {
	if t.writer.store.Damaged.Load() {
		return storage.Damaged()
	}
	_, err := t.Exec("BEGIN IMMEDIATE")
	return err
}

// run applies one write and rolls it back if it is rejected. Any other error aborts the whole
// transaction: SQLite may have rolled it back already, and later statements would then commit one
// by one.
func (t *Txn) run(w *Write) error {
	if err := w.Ctx.Err(); err != nil {
		return err
	}
	t.Range, t.Ctx = nil, w.Ctx
	hooks := len(t.After)
	savepoint := w.Multi && t.shared // a single write can roll back the whole transaction
	if savepoint {
		if _, t.broken = t.Exec("SAVEPOINT request"); t.broken != nil {
			return t.broken
		}
	}
	err := t.guard(w)
	switch {
	case err == nil && t.Range != nil:
		t.lsns[t.Range] = t.NextLSN(t.Range)
	case err != nil && !IsRefusal(err):
		t.broken = err
		return err
	case err != nil:
		t.After = t.After[:hooks]
		t.undone = !t.shared
		if savepoint {
			if _, t.broken = t.Exec("ROLLBACK TO request"); t.broken != nil {
				return t.broken
			}
		}
	}
	if savepoint {
		if _, t.broken = t.Exec("RELEASE request"); t.broken != nil {
			return t.broken
		}
	}
	return err
}

// IsRefusal reports whether an error rejects a write, as opposed to a failure of the storage.
func IsRefusal(err error) bool {
	_, meant := apierror.From(err)
	return meant || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// guard applies a write and converts a panic to an error. The error aborts the transaction, because
// it is unknown how far the write got.
func (t *Txn) guard(w *Write) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("write panicked: %v", p)
		}
	}()
	return w.Apply(t)
}

// NextLSN returns the LSN of the current write in a feed range. All items of one write have the
// same LSN.
func (t *Txn) NextLSN(rng *catalog.FeedRange) int64 {
	if lsn, ok := t.lsns[rng]; ok {
		return lsn + 1
	}
	return rng.LSN.Load() + 1
}

// change records that the current write changes a feed range and returns its LSN.
func (t *Txn) change(c *catalog.Container, rng *catalog.FeedRange) int64 {
	t.Range = rng
	t.owners[rng] = c
	return t.NextLSN(rng)
}

// finish stores the LSNs and versions and commits, or rolls back a rejected write.
func (t *Txn) finish() error {
	if t.broken != nil {
		return t.broken
	}
	if t.undone {
		_, err := t.Exec("ROLLBACK")
		return err
	}
	for rng, lsn := range t.lsns {
		c := t.owners[rng]
		_, err := t.Exec("UPDATE ranges SET lsn = ?, version = ? WHERE container = ? AND id = ?",
			lsn, c.State.Version, c.Num, int64(rng.ID))
		if err != nil {
			return err
		}
	}
	_, err := t.Exec("COMMIT")
	return err
}
