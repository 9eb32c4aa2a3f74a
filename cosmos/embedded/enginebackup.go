package embedded

import (
	"context"
	"errors"
)

// errClosing stops a backup of an engine that closes.
var errClosing = errors.New("the engine is closing")

// Backup is the function of that name on the engine's own directory. Close stops it.
func (e *Engine) Backup(ctx context.Context, file string, progress Progress) error {
	e.mu.RLock()
	defer e.mu.RUnlock()
	if e.closed {
		return errClosing
	}
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	go func() {
		select {
		case <-e.stopPurge:
			cancel(errClosing)
		case <-ctx.Done():
		}
	}()
	return e.store.backup(ctx, file, progress)
}
