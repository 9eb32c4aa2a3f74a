package domain_test

import (
	"reflect"
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

// Posts that have bookmarks store this digest. If it changes, the workers update every copy of these posts, and
// verify reports the posts until then.
func TestSavedDigestOfAPostStaysTheSame(t *testing.T) {
	p := domain.Post{Title: "A title", Content: "Text.", AuthorName: "ada",
		Created: time.Date(2025, 1, 2, 3, 4, 5, 0, time.UTC)}
	for language, want := range map[string]string{"": "Bm9tMFKy5S1uhHGQ", "de": "c7OYUITSTqQsAL3c"} {
		p.Details.Language = language
		if got := p.SavedDigest(); got != want {
			t.Errorf("with the language %q, the digest is %s, want %s", language, got, want)
		}
	}
}
