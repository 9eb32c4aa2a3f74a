package workers

import (
	"context"
	"time"

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

// Lag estimates the lag of each lease, whichever instance owns it, by a look at the
// first change beyond its checkpoint. It changes nothing.
func (p *Processor[T]) Lag(ctx context.Context) ([]RangeLag, error) {
	leases, err := p.leases.List(ctx, p.name)
	if err != nil {
		return nil, err
	}
	lags := make([]RangeLag, len(leases))
	for i, l := range leases {
		lags[i] = RangeLag{Range: l.Range, Owner: l.Owner}
		page, err := p.next(ctx, l)
		if err != nil {
			return nil, err
		}
		if len(page.Changes) == 0 {
			continue
		}
		first := page.Changes[0]
		lags[i].Transactions = max(page.LSN-(first.LSN-1), 1)
		lags[i].Age = max(time.Since(first.Modified), 0)
	}
	return lags, nil
}

// CaughtUp reports whether no relevant change lies beyond the checkpoints of all
// feed ranges, whichever instance reads them. It reads what lies beyond them.
func (p *Processor[T]) CaughtUp(ctx context.Context) (bool, error) {
	leases, err := p.leases.List(ctx, p.name)
	if err != nil || len(leases) == 0 {
		return false, err
	}
	for _, l := range leases {
		if page, err := p.next(ctx, l); err != nil || len(page.Changes) > 0 {
			return false, err
		}
	}
	return true, nil
}

// next reads on from a lease's checkpoint to the first page that has a relevant
// change, or to the end: that page has none.
func (p *Processor[T]) next(ctx context.Context, l domain.Lease) (domain.ChangePage[T], error) {
	for limit, from := 1, l.Continuation; ; limit = p.options.PageSize {
		page, err := p.feed.Read(ctx, l.Range, from, limit)
		if err != nil || page.Drained || len(page.Changes) > 0 {
			return page, err
		}
		from = page.Continuation
	}
}
