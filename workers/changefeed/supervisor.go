package changefeed

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"sync/atomic"
	"time"

	"inkfeed/cosmos/feeds"
	"inkfeed/workers/loop"
)

// releaseTimeout bounds the release of leases when the process stops.
const releaseTimeout = 3 * time.Second

// supervisor reads the range of a lease and renews the lease at the same time, until the context ends, the lease is
// lost or it is to be split.
type supervisor[T any] struct {
	p     *Processor[T]
	lease *ownedLease
	feed  feeds.Range
	log   *slog.Logger
	lose  context.CancelCauseFunc // ends run without another write of the lease
	awake loop.Signal
	// level is that of the acquisition and the release in the log. It is lower before and after a rest, of which there
	// are many.
	level slog.Level
	// drained reports whether all changes that the last read found are projected, up to the end of the range.
	drained atomic.Bool

	retiring sync.Once
	retired  chan struct{} // closed to make the reader finish its page before the split
	parts    []feeds.Range // of the split
}

func newSupervisor[T any](p *Processor[T], lease *ownedLease, lose context.CancelCauseFunc) *supervisor[T] {
	feed := lease.current().Range
	return &supervisor[T]{p: p, lease: lease, feed: feed, lose: lose,
		log:   p.options.Logger.With("range", RangeName(feed)),
		awake: loop.NewSignal(), level: p.leaseLevel, retired: make(chan struct{})}
}

// retire makes the reader stop after the checkpoint of its current page. The lease is then split into parts. Only the
// first call counts.
func (s *supervisor[T]) retire(parts []feeds.Range) {
	s.retiring.Do(func() {
		s.parts = parts
		close(s.retired)
	})
}

// run reads the range until ctx ends, s.lose is called or the reader has retired. When it returns, its goroutines have
// ended. It reports whether the leases should be balanced at once: false after a failed split, which should be tried
// again only later.
func (s *supervisor[T]) run(ctx context.Context) bool {
	lease := s.lease.current()
	s.log.Log(ctx, s.level, "lease acquired", "epoch", lease.Epoch)
	leases := s.p.options.Metrics.leases.WithLabelValues(s.p.name)
	leases.Inc()
	defer leases.Dec()
	defer s.lease.guard(func() { s.lose(errLeaseExpired) })()

	s.work(ctx)
	if ctx.Err() == nil { // the reader has retired
		return s.split(ctx)
	}
	s.end(ctx)
	return true
}

// end releases the lease after the context has ended, unless the lease is lost or has expired.
func (s *supervisor[T]) end(ctx context.Context) {
	switch cause := context.Cause(ctx); cause {
	case errLeaseLost: // for example to an instance that has joined and takes its share
		s.log.Info("lease lost")
	case errLeaseExpired:
		s.log.Warn("lease given up", "reason", cause)
	default:
		s.release(ctx)
	}
}

// work reads the range and renews the lease until the context ends or the reader has retired.
func (s *supervisor[T]) work(ctx context.Context) {
	renewing, done := context.WithCancel(ctx)
	var both sync.WaitGroup
	both.Go(func() { s.renew(renewing) })
	both.Go(func() { defer done(); s.read(ctx) })
	both.Wait()
}

// renew renews the lease at intervals until the context ends or the lease is lost.
func (s *supervisor[T]) renew(ctx context.Context) {
	o := s.p.options
	failures := loop.NewFailureLog(s.log, "cannot renew the lease")
	for wait, pause := o.RenewInterval, loop.NewBackoff(); ; {
		select {
		case <-ctx.Done():
			return
		case <-time.After(wait):
		}
		switch err := s.lease.renew(ctx); {
		case err == nil:
			failures.Succeeded()
			wait, pause = o.RenewInterval, loop.NewBackoff()
		case errors.Is(err, errLeaseLost):
			s.lose(errLeaseLost)
			return
		case ctx.Err() == nil:
			failures.Failed(err)
			wait = min(o.RenewInterval, pause.NextBackOff())
		}
	}
}

func (s *supervisor[T]) release(ctx context.Context) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	defer cancel()
	switch err := s.lease.release(ctx); {
	case errors.Is(err, errLeaseLost):
		s.log.Info("lease not released: another instance owns it already")
	case err != nil:
		s.log.Warn("cannot release the lease: it will expire", "error", err)
	default:
		s.log.Log(ctx, s.level, "lease released")
	}
}
