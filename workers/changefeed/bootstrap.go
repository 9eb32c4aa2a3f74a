package changefeed

import (
	"context"

	"inkfeed/domain"
)

// leaseState is what an instance knows of the leases when it balances them.
type leaseState struct {
	container string
	leases    []domain.Lease
	due       map[domain.FeedRange][]domain.FeedRange // leases to split, and into what
}

// bootstrap makes the leases fit the container, as PlanLeases says, but for the
// splits: those are for whoever holds the lease. Every step is conditional or
// idempotent, so instances that do this at the same time need no lock.
func (p *Processor[T]) bootstrap(ctx context.Context) (state leaseState, err error) {
	if state.container, err = p.feed.Container(ctx); err != nil {
		return state, err
	}
	ranges, err := p.feed.FeedRanges(ctx)
	if err != nil {
		return state, err
	}
	if state.leases, err = p.leases.List(ctx, p.name); err != nil {
		return state, err
	}
	plan := PlanLeases(state.leases, ranges, state.container)
	changed := false
	for _, l := range plan.Foreign {
		p.options.Logger.Warn("the container was made anew: its changes are projected from the beginning", "range",
			RangeName(l.Range))
		// With a conflict it has changed, and the next plan decides anew.
		if err := p.leases.Delete(ctx, l); err != nil && !domain.Is(err, domain.Conflict) {
			return state, err
		}
		changed = true
	}
	state.due = make(map[domain.FeedRange][]domain.FeedRange)
	for _, s := range plan.Split {
		if _, err := p.narrow(s.Lease.Continuation, s.Into); err != nil {
			// It is read as it is: the SDK follows splits within its continuations.
			p.options.Logger.Warn("a lease cannot be split", "range", RangeName(s.Lease.Range), "error", err)
			continue
		}
		state.due[s.Lease.Range] = s.Into
	}
	for _, r := range plan.Create {
		if err := p.leases.Create(ctx, domain.Lease{Processor: p.name, Range: r,
			Container: state.container}); err != nil {
			return state, err
		}
		changed = true
	}
	if changed {
		state.leases, err = p.leases.List(ctx, p.name)
	}
	return state, err
}
