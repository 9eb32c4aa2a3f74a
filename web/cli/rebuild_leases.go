package cli

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"time"

	"inkfeed/cosmos/feeds"
	"inkfeed/domain"
	"inkfeed/workers/projection"
)

func rebuildName(name string) string { return projection.RebuildPrefix + name }

// claim replaces the leases of a killed rebuild with one lease of the whole feed, which the processor divides when it
// starts. It returns an error if the leases may belong to a rebuild that is still running.
func (r *rebuild) claim(ctx context.Context, name string) error {
	leases, err := r.store.Leases.List(ctx, rebuildName(name))
	if err != nil {
		return err
	}
	return r.takeOver(ctx, name, leases)
}

// takeOver replaces leases, as claim has read them, with one lease. It deletes no lease that another rebuild has
// created or renewed since.
func (r *rebuild) takeOver(ctx context.Context, name string, leases []feeds.Lease) error {
	for _, l := range leases {
		if err := r.mayTake(l); err != nil {
			return err
		}
	}
	if err := r.delete(ctx, leases); err != nil {
		return err
	}
	mine := feeds.Lease{Processor: rebuildName(name), Range: wholeRange, Owner: r.options.Instance,
		Renewed: time.Now()}
	if err := r.store.Leases.Create(ctx, mine); err != nil {
		return err
	}
	made, err := r.store.Leases.Read(ctx, mine.Processor, wholeRange)
	if err != nil {
		return err
	}
	return r.mayTake(made) // another rebuild may have been faster
}

// wholeRange is the feed range of a whole container.
var wholeRange = feeds.Range{MaxExclusive: "FF"}

func (r *rebuild) mayTake(l feeds.Lease) error {
	age := time.Since(l.Renewed)
	if l.Owner == "" || l.Owner == r.options.Instance || age.Abs() >= r.options.Expiration {
		return nil
	}
	return fmt.Errorf("one is running on %s, which renewed its lease %s ago; if it was killed, wait for %s",
		l.Owner, age.Round(time.Second), (r.options.Expiration - age).Round(time.Second))
}

// holding renews the lease that claim created until do returns.
func (r *rebuild) holding(ctx context.Context, name string, do func() error) error {
	ctx, stop := context.WithCancel(ctx)
	var renewing sync.WaitGroup
	renewing.Go(func() {
		for ctx.Err() == nil {
			select {
			case <-ctx.Done():
			case <-time.After(r.options.RenewInterval):
				l, err := r.store.Leases.Read(ctx, rebuildName(name), wholeRange)
				if err == nil && l.Owner == r.options.Instance {
					l.Renewed = time.Now()
					_, _ = r.store.Leases.Replace(ctx, l) // on an error, the next renewal tries again
				}
			}
		}
	})
	defer renewing.Wait()
	defer stop()
	return do()
}

// deleteLeases deletes this rebuild's leases. If this process was suspended for longer than the expiration, another
// rebuild may have taken its place. The leases of that one stay.
func (r *rebuild) deleteLeases(ctx context.Context, name string) error {
	leases, err := r.store.Leases.List(ctx, rebuildName(name))
	if err != nil {
		return err
	}
	return r.delete(ctx, slices.DeleteFunc(leases, func(l feeds.Lease) bool { return r.mayTake(l) != nil }))
}

func (r *rebuild) delete(ctx context.Context, leases []feeds.Lease) error {
	for _, l := range leases {
		if err := r.store.Leases.Delete(ctx, l); domain.Is(err, domain.Conflict) {
			return fmt.Errorf("another rebuild has begun: %w", err)
		} else if err != nil {
			return err
		}
	}
	return nil
}
