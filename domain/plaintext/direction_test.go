package plaintext_test

import (
	"strings"
	"testing"

	"inkfeed/domain/plaintext"
)

func TestRightToLeft(t *testing.T) {
	for name, c := range map[string]struct {
		text string
		want bool
	}{
		"an Arabic text": {"مرحبا بالعالم", true},
		"a Hebrew text":  {"שלום עולם", true},
		"an Arabic text that begins with a Latin word":    {"Inkfeed منصة لكتابة المدونات", true},
		"an English text that begins with an Arabic word": {"مرحبا is how one greets in Arabic", false},
		"a Japanese text":        {"日本語の文章", false},
		"a text without letters": {"12, 34!", false},
		"an empty text":          {"", false},
		"an English text that ends in a longer Arabic one": {strings.Repeat("word ", 4000) +
			strings.Repeat("مرحبا ", 4000), false},
	} {
		t.Run(name, func(t *testing.T) {
			if got := plaintext.RightToLeft(c.text); got != c.want {
				t.Errorf("RightToLeft(%.20q) = %t, want %t", c.text, got, c.want)
			}
		})
	}
}
