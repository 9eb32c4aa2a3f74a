package plaintext_test

import (
	"testing"

	"inkfeed/domain/plaintext"
)

func TestCountUsesSingularAndPlural(t *testing.T) {
	for n, want := range map[int]string{0: "0 likes", 1: "1 like", 2: "2 likes", 999: "999 likes", 1000: "1,000 likes",
		1234567: "1,234,567 likes", -1: "-1 likes", -1000: "-1,000 likes"} {
		if got := plaintext.Count(n, "like", "likes"); got != want {
			t.Errorf("%d is written as %q, want %q", n, got, want)
		}
	}
}
