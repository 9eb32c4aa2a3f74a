package costs

import (
	"strings"
	"testing"

	"inkfeed/domain/locale"
)

func TestPathOfASeries(t *testing.T) {
	for name, test := range map[string]struct {
		class  string
		values []float64
		top    float64
		want   string
	}{
		"a line from bottom to top": {"line", []float64{0, 4}, 4, "M0.0,99.0L600.0,1.0"},
		"a line with a gap":         {"line", []float64{4, 4, -1, 4}, 4, "M0.0,1.0L200.0,1.0M600.0,1.0h1"},
		"a line without values":     {"line", []float64{-1, -1}, -1, ""},
		"an area":                   {"area", []float64{0, 4}, 4, "M0,100L0.0,99.0L600.0,1.0L600,100Z"},
		"an area of zeros":          {"area", []float64{0, 0}, 0, "M0,100L0.0,100.0L600.0,100.0L600,100Z"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := path(series{locale.Message{}, test.class, test.values}, test.top); got != test.want {
				t.Errorf("the path is %q, want %q", got, test.want)
			}
		})
	}
}

func TestNumbersAreShort(t *testing.T) {
	for f, want := range map[float64]string{0: "0", 0.001: "<0.01", 0.126: "0.13", 7.25: "7.2", 99.94: "99.9",
		100: "100", 12345.6: "12,346"} {
		if got := number(f).String(); got != want {
			t.Errorf("%v is formatted as %q, want %q", f, got, want)
		}
	}
	for bytes, want := range map[int64]string{0: "0 KB", 1: "1 KB", 1536: "2 KB", 3 << 20: "3.0 MB",
		5 << 30: "5.00 GB"} {
		if got := size(bytes).String(); got != want {
			t.Errorf("%d bytes are formatted as %q, want %q", bytes, got, want)
		}
	}
	if got := percent(0.0001).String(); !strings.HasPrefix(got, "<") {
		t.Errorf("a small share is formatted as %q", got)
	}
}
