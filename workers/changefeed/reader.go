package changefeed

import (
	"context"
	"errors"

	"inkfeed/domain"
	"inkfeed/workers/loop"
)

// read hands page after page to the projector and checkpoints each after success.
// It returns when the context ends, which a lost lease does, or when the lease is to
// be split.
func (s *supervisor[T]) read(ctx context.Context) {
	continuation := s.held.reached()
	for pause := loop.NewBackoff(); ; {
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
			loop.Wait(ctx, pause)
			continue
		}
		pause = loop.NewBackoff()
		if err := s.take(ctx, page); err != nil {
			s.lose(err) // nothing but the end of the lease or of the context
			return
		}
		if !page.Drained {
			continuation = page.Continuation
		}
		if page.AtEnd() {
			loop.Idle(ctx, s.retired, s.awake, s.p.options.PollInterval, s.p.options.Pause)
		}
	}
}

// take projects a page and checkpoints it.
func (s *supervisor[T]) take(ctx context.Context, page domain.ChangePage[T]) error {
	switch {
	case page.Drained:
		return nil
	case len(page.Changes) == 0:
		// To read it again after a crash costs less than to store each.
		s.held.pass(page.Continuation)
		return nil
	}
	if err := s.project(ctx, page.Changes); err != nil {
		return err
	}
	return s.persist(ctx, page.Continuation)
}

// next reads a page.
func (s *supervisor[T]) next(ctx context.Context, continuation string) (domain.ChangePage[T], error) {
	ctx, cancel := context.WithTimeout(ctx, loop.AnswerTimeout)
	defer cancel()
	return s.p.feed.Read(ctx, s.feed, continuation, s.p.options.PageSize)
}

// persist stores a checkpoint. It fails only when the lease is lost or the context
// ends.
func (s *supervisor[T]) persist(ctx context.Context, continuation string) error {
	for pause := loop.NewBackoff(); ; {
		err := s.held.checkpoint(ctx, continuation)
		if err == nil || errors.Is(err, errLeaseLost) {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		s.log.Warn("cannot checkpoint", "error", err)
		if !loop.Wait(ctx, pause) {
			return context.Cause(ctx)
		}
	}
}
