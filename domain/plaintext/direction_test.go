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
		"an Arabic text that quotes more Latin letters":        {"قال ثم This is a long sentence in English", true},
		"an Arabic text that begins with a quotation":          {"“Hello, world” هي عبارة", true},
		"an Arabic text that begins with a straight quotation": {`"Hello" هي عبارة`, true},
		"an Arabic text that begins with an address":           {"https://example.org/ موقع", true},
		"an Arabic text that begins with code":                 {"`fmt.Println` تطبع", true},
		"a Hebrew text that begins with an abbreviation":       {`צה"ל and the "IDF"`, true},
		"an English text that quotes more Arabic letters":      {"The verse مرحبا بالعالم مرحبا بالعالم", false},
		"an English text that begins with a quotation":         {"«مرحبا» is how one greets in Arabic", false},
		"an Arabic quotation alone":                            {"“مرحبا”", true},
		"a quotation that does not end":                        {"“مرحبا is how one greets", true},
		"a text that begins with a mark for right to left":     {"\u200fGo היא שפת תכנות", true},
		"a text that begins with a Latin word":                 {"Go היא שפת תכנות", false},
		"a Japanese text":                                      {"日本語の文章", false},
		"a text without letters":                               {"12, 34!", false},
		"an empty text":                                        {"", false},
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
