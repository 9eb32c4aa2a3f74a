package embedded

import (
	"context"
	"time"

	"inkfeed/cosmos/embedded/internal/items"
)

const (
	purgeInterval = 5 * time.Minute
	purgeBatch    = 500
)

// purgeLoop deletes expired items in the background and restarts the write-ahead log. Expired items
// are already invisible, so deleting them assigns no LSN and does not appear in the change feed.
func (e *Engine) purgeLoop() {
	ticker := time.NewTicker(purgeInterval)
	defer ticker.Stop()
	whileOpen := func(f func()) {
		e.mu.RLock()
		defer e.mu.RUnlock()
		if !e.closed {
			f()
		}
	}
	for {
		select {
		case <-ticker.C:
			whileOpen(e.purge)
		case <-e.writer.LogFull:
			whileOpen(e.writer.RestartLog)
		case <-e.stopPurge:
			return
		}
	}
}

// purge deletes expired items in small transactions, which other writes can share. It stops when
// the engine is closed.
func (e *Engine) purge() {
	for _, c := range e.catalog.Load().ByNum {
		if c.TTL == nil {
			continue
		}
		for n := int64(purgeBatch); n == purgeBatch; {
			select {
			case <-e.stopPurge:
				return
			default:
			}
			err := e.writer.Submit(&items.Write{Ctx: context.Background(), Rows: purgeBatch,
				Apply: func(t *items.Txn) error {
					if _, err := t.Current(c.Num); err != nil {
						return err
					}
					deleted, err := t.Exec("DELETE FROM "+c.Table.Name+" WHERE rid IN (SELECT rid FROM "+c.Table.Name+
						" WHERE exp <= ? LIMIT ?)", t.Now, int64(purgeBatch))
					n = deleted
					return err
				}})
			if err != nil {
				e.log.Warn("deleting expired items failed", "container", c.ID, "error", err)
				break
			}
		}
	}
}
