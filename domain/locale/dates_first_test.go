package locale

import (
	"testing"
	"time"
)

func TestTheFirstDayOfAMonthIsAnOrdinalInFrench(t *testing.T) {
	french := NewSet(All()...).Get("fr")
	for day, want := range map[int]string{1: "1er novembre 2026", 2: "2 novembre 2026"} {
		if got := Date(With(t.Context(), french), time.Date(2026, 11, day, 0, 0, 0, 0, time.UTC)); got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
	if got := FirstDayOfDates(With(t.Context(), English())); got != "" {
		t.Errorf("scripts get %q in English", got)
	}
}
