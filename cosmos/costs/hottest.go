package costs

import (
	"cmp"
	"maps"
	"slices"

	"inkfeed/cosmos/dependency"
)

// Partition is the charge of one logical partition.
type Partition struct {
	dependency.PartitionRef
	Charge  float64 // in RU
	Excess  float64 // Charge is too high by at most this
	Missing float64 // Charge is too low by at most this; 0 except in a report
}

// Hottest finds the logical partitions with the highest charges. It uses the algorithm Space-Saving ("Efficient
// Computation of Frequent and Top-k Elements in Data Streams", Metwally, Agrawal, El Abbadi, 2005) with request charges
// as weights. Its memory is bounded: it has at most trackedPartitions counters, however many partitions there are.
//
// A partition without a counter takes over the one with the lowest charge, and the charge with it. So no charge is too
// low, each is too high by at most the total divided by trackedPartitions, and every partition with more than that
// share of the total is found.
type Hottest struct {
	counters map[dependency.PartitionRef]Partition
}

const (
	// trackedPartitions is the number of counters.
	trackedPartitions = 128
	// storedPartitions is the number of partitions that an interval keeps.
	storedPartitions = 20
	// ShownPartitions is the number of partitions in a report.
	ShownPartitions = 10
)

// Add adds a charge to a partition.
func (h *Hottest) Add(p Partition) {
	if h.counters == nil {
		h.counters = make(map[dependency.PartitionRef]Partition, trackedPartitions)
	}
	known, ok := h.counters[p.PartitionRef]
	if !ok && len(h.counters) >= trackedPartitions {
		lowest := h.lowest()
		delete(h.counters, lowest.PartitionRef)
		known = Partition{Charge: lowest.Charge, Excess: lowest.Charge}
	}
	h.counters[p.PartitionRef] = p.plus(known.Charge, known.Excess)
}

func (p Partition) plus(charge, excess float64) Partition {
	p.Charge += charge
	p.Excess += excess
	return p
}

func (h *Hottest) lowest() (lowest Partition) {
	first := true
	for _, p := range h.counters {
		if first || p.Charge < lowest.Charge {
			lowest, first = p, false
		}
	}
	return lowest
}

// unseen returns the highest charge that a partition without a counter can have.
func (h *Hottest) unseen() float64 {
	if len(h.counters) < trackedPartitions {
		return 0
	}
	return h.lowest().Charge
}

// Merge adds all counters of another Hottest, as in "Mergeable Summaries" (Agarwal et al., 2012). A partition that only
// one of them has may have lost its counter in the other. So Merge adds the highest charge that it can have there.
func (h *Hottest) Merge(o *Hottest) {
	unseen, unseenByOther := h.unseen(), o.unseen()
	merged := Hottest{make(map[dependency.PartitionRef]Partition, len(h.counters)+len(o.counters))}
	for ref, p := range h.counters {
		if other, ok := o.counters[ref]; ok {
			merged.counters[ref] = p.plus(other.Charge, other.Excess)
		} else {
			merged.counters[ref] = p.plus(unseenByOther, unseenByOther)
		}
	}
	for ref, p := range o.counters {
		if _, ok := merged.counters[ref]; !ok {
			merged.counters[ref] = p.plus(unseen, unseen)
		}
	}
	h.counters = make(map[dependency.PartitionRef]Partition, trackedPartitions)
	for _, p := range merged.Top(trackedPartitions) {
		h.counters[p.PartitionRef] = p
	}
}

// Top returns the n hottest partitions, the hottest first.
func (h *Hottest) Top(n int) []Partition { return top(h.counters, n) }

// Stored returns the partitions that an interval keeps, the hottest first, and the highest charge that any other
// partition can have.
func (h *Hottest) Stored() (hottest []Partition, unlisted float64) {
	all := h.Top(storedPartitions + 1)
	if len(all) <= storedPartitions {
		return all, 0
	}
	return all[:storedPartitions], all[storedPartitions].Charge
}

// partitionSums adds up the partitions of intervals.
type partitionSums struct {
	sums     map[dependency.PartitionRef]Partition // Missing is without unlisted
	unlisted float64
}

// add adds the partitions of an interval. Those that it does not list can lack at most its Unlisted.
func (s *partitionSums) add(i Interval) {
	if s.sums == nil {
		s.sums = make(map[dependency.PartitionRef]Partition)
	}
	for _, p := range i.Partitions {
		sum := s.sums[p.PartitionRef]
		p = p.plus(sum.Charge, sum.Excess)
		p.Missing = sum.Missing - i.Unlisted
		s.sums[p.PartitionRef] = p
	}
	s.unlisted += i.Unlisted
}

// top returns the n hottest partitions, the hottest first.
func (s *partitionSums) top(n int) []Partition {
	hottest := top(s.sums, n)
	for i := range hottest {
		hottest[i].Missing = max(hottest[i].Missing+s.unlisted, 0)
	}
	return hottest
}

func top(partitions map[dependency.PartitionRef]Partition, n int) []Partition {
	all := slices.Collect(maps.Values(partitions))
	slices.SortFunc(all, func(a, b Partition) int {
		return cmp.Or(cmp.Compare(b.Charge, a.Charge), cmp.Compare(a.Container, b.Container), cmp.Compare(a.Key, b.Key))
	})
	return all[:min(n, len(all))]
}
