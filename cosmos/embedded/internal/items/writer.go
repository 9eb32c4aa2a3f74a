package items

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

	"inkfeed/cosmos/embedded/internal/apierror"
	"inkfeed/cosmos/embedded/internal/catalog"
	"inkfeed/cosmos/embedded/internal/storage"
)

// Bounds of a group of writes that share a transaction.
const (
	maxGroup      = 128
	maxGroupRows  = 4000
	maxGroupBytes = 32 << 20 // well within the cache of the writer's connection
	WriteQueue    = 256
)

// write is a request for the writer.
type Write struct {
	Ctx   context.Context
	Apply func(*Txn) error
	Rows  int  // how many it writes, about
	Bytes int  // how much, about
	Multi bool // it can fail halfway, so needs a savepoint
	Alone bool // it changes the catalog, so no other write may share its transaction
	bare  bool // it needs no transaction; then it is alone too
	Done  chan error
}

// writer applies writes one group after another, on its own goroutine.
type Writer struct {
	store   *storage.Store
	catalog *atomic.Pointer[catalog.Catalog]
	log     *slog.Logger
	now     func() time.Time

	queue   chan *Write
	done    chan struct{}
	LogFull chan struct{} // asks for restartLog

	LogLimit int64 // size at which the log is made to begin again
	logBusy  int64 // twice the log's size when it could not be begun again
}

func StartWriter(s *storage.Store, cat *atomic.Pointer[catalog.Catalog], log *slog.Logger, now func() time.Time) *Writer {
	w := &Writer{store: s, catalog: cat, log: log, now: now,
		queue: make(chan *Write, WriteQueue), done: make(chan struct{}), LogFull: make(chan struct{}, 1), LogLimit: logLimit}
	go w.run()
	return w
}

// close waits until the writes in the queue are done. No write may be submitted afterwards.
func (w *Writer) Close() {
	close(w.queue)
	<-w.done
}

// waiting returns the number of writes in the queue.
func (w *Writer) Waiting() int { return len(w.queue) }

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

// run serves the queue until it is closed. It answers a write only once it is on disk.
func (w *Writer) run() {
	defer close(w.done)
	var group []*Write
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
func (w *Writer) gather(group []*Write) ([]*Write, *Write) {
	rows, bytes := group[0].Rows, group[0].Bytes
	for !group[0].Alone && len(group) < maxGroup && rows < maxGroupRows && bytes < maxGroupBytes {
		select {
		case next := <-w.queue: // nil once the queue is closed
			if next == nil || next.Alone {
				return group, next
			}
			group = append(group, next)
			rows += next.Rows
			bytes += next.Bytes
		default:
			return group, nil
		}
	}
	return group, nil
}

// commit applies a group of writes in one transaction.
func (w *Writer) commit(group []*Write) {
	t := &Txn{Conn: w.store.Writer, writer: w, Now: w.now().Unix(),
		lsns: make(map[*catalog.FeedRange]int64), owners: make(map[*catalog.FeedRange]*catalog.Container), shared: len(group) > 1}
	if first := group[0]; first.bare {
		first.Done <- t.guard(first)
		return
	}
	results := make([]error, len(group))
	err := t.begin()
	if err == nil {
		for i := 0; i < len(group) && t.broken == nil; i++ {
			results[i] = t.run(group[i])
		}
		if err = t.finish(); err != nil {
			t.Exec("ROLLBACK") // fails if SQLite has rolled back by itself
		}
	}
	if err != nil {
		if err = w.store.Examine(err); !IsRefusal(err) {
			w.log.Error("transaction failed", "error", err, "writes", len(group))
			err = apierror.New(http.StatusServiceUnavailable, apierror.SubNone, "The write could not be committed.")
		}
	} else {
		for rng, lsn := range t.lsns {
			rng.LSN.Store(lsn)
		}
		for _, f := range t.After {
			f()
		}
	}
	for i, write := range group {
		if err != nil {
			results[i] = err
		}
		write.Done <- results[i]
	}
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

// submit hands a write over and waits until it is committed or refused.
func (w *Writer) Submit(request *Write) error {
	if err := w.Enqueue(request); err != nil {
		return err
	}
	return <-request.Done
}

// enqueue hands a write over; what becomes of it comes on done. Once it is in the queue,
// a context that ends stops it only if it has not begun.
func (w *Writer) Enqueue(request *Write) error {
	request.Done = make(chan error, 1)
	select {
	case w.queue <- request:
		return nil
	case <-request.Ctx.Done():
		return request.Ctx.Err()
	}
}

// change runs a write that turns the catalog into another. What the write has to do once
// it is committed comes after the new catalog is there.
func (w *Writer) Change(ctx context.Context, apply func(*Txn, *catalog.Catalog) (*catalog.Catalog, error)) error {
	return w.Submit(&Write{Ctx: ctx, Rows: 1, Multi: true, Alone: true, Apply: func(t *Txn) error {
		next, err := apply(t, w.catalog.Load())
		if err == nil {
			t.After = slices.Insert(t.After, 0, func() { w.catalog.Store(next) })
		}
		return err
	}})
}
