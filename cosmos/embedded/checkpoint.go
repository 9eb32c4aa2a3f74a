package embedded

import (
	"context"
	"os"
)

// SQLite writes the log back to the file once it has so many pages, a little behind the
// commits, as far as no reader needs what the file has. When all of it is written back
// and nobody reads from it, the log begins again at its front.
const (
	logPages = 8000     // 32 MB
	logKept  = 64 << 20 // what is left of a log that was longer
)

// logLimit is the size at which the log is made to begin again. Where reads overlap
// without end, there is never a moment when nobody reads from it, and it would grow for
// ever. Then reads wait, once, until those under way have ended; writes never do.
const logLimit = 128 << 20

// watchLog looks after each commit whether the log has got too long. It is the writer's.
func (e *Engine) watchLog() {
	info, err := os.Stat(e.store.file + "-wal")
	if err != nil || info.Size() <= max(e.logLimit, e.logBusy) {
		return
	}
	select {
	case e.logFull <- struct{}{}:
	default: // it is being seen to
	}
}

// restartLog waits for the reads under way, lets none begin, and has the log written
// back and emptied. A backup reads by itself: while one is made the log stays, and the
// next attempt waits until it has doubled.
func (e *Engine) restartLog() {
	conns := e.store.readers.takeAll()
	defer func() {
		for _, c := range conns {
			e.store.readers.give(c)
		}
	}()
	err := e.submit(&write{ctx: context.Background(), alone: true, bare: true, apply: func(t *txn) error {
		row, err := t.one("PRAGMA wal_checkpoint(TRUNCATE)")
		if err != nil {
			return err
		}
		e.logBusy = 0
		if busy := asInt(row[0]) != 0; busy {
			const page = 4096
			e.logBusy = 2 * page * asInt(row[1])
		}
		return nil
	}})
	if err != nil {
		e.log.Warn("cannot write the log back", "error", err)
	}
}
