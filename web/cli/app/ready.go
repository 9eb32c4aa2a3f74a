package app

import (
	"context"
	"sync/atomic"
	"time"

	"golang.org/x/sync/singleflight"
)

// readyUntil returns a check that fails once the context has ended, so that load balancers send visitors to other
// servers.
func readyUntil(ctx context.Context, ready func(context.Context) error) func(context.Context) error {
	return func(asking context.Context) error {
		if err := ctx.Err(); err != nil {
			return err
		}
		return ready(asking)
	}
}

const (
	checkValid   = 2 * time.Second // how long the result of a check is used again
	checkTimeout = 10 * time.Second
)

// shared returns a check that callers share: it calls the given one at most every checkValid, and once at a time.
// Anyone may request /readyz, but each check reads from the storage, whose budget for such reads is small. A check does
// not end with the request that began it, because others wait for it too.
func shared(check func(context.Context) error) func(context.Context) error {
	type result struct {
		err  error
		made time.Time
	}
	var last atomic.Pointer[result]
	var checks singleflight.Group
	return func(ctx context.Context) error {
		done := checks.DoChan("", func() (any, error) {
			if r := last.Load(); r != nil && time.Since(r.made) < checkValid {
				return nil, r.err
			}
			ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), checkTimeout)
			defer cancel()
			err := check(ctx)
			last.Store(&result{err, time.Now()})
			return nil, err
		})
		select {
		case r := <-done:
			return r.Err
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}
