package metering

import (
	"context"
	"testing"
	"time"

	"inkfeed/cosmos/costs"
)

// kept keeps the last state of each item, as the container does.
type kept map[string]intervalItem

func (k kept) Put(_ context.Context, i costs.Interval) error {
	item := itemOf(i)
	k[item.ID] = item
	return nil
}

func TestClockThatIsSetBackOverwritesNoFigures(t *testing.T) {
	s, stored := spanTally{span: costs.Day}, kept{}
	noon := time.Date(2026, 3, 14, 12, 0, 0, 0, time.UTC)
	for _, begin := range []time.Duration{10, 40, 20, 50} { // minutes; set back from the second half hour to the first
		minute := newTally(noon.Add(begin * time.Minute))
		minute.figures[costs.Source{Operation: "Q2"}] = &costs.Figures{Requests: 1, Charge: 100}
		if err := s.add(t.Context(), stored, &minute, busiest{}, minute.begin.Add(time.Minute), "one"); err != nil {
			t.Fatal(err)
		}
		if err := s.store(t.Context(), stored, "one"); err != nil {
			t.Fatal(err)
		}
	}
	total := 0.0
	for _, item := range stored {
		total += item.domain().Total().Charge
	}
	if total != 400 {
		t.Errorf("the stored figures explain %v of 400 RU: %v", total, stored)
	}
}
