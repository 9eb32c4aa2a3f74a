package cli

import (
	"bytes"
	"testing"

	"inkfeed/workers/progress"
)

func TestProgressBarRaisesATotalThatIsTooSmall(t *testing.T) {
	for total, want := range map[int]int{1000: 1500, 2000: 2000, progress.Unknown: progress.Unknown} {
		bar := itemsBar{progress.NewBar(&bytes.Buffer{}, int64(total), "items"), total}
		bar.set(1000)
		bar.set(1500)
		if bar.total != want || total != progress.Unknown && bar.GetMax() != want {
			t.Errorf("a total of %d became %d and %d in the bar, want %d", total, bar.total, bar.GetMax(), want)
		}
	}
}
