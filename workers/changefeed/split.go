package changefeed

import (
	"context"
	"errors"
	"fmt"
	"time"

	"inkfeed/cosmos/feeds"
)

// split replaces the lease by leases of the parts of its range, as supervisor.run does when the reader has retired. The
// children continue at the parent's continuation. This instance owns them, so it continues at once. If a split stops in
// between, the parent lease still exists, and the next plan contains the rest of the split. The result is that of run.
func (s *supervisor[T]) split(ctx context.Context) bool {
	err := s.replaceByParts(ctx)
	if err != nil && ctx.Err() != nil {
		s.end(ctx)
		return true
	}
	switch {
	case err == nil:
		s.log.Info("lease split", "parts", len(s.parts))
	case errors.Is(err, errLeaseLost):
		s.log.Info("lease lost")
	default:
		s.log.Warn("cannot split the lease", "error", err)
		return false
	}
	return true
}

func (s *supervisor[T]) replaceByParts(ctx context.Context) error {
	parent := s.lease.current()
	continuations, err := s.p.narrow(s.lease.reached(), s.parts)
	if err != nil {
		return err
	}
	for i, part := range s.parts {
		child := feeds.Lease{Processor: parent.Processor, Range: part, Container: parent.Container,
			Owner: parent.Owner, Continuation: continuations[i], Renewed: time.Now()}
		if err := s.create(ctx, child); err != nil {
			return err
		}
	}
	return s.lease.remove(ctx)
}

func (s *supervisor[T]) create(ctx context.Context, child feeds.Lease) error {
	if ctx.Err() != nil {
		return ctx.Err()
	}
	ctx, cancel := outliving(ctx)
	defer cancel()
	return s.p.leases.Create(ctx, child)
}

// narrow turns the continuation of a range into those of its parts.
func (p *Processor[T]) narrow(continuation string, parts []feeds.Range) ([]string, error) {
	narrowed := make([]string, len(parts))
	for i, part := range parts {
		var err error
		if narrowed[i], err = p.feed.Narrow(continuation, part); err != nil {
			return nil, fmt.Errorf("narrow the continuation to range %s: %w", RangeName(part), err)
		}
	}
	return narrowed, nil
}
