package gctune

import "testing"

func TestGarbageIsBoundedForAnyLiveMemory(t *testing.T) {
	for _, tt := range []struct {
		live uint64
		want int
	}{
		{0, maxPercent},
		{4 << 20, maxPercent},
		{24 << 20, 100},
		{32 << 20, 75},
		{40 << 20, 40},
		{64 << 20, 25},
		{128 << 20, minPercent},
		{1 << 30, minPercent},
	} {
		if got := percentFor(tt.live); got != tt.want {
			t.Errorf("with %d MB of live memory the target is %d %%, want %d %%", tt.live>>20, got, tt.want)
		}
	}
}
