package workers

import (
	"context"
	"errors"
	"time"

	"inkfeed/domain"
)

// read hands page after page to the projector and checkpoints each after success.
// It returns when the context ends, which a lost lease does, or when the lease is to
// be split.
func (s *supervisor[T]) read(ctx context.Context) {
	continuation := s.held.reached()
	for pause := newBackoff(); ; {
		select {
		case <-s.retired:
			return
		default:
		}
		page, err := s.next(ctx, continuation)
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			s.log.Warn("cannot read the change feed", "error", err)
			pause.wait(ctx)
			continue
		}
		pause = newBackoff()
		if page.Drained {
			s.idle(ctx)
			continue
		}
		continuation = page.Continuation
		if len(page.Changes) == 0 {
			// To read it again after a crash costs less than to store each.
			s.held.pass(continuation)
			continue
		}
		err = s.project(ctx, page.Changes)
		if err == nil {
			err = s.persist(ctx, continuation)
		}
		if err != nil {
			s.lose(err) // nothing but the end of the lease or of the context
			return
		}
	}
}

// next reads a page.
func (s *supervisor[T]) next(ctx context.Context, continuation string) (domain.ChangePage[T], error) {
	ctx, cancel := context.WithTimeout(ctx, answerTimeout)
	defer cancel()
	return s.p.feed.Read(ctx, s.feed, continuation, s.p.options.PageSize)
}

// idle waits for the next poll.
func (s *supervisor[T]) idle(ctx context.Context) {
	select {
	case <-ctx.Done():
	case <-s.retired:
	case <-s.awake:
	case <-time.After(s.p.options.PollInterval):
	}
}

// persist stores a checkpoint. It fails only when the lease is lost or the context
// ends.
func (s *supervisor[T]) persist(ctx context.Context, continuation string) error {
	for pause := newBackoff(); ; {
		err := s.held.checkpoint(ctx, continuation)
		if err == nil || errors.Is(err, errLeaseLost) {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		s.log.Warn("cannot checkpoint", "error", err)
		if !pause.wait(ctx) {
			return context.Cause(ctx)
		}
	}
}
