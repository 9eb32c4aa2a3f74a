package items

import (
	"context"
	"os"

	"inkfeed/cosmos/embedded/internal/storage"
)

// logLimit is the size in bytes from which the write-ahead log is restarted. SQLite restarts the
// log only when no reader uses it. With overlapping reads that moment never comes, and the log
// would grow without limit. RestartLog then makes new reads wait once; writes never wait.
const logLimit = 128 << 20

// watchLog checks the size of the write-ahead log after each commit. Only the writer calls it.
func (w *Writer) watchLog() {
	info, err := os.Stat(w.store.File + "-wal")
	if err != nil || info.Size() <= max(w.LogLimit, w.logBusy) {
		return
	}
	select {
	case w.LogFull <- struct{}{}:
	default: // a restart is already due
	}
}

// RestartLog waits for current reads, blocks new ones, and has SQLite write the log back and
// truncate it. A backup has a connection of its own: while it runs the log cannot be truncated, and
// the next attempt waits until the log has doubled.
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
		w.log.Warn("restarting the write-ahead log failed", "error", err)
	}
}
