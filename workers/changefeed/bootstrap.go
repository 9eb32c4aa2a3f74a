package changefeed

import (
	"context"

	"inkfeed/cosmos/feeds"
	"inkfeed/domain"
)

// leaseState is the state of the leases at one round of balancing.
type leaseState struct {
	container string
	leases    []feeds.Lease
	splits    map[feeds.Range][]feeds.Range // the leases to split, and the parts of each
}

// bootstrap brings the leases in line with the container, as PlanLeases decides. It leaves the splits to the owners of
// the leases. Every step is conditional or idempotent, so several instances may do this at once without a lock.
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
		p.options.Logger.Warn("the container was recreated: projecting it from the beginning", "range",
			RangeName(l.Range))
		// After a conflict the next plan decides again.
		if err := p.leases.Delete(ctx, l); err != nil && !domain.Is(err, domain.Conflict) {
			return state, err
		}
		changed = true
	}
	state.splits = make(map[feeds.Range][]feeds.Range)
	for _, s := range plan.Split {
		if _, err := p.narrow(s.Lease.Continuation, s.Into); err != nil {
			// The lease stays undivided, because the SDK follows splits within a continuation.
			p.options.Logger.Warn("cannot split a lease: reading its range undivided",
				"range", RangeName(s.Lease.Range), "error", err)
			continue
		}
		state.splits[s.Lease.Range] = s.Into
	}
	for _, r := range plan.Create {
		if err := p.leases.Create(ctx, feeds.Lease{Processor: p.name, Range: r,
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
