package domain_test

import (
	"strings"
	"testing"

	"inkfeed/domain"
)

func TestKeysOfTags(t *testing.T) {
	for name, want := range map[string]string{
		"Go": "go", "C++": "c++", "C#": "c#", "a.b": "a.b", "it’s": "its", ".NET": "net", "naïve café": "naïve-café",
		"foo.": "foo", "foo .": "foo", "to be continued ...": "to-be-continued", "suite …": "suite", "a . .b": "a-.-.b",
		"!": "", " . ": "", "İstanbul": "istanbul", "IĞDIR": "iğdir", "ığdır": "iğdir", "❤\ufe0f": "❤", "Ꮳꮃꭹ": "ᏣᎳᎩ",
		"ꮳꮃꭹ": "ᏣᎳᎩ", "می\u200cخواهم": "می-خواهم", "👩\u200d💻": "👩💻", "go\u3164": "go",
	} {
		if got := domain.TagKey(name); got != want {
			t.Errorf("the key of %q is %q, want %q", name, got, want)
		}
	}
}

// A key in an address leads to itself, so that no page of a tag redirects to another one.
func FuzzTagKey(f *testing.F) {
	for _, seed := range []string{"Straße", "C++", "foo .", "to be continued ...", "suite …", "a . - .", "İi",
		"a\u0345", "ΐΰ", "ﷺ", "नमस्ते", "ŉa", "❤\ufe0f", "\xff.a", "Ꮳꮃꭹ", "I'\u0307", ".\u0301a"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		key := domain.TagKey(name)
		if strings.HasSuffix(key, "-") || strings.HasPrefix(key, "-") {
			t.Errorf("%+q: the key is %+q", name, key)
		}
		if again := domain.TagKey(key); again != key {
			t.Errorf("%+q: the key of %+q is %+q", name, key, again)
		}
	})
}

func TestTagsInCherokeeLeadToThemselves(t *testing.T) {
	for _, name := range []string{"ᏣᎳᎩ", "ꮳꮃꭹ", "Ꮳꮃꭹ", "ᏸ Ᏸ"} {
		if key := domain.TagKey(name); domain.TagKey(key) != key || key == "" {
			t.Errorf("%s has the key %q, whose key is %q", name, key, domain.TagKey(key))
		}
	}
}

func TestTagsRememberTheKeysOfEarlierReleases(t *testing.T) {
	for tags, want := range map[domain.Tags]string{
		"go,C++,Straße":            "",
		"İstanbul,istanbul":        "i\u0307stanbul",
		"ışık,to be continued ...": "ışık to-be-continued-",
		"❤\ufe0f":                  "❤\ufe0f",
	} {
		if got := strings.Join(tags.FormerKeys(), " "); got != want {
			t.Errorf("%s: the former keys are %+q, want %+q", tags, got, want)
		}
	}
}

func TestKeysOfSeriesKeepSigns(t *testing.T) {
	for title, want := range map[string]string{
		"C": "c", "C++": "c++", "C#": "c#", "C ++": "c", "Learning Go!": "learning-go", "Issue #1": "issue-1",
		"+1":    "1",
		"IĞDIR": "iğdir", "ığdır": "iğdir", "İstanbul": "istanbul", "Straße": "strasse", "1\ufe0f": "1",
		"++": "", "!": "",
	} {
		got := domain.SeriesKey(title)
		if got != want || domain.SeriesKey(got) != got {
			t.Errorf("the key of %q is %q, want %q; its key is %q", title, got, want, domain.SeriesKey(got))
		}
	}
	if got := domain.FormerSeriesKey("C++"); got != "c" {
		t.Errorf("C++ had the key %q", got)
	}
}

func FuzzSeriesKey(f *testing.F) {
	for _, seed := range []string{"C++", "C# und F#", "İIıi", "a\u0345", strings.Repeat("漢", 100), "\xff+a", "Ꮳꮃꭹ"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, title string) {
		key := domain.SeriesKey(title)
		if again := domain.SeriesKey(key); again != key || strings.Contains(key, "/") {
			t.Errorf("%+q: the key of %+q is %+q", title, key, again)
		}
	})
}
