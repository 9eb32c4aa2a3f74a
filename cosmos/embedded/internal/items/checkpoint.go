package items

import (
	"context"
	"os"

	"inkfeed/cosmos/embedded/internal/storage"
)

// logLimit is the size at which the log is made to begin again. Where reads overlap
// without end, there is never a moment when nobody reads from it, and it would grow for
// ever. Then reads wait, once, until those under way have ended; writes never do.
const logLimit = 128 << 20

// watchLog looks after each commit whether the log has got too long. It is the writer's.
func (w *Writer) watchLog() {
	info, err := os.Stat(w.store.File + "-wal")
	if err != nil || info.Size() <= max(w.LogLimit, w.logBusy) {
		return
	}
	select {
	case w.LogFull <- struct{}{}:
	default: // it is being seen to
	}
}

// restartLog waits for the reads under way, lets none begin, and has the log written
// back and emptied. A backup reads by itself: while one is made the log stays, and the
// next attempt waits until it has doubled.
func (w *Writer) RestartLog() {
	conns := w.store.Readers.TakeAll()
	defer func() {
		for _, c := range conns {
			w.store.Readers.Give(c)
		}
	}()
	err := w.Submit(&Write{Ctx: context.Background(), Alone: true, bare: true, Apply: func(t *Txn) error {
		row, err := t.One("PRAGMA wal_checkpoint(TRUNCATE)")
		if err != nil {
			return err
		}
		w.logBusy = 0
		if busy := storage.AsInt(row[0]) != 0; busy {
			const page = 4096
			w.logBusy = 2 * page * storage.AsInt(row[1])
		}
		return nil
	}})
	if err != nil {
		w.log.Warn("cannot write the log back", "error", err)
	}
}
