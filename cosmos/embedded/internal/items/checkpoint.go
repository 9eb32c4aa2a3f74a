package items

import (
	"context"
	"os"
	"time"

	"inkfeed/cosmos/embedded/internal/storage"
)

// logLimit is the size in bytes from which the write-ahead log is restarted. SQLite restarts the
// log only when no reader uses it. With overlapping reads that moment never comes, and the log
// would grow without limit. So RestartLog makes new reads wait for a limited time, see restartWait.
// Writes never wait.
const logLimit = 128 << 20

// restartWait is how long RestartLog makes new reads wait for current ones while the log has just
// reached its limit. A longer log makes them wait in proportion, so that reads longer than this
// cannot let it grow without limit.
const restartWait = 100 * time.Millisecond

// watchLog checks the size of the write-ahead log after each commit. Only the writer calls it.
func (w *Writer) watchLog() {
	if w.logSize() <= max(w.LogLimit, w.logBusy.Load()) {
		return
	}
	select {
	case w.LogFull <- struct{}{}:
	default: // a restart is already due
	}
}

// logSize returns the size of the write-ahead log, and 0 if it cannot be determined.
func (w *Writer) logSize() int64 {
	info, err := os.Stat(w.store.File + "-wal")
	if err != nil {
		return 0
	}
	return info.Size()
}

// RestartLog waits for current reads, blocks new ones, and has SQLite write the log back and
// truncate it. If a read takes too long, new reads continue, and the next attempt waits until the
// log has grown by a quarter of its limit. A backup has a connection of its own: while it runs the
// log cannot be truncated, and the next attempt waits until the log has doubled.
func (w *Writer) RestartLog() {
	size := w.logSize()
	wait := restartWait * time.Duration(max(size/w.LogLimit, 1))
	ctx, cancel := context.WithTimeout(context.Background(), wait)
	defer cancel()
	conns, err := w.store.Readers.TakeAll(ctx)
	if err != nil {
		w.logBusy.Store(size + w.LogLimit/4)
		w.log.Warn("cannot restart the write-ahead log during a long read", "bytes", size)
		return
	}
	defer w.store.Readers.GiveAll(conns)
	err = w.Submit(&Write{Ctx: context.Background(), Alone: true, bare: true, Apply: func(t *Txn) error {
		row, err := t.One("PRAGMA wal_checkpoint(TRUNCATE)")
		if err != nil {
			return err
		}
		w.logBusy.Store(0)
		if busy := storage.AsInt(row[0]) != 0; busy {
			const page = 4096
			w.logBusy.Store(2 * page * storage.AsInt(row[1]))
		}
		return nil
	}})
	if err != nil {
		w.log.Warn("restarting the write-ahead log failed", "error", err)
	}
}
