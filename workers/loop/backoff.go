package loop

import (
	"context"
	"math/rand/v2"
	"time"
)

// Backoff is the pause between attempts: doubled each time, with jitter so that
// instances do not try in step.
type Backoff struct{ next time.Duration }

const (
	FirstBackoff = 100 * time.Millisecond
	MaxBackoff   = 30 * time.Second
)

func NewBackoff() *Backoff { return &Backoff{next: FirstBackoff} }

// Pause is how long to wait now.
func (b *Backoff) Pause() time.Duration {
	pause := b.next/2 + rand.N(b.next/2)
	b.next = min(2*b.next, MaxBackoff)
	return pause
}

// Wait reports false when the context has ended.
func (b *Backoff) Wait(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(b.Pause()):
		return true
	}
}
