package embedded

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"net/http"
)

// Bounds of a group of writes that share a transaction.
const (
	maxGroup      = 128
	maxGroupRows  = 4000
	maxGroupBytes = 32 << 20 // well within the cache of the writer's connection
	writeQueue    = 256
)

// write is a request for the writer.
type write struct {
	ctx   context.Context
	apply func(*txn) error
	rows  int  // how many it writes, about
	bytes int  // how much, about
	multi bool // it can fail halfway, so needs a savepoint
	alone bool // it changes the catalog, so no other write may share its transaction
	bare  bool // it needs no transaction; then it is alone too
	done  chan error
}

// txn is the writer's transaction as one write sees it.
type txn struct {
	*conn
	engine *Engine
	now    int64
	lsns   map[*feedRange]int64 // as they will be after the commit
	owners map[*feedRange]*container
	ctx    context.Context // of the current write
	rng    *feedRange      // that the current write has changed
	after  []func()        // to run once committed
	shared bool            // with other writes
	undone bool            // its only write was refused
	broken error           // why the transaction must not be committed
	row    []driver.Value  // reused, for an insert has many values
}

// writer runs on its own goroutine until the queue is closed. It answers a write only
// once it is on disk.
func (e *Engine) writer() {
	defer close(e.writerDone)
	var group []*write
	for w := range e.writes {
		for w != nil {
			group, w = e.gather(append(group[:0], w))
			e.commit(group)
			e.watchLog()
		}
	}
}

// gather adds the writes that are waiting to a group of one, within bounds. It returns
// one that it took from the queue but that cannot join.
func (e *Engine) gather(group []*write) ([]*write, *write) {
	rows, bytes := group[0].rows, group[0].bytes
	for !group[0].alone && len(group) < maxGroup && rows < maxGroupRows && bytes < maxGroupBytes {
		select {
		case w := <-e.writes: // nil once the queue is closed
			if w == nil || w.alone {
				return group, w
			}
			group = append(group, w)
			rows += w.rows
			bytes += w.bytes
		default:
			return group, nil
		}
	}
	return group, nil
}

// commit applies a group of writes in one transaction.
func (e *Engine) commit(group []*write) {
	t := &txn{conn: e.store.writer, engine: e, now: e.now().Unix(),
		lsns: make(map[*feedRange]int64), owners: make(map[*feedRange]*container), shared: len(group) > 1}
	if w := group[0]; w.bare {
		w.done <- t.guard(w)
		return
	}
	results := make([]error, len(group))
	err := t.begin()
	if err == nil {
		for i := 0; i < len(group) && t.broken == nil; i++ {
			results[i] = t.run(group[i])
		}
		if err = t.finish(); err != nil {
			t.exec("ROLLBACK") // fails if SQLite has rolled back by itself
		}
	}
	if err != nil {
		if err = e.store.examine(err); !isRefusal(err) {
			e.log.Error("transaction failed", "error", err, "writes", len(group))
			err = failure(http.StatusServiceUnavailable, subNone, "The write could not be committed.")
		}
	} else {
		for rng, lsn := range t.lsns {
			rng.lsn.Store(lsn)
		}
		for _, f := range t.after {
			f()
		}
	}
	for i, w := range group {
		if err != nil {
			results[i] = err
		}
		w.done <- results[i]
	}
}

// begin starts the transaction, unless nothing more may be written.
func (t *txn) begin() error {
	if t.engine.store.damaged.Load() {
		return errDamaged()
	}
	_, err := t.exec("BEGIN IMMEDIATE")
	return err
}

// run applies one write, and undoes it if it is refused. Any other error condemns the
// whole transaction, for SQLite may have rolled it back by itself: what came after would
// then be committed statement by statement.
func (t *txn) run(w *write) error {
	if err := w.ctx.Err(); err != nil {
		return err
	}
	t.rng, t.ctx = nil, w.ctx
	hooks := len(t.after)
	savepoint := w.multi && t.shared // who is alone has the whole transaction to undo
	if savepoint {
		if _, t.broken = t.exec("SAVEPOINT request"); t.broken != nil {
			return t.broken
		}
	}
	err := t.guard(w)
	switch {
	case err == nil && t.rng != nil:
		t.lsns[t.rng] = t.nextLSN(t.rng)
	case err != nil && !isRefusal(err):
		t.broken = err
		return err
	case err != nil:
		t.after = t.after[:hooks]
		t.undone = !t.shared
		if savepoint {
			if _, t.broken = t.exec("ROLLBACK TO request"); t.broken != nil {
				return t.broken
			}
		}
	}
	if savepoint {
		if _, t.broken = t.exec("RELEASE request"); t.broken != nil {
			return t.broken
		}
	}
	return err
}

// isRefusal tells whether an error says that a write is not to be done, rather than
// that doing it failed.
func isRefusal(err error) bool {
	_, meant := asAPIError(err)
	return meant || errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
}

// guard applies a write. A panic is an error like any other, for nobody knows how far
// it came.
func (t *txn) guard(w *write) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("write panicked: %v", p)
		}
	}()
	return w.apply(t)
}

// nextLSN is the LSN that a write of a range bears; the whole write has the same.
func (t *txn) nextLSN(rng *feedRange) int64 {
	if lsn, ok := t.lsns[rng]; ok {
		return lsn + 1
	}
	return rng.lsn.Load() + 1
}

// change records that the current write changes a range, and returns its LSN.
func (t *txn) change(c *container, rng *feedRange) int64 {
	t.rng = rng
	t.owners[rng] = c
	return t.nextLSN(rng)
}

// finish stores the counters and commits, or undoes what was refused.
func (t *txn) finish() error {
	if t.broken != nil {
		return t.broken
	}
	if t.undone {
		_, err := t.exec("ROLLBACK")
		return err
	}
	for rng, lsn := range t.lsns {
		c := t.owners[rng]
		_, err := t.exec("UPDATE ranges SET lsn = ?, version = ? WHERE container = ? AND id = ?",
			lsn, c.state.version, c.num, int64(rng.id))
		if err != nil {
			return err
		}
	}
	_, err := t.exec("COMMIT")
	return err
}

// submit hands a write over and waits until it is committed or refused.
func (e *Engine) submit(w *write) error {
	if err := e.enqueue(w); err != nil {
		return err
	}
	return <-w.done
}

// enqueue hands a write over; what becomes of it comes on done. Once it is in the queue,
// a context that ends stops it only if it has not begun.
func (e *Engine) enqueue(w *write) error {
	w.done = make(chan error, 1)
	select {
	case e.writes <- w:
		return nil
	case <-w.ctx.Done():
		return w.ctx.Err()
	}
}
