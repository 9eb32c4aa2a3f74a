package delivery

import (
	"context"
	"errors"
	"math/rand/v2"
	"sync/atomic"
	"time"

	"inkfeed/domain"
	"inkfeed/workers/loop"
)

const (
	// batchSize is the number of deliveries that are read at once.
	batchSize = 100
	// sliceTime is how long a worker delivers to a destination before others of the lane have their turn, and
	// repeatTime the same if all of its deliveries are repeated.
	sliceTime  = 10 * time.Second
	repeatTime = time.Second
	// attemptTime ends an attempt that gets no answer. It is a last resort: transports have limits for each step.
	attemptTime = 15 * time.Minute
	// graceTime is how long attempts may continue after the dispatcher was told to stop.
	graceTime = 2 * time.Second
	// firstPause and longestPause bound the pauses between attempts at a delivery.
	firstPause, longestPause = 30 * time.Second, 3 * time.Hour
)

// errLost ends the work for a destination that has another owner by now.
var errLost = errors.New("delivery: the destination has another owner")

// work is the delivering to one destination.
type work struct {
	*Dispatcher
	name    string
	host    *host
	session Session // nil before the first delivery
	renewed atomic.Pointer[time.Time]
	ends    bool // although more may be due: the receiver has failed, or the time for this destination is over
}

// deliverTo claims a destination, delivers what is due, and releases it.
func (d *Dispatcher) deliverTo(ctx context.Context, one domain.Destination, h *host) {
	log := d.options.Logger.With("destination", one.Name)
	working, cancel := Lasting(ctx)
	defer cancel()
	w := &work{Dispatcher: d, name: one.Name, host: h}
	err := w.claim(working, one)
	if err != nil {
		if !errors.Is(err, errLost) {
			log.Warn("cannot claim a destination", "error", err)
		}
		loop.Wait(ctx, loop.NewBackoff())
		return
	}
	go w.renew(working, cancel)
	defer func() {
		if w.session != nil {
			w.session.Close()
		}
	}()
	for released := false; err == nil && !released; {
		if err = w.slice(ctx, working); err == nil {
			released, err = w.release(ctx)
		}
	}
	if err != nil && !errors.Is(err, errLost) {
		log.Warn("deliveries are interrupted", "error", err)
		loop.Wait(ctx, loop.NewBackoff())
	}
}

// claim makes this worker the owner. It returns errLost if another one was faster.
func (w *work) claim(ctx context.Context, one domain.Destination) error {
	claiming, cancel := context.WithTimeout(ctx, loop.AnswerTimeout)
	defer cancel()
	now := time.Now()
	w.renewed.Store(&now)
	claimed, err := w.store.Claim(claiming, one, w.owner)
	if err == nil && !claimed {
		err = errLost
	}
	if err != nil {
		return err
	}
	return w.store.Refresh(claiming, w.name) // the former owner has delivered some
}

// renew renews the ownership until the context ends. It ends the work when the ownership is lost.
func (w *work) renew(ctx context.Context, lose context.CancelFunc) {
	for {
		select {
		case <-ctx.Done():
			return
		case <-time.After(w.options.Lease / 3):
		}
		now := time.Now()
		renewing, cancel := context.WithTimeout(ctx, w.options.Lease/3)
		owned, err := w.store.Renew(renewing, w.name, w.owner)
		cancel()
		switch {
		case err == nil && owned:
			w.renewed.Store(&now)
		case err == nil || !w.owns():
			lose()
			return
		}
	}
}

// owns reports whether no other worker can have taken the destination over.
func (w *work) owns() bool {
	return time.Since(*w.renewed.Load()) < w.options.Lease*2/3
}

// slice delivers what is due, fresh deliveries first, for a limited time or until the receiver fails.
func (w *work) slice(ctx, working context.Context) error {
	begin := time.Now()
	for more := true; more; {
		list, err := w.waiting(working, batchSize)
		if err != nil {
			return err
		}
		more = len(list) == batchSize
		for i, one := range list {
			limit := sliceTime
			if !one.Fresh() {
				limit = repeatTime
			}
			switch {
			case ctx.Err() != nil || working.Err() != nil || !one.Fresh() && one.Next.After(time.Now()):
				return nil
			case time.Since(begin) > limit:
				w.ends = true
				return nil
			case !one.Fresh() && i > 0: // there may be fresh ones by now
				more = true
			default:
				started := time.Now()
				if err := w.attempt(working, one); err != nil || w.ends {
					return err
				}
				w.rest(ctx, time.Since(started))
				continue
			}
			break
		}
	}
	return nil
}

// rest leaves processors to others after a delivery that is not urgent. All workers together rest as one would.
func (w *work) rest(ctx context.Context, took time.Duration) {
	if w.name == domain.UrgentMail {
		return
	}
	w.mu.Lock()
	workers := len(w.running)
	w.mu.Unlock()
	Rest(ctx, w.options.Rest(took*time.Duration(workers)))
}

// waiting lists the first deliveries that wait.
func (w *work) waiting(ctx context.Context, limit int) ([]domain.Delivery, error) {
	asking, cancel := context.WithTimeout(ctx, loop.AnswerTimeout)
	defer cancel()
	return w.store.Waiting(asking, w.name, limit)
}

// attempt delivers once and records the outcome.
func (w *work) attempt(ctx context.Context, one domain.Delivery) (err error) {
	attempting, cancel := context.WithTimeout(ctx, attemptTime)
	defer cancel()
	accepted := false
	err = w.deliver(attempting, one, func() {
		accepted = true
		w.record(ctx, one, delivered)
	})
	switch {
	case accepted:
		w.succeeded(w.host)
		return nil
	case domain.Is(err, domain.NotFound):
		w.record(ctx, one, nothingToDo)
		return nil
	case errors.Is(err, ErrMore):
		w.ends = true
		w.succeeded(w.host)
		return nil
	case err == nil:
		return errors.New("delivery: the transport has not said that it was done")
	case errors.Is(err, errLost):
		return err
	case ctx.Err() != nil: // told to stop, or the ownership is lost: nothing is known about the receiver
		return nil
	}
	return w.failedAttempt(ctx, one, err)
}

// deliver hands over a delivery in the session, which it opens if necessary.
func (w *work) deliver(ctx context.Context, one domain.Delivery, done func()) (err error) {
	defer loop.Rescue(&err)
	if !w.owns() {
		return errLost
	}
	if w.session == nil {
		session, err := w.transport.Open(ctx, w.name)
		if err != nil {
			return err
		}
		w.session = session
	}
	return w.session.Deliver(ctx, one, done)
}

// record records that the receiver has accepted a delivery, or that there is nothing to deliver. It does not give up
// while the destination is owned, because the delivery would be repeated.
func (w *work) record(ctx context.Context, one domain.Delivery, outcome string) {
	pause := loop.NewBackoff()
	for {
		recording, cancel := context.WithTimeout(ctx, loop.AnswerTimeout)
		err := w.store.Done(recording, one)
		cancel()
		if err == nil {
			break
		}
		if !w.owns() || !loop.Wait(ctx, pause) {
			w.options.Logger.Error("a delivery was made but not recorded: it may be repeated", "kind", one.Kind,
				"delivery", one.ID, "error", err)
			return
		}
	}
	w.options.Metrics.outcome(one, outcome)
	w.options.Logger.Debug(outcome, "kind", one.Kind, "delivery", one.ID, "attempts", one.Attempts+1)
}

// failedAttempt records a failure: of the receiver in its host, of the delivery in its item.
func (w *work) failedAttempt(ctx context.Context, one domain.Delivery, err error) error {
	e, ok := errors.AsType[*domain.DeliveryError](err)
	if !ok {
		w.options.Logger.Error("a delivery could not be attempted", "delivery", one.ID, "error", err)
		e = &domain.DeliveryError{Fault: domain.RefusedForNow, Answer: "This server failed. Its log has the reason."}
	}
	if e.Fault == domain.ReceiverFailed || e.Fault == domain.ConnectionBroke {
		w.ends = true
		w.failed(w.host, e)
		w.options.Metrics.outcome(one, receiverFailed)
		if e.Fault == domain.ReceiverFailed {
			return nil
		}
	}
	ctx, cancel := context.WithTimeout(ctx, loop.AnswerTimeout)
	defer cancel()
	log := w.options.Logger.With("kind", one.Kind, "delivery", one.ID, "answer", e.Answer)
	one.Attempts++
	one.Answer = e.Answer
	one.Next = time.Now().Add(max(e.After, pauseAfter(one.Attempts)))
	if e.Fault == domain.Refused || one.Next.After(one.Expires) {
		one.Dropped = time.Now()
		log.Error("a delivery is dropped")
		w.options.Metrics.outcome(one, dropped)
		return w.store.Drop(ctx, one)
	}
	log.Warn("a delivery failed and will be repeated", "next", one.Next)
	w.options.Metrics.outcome(one, repeated)
	return w.store.Retry(ctx, one)
}

// pauseAfter returns a random pause after that many failed attempts. It is between half of a bound, which doubles each
// time, and the bound.
func pauseAfter(attempts int) time.Duration {
	bound := longestPause
	if attempts < 10 {
		bound = min(bound, firstPause<<(attempts-1))
	}
	return bound/2 + rand.N(bound/2)
}
