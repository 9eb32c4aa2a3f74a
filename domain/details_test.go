package domain_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"inkfeed/domain"
)

func TestEveryDetailIsAText(t *testing.T) {
	for i := range reflect.TypeFor[domain.Details]().NumField() {
		var d domain.Details
		field := reflect.TypeFor[domain.Details]().Field(i)
		if field.Type.Kind() != reflect.String || !strings.HasSuffix(field.Tag.Get("json"), ",omitempty") {
			t.Fatalf("%s is a %s with the tag %s, want a string that JSON omits if it is empty",
				field.Name, field.Type, field.Tag)
		}
		reflect.ValueOf(&d).Elem().Field(i).SetString("a value")
		t.Run(field.Name+" is described by DetailFields", func(t *testing.T) {
			described := slices.IndexFunc(slices.Collect(domain.DetailFields()), func(f domain.DetailField) bool {
				return f.Of(d) == "a value" && f.Name == strings.TrimSuffix(field.Tag.Get("json"), ",omitempty")
			})
			read := domain.DetailsOf(func(name string) string {
				return map[bool]string{true: "a value"}[name+",omitempty" == field.Tag.Get("yaml")]
			})
			if described < 0 || read != d {
				t.Errorf("it is read as %+v and described at %d", read, described)
			}
		})
		t.Run(field.Name+" is part of Text", func(t *testing.T) {
			if !strings.Contains(d.Text(), "a value") {
				t.Errorf("the text is %q", d.Text())
			}
		})
	}
}

func TestCleanNormalisesDetails(t *testing.T) {
	for typed, want := range map[string]string{"": "", " \n ": "", " DE-ch ": "de-CH"} {
		d, err := domain.Details{Language: typed}.Clean()
		if err != nil || d.Language != want {
			t.Errorf("language %q becomes %q, %v; want %q", typed, d.Language, err, want)
		}
	}
	d, err := domain.Details{Language: "German, I think"}.Clean()
	if f := fields(t, err); f["language"].IsZero() || d != (domain.Details{}) {
		t.Errorf("an invalid language becomes %+v with the errors %v", d, f)
	}
}

func TestCanonicalURLIsAWebAddress(t *testing.T) {
	for typed, want := range map[string]string{
		"": "", " \n ": "", " https://example.org/a ": "https://example.org/a",
		"HTTP://example.org":                  "http://example.org",
		" example.org/a":                      "https://example.org/a",
		"https://example.org/příliš?a b":      "https://example.org/p%C5%99%C3%ADli%C5%A1?a b",
		"https://" + strings.Repeat("a", 992): "https://" + strings.Repeat("a", 992),
	} {
		if d, err := (domain.Details{CanonicalURL: typed}).Clean(); err != nil || d.CanonicalURL != want {
			t.Errorf("%q becomes %q, %v; want %q", typed, d.CanonicalURL, err, want)
		}
	}
	for _, typed := range []string{"example", "/a", "//example.org/a", "https:", "https:///a", "https://:80/",
		"mailto:a@example.org", "javascript:alert(1)", "data:text/html,x", "https://ada:secret@example.org/",
		"https://exa mple.org/", "https://" + strings.Repeat("a", 993)} {
		d, err := domain.Details{CanonicalURL: typed}.Clean()
		if f := fields(t, err); f["canonicalURL"].IsZero() || d != (domain.Details{}) {
			t.Errorf("%q becomes %+v with the errors %v", typed, d, f)
		}
	}
}

func TestStaticPagesHaveNoDetailsOfPosts(t *testing.T) {
	got := domain.Details{Language: "de", Cover: "none", Series: "Go", SeriesPart: "1", CanonicalURL: "x"}.OfPage()
	if want := (domain.Details{Language: "de", Cover: "none"}); got != want {
		t.Errorf("a page keeps %+v, want %+v", got, want)
	}
}

// Posts that have bookmarks store this digest. If it changes, the workers update every copy of these posts, and
// verify reports the posts until then.
func TestSavedDigestOfAPostStaysTheSame(t *testing.T) {
	p := domain.Post{Title: "A title", Content: "Text.", AuthorName: "ada",
		Created: time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC)}
	for language, want := range map[string]string{"": "Bm9tMFKy5S1uhHGQ", "de": "c7OYUITSTqQsAL3c"} {
		p.Details.Language = language
		if got := p.BookmarkDigest(); got != want {
			t.Errorf("with the language %q, the digest is %s, want %s", language, got, want)
		}
	}
}
