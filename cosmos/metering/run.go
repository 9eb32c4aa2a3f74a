package metering

import (
	"context"
	"log/slog"
	"time"

	"inkfeed/cosmos/costs"
)

const (
	// storeEvery is the interval at which a minute is stored, at whole minutes.
	storeEvery = time.Minute
	// minutesBetween is the number of minutes after which the intervals of the day and the month are stored again.
	minutesBetween = 5
	// storeTimeout bounds all writes at a whole minute.
	storeTimeout = 10 * time.Second
	// lastTimeout bounds all writes at the end of the process, which a platform may kill soon.
	lastTimeout = time.Second
	// leastStored is the charge in RU below which a process that ends does not store its last minute, because the
	// writes would cost a notable part of it.
	leastStored = 200
)

// Writer stores intervals. It is a [*Store], except in tests.
type Writer interface {
	Put(ctx context.Context, i costs.Interval) error
}

// spanTally is the current interval of a longer span.
type spanTally struct {
	span    costs.Span
	tally   tally
	busiest busiest
	end     time.Time
}

// Run stores what is measured, until the context ends. Then it stores the rest and returns. It logs when the figures
// cannot be stored, and again only after they could be stored in between.
func (r *Recorder) Run(ctx context.Context, to Writer, logger *slog.Logger) {
	s := storing{to: to, logger: logger}
	for minute := 1; ; minute++ {
		now := time.Now()
		select {
		case <-ctx.Done():
			if r.unstored() >= leastStored {
				s.do(context.WithoutCancel(ctx), lastTimeout, func(ctx context.Context) error {
					return r.store(ctx, to, true)
				})
			}
			return
		case <-time.After(now.Truncate(storeEvery).Add(storeEvery).Sub(now)):
			s.do(ctx, storeTimeout, func(ctx context.Context) error {
				return r.store(ctx, to, minute%minutesBetween == 0)
			})
		}
	}
}

// unstored returns the charges of the last minute and of the current half hour, in RU.
func (r *Recorder) unstored() float64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.latest.charge() + r.day.tally.charge()
}

// storing stores and logs failures.
type storing struct {
	to     Writer
	logger *slog.Logger
	failed bool
}

func (s *storing) do(ctx context.Context, timeout time.Duration, store func(context.Context) error) {
	limited, cancel := context.WithTimeout(ctx, timeout)
	defer cancel()
	err := store(limited)
	if err != nil && !s.failed && ctx.Err() == nil {
		s.logger.Warn("cannot store the measured request charges; /admin/costs lacks them", "error", err)
	}
	s.failed = err != nil
}

// store stores the last minute. With longer, or when an interval of a longer span has ended, it also stores the
// intervals of the day and the month. A minute that cannot be stored is missing in the hour; the day and the month
// contain it.
func (r *Recorder) store(ctx context.Context, to Writer, longer bool) error {
	now := time.Now()
	minute := r.take(now)
	b := busiest{minute.charge() / max(now.Sub(minute.begin), storeEvery).Seconds(), minute.begin.Truncate(storeEvery)}
	err := to.Put(ctx, minute.interval(costs.Hour, r.instance, now, b))
	for _, s := range []*spanTally{&r.day, &r.month} {
		if stored := s.add(ctx, to, &minute, b, now, r.instance); err == nil {
			err = stored
		}
		if longer {
			if stored := s.store(ctx, to, r.instance); err == nil {
				err = stored
			}
		}
	}
	return err
}

// add adds a minute. If it begins a new interval, add stores the one before for the last time.
func (s *spanTally) add(ctx context.Context, to Writer, minute *tally, b busiest, now time.Time,
	instance string) (err error) {
	step := s.span.Step()
	if !minute.begin.UTC().Truncate(step).Equal(s.tally.begin.UTC().Truncate(step)) {
		if len(s.tally.figures) > 0 {
			err = s.store(ctx, to, instance)
		}
		s.tally, s.busiest = newTally(minute.begin), b
	}
	s.tally.merge(minute)
	if s.end = now; b.rate > s.busiest.rate {
		s.busiest = b
	}
	return err
}

func (s *spanTally) store(ctx context.Context, to Writer, instance string) error {
	return to.Put(ctx, s.tally.interval(s.span, instance, s.end, s.busiest))
}
