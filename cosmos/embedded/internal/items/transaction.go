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

// txn is the writer's transaction as one write sees it.
type Txn struct {
	*storage.Conn
	writer *Writer
	Now    int64
	lsns   map[*catalog.FeedRange]int64 // as they will be after the commit
	owners map[*catalog.FeedRange]*catalog.Container
	Ctx    context.Context    // of the current write
	Range  *catalog.FeedRange // that the current write has changed
	After  []func()           // to run once committed
	shared bool               // with other writes
	undone bool               // its only write was refused
	broken error              // why the transaction must not be committed
	row    []driver.Value     // reused, for an insert has many values
}

// begin starts the transaction, unless nothing more may be written.
func (t *Txn) begin() error {
	if t.writer.store.Damaged.Load() {
		return storage.Damaged()
	}
	_, err := t.Exec("BEGIN IMMEDIATE")
	return err
}

// run applies one write, and undoes it if it is refused. Any other error condemns the
// whole transaction, for SQLite may have rolled it back by itself: what came after would
// then be committed statement by statement.
func (t *Txn) run(w *Write) error {
	if err := w.Ctx.Err(); err != nil {
		return err
	}
	t.Range, t.Ctx = nil, w.Ctx
	hooks := len(t.After)
	savepoint := w.Multi && t.shared // who is alone has the whole transaction to undo
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

// isRefusal tells whether an error says that a write is not to be done, rather than
// that doing it failed.
func IsRefusal(err error) bool {
	_, meant := apierror.From(err)
	return meant || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// guard applies a write. A panic is an error like any other, for nobody knows how far
// it came.
func (t *Txn) guard(w *Write) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("write panicked: %v", p)
		}
	}()
	return w.Apply(t)
}

// nextLSN is the LSN that a write of a range bears; the whole write has the same.
func (t *Txn) NextLSN(rng *catalog.FeedRange) int64 {
	if lsn, ok := t.lsns[rng]; ok {
		return lsn + 1
	}
	return rng.LSN.Load() + 1
}

// change records that the current write changes a range, and returns its LSN.
func (t *Txn) change(c *catalog.Container, rng *catalog.FeedRange) int64 {
	t.Range = rng
	t.owners[rng] = c
	return t.NextLSN(rng)
}

// finish stores the counters and commits, or undoes what was refused.
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
