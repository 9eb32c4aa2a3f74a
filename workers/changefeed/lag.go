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

	"inkfeed/domain"
)

// RangeLag is how far the projection of a feed range is behind.
type RangeLag struct {
	Range domain.FeedRange
	Owner string // empty: nobody reads it
	// Transactions is the distance between the checkpoint and the end of the range
	// in LSNs, as the .NET SDK's estimator has it: a transaction counts once however
	// many items it changed, and deletions count too.
	Transactions int64
	// Age is how long ago the first change beyond the checkpoint was made: 0 when
	// there is none.
	Age time.Duration
}

// String says it in a few words.
func (l RangeLag) String() string {
	noun := "transactions"
	if l.Transactions == 1 {
		noun = "transaction"
	}
	return message.NewPrinter(language.English).Sprintf("%s: %d %s, %v",
		RangeName(l.Range), l.Transactions, noun, l.Age.Round(time.Second))
}

// estimates is how many ranges are looked at at a time.
const estimates = 8

// Lag estimates the lag of each lease, whichever instance owns it, by a look at the
// first change beyond its checkpoint. It changes nothing. With an error, the ranges
// that could not be looked at are missing.
//
// The .NET estimator gives 1 for a lease without a checkpoint, which starts "now"
// there. Here it starts at the beginning, so the rule holds for it as well.
func (p *Processor[T]) Lag(ctx context.Context) ([]RangeLag, error) {
	leases, err := p.leases.List(ctx, p.name)
	if err != nil {
		return nil, err
	}
	lags, errs := make([]*RangeLag, len(leases)), make([]error, len(leases))
	var group errgroup.Group
	group.SetLimit(estimates)
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

func (p *Processor[T]) lagOf(ctx context.Context, l domain.Lease) (*RangeLag, error) {
	from := l.Continuation
	if s := p.supervisor(l.Range); s != nil && !s.held.lostTo(l) {
		from = s.held.reached() // passed what is not relevant, without a checkpoint
	}
	page, err := p.next(ctx, l.Range, from)
	if err != nil {
		return nil, err
	}
	lag := &RangeLag{Range: l.Range, Owner: l.Owner}
	if len(page.Changes) > 0 {
		first := page.Changes[0]
		lag.Transactions = max(page.LSN-(first.LSN-1), 1)
		lag.Age = max(time.Since(first.Modified), 0)
	}
	return lag, nil
}

// CaughtUp reports whether no relevant change lies beyond the checkpoints of all
// feed ranges, whichever instance reads them. It reads what lies beyond them. What
// became a dead letter is not waited for.
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
		return false, nil // something is not read yet
	}
	for _, s := range plan.Split {
		if _, err := p.narrow(s.Lease.Continuation, s.Into); err == nil {
			return false, nil // a split is due or under way
		}
	}
	for _, l := range leases {
		if page, err := p.next(ctx, l.Range, l.Continuation); err != nil || len(page.Changes) > 0 {
			return false, err
		}
	}
	return true, nil
}

// next reads on to the first page that has a relevant change, or to the end: that
// page has none.
func (p *Processor[T]) next(ctx context.Context, r domain.FeedRange, from string) (domain.ChangePage[T], error) {
	for limit := 1; ; limit = p.options.PageSize {
		page, err := p.feed.Read(ctx, r, from, limit)
		if err != nil || page.Drained || len(page.Changes) > 0 {
			return page, err
		}
		from = page.Continuation
	}
}

// recentLag is how old an estimate may be for RecentLag.
const recentLag = 5 * time.Second

// lagMemory is the last estimate of all ranges.
type lagMemory struct {
	looking chan struct{} // has an element while somebody estimates anew

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

// RecentLag is Lag for who asks often: an estimate a few seconds old will do. Of a
// range that cannot be looked at it says, beside the error, the most that its lag
// can be old: as if nothing had been projected since it was seen last.
func (p *Processor[T]) RecentLag(ctx context.Context) ([]RangeLag, error) {
	var lags []RangeLag
	var err error
	select {
	case p.lag.looking <- struct{}{}:
		defer func() { <-p.lag.looking }()
		if recent, age := p.lag.recall(); age < recentLag {
			return recent, nil
		}
		if lags, err = p.Lag(ctx); err == nil {
			p.lag.remember(lags)
			return lags, nil
		}
	case <-ctx.Done(): // somebody else's estimate takes too long
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
