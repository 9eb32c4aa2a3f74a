package changefeed

import (
	"context"
	"errors"
	"fmt"
	"time"

	"inkfeed/domain"
)

// split replaces the lease by those of the parts of its range. They go on where it
// stands, and belong to this instance, which so goes on at once. Where it stops in
// between, the lease is still there: whoever acquires it next finds what is left to
// do in the plan.
func (s *supervisor[T]) split(ctx context.Context) bool {
	err := s.replaceByParts(ctx)
	if err != nil && ctx.Err() != nil {
		s.end(ctx)
		return true
	}
	switch {
	case err == nil:
		s.log.Info("lease split", "parts", len(s.into))
	case errors.Is(err, errLeaseLost):
		s.log.Info("lease lost")
	default:
		s.log.Warn("cannot split the lease", "error", err)
		return false
	}
	return true
}

func (s *supervisor[T]) replaceByParts(ctx context.Context) error {
	parent := s.held.current()
	continuations, err := s.p.narrow(s.held.reached(), s.into)
	if err != nil {
		return err
	}
	for i, part := range s.into {
		child := domain.Lease{Processor: parent.Processor, Range: part, Container: parent.Container,
			Owner: parent.Owner, Continuation: continuations[i], Renewed: time.Now()}
		if err := s.create(ctx, child); err != nil {
			return err
		}
	}
	return s.held.remove(ctx)
}

func (s *supervisor[T]) create(ctx context.Context, child domain.Lease) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	ctx, cancel := outliving(ctx)
	defer cancel()
	return s.p.leases.Create(ctx, child)
}

// narrow makes the continuation of a range into those of parts of it.
func (p *Processor[T]) narrow(continuation string, parts []domain.FeedRange) ([]string, error) {
	narrowed := make([]string, len(parts))
	for i, part := range parts {
		var err error
		if narrowed[i], err = p.feed.Narrow(continuation, part); err != nil {
			return nil, fmt.Errorf("the continuation of range %s: %w", RangeName(part), err)
		}
	}
	return narrowed, nil
}
