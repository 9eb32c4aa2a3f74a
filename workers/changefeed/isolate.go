package changefeed

import (
	"context"
	"time"

	"inkfeed/cosmos/feeds"
	"inkfeed/domain"
	"inkfeed/workers/loop"
)

// project projects the changes of a page in order. A change that keeps failing becomes a dead letter, and the others go
// on. It skips nothing: it fails only if the lease expires or the context ends.
func (s *supervisor[T]) project(ctx context.Context, page []feeds.Change[T]) error {
	var sound []feeds.Change[T]
	for _, c := range page {
		if c.Err == nil {
			sound = append(sound, c)
		} else if err := s.storeDeadLetter(ctx, c, c.Err, 1); err != nil {
			return err
		}
	}
	if len(sound) == 0 {
		return nil
	}
	failure, err := s.try(ctx, sound)
	if err != nil || failure == nil {
		return err
	}
	if len(sound) == 1 {
		return s.storeDeadLetter(ctx, sound[0], failure, s.p.options.MaxAttempts)
	}
	s.log.ErrorContext(ctx, "cannot project a page, trying its changes one by one", "changes", len(sound), "error",
		failure)
	for i, c := range sound {
		failure, err := s.try(ctx, sound[i:i+1])
		if err == nil && failure != nil {
			err = s.storeDeadLetter(ctx, c, failure, 2*s.p.options.MaxAttempts)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// try passes changes to the projector until they are projected. After MaxAttempts failures, not counting those of an
// unavailable storage, it returns the last failure. The error err is not nil only if the lease expires or the context
// ends.
func (s *supervisor[T]) try(ctx context.Context, page []feeds.Change[T]) (failure, err error) {
	o := s.p.options
	changes := make([]T, len(page))
	for i, c := range page {
		changes[i] = c.Value
	}
	failures := 0
	for pause := loop.NewBackoff(); ; {
		if s.lease.overdue() {
			return nil, errLeaseExpired
		}
		start := time.Now()
		failure := s.p.attempt(ctx, changes)
		if failure == nil {
			o.Metrics.batch(s.p.name, len(changes), time.Since(start))
			o.OnProjected(len(changes))
			return nil, nil
		}
		if ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if !domain.Is(failure, domain.Unavailable) {
			failures++
		}
		if failures == o.MaxAttempts {
			return failure, nil
		}
		o.Metrics.retries.WithLabelValues(s.p.name).Inc()
		s.log.WarnContext(ctx, "cannot project changes, trying again", "changes", len(changes), "attempts", failures,
			"error",
			failure)
		if !loop.Wait(ctx, pause) {
			return nil, context.Cause(ctx)
		}
	}
}

// attempt passes changes to the projector once.
func (p *Processor[T]) attempt(ctx context.Context, changes []T) (err error) {
	ctx, cancel := context.WithTimeout(ctx, p.options.ProjectTimeout)
	defer cancel()
	defer loop.Rescue(&err)
	return p.projector.Project(ctx, changes)
}

// storeDeadLetter stores a change as a dead letter. It repeats failed attempts until the context ends.
func (s *supervisor[T]) storeDeadLetter(ctx context.Context, c feeds.Change[T], failure error, attempts int) error {
	now := time.Now()
	letter := feeds.DeadLetter{Processor: s.p.name, Range: s.feed, Item: c.Item,
		Error: failure.Error(), Attempts: attempts, First: now, Last: now}
	for pause := loop.NewBackoff(); ; {
		err := s.p.putDeadLetter(ctx, letter)
		if err == nil {
			s.p.options.Metrics.letters.WithLabelValues(s.p.name).Inc()
			s.log.ErrorContext(ctx, "a change became a dead letter", "item", c.Item.ID, "partition",
				c.Item.PartitionKey,
				"attempts", attempts, "error", failure)
			return nil
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		s.log.ErrorContext(ctx, "cannot store a dead letter, trying again", "item", c.Item.ID, "error", err)
		if !loop.Wait(ctx, pause) {
			return context.Cause(ctx)
		}
	}
}

func (p *Processor[T]) putDeadLetter(ctx context.Context, l feeds.DeadLetter) error {
	ctx, cancel := context.WithTimeout(ctx, loop.AnswerTimeout)
	defer cancel()
	return p.letters.Put(ctx, l)
}

// Retry projects the present state of a dead letter's item. If the item is gone, there is nothing to project and Retry
// returns nil. It does not delete the letter.
func (p *Processor[T]) Retry(ctx context.Context, l feeds.DeadLetter) error {
	change, err := p.feed.Item(ctx, l.Item)
	switch {
	case domain.Is(err, domain.NotFound):
		return nil
	case err != nil:
		return err
	case change.Err != nil:
		return change.Err
	}
	return p.attempt(ctx, []T{change.Value})
}
