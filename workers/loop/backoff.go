package loop

import (
	"context"
	"time"

	"github.com/cenkalti/backoff/v5"
)

const (
	// FirstBackoff and MaxBackoff are the upper bounds of the first pause and of any pause.
	FirstBackoff = 100 * time.Millisecond
	MaxBackoff   = 30 * time.Second
)

// Backoff gives the pauses between attempts: each is about twice as long as the one before. It is not safe for
// concurrent use.
type Backoff = backoff.ExponentialBackOff

// NewBackoff returns a backoff whose pauses are random between half of a bound and the bound, so that instances do not
// try in step. The bound grows from FirstBackoff to MaxBackoff.
func NewBackoff() *Backoff { return NewBackoffUpTo(MaxBackoff) }

// NewBackoffUpTo is NewBackoff with another maximum.
func NewBackoffUpTo(most time.Duration) *Backoff {
	// The library varies a mean by a factor: 3/4 of the bound, less or more by a third of that.
	return &Backoff{InitialInterval: FirstBackoff * 3 / 4, RandomizationFactor: 1. / 3, Multiplier: 2,
		MaxInterval: most * 3 / 4}
}

// Wait waits for the next pause. It returns false if the context ends first.
func Wait(ctx context.Context, b *Backoff) bool {
	select {
	case <-ctx.Done():
		return false
	case <-time.After(b.NextBackOff()):
		return true
	}
}
