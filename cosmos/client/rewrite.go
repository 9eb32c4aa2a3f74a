package client

import (
	"context"
	"math/rand/v2"
	"time"
)

// RewriteAttempts is the maximum number of attempts to read an item and write it back while other
// writers change it.
const RewriteAttempts = 20

// maxChangePause is the longest pause of [PauseAfter].
const maxChangePause = 200 * time.Millisecond

// Rewrite calls attempt, which reads an item and writes it back unless another writer came first. It repeats the call,
// up to RewriteAttempts calls in all, while attempt returns an error that [Lost], [AgainIf] or [AgainLaterIf] has
// marked; any other error, and nil, ends it. Rewrite returns the error of the last call without the mark and as it is:
// it translates nothing. It returns the context's error if the context ends during a pause.
func Rewrite(ctx context.Context, attempt func() error) error {
	for n := 1; ; n++ {
		err := attempt()
		marked, ok := err.(again)
		switch {
		case !ok:
			return err
		case n == RewriteAttempts:
			return marked.error
		case marked.later:
			if err := PauseAfter(ctx, n); err != nil {
				return err
			}
		}
	}
}

// RewriteReturning is [Rewrite] for a call with a result. It returns the result of the last attempt.
func RewriteReturning[T any](ctx context.Context, attempt func() (T, error)) (T, error) {
	var value T
	err := Rewrite(ctx, func() (err error) {
		value, err = attempt()
		return err
	})
	return value, err
}

// again marks an error, which may be nil, of a call that [Rewrite] repeats.
type again struct {
	error
	later bool // after a pause
}

// Lost marks an error for [Rewrite] if it is a lost race: see [LostRace].
func Lost(err error) error { return AgainIf(LostRace(err), err) }

// AgainIf marks an error for [Rewrite] if lost reports that another writer came first.
func AgainIf(lost bool, err error) error {
	if lost {
		return again{error: err}
	}
	return err
}

// AgainLaterIf is AgainIf with a pause before the next attempt: see [PauseAfter].
func AgainLaterIf(lost bool, err error) error {
	if lost {
		return again{err, true}
	}
	return err
}

// PauseAfter waits before the next attempt of a loop that reads an item and writes it back unless
// another writer came first. The random wait grows with the number of attempts so far, up to
// maxChangePause. The function returns the context's error if the context ends first.
func PauseAfter(ctx context.Context, attempt int) error {
	pause := min(firstPause<<min(attempt-1, 10), maxChangePause)
	select {
	case <-ctx.Done():
		return ctx.Err()
	case <-time.After(rand.N(pause)):
		return nil
	}
}
