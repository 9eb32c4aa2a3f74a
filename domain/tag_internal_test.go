package domain

import (
	"testing"

	"golang.org/x/text/cases"
	"golang.org/x/text/unicode/norm"
)

func TestTagNamesAreFoldedInAnyScript(t *testing.T) {
	names := []string{"", "Go", "Straße", "ΣΊΣΥΦΟΣ", "ﬁne", "İstanbul", "K", "C++", "Ångström"}
	for c := range 128 {
		names = append(names, "a"+string(rune(c))+"Z")
	}
	for _, name := range names {
		if got, want := folded(name), cases.Fold().String(norm.NFKC.String(name)); got != want {
			t.Errorf("%q is folded to %q, want %q", name, got, want)
		}
	}
}
