package loop

import (
	"context"
	"fmt"
	"runtime/debug"

	"golang.org/x/sync/errgroup"
)

// parallel bounds the writes a projector has under way.
const parallel = 16

func InParallel[T any](ctx context.Context, items []T, do func(context.Context, T) error) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(parallel)
	for _, item := range items {
		group.Go(func() (err error) {
			defer Rescue(&err)
			return do(ctx, item)
		})
	}
	return group.Wait()
}

// Rescue, deferred, makes a panic an error like others: one change must not end the
// process again and again.
func Rescue(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("the projector panicked: %v\n%s", r, debug.Stack())
	}
}
