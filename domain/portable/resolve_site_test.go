package portable_test

import (
	"slices"
	"testing"

	"inkfeed/domain/portable"
)

func TestAddressesInMarkdownHaveHostsOfAnyScript(t *testing.T) {
	for text, want := range map[string][]string{
		"[a](https://www.háčky.example/2020/kočka) b": {"www.háčky.example", "/2020/kočka"},
		"HTTPS://Example.org/a":                       {"Example.org", "/a"},
	} {
		if m := portable.AddressInText.FindStringSubmatch(text); m == nil || !slices.Equal(m[1:], want) {
			t.Errorf("%q has %q, want %q", text, m, want)
		}
	}
}
