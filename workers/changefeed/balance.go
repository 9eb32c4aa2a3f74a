package changefeed

import (
	"maps"
	"slices"
	"time"

	"inkfeed/cosmos/feeds"
)

// balance decides which leases an instance should take now, so that the live instances share them evenly. These are
// expired leases and leases without an owner. If there are none, it is one lease of the busiest instance, if that owns
// more than its share. This is the equal-partitions strategy of the .NET SDK, as a pure function.
func balance(leases []feeds.Lease, me string, now time.Time, expiration time.Duration) []feeds.Lease {
	owned := map[string][]feeds.Lease{me: nil}
	var available []feeds.Lease
	for _, l := range leases {
		// A time far in the future also counts as expired: its instance may be dead, and the lease would not expire
		// until then.
		if l.Owner == "" || now.Sub(l.Renewed).Abs() > expiration {
			available = append(available, l)
			continue
		}
		owned[l.Owner] = append(owned[l.Owner], l)
	}
	target := (len(leases) + len(owned) - 1) / len(owned)
	need := target - len(owned[me])
	if need <= 0 {
		return nil
	}
	if len(available) > 0 {
		return available[:min(need, len(available))]
	}
	busiest := me
	for _, owner := range slices.Sorted(maps.Keys(owned)) { // sorted, so that the choice is always the same
		if len(owned[owner]) > len(owned[busiest]) {
			busiest = owner
		}
	}
	// An instance that needs more than one lease may also take one from an instance that owns just the target. An
	// uneven division leaves some instances one below the target in any case.
	limit := target
	if need > 1 {
		limit = target - 1
	}
	if busiest == me || len(owned[busiest]) <= limit {
		return nil
	}
	return owned[busiest][:1]
}
