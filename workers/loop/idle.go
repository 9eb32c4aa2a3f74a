package loop

import (
	"context"
	"time"
)

// Idle waits at the end of a feed range for the next poll. A signal on awake ends the wait earlier, but not before
// pause has passed since Idle began. So the changes of a burst of writes are read and projected together. The wait also
// ends when the context does, or when stop is closed.
func Idle(ctx context.Context, stop, awake <-chan struct{}, poll, pause time.Duration) {
	paused := time.After(pause)
	select {
	case <-ctx.Done():
		return
	case <-stop:
		return
	case <-time.After(poll):
		return
	case <-awake:
	}
	select {
	case <-ctx.Done():
	case <-stop:
	case <-paused:
	}
}
