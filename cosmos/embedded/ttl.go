package embedded

import (
	"context"
	"time"
)

const (
	purgeInterval = 30 * time.Second
	purgeBatch    = 500
)

// purgeLoop deletes expired items in the background. Nobody sees them any more, so it
// is no write: no LSN, nothing in the change feed. It also sees to the log.
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
		case <-e.writer.logFull:
			whileOpen(e.writer.restartLog)
		case <-e.stopPurge:
			return
		}
	}
}

// purge deletes what has expired, in small transactions that other writes share, until
// the engine is to close.
func (e *Engine) purge() {
	for _, c := range e.catalog.Load().byNum {
		if c.ttl == nil {
			continue
		}
		for n := int64(purgeBatch); n == purgeBatch; {
			select {
			case <-e.stopPurge:
				return
			default:
			}
			err := e.writer.submit(&write{ctx: context.Background(), rows: purgeBatch, apply: func(t *txn) error {
				if _, err := t.current(c.num); err != nil {
					return err
				}
				deleted, err := t.exec("DELETE FROM "+c.table.name+" WHERE rid IN (SELECT rid FROM "+c.table.name+
					" WHERE exp <= ? LIMIT ?)", t.now, int64(purgeBatch))
				n = deleted
				return err
			}})
			if err != nil {
				e.log.Warn("purge failed", "container", c.id, "error", err)
				break
			}
		}
	}
}
