package loop

import (
	"context"
	"time"
)

// Idle waits at the end of a feed range for the next poll. Once awake it waits for less: until
// a pause has gone by since it began, so that what a burst of writes has changed is read, and
// made something of, together. It ends early with the context, or when stop is closed.
func Idle(ctx context.Context, stop, awake <-chan struct{}, poll, pause time.Duration) {
	rested := time.After(pause)
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
	case <-rested:
	}
}
