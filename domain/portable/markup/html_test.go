package markup_test

import (
	"runtime"
	"strings"
	"testing"

	"inkfeed/domain/portable/markup"
)

// A quadratic translation of this text would exceed the time limit of the test.
func TestHTMLWithManyBracketsIsTranslatedInLinearTime(t *testing.T) {
	const n = 1 << 20
	got, err := (&markup.Translator{}).HTML(strings.Repeat("[", n))
	if brackets := strings.ReplaceAll(got, `\`, ""); err != nil || brackets != strings.Repeat("[", n) {
		t.Errorf("%d brackets, error %v; want %d brackets", len(brackets), err, n)
	}
}

// Searching the rest of this text for each closing tag would take about a minute. The search has a limit.
func TestMarkdownWithManyUnclosedTagsIsTranslatedInLinearTime(t *testing.T) {
	const part = "<table>\n\n"
	source := strings.Repeat(part, (1<<20)/len(part))
	if got := (&markup.Translator{}).Markdown(source); strings.TrimSpace(got) != "" {
		t.Errorf("empty tables become %.60q", got)
	}
}

// Joining the texts between these elements one by one would copy each text many times.
func TestHTMLWithManyShortTextsIsTranslatedInLinearMemory(t *testing.T) {
	for _, part := range []string{"<a id=abc></a>", "a<!---->"} {
		source := strings.Repeat(part, 200_000/len(part))
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		if _, err := (&markup.Translator{}).HTML(source); err != nil {
			t.Errorf("%s: %v", part, err)
		}
		runtime.ReadMemStats(&after)
		if bytes := after.TotalAlloc - before.TotalAlloc; bytes > 1000*uint64(len(source)) {
			t.Errorf("%s: allocated %d MB for a text of %d bytes", part, bytes>>20, len(source))
		}
	}
}

// Searching the rest of the text or of the line for each of these would exceed the time limit of the test.
func TestWordsThatLookLikeMarksAreTranslatedInLinearTime(t *testing.T) {
	for _, part := range []string{"$a,", "{#", "_", "http://*(", "a<br>"} {
		source := strings.Repeat(part, (1<<20)/len(part))
		got, err := (&markup.Translator{}).HTML(source)
		if again := (&markup.Translator{}).Markdown(source); err != nil || got == "" || again == "" {
			t.Errorf("%q: %d and %d bytes, error %v", part, len(got), len(again), err)
		}
	}
}
