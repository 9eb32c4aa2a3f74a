package embedded

import (
	"context"
	"os"
)

// logLimit is the size at which the log is made to begin again. Where reads overlap
// without end, there is never a moment when nobody reads from it, and it would grow for
// ever. Then reads wait, once, until those under way have ended; writes never do.
const logLimit = 128 << 20

// watchLog looks after each commit whether the log has got too long. It is the writer's.
func (w *writer) watchLog() {
	info, err := os.Stat(w.store.file + "-wal")
	if err != nil || info.Size() <= max(w.logLimit, w.logBusy) {
		return
	}
	select {
	case w.logFull <- struct{}{}:
	default: // it is being seen to
	}
}

// restartLog waits for the reads under way, lets none begin, and has the log written
// back and emptied. A backup reads by itself: while one is made the log stays, and the
// next attempt waits until it has doubled.
func (w *writer) restartLog() {
	conns := w.store.readers.takeAll()
	defer func() {
		for _, c := range conns {
			w.store.readers.give(c)
		}
	}()
	err := w.submit(&write{ctx: context.Background(), alone: true, bare: true, apply: func(t *txn) error {
		row, err := t.one("PRAGMA wal_checkpoint(TRUNCATE)")
		if err != nil {
			return err
		}
		w.logBusy = 0
		if busy := asInt(row[0]) != 0; busy {
			const page = 4096
			w.logBusy = 2 * page * asInt(row[1])
		}
		return nil
	}})
	if err != nil {
		w.log.Warn("cannot write the log back", "error", err)
	}
}
