package changefeed

import (
	"context"
	"errors"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/text/language"
	"golang.org/x/text/message"

	"inkfeed/cosmos/feeds"
)

// Estimator estimates the lag of a processor. Beside an error it may return the last known lags.
type Estimator interface {
	RecentLag(ctx context.Context) ([]RangeLag, error)
}

// RangeLag is the lag of the projection of one feed range.
type RangeLag struct {
	Range feeds.Range
	Owner string // empty: no instance reads the range
	// Transactions is the distance in LSNs from the checkpoint to the end of the range, as in the .NET SDK's estimator.
	// A transaction counts once, however many items it changed. Deletions count too.
	Transactions int64
	End          int64 // LSN of the end of the range
	// Age is the age of the first change beyond the checkpoint; 0 if there is none.
	Age time.Duration
}

// String returns the range and its lag, as in "00-FF: 3 transactions, 5s".
func (l RangeLag) String() string {
	noun := "transactions"
	if l.Transactions == 1 {
		noun = "transaction"
	}
	return message.NewPrinter(language.English).Sprintf("%s: %d %s, %v",
		RangeName(l.Range), l.Transactions, noun, l.Age.Round(time.Second))
}

// maxEstimates is the maximum number of ranges whose lags are estimated at a time.
const maxEstimates = 8

// Lag estimates the lag of each lease, whichever instance owns it, from the first change beyond its checkpoint. It
// changes nothing. If it returns an error, the ranges that could not be read are missing.
//
// For a lease without a checkpoint the .NET estimator returns 1, because such a lease starts at the present there. Here
// it starts at the beginning, so the same rule applies to it.
func (p *Processor[T]) Lag(ctx context.Context) ([]RangeLag, error) {
	leases, err := p.leases.List(ctx, p.name)
	if err != nil {
		return nil, err
	}
	lags, errs := make([]*RangeLag, len(leases)), make([]error, len(leases))
	var group errgroup.Group
	group.SetLimit(maxEstimates)
	for i, l := range leases {
		group.Go(func() error {
			lags[i], errs[i] = p.lagOf(ctx, l)
			return nil
		})
	}
	_ = group.Wait() // the errors are in errs
	var all []RangeLag
	for _, lag := range lags {
		if lag != nil {
			all = append(all, *lag)
		}
	}
	return all, errors.Join(errs...)
}

func (p *Processor[T]) lagOf(ctx context.Context, l feeds.Lease) (*RangeLag, error) {
	from := l.Continuation
	if s := p.supervisor(l.Range); s != nil && !s.lease.lostTo(l) {
		from = s.lease.reached() // beyond irrelevant changes that were passed without a checkpoint
	}
	page, err := p.next(ctx, l.Range, from)
	if err != nil {
		return nil, err
	}
	lag := &RangeLag{Range: l.Range, Owner: l.Owner, End: page.LSN}
	if len(page.Changes) > 0 {
		first := page.Changes[0]
		lag.Transactions = max(page.LSN-(first.LSN-1), 1)
		lag.Age = max(time.Since(first.Modified), 0)
	}
	return lag, nil
}

// CaughtUp reports whether there is no relevant change beyond the checkpoints of all feed ranges, whichever instance
// reads them. It reads the feed beyond the checkpoints. Dead letters do not count.
func (p *Processor[T]) CaughtUp(ctx context.Context) (bool, error) {
	container, err := p.feed.Container(ctx)
	if err != nil {
		return false, err
	}
	ranges, err := p.feed.FeedRanges(ctx)
	if err != nil {
		return false, err
	}
	leases, err := p.leases.List(ctx, p.name)
	if err != nil {
		return false, err
	}
	plan := PlanLeases(leases, ranges, container)
	if len(plan.Foreign) > 0 || len(plan.Create) > 0 {
		return false, nil // a range is not read yet
	}
	for _, s := range plan.Split {
		if _, err := p.narrow(s.Lease.Continuation, s.Into); err == nil {
			return false, nil // a lease is to be split
		}
	}
	for _, l := range leases {
		if page, err := p.next(ctx, l.Range, l.Continuation); err != nil || len(page.Changes) > 0 {
			return false, err
		}
	}
	return true, nil
}

// next returns the first page that has a relevant change, or the empty page at the end of the feed.
func (p *Processor[T]) next(ctx context.Context, r feeds.Range, from string) (feeds.Batch[T], error) {
	for limit := 1; ; limit = p.options.PageSize {
		page, err := p.feed.Read(ctx, r, from, limit)
		if err != nil || page.Drained || len(page.Changes) > 0 {
			return page, err
		}
		from = page.Continuation
	}
}

// recentLag is the maximum age of an estimate that RecentLag returns without a new one, while the instance is in use.
const recentLag = 5 * time.Second

// lagMemory is the last estimate of all ranges.
type lagMemory struct {
	estimating chan struct{} // holds an element during an estimate

	mu   sync.Mutex
	at   time.Time
	lags []RangeLag
}

func (m *lagMemory) recall() (lags []RangeLag, age time.Duration) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return slices.Clone(m.lags), time.Since(m.at)
}

func (m *lagMemory) remember(lags []RangeLag) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.lags, m.at = slices.Clone(lags), time.Now()
}

// RecentLag returns the result of Lag, or of an estimate that is at most five seconds old, or a minute while the
// instance is idle. If a range cannot be read, its last known age continues to grow, as if nothing had been projected
// since, and RecentLag also returns the error.
func (p *Processor[T]) RecentLag(ctx context.Context) ([]RangeLag, error) {
	var lags []RangeLag
	var err error
	select {
	case p.lag.estimating <- struct{}{}:
		defer func() { <-p.lag.estimating }()
		if recent, age := p.lag.recall(); age < p.options.Activity.Interval(recentLag) {
			return recent, nil
		}
		if lags, err = p.Lag(ctx); err == nil {
			p.lag.remember(lags)
			return lags, nil
		}
	case <-ctx.Done(): // an estimate by another caller takes too long
		err = ctx.Err()
	}
	before, age := p.lag.recall()
	for _, old := range before {
		if !slices.ContainsFunc(lags, func(l RangeLag) bool { return l.Range.Overlaps(old.Range) }) {
			old.Age += age
			lags = append(lags, old)
		}
	}
	return lags, err
}
