package changefeed

import (
	"cmp"
	"slices"

	"inkfeed/domain"
)

// LeasePlan is what is to be done so that the leases of a processor cover the
// container that is read, each range once, and none more than one range of the
// service's.
type LeasePlan struct {
	Foreign []domain.Lease     // of a container that is gone: delete
	Create  []domain.FeedRange // that nothing covers: from the beginning
	Split   []LeaseSplit
}

// LeaseSplit replaces a lease by leases of parts of it. Without parts, others
// cover all of it already and it only goes.
type LeaseSplit struct {
	Lease domain.Lease
	Into  []domain.FeedRange
}

// PlanLeases compares leases with the container's resource id and feed ranges.
//
// It rests on what holds of every lease: all changes of its range before its
// continuation have been projected. So a lease may be deleted as soon as others
// cover its range, wherever they stand: what they have yet to read comes again, at
// worst. A split creates the children first and deletes the parent last. A crash in
// between leaves a parent beside some of its children, and the plan for that is the
// rest of the split.
//
// A lease without a container is from before leases had one, and is taken for one
// of the present container. One that is narrower than a range, as after a merge,
// stays.
func PlanLeases(leases []domain.Lease, ranges []domain.FeedRange, container string) LeasePlan {
	// In this order a lease comes before those within it, and yields to them.
	leases = slices.SortedFunc(slices.Values(leases), func(a, b domain.Lease) int {
		return cmp.Or(cmp.Compare(a.Range.MinInclusive, b.Range.MinInclusive),
			cmp.Compare(b.Range.MaxExclusive, a.Range.MaxExclusive))
	})
	var plan LeasePlan
	var present []domain.Lease
	var covered []domain.FeedRange
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

// cut divides a range wherever one of the others begins in it.
func cut(r domain.FeedRange, others []domain.FeedRange) []domain.FeedRange {
	var bounds []string
	for _, o := range others {
		if r.MinInclusive < o.MinInclusive && o.MinInclusive < r.MaxExclusive {
			bounds = append(bounds, o.MinInclusive)
		}
	}
	slices.Sort(bounds)
	var parts []domain.FeedRange
	for _, bound := range slices.Compact(bounds) {
		parts = append(parts, domain.FeedRange{MinInclusive: r.MinInclusive, MaxExclusive: bound})
		r.MinInclusive = bound
	}
	return append(parts, r)
}

// subtract is what the others leave of the ranges.
func subtract(ranges, others []domain.FeedRange) []domain.FeedRange {
	rest := ranges
	for _, o := range others {
		var next []domain.FeedRange
		for _, r := range rest {
			if !r.Overlaps(o) {
				next = append(next, r)
				continue
			}
			if r.MinInclusive < o.MinInclusive {
				next = append(next, domain.FeedRange{MinInclusive: r.MinInclusive, MaxExclusive: o.MinInclusive})
			}
			if o.MaxExclusive < r.MaxExclusive {
				next = append(next, domain.FeedRange{MinInclusive: o.MaxExclusive, MaxExclusive: r.MaxExclusive})
			}
		}
		rest = next
	}
	return rest
}
