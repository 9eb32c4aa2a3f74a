package costs

import (
	"testing"
	"time"
)

func TestQuantilesAreCloseToTheTrueLatencies(t *testing.T) {
	var h Histogram
	for i := range 1000 { // evenly from 1 to 100 ms
		h.Observe(time.Millisecond + time.Duration(i)*99*time.Millisecond/1000)
	}
	for share, want := range map[float64]time.Duration{0.5: 50 * time.Millisecond, 0.95: 95 * time.Millisecond,
		0.99: 99 * time.Millisecond} {
		if got := h.Quantile(share); got < want*8/10 || got > want*12/10 {
			t.Errorf("quantile %v is %v, want about %v", share, got, want)
		}
	}
}

func TestQuantilesOfExtremeLatencies(t *testing.T) {
	var empty, h Histogram
	if got := empty.Quantile(0.99); got != 0 {
		t.Errorf("without requests it is %v", got)
	}
	h.Observe(0)
	if got := h.Quantile(0.99); got <= 0 || got > shortest {
		t.Errorf("of an immediate answer it is %v", got)
	}
	h.Observe(time.Hour)
	if got := h.Quantile(0.99); got < 10*time.Second {
		t.Errorf("of an answer after an hour it is %v", got)
	}
}
