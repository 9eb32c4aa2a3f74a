package changefeed

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"inkfeed/domain"
	"inkfeed/workers/loop"
)

// releaseTimeout bounds the handing over of leases when the process stops.
const releaseTimeout = 3 * time.Second

// supervisor reads the range of a lease and renews the lease beside it, until the
// context ends, the lease is lost or it is to be split.
type supervisor[T any] struct {
	p     *Processor[T]
	held  *ownedLease
	feed  domain.FeedRange
	log   *slog.Logger
	lose  context.CancelCauseFunc // ends run without another write of the lease
	awake chan struct{}

	retiring sync.Once
	retired  chan struct{} // closed: finish the page at hand, then split
	into     []domain.FeedRange
}

func newSupervisor[T any](p *Processor[T], held *ownedLease, lose context.CancelCauseFunc) *supervisor[T] {
	feed := held.current().Range
	return &supervisor[T]{p: p, held: held, feed: feed, lose: lose,
		log:   p.options.Logger.With("range", RangeName(feed)),
		awake: make(chan struct{}, 1), retired: make(chan struct{})}
}

func (s *supervisor[T]) wake() {
	select {
	case s.awake <- struct{}{}:
	default:
	}
}

// retire has the lease replaced by leases of parts of it once the page at hand is
// checkpointed. The first call counts.
func (s *supervisor[T]) retire(into []domain.FeedRange) {
	s.retiring.Do(func() {
		s.into = into
		close(s.retired)
	})
}

// run holds the lease until ctx ends or s.lose was called, and then leaves no
// goroutine behind. It reports false when it gave up on something that should be
// tried again only after a while.
func (s *supervisor[T]) run(ctx context.Context) bool {
	lease := s.held.current()
	s.log.Info("lease acquired", "epoch", lease.Epoch)
	leases := s.p.options.Metrics.leases.WithLabelValues(s.p.name)
	leases.Inc()
	defer leases.Dec()
	defer s.held.guard(func() { s.lose(errLeaseExpired) })()

	s.work(ctx)
	if ctx.Err() == nil { // the reader has retired
		return s.split(ctx)
	}
	s.end(ctx)
	return true
}

// end leaves the lease as the end of the context asks for.
func (s *supervisor[T]) end(ctx context.Context) {
	switch cause := context.Cause(ctx); cause {
	case errLeaseLost: // as when an instance joins and takes its share
		s.log.Info("lease lost")
	case errLeaseExpired:
		s.log.Warn("lease given up", "reason", cause)
	default:
		s.release(ctx)
	}
}

// work reads and renews until the context ends or the reader is done.
func (s *supervisor[T]) work(ctx context.Context) {
	renewing, done := context.WithCancel(ctx)
	var both sync.WaitGroup
	both.Go(func() { s.renew(renewing) })
	both.Go(func() { defer done(); s.read(ctx) })
	both.Wait()
}

// renew keeps the lease until the context ends.
func (s *supervisor[T]) renew(ctx context.Context) {
	o := s.p.options
	for wait, pause := o.RenewInterval, loop.NewBackoff(); ; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		switch err := s.held.renew(ctx); {
		case err == nil:
			wait, pause = o.RenewInterval, loop.NewBackoff()
		case errors.Is(err, errLeaseLost):
			s.lose(errLeaseLost)
			return
		case ctx.Err() == nil:
			s.log.Warn("cannot renew the lease", "error", err)
			wait = min(o.RenewInterval, pause.NextBackOff())
		}
	}
}

func (s *supervisor[T]) release(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	defer cancel()
	switch err := s.held.release(ctx); {
	case errors.Is(err, errLeaseLost):
		s.log.Info("lease not released: another instance has it already")
	case err != nil:
		s.log.Warn("cannot release the lease: it will expire", "error", err)
	default:
		s.log.Info("lease released")
	}
}
