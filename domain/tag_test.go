package domain_test

import (
	"strings"
	"testing"
	"unicode"

	"inkfeed/domain"
)

func TestKeysOfTags(t *testing.T) {
	for name, want := range map[string]string{
		"Go": "go", "C++": "c++", "C#": "c#", "a.b": "a.b", "it’s": "its", ".NET": "net", "naïve café": "naïve-café",
		"foo.": "foo", "foo .": "foo", "to be continued ...": "to-be-continued", "suite …": "suite", "a . .b": "a-.-.b",
		"!": "", " . ": "",
	} {
		if got := domain.TagKey(name); got != want {
			t.Errorf("the key of %q is %q, want %q", name, got, want)
		}
	}
}

// A key in an address leads to itself, so that no page of a tag redirects to another one.
func FuzzTagKey(f *testing.F) {
	for _, seed := range []string{"Straße", "C++", "foo .", "to be continued ...", "suite …", "a . - .", "İi",
		"a\u0345", "ΐΰ", "ﷺ", "नमस्ते", "ŉa", "❤\ufe0f", "\xff.a"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		key := domain.TagKey(name)
		if strings.ContainsFunc(key, func(r rune) bool { return unicode.Is(unicode.Cherokee, r) }) {
			t.Skip("cases.Fold swaps the two cases of Cherokee each time")
		}
		if again := domain.TagKey(key); again != key {
			t.Errorf("%+q: the key of %+q is %+q", name, key, again)
		}
	})
}
