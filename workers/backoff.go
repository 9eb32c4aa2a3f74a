package workers

import (
	"context"
	"math/rand/v2"
	"time"
)

// backoff is the pause between attempts: doubled each time, with jitter so that
// instances do not try in step.
type backoff struct{ next time.Duration }

const (
	firstBackoff = 100 * time.Millisecond
	maxBackoff   = 30 * time.Second
)

func newBackoff() *backoff { return &backoff{next: firstBackoff} }

// pause is how long to wait now.
func (b *backoff) pause() time.Duration {
	pause := b.next/2 + rand.N(b.next/2)
	b.next = min(2*b.next, maxBackoff)
	return pause
}

// wait reports false when the context has ended.
func (b *backoff) wait(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(b.pause()):
		return true
	}
}
