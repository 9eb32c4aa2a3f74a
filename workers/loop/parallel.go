// Package loop has what the loops of workers share: growing pauses, signals, panics as errors and bounded parallelism.
package loop

import (
	"context"
	"fmt"
	"runtime/debug"

	"golang.org/x/sync/errgroup"
)

// maxParallel is the maximum number of calls that InParallel has under way.
const maxParallel = 16

// InParallel calls do for each item, for several items at a time. It turns panics into errors. After the first error it
// cancels the context of the other calls, and returns that error when all have returned.
func InParallel[T any](ctx context.Context, items []T, do func(context.Context, T) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(maxParallel)
	for _, item := range items {
		group.Go(func() (err error) {
			defer Rescue(&err)
			return do(ctx, item)
		})
	}
	return group.Wait()
}

// Rescue turns a panic of the function that defers it into an error, so that one bad item does not end the process
// again and again.
func Rescue(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
	}
}
