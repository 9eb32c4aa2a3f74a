package garbage

import "testing"

func TestGarbageIsBoundedWhateverIsInUse(t *testing.T) {
	for _, tt := range []struct {
		live uint64
		want int
	}{
		{0, mostPercent},
		{4 << 20, mostPercent},
		{24 << 20, 100},
		{48 << 20, 50},
		{60 << 20, 20},
		{72 << 20, leastPercent},
		{1 << 30, leastPercent},
	} {
		if got := percentFor(tt.live); got != tt.want {
			t.Errorf("with %d MB in use %d %%, want %d %%", tt.live>>20, got, tt.want)
		}
	}
}
