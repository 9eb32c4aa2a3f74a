package changefeed

import (
	"context"
	"errors"
	"time"

	"inkfeed/cosmos/feeds"
	"inkfeed/workers/loop"
)

// read projects page after page and writes a checkpoint after each. It returns when the context ends, as it does when
// the lease is lost, or when the lease is to be split.
func (s *supervisor[T]) read(ctx context.Context) {
	continuation := s.lease.reached()
	began := time.Now() // when the reading began that has not reached the end of the range yet
	failures := loop.NewFailureLog(s.log, "cannot read the change feed")
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
		s.drained.Store(err == nil && page.Drained)
		if err != nil {
			failures.Failed(err)
			loop.Wait(ctx, pause)
			continue
		}
		failures.Succeeded()
		if err := s.process(ctx, page); err != nil {
			s.lose(err) // the only errors are a lost lease and the end of the context
			return
		}
		if !page.Drained {
			continuation = page.Continuation
		}
		if page.Empty() {
			loop.Wait(ctx, pause)
			continue
		}
		pause = loop.NewBackoff()
		if page.AtEnd() {
			s.drained.Store(true)
			loop.Idle(ctx, s.retired, s.awake, s.p.options.PollInterval, s.p.options.pauseAfter(time.Since(began)))
			began = time.Now()
		}
	}
}

// process projects a page and writes a checkpoint.
func (s *supervisor[T]) process(ctx context.Context, page feeds.Batch[T]) error {
	switch {
	case page.Drained:
		return nil
	case len(page.Changes) == 0:
		// Reading such a page again after a crash costs less than a checkpoint for each.
		s.lease.pass(page.Continuation)
		return nil
	}
	ctx, end := s.trace(ctx, page)
	err := s.project(ctx, page.Changes)
	if err == nil {
		err = s.persist(ctx, page.Continuation)
	}
	end(err)
	return err
}

// trace starts the span of the projection of a page, if there is one. The returned function ends it.
func (s *supervisor[T]) trace(ctx context.Context, page feeds.Batch[T]) (context.Context, func(error)) {
	tracing := s.p.options.Tracing
	if tracing == nil {
		return ctx, func(error) {}
	}
	partitions := make([]string, len(page.Changes))
	for i, c := range page.Changes {
		partitions[i] = c.Item.PartitionKey
	}
	return tracing.begin(ctx, s.p.name, s.feed, partitions, page.Last)
}

// next reads the page that follows a continuation.
func (s *supervisor[T]) next(ctx context.Context, continuation string) (feeds.Batch[T], error) {
	ctx, cancel := context.WithTimeout(ctx, loop.AnswerTimeout)
	defer cancel()
	return s.p.feed.Read(ctx, s.feed, continuation, s.p.options.PageSize)
}

// persist stores a checkpoint. It fails only if the lease is lost or the context ends.
func (s *supervisor[T]) persist(ctx context.Context, continuation string) error {
	for pause := loop.NewBackoff(); ; {
		err := s.lease.checkpoint(ctx, continuation)
		if err == nil || errors.Is(err, errLeaseLost) {
			return err
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		s.log.WarnContext(ctx, "cannot write a checkpoint", "error", err)
		if !loop.Wait(ctx, pause) {
			return context.Cause(ctx)
		}
	}
}
