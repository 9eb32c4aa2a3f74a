package changefeed

import (
	"cmp"
	"slices"

	"inkfeed/cosmos/feeds"
)

// LeasePlan lists the changes after which the leases of a processor cover the container, each range once, and no lease
// spans several feed ranges of the service.
type LeasePlan struct {
	Foreign []feeds.Lease // leases of a deleted container, to delete
	Create  []feeds.Range // ranges without a lease, to read from the beginning
	Split   []LeaseSplit
}

// LeaseSplit replaces a lease by leases of parts of its range. Into is empty if other leases already cover the whole
// range; then the lease is only deleted.
type LeaseSplit struct {
	Lease feeds.Lease
	Into  []feeds.Range
}

// PlanLeases compares leases with the container's resource id and feed ranges.
//
// It relies on an invariant of every lease: all changes of its range before its continuation have been projected. So a
// lease may be deleted as soon as others cover its range, whatever their continuations are. At worst some changes are
// projected again. A split creates the children first and deletes the parent last. A crash in between leaves a parent
// beside some of its children, and the plan for that state is the rest of the split.
//
// A lease without a container was written before leases named one. It counts as a lease of the present container. A
// lease that is narrower than a feed range, as after a merge, stays.
func PlanLeases(leases []feeds.Lease, ranges []feeds.Range, container string) LeasePlan {
	// In this order a lease comes before those within its range, which replace it.
	leases = slices.SortedFunc(slices.Values(leases), func(a, b feeds.Lease) int {
		return cmp.Or(cmp.Compare(a.Range.MinInclusive, b.Range.MinInclusive),
			cmp.Compare(b.Range.MaxExclusive, a.Range.MaxExclusive))
	})
	var plan LeasePlan
	var present []feeds.Lease
	var covered []feeds.Range
	for _, l := range leases {
		if l.Container != "" && l.Container != container {
			plan.Foreign = append(plan.Foreign, l)
			continue
		}
		present, covered = append(present, l), append(covered, l.Range)
	}
	for i, l := range present {
		into := subtract(cut(l.Range, ranges), covered[i+1:])
		if len(into) != 1 || into[0] != l.Range {
			plan.Split = append(plan.Split, LeaseSplit{l, into})
		}
	}
	plan.Create = subtract(ranges, covered)
	return plan
}

// cut divides a range at the beginnings of the other ranges that lie within it.
func cut(r feeds.Range, others []feeds.Range) []feeds.Range {
	var bounds []string
	for _, o := range others {
		if r.MinInclusive < o.MinInclusive && o.MinInclusive < r.MaxExclusive {
			bounds = append(bounds, o.MinInclusive)
		}
	}
	slices.Sort(bounds)
	var parts []feeds.Range
	for _, bound := range slices.Compact(bounds) {
		parts = append(parts, feeds.Range{MinInclusive: r.MinInclusive, MaxExclusive: bound})
		r.MinInclusive = bound
	}
	return append(parts, r)
}

// subtract returns the parts of ranges that the others do not cover.
func subtract(ranges, others []feeds.Range) []feeds.Range {
	rest := ranges
	for _, o := range others {
		var next []feeds.Range
		for _, r := range rest {
			if !r.Overlaps(o) {
				next = append(next, r)
				continue
			}
			if r.MinInclusive < o.MinInclusive {
				next = append(next, feeds.Range{MinInclusive: r.MinInclusive, MaxExclusive: o.MinInclusive})
			}
			if o.MaxExclusive < r.MaxExclusive {
				next = append(next, feeds.Range{MinInclusive: o.MaxExclusive, MaxExclusive: r.MaxExclusive})
			}
		}
		rest = next
	}
	return rest
}
