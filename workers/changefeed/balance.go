package changefeed

import (
	"maps"
	"slices"
	"time"

	"inkfeed/domain"
)

// balance decides which leases an instance should take now so that the live
// instances share them evenly: expired and unowned ones first and, when there
// are none, one from the busiest instance if that owns more than its share. It
// is the equal-partitions strategy of the .NET SDK, as a pure function.
func balance(leases []domain.Lease, me string, now time.Time, expiration time.Duration) []domain.Lease {
	owned := map[string][]domain.Lease{me: nil}
	var available []domain.Lease
	for _, l := range leases {
		// Whoever wrote a time far in the future may be dead, and its lease would not
		// expire until then.
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
	for _, owner := range slices.Sorted(maps.Keys(owned)) { // sorted: the same choice each time
		if len(owned[owner]) > len(owned[busiest]) {
			busiest = owner
		}
	}
	// With more than one to catch up on, an instance may go one below the target
	// of another: the remainder of an uneven division is somebody's in any case.
	limit := target
	if need > 1 {
		limit = target - 1
	}
	if busiest == me || len(owned[busiest]) <= limit {
		return nil
	}
	return owned[busiest][:1]
}
