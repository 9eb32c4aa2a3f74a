package workers

import (
	"context"
	"errors"
	"log/slog"
	"sync"
	"time"

	"inkfeed/domain"
)

// releaseTimeout bounds the handing over of a lease when the process stops.
const releaseTimeout = 3 * time.Second

// supervisor holds one lease: it reads the lease's range and renews the lease
// beside it, until the context ends or the lease is lost.
type supervisor[T any] struct {
	p     *Processor[T]
	feed  domain.FeedRange
	from  string // the continuation it was acquired with
	log   *slog.Logger
	awake chan struct{}

	mu    sync.Mutex // a lease has one writer at a time: each write needs the last etag
	lease domain.Lease
	// passed is a continuation beyond the lease's that had nothing relevant before
	// it. It is stored when the lease is written anyway.
	passed string
}

// acquire makes a lease this instance's own, provided that it is still as
// balancing saw it.
func acquire[T any](ctx context.Context, p *Processor[T], lease domain.Lease) (*supervisor[T], error) {
	s := &supervisor[T]{p: p, feed: lease.Range, from: lease.Continuation, lease: lease,
		log: p.options.Logger.With("range", lease.Range), awake: make(chan struct{}, 1)}
	if err := s.replace(ctx, func(l *domain.Lease) { l.Owner = p.options.Instance }); err != nil {
		return nil, err
	}
	return s, nil
}

// replaceAttempts bounds how often a lease is read again after a conflict.
const replaceAttempts = 5

// replace writes the lease as change leaves it, with its time renewed. After a
// conflict it looks again: a write of ours whose answer was lost, or that was
// cut off, has changed the etag but not the owner. Conflict and NotFound mean
// that the lease is lost.
func (s *supervisor[T]) replace(ctx context.Context, change func(*domain.Lease)) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	for attempt := 1; ; attempt++ {
		next := s.lease
		if s.passed != "" {
			next.Continuation = s.passed
		}
		change(&next)
		next.Renewed = time.Now()
		stored, err := s.p.leases.Replace(ctx, next)
		if err == nil {
			s.lease, s.passed = stored, ""
			return nil
		}
		if !domain.Is(err, domain.Conflict) || attempt == replaceAttempts {
			return err
		}
		current, readErr := s.p.leases.Read(ctx, s.p.name, s.feed)
		if readErr != nil {
			return readErr
		}
		if current.Owner != s.p.options.Instance {
			return err
		}
		s.lease.ETag = current.ETag
	}
}

func (s *supervisor[T]) checkpoint(ctx context.Context, continuation string) error {
	return s.replace(ctx, func(l *domain.Lease) { l.Continuation = continuation })
}

// pass is checkpoint for a page that had no relevant change: to read it again
// after a crash costs less than to store each.
func (s *supervisor[T]) pass(continuation string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.passed = continuation
}

func (s *supervisor[T]) wake() {
	select {
	case s.awake <- struct{}{}:
	default:
	}
}

// run returns when the lease is lost or, after releasing it, when ctx ends.
func (s *supervisor[T]) run(ctx context.Context) {
	s.log.Info("lease acquired", "continuation", s.from)
	s.p.options.Metrics.leases.WithLabelValues(s.p.name).Inc()
	defer s.p.options.Metrics.leases.WithLabelValues(s.p.name).Dec()

	working, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var both sync.WaitGroup
	both.Go(func() { stop(s.renew(working)) })
	both.Go(func() { stop(s.read(working)) })
	both.Wait()

	if ctx.Err() == nil {
		s.log.Warn("lease lost", "reason", context.Cause(working))
		return
	}
	release, cancel := context.WithTimeout(context.WithoutCancel(ctx), releaseTimeout)
	defer cancel()
	switch err := s.replace(release, func(l *domain.Lease) { l.Owner = "" }); {
	case lost(err):
		s.log.Info("lease not released: another instance has it already")
	case err != nil:
		s.log.Warn("cannot release the lease: it will expire", "error", err)
	default:
		s.log.Info("lease released")
	}
}

// renew keeps the lease until the context ends or the lease is lost.
func (s *supervisor[T]) renew(ctx context.Context) error {
	for {
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(s.p.options.RenewInterval):
		}
		if err := s.replace(ctx, func(*domain.Lease) {}); lost(err) {
			return errLeaseLost
		} else if err != nil && ctx.Err() == nil {
			s.log.Warn("cannot renew the lease", "error", err)
		}
	}
}

var errLeaseLost = errors.New("another instance has the lease")

func lost(err error) bool { return domain.Is(err, domain.Conflict) || domain.Is(err, domain.NotFound) }
