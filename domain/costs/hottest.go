package costs

import (
	"cmp"
	"slices"

	"inkfeed/domain/dependency"
)

// Partition is the charge of one logical partition.
type Partition struct {
	dependency.PartitionRef
	Charge float64 // in RU; at most Excess too much
	Excess float64
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
	// StoredPartitions is the number of partitions that an interval keeps.
	StoredPartitions = 20
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
	h.counters[p.PartitionRef] = Partition{p.PartitionRef, known.Charge + p.Charge, known.Excess + p.Excess}
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

// Merge adds all counters of another Hottest.
func (h *Hottest) Merge(o *Hottest) {
	for _, p := range o.Top(trackedPartitions) {
		h.Add(p)
	}
}

// Top returns the n hottest partitions, the hottest first.
func (h *Hottest) Top(n int) []Partition {
	all := make([]Partition, 0, len(h.counters))
	for _, p := range h.counters {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b Partition) int {
		return cmp.Or(cmp.Compare(b.Charge, a.Charge), cmp.Compare(a.Container, b.Container), cmp.Compare(a.Key, b.Key))
	})
	return all[:min(n, len(all))]
}
