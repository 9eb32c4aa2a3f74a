package delivery

import (
	"context"
	"errors"
	"time"

	"inkfeed/domain"
	"inkfeed/workers/loop"
)

// ErrMore is the error of a session that has stored the position of a delivery and lets others of the lane have their
// turn. It goes on with the delivery after that.
var ErrMore = errors.New("delivery: there is more to do")

// Positions stores how far deliveries of several steps have come.
type Positions interface {
	// Advance returns NotFound if an administrator has dropped the delivery.
	Advance(ctx context.Context, d domain.Delivery) error
}

// Advance stores the position of a delivery. It ends one that an administrator has dropped.
func Advance(ctx context.Context, positions Positions, d domain.Delivery) error {
	ctx, cancel := context.WithTimeout(ctx, loop.AnswerTimeout)
	defer cancel()
	err := positions.Advance(ctx, d)
	if domain.Is(err, domain.NotFound) {
		return &domain.DeliveryError{Fault: domain.Refused, Answer: "An administrator has dropped it."}
	}
	return err
}

// stepAttempts is the number of attempts at a step. The storage has repeated each of its requests before.
const stepAttempts = 5

// Repeat repeats a step of a delivery that fails, because it is better to wait here for a moment than to be repeated
// later. It does not repeat a step that returns NotFound.
func Repeat[T any](ctx context.Context, step func() (T, error)) (result T, err error) {
	pause := loop.NewBackoff()
	for range stepAttempts {
		if result, err = step(); err == nil || domain.Is(err, domain.NotFound) || !loop.Wait(ctx, pause) {
			break
		}
	}
	return result, err
}

// Rest waits for a time, or until the context ends.
func Rest(ctx context.Context, pause time.Duration) {
	if pause > 0 {
		select {
		case <-ctx.Done():
		case <-time.After(pause):
		}
	}
}

// Lasting returns a context that ends a while after the given one, so that what has begun can end.
func Lasting(ctx context.Context) (context.Context, context.CancelFunc) {
	lasting, cancel := context.WithCancel(context.WithoutCancel(ctx))
	stop := context.AfterFunc(ctx, func() { time.AfterFunc(graceTime, cancel) })
	return lasting, func() { stop(); cancel() }
}
