package site

import (
	"context"
	"runtime"

	"inkfeed/domain"
)

// Slots limit how many requests of an expensive kind are processed at a time. Other requests wait.
type Slots chan struct{}

// HalfOfCPUs returns slots for half of the processors, at least one. The other half stays free for
// other requests.
func HalfOfCPUs() Slots { return make(Slots, max(1, runtime.GOMAXPROCS(0)/2)) }

// Acquire waits for a slot. The caller calls release when it is done. The error is Unavailable when
// the context ends first.
func (s Slots) Acquire(ctx context.Context) (release func(), err error) {
	select {
	case s <- struct{}{}:
		return func() { <-s }, nil
	case <-ctx.Done():
		return nil, &domain.Error{Kind: domain.Unavailable, Err: ctx.Err(),
			Message: "This site is very busy right now. Please try again in a moment."}
	}
}
