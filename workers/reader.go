package workers

import (
	"context"
	"math/rand/v2"
	"time"

	"inkfeed/domain"
)

// read hands page after page to the projector and checkpoints each after
// success. It returns when the context ends or the lease is lost.
func (s *supervisor[T]) read(ctx context.Context) error {
	o := s.p.options
	continuation := s.from
	for pause := newBackoff(); ; {
		page, err := s.p.feed.Read(ctx, s.feed, continuation, o.PageSize)
		if err != nil {
			if ctx.Err() == nil {
				s.log.Warn("cannot read the change feed", "error", err)
			}
			if !pause.wait(ctx) {
				return ctx.Err()
			}
			continue
		}
		pause = newBackoff()
		if page.Drained {
			if !s.idle(ctx) {
				return ctx.Err()
			}
			continue
		}
		continuation = page.Continuation
		if len(page.Changes) == 0 {
			s.pass(continuation)
			continue
		}
		if err := s.project(ctx, page.Changes); err != nil {
			return err
		}
		if err := s.persist(ctx, continuation); err != nil {
			return err
		}
	}
}

// idle waits for the next poll. It reports false when the context has ended.
func (s *supervisor[T]) idle(ctx context.Context) bool {
	select {
	case <-ctx.Done():
		return false
	case <-s.awake:
	case <-time.After(s.p.options.PollInterval):
	}
	return true
}

// project applies a page, again and again until it succeeds or the context
// ends: nothing is skipped.
func (s *supervisor[T]) project(ctx context.Context, page []domain.Change[T]) error {
	o := s.p.options
	changes := make([]T, len(page))
	for i, c := range page {
		changes[i] = c.Value
	}
	for pause := newBackoff(); ; {
		start := time.Now()
		err := s.p.projector.Project(ctx, changes)
		if err == nil {
			o.Metrics.batch(s.p.name, len(changes), time.Since(start))
			o.OnProjected(len(changes))
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		o.Metrics.failures.WithLabelValues(s.p.name).Inc()
		s.log.Error("cannot project changes", "changes", len(changes), "error", err)
		if !pause.wait(ctx) {
			return ctx.Err()
		}
	}
}

// persist stores a checkpoint. Only a lost lease or the end of the context is
// final.
func (s *supervisor[T]) persist(ctx context.Context, continuation string) error {
	for pause := newBackoff(); ; {
		err := s.checkpoint(ctx, continuation)
		if err == nil {
			return nil
		}
		if lost(err) {
			return errLeaseLost
		}
		if ctx.Err() == nil {
			s.log.Warn("cannot checkpoint", "error", err)
		}
		if !pause.wait(ctx) {
			return ctx.Err()
		}
	}
}

// backoff is the pause between attempts: doubled each time, with jitter so that
// instances do not try in step.
type backoff struct{ next time.Duration }

const (
	firstBackoff = 100 * time.Millisecond
	maxBackoff   = 30 * time.Second
)

func newBackoff() *backoff { return &backoff{next: firstBackoff} }

// wait reports false when the context has ended.
func (b *backoff) wait(ctx context.Context) bool {
	pause := b.next/2 + rand.N(b.next/2)
	b.next = min(2*b.next, maxBackoff)
	select {
	case <-ctx.Done():
		return false
	case <-time.After(pause):
		return true
	}
}
