package embedded

import (
	"context"
	"database/sql/driver"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"slices"
	"sync/atomic"
	"time"
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

// writer applies writes one group after another, on its own goroutine.
type writer struct {
	store   *store
	catalog *atomic.Pointer[catalog]
	log     *slog.Logger
	now     func() time.Time

	queue   chan *write
	done    chan struct{}
	logFull chan struct{} // asks for restartLog

	logLimit int64 // size at which the log is made to begin again
	logBusy  int64 // twice the log's size when it could not be begun again
}

func startWriter(s *store, cat *atomic.Pointer[catalog], log *slog.Logger, now func() time.Time) *writer {
	w := &writer{store: s, catalog: cat, log: log, now: now,
		queue: make(chan *write, writeQueue), done: make(chan struct{}), logFull: make(chan struct{}, 1), logLimit: logLimit}
	go w.run()
	return w
}

// close waits until the writes in the queue are done. No write may be submitted afterwards.
func (w *writer) close() {
	close(w.queue)
	<-w.done
}

// waiting returns the number of writes in the queue.
func (w *writer) waiting() int { return len(w.queue) }

// txn is the writer's transaction as one write sees it.
type txn struct {
	*conn
	writer *writer
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

// run serves the queue until it is closed. It answers a write only once it is on disk.
func (w *writer) run() {
	defer close(w.done)
	var group []*write
	for next := range w.queue {
		for next != nil {
			group, next = w.gather(append(group[:0], next))
			w.commit(group)
			w.watchLog()
		}
	}
}

// gather adds the writes that are waiting to a group of one, within bounds. It returns
// one that it took from the queue but that cannot join.
func (w *writer) gather(group []*write) ([]*write, *write) {
	rows, bytes := group[0].rows, group[0].bytes
	for !group[0].alone && len(group) < maxGroup && rows < maxGroupRows && bytes < maxGroupBytes {
		select {
		case next := <-w.queue: // nil once the queue is closed
			if next == nil || next.alone {
				return group, next
			}
			group = append(group, next)
			rows += next.rows
			bytes += next.bytes
		default:
			return group, nil
		}
	}
	return group, nil
}

// commit applies a group of writes in one transaction.
func (w *writer) commit(group []*write) {
	t := &txn{conn: w.store.writer, writer: w, now: w.now().Unix(),
		lsns: make(map[*feedRange]int64), owners: make(map[*feedRange]*container), shared: len(group) > 1}
	if first := group[0]; first.bare {
		first.done <- t.guard(first)
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
		if err = w.store.examine(err); !isRefusal(err) {
			w.log.Error("transaction failed", "error", err, "writes", len(group))
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
	for i, write := range group {
		if err != nil {
			results[i] = err
		}
		write.done <- results[i]
	}
}

// begin starts the transaction, unless nothing more may be written.
func (t *txn) begin() error {
	if t.writer.store.damaged.Load() {
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
func (w *writer) submit(request *write) error {
	if err := w.enqueue(request); err != nil {
		return err
	}
	return <-request.done
}

// enqueue hands a write over; what becomes of it comes on done. Once it is in the queue,
// a context that ends stops it only if it has not begun.
func (w *writer) enqueue(request *write) error {
	request.done = make(chan error, 1)
	select {
	case w.queue <- request:
		return nil
	case <-request.ctx.Done():
		return request.ctx.Err()
	}
}

// change runs a write that turns the catalog into another. What the write has to do once
// it is committed comes after the new catalog is there.
func (w *writer) change(ctx context.Context, apply func(*txn, *catalog) (*catalog, error)) error {
	return w.submit(&write{ctx: ctx, rows: 1, multi: true, alone: true, apply: func(t *txn) error {
		next, err := apply(t, w.catalog.Load())
		if err == nil {
			t.after = slices.Insert(t.after, 0, func() { w.catalog.Store(next) })
		}
		return err
	}})
}
