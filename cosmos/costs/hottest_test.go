package costs

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"inkfeed/cosmos/dependency"
)

func post(id int) dependency.PartitionRef {
	return dependency.PartitionRef{Container: "posts", Key: fmt.Sprint(id)}
}

func TestHottestPartitionsAreFoundAmongManyOthers(t *testing.T) {
	seed := rand.Uint64()
	t.Logf("seed %d", seed)
	random := rand.New(rand.NewPCG(seed, 0))
	var h, second Hottest
	exact, total := make(map[dependency.PartitionRef]float64), 0.0
	for i := range 100_000 {
		ref, charge := post(1000+random.IntN(50_000)), 1.0
		if random.IntN(3) == 0 { // ten hot partitions
			ref, charge = post(random.IntN(10)), 1+random.Float64()*5
		}
		exact[ref] += charge
		total += charge
		if i%2 == 0 {
			h.Add(Partition{PartitionRef: ref, Charge: charge})
		} else {
			second.Add(Partition{PartitionRef: ref, Charge: charge})
		}
		if n := len(h.counters); n > trackedPartitions {
			t.Fatalf("%d counters, want at most %d", n, trackedPartitions)
		}
	}
	h.Merge(&second)
	top := h.Top(10)
	for _, p := range top {
		var id int
		fmt.Sscan(p.Key, &id)
		if id >= 10 {
			t.Errorf("%v is among the hottest ten", p)
		}
		if p.Charge < exact[p.PartitionRef]-1e-6 {
			t.Errorf("the charge of %s is %.1f, below the true %.1f", p.Key, p.Charge, exact[p.PartitionRef])
		}
		if p.Charge-p.Excess > exact[p.PartitionRef]+1e-6 || p.Excess > 2*total/trackedPartitions {
			t.Errorf("the charge of %s is %.1f with an excess of at most %.1f, true is %.1f", p.Key, p.Charge, p.Excess,
				exact[p.PartitionRef])
		}
	}
}

// fill adds a charge to as many partitions as there are counters.
func fill(h *Hottest, first int, charge float64) {
	for id := range trackedPartitions {
		h.Add(Partition{PartitionRef: post(first + id), Charge: charge})
	}
}

// A full Hottest may have lost a partition that another one has. The lost charge is at most its lowest counter.
func TestMergedChargesAreNotTooLow(t *testing.T) {
	for name, reverse := range map[string]bool{"into the one that knows it": false, "into the other": true} {
		t.Run(name, func(t *testing.T) {
			var knows, lost Hottest
			fill(&knows, 0, 10) // posts 0 to 127
			knows.Add(Partition{PartitionRef: post(0), Charge: 90})
			lost.Add(Partition{PartitionRef: post(0), Charge: 5})
			fill(&lost, 1000, 20) // the last of them takes the counter of post 0
			if reverse {
				lost.Merge(&knows)
				knows = lost
			} else {
				knows.Merge(&lost)
			}
			hottest := knows.Top(1)[0]
			if hottest.PartitionRef != post(0) || hottest.Charge < 105 || hottest.Charge-hottest.Excess > 105 {
				t.Errorf("the hottest is %+v, want post 0 with 105 RU", hottest)
			}
			if n := len(knows.counters); n != trackedPartitions {
				t.Errorf("%d counters, want %d", n, trackedPartitions)
			}
		})
	}
}

func TestStoredPartitionsBoundTheChargesOfTheOthers(t *testing.T) {
	var h Hottest
	for id := range storedPartitions {
		h.Add(Partition{PartitionRef: post(id), Charge: float64(100 + id)})
	}
	if all, unlisted := h.Stored(); len(all) != storedPartitions || unlisted != 0 {
		t.Errorf("of %d partitions %d are stored, with %v RU for others", storedPartitions, len(all), unlisted)
	}
	h.Add(Partition{PartitionRef: post(1000), Charge: 7})
	h.Add(Partition{PartitionRef: post(1001), Charge: 5})
	all, unlisted := h.Stored()
	if len(all) != storedPartitions || all[len(all)-1].PartitionRef != post(0) || unlisted != 7 {
		t.Errorf("the stored partitions are %+v, with %v RU for others, want 7", all, unlisted)
	}
}

func TestHottestPartitionsAreOrdered(t *testing.T) {
	var h Hottest
	for i := range 5 {
		h.Add(Partition{PartitionRef: post(i), Charge: float64(i)})
	}
	top := h.Top(2)
	if len(top) != 2 || top[0].Key != "4" || top[1].Key != "3" || top[0].Excess != 0 {
		t.Errorf("the hottest two are %+v", top)
	}
	if all := h.Top(100); len(all) != 5 {
		t.Errorf("%d partitions, want 5", len(all))
	}
}
