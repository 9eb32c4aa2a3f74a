package workers

import (
	"context"
	"slices"

	"inkfeed/domain"
)

// bootstrap makes an unowned lease, which starts at the beginning, for each
// feed range that no lease covers. A range that came about by a split is covered
// by the lease of the range it was part of, whose continuation leads on into it.
// Creating is idempotent, so instances that start together need no lock.
func (p *Processor[T]) bootstrap(ctx context.Context) error {
	ranges, err := p.feed.FeedRanges(ctx)
	if err != nil {
		return err
	}
	leases, err := p.leases.List(ctx, p.name)
	if err != nil {
		return err
	}
	for _, r := range ranges {
		if slices.ContainsFunc(leases, func(l domain.Lease) bool { return l.Range.Overlaps(r) }) {
			continue
		}
		if err := p.leases.Create(ctx, domain.Lease{Processor: p.name, Range: r}); err != nil {
			return err
		}
	}
	return nil
}
