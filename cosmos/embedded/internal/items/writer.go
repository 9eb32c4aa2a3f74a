// Package items implements the operations on items and the writer, which applies them in
// transactions and assigns LSNs and versions.
package items

import (
	"context"
	"log/slog"
	"net/http"
	"slices"
	"sync/atomic"
	"time"

	"inkfeed/cosmos/embedded/internal/apierror"
	"inkfeed/cosmos/embedded/internal/catalog"
	"inkfeed/cosmos/embedded/internal/storage"
)

// Limits of a group of writes that share a transaction.
const (
	maxGroup      = 128
	maxGroupRows  = 4000
	maxGroupBytes = 32 << 20 // far below the cache size of the writer's connection
	WriteQueue    = 256
)

// Write is a request to the writer.
type Write struct {
	Ctx   context.Context
	Apply func(*Txn) error
	Rows  int  // approximate number of rows written
	Bytes int  // approximate number of bytes written
	Multi bool // may fail after writing a part, so it needs a savepoint
	Alone bool // changes the catalog, so no other write may share the transaction
	bare  bool // runs without a transaction; implies Alone
	Done  chan error
}

// Writer applies writes in groups, on one goroutine.
type Writer struct {
	store   *storage.Store
	catalog *atomic.Pointer[catalog.Catalog]
	log     *slog.Logger
	now     func() time.Time

	queue   chan *Write
	done    chan struct{}
	LogFull chan struct{} // signals that RestartLog is due

	LogLimit int64        // size in bytes from which the write-ahead log is restarted
	logBusy  atomic.Int64 // size for the next attempt, after a restart has failed because the log was in use
}

// StartWriter starts the goroutine that carries out writes.
func StartWriter(
	s *storage.Store,
	cat *atomic.Pointer[catalog.Catalog],
	log *slog.Logger,
	now func() time.Time,
) *Writer {
	w := &Writer{store: s, catalog: cat, log: log, now: now,
		queue: make(chan *Write, WriteQueue), done: make(chan struct{}), LogFull: make(chan struct{}, 1),
		LogLimit: logLimit}
	go w.run()
	return w
}

// Close waits until the queued writes are done. No write may be submitted afterwards.
func (w *Writer) Close() {
	close(w.queue)
	<-w.done
}

// Waiting returns the number of writes in the queue.
func (w *Writer) Waiting() int { return len(w.queue) }

// run processes the queue until it is closed. It answers a write only once the write is on disk.
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

// gather adds queued writes to a group, within the limits. It returns a write that it took from the
// queue but that cannot join the group.
func (w *Writer) gather(group []*Write) ([]*Write, *Write) {
	rows, bytes := group[0].Rows, group[0].Bytes
	for !group[0].Alone && len(group) < maxGroup && rows < maxGroupRows && bytes < maxGroupBytes {
		select {
		case next := <-w.queue: // nil after the queue was closed
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
		lsns: make(map[*catalog.FeedRange]int64), owners: make(map[*catalog.FeedRange]*catalog.Container),
		shared: len(group) > 1}
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
			t.Exec("ROLLBACK") // fails if SQLite has already rolled back
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

// Submit queues a write and waits until it is committed or rejected.
func (w *Writer) Submit(request *Write) error {
	if err := w.Enqueue(request); err != nil {
		return err
	}
	return <-request.Done
}

// Enqueue queues a write. Its result arrives on done. The end of the context cancels a queued write
// only if it has not begun.
func (w *Writer) Enqueue(request *Write) error {
	request.Done = make(chan error, 1)
	select {
	case w.queue <- request:
		return nil
	case <-request.Ctx.Done():
		return request.Ctx.Err()
	}
}

// Change submits a write that replaces the catalog. Functions in Txn.After run after the new
// catalog is in place.
func (w *Writer) Change(ctx context.Context, apply func(*Txn, *catalog.Catalog) (*catalog.Catalog, error)) error {
	return w.Submit(&Write{Ctx: ctx, Rows: 1, Multi: true, Alone: true, Apply: func(t *Txn) error {
		next, err := apply(t, w.catalog.Load())
		if err == nil {
			t.After = slices.Insert(t.After, 0, func() { w.catalog.Store(next) })
		}
		return err
	}})
}
