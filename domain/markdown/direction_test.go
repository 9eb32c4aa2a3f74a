package markdown_test

import (
	"testing"

	"inkfeed/domain/markdown"
)

// Browsers take the direction of a text's first letter.
func TestBlocksHaveTheDirectionOfMostOfTheirLetters(t *testing.T) {
	for name, c := range map[string]struct{ source, html string }{
		"an Arabic paragraph that begins with a Latin word": {"Unicode معيار لترميز النصوص",
			"<p dir=\"rtl\">Unicode معيار لترميز النصوص</p>\n"},
		"a Hebrew paragraph that begins with a Latin word": {"**Go** היא שפת תכנות",
			"<p dir=\"rtl\"><strong>Go</strong> היא שפת תכנות</p>\n"},
		"an English paragraph that begins with a Hebrew word": {"שלום is the Hebrew word for peace",
			"<p dir=\"ltr\">שלום is the Hebrew word for peace</p>\n"},
		"an English paragraph": {"Peace", "<p>Peace</p>\n"},
		"digits alone":         {"1234", "<p>1234</p>\n"},
		"code does not count": {"`fmt.Println` تطبع",
			"<p dir=\"rtl\"><code dir=\"ltr\">fmt.Println</code> تطبع</p>\n"},
		"a heading": {"# Go ולמה", "<div class=\"section\" id=\"go-ולמה\"><h2 id=\"h-go-ולמה\" dir=\"rtl\">"},
		"a quotation": {"> Go היא שפת תכנות",
			"<blockquote dir=\"rtl\"><p dir=\"rtl\">Go היא שפת תכנות</p>\n</blockquote>\n"},
		"a list whose items have its direction": {"- Go היא שפה\n- שפה",
			"<ul dir=\"rtl\">\n<li dir=\"rtl\">Go היא שפה</li>\n<li dir=\"rtl\">שפה</li>\n</ul>\n"},
		"an item in the other direction keeps its marker at its side": {"- שפה היא שפה\n- a שפ word",
			"<ul dir=\"rtl\">\n<li dir=\"rtl\">שפה היא שפה</li>\n<li>a שפ word</li>\n</ul>\n"},
		"a definition list": {"Go\n: היא שפת תכנות", "<dl dir=\"rtl\">\n<dt>Go</dt>\n<dd>היא שפת תכנות</dd>\n</dl>\n"},
		"a table":           {"| Go | שפה |\n|-|-|", "<table dir=\"rtl\">"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := markdown.New().HTML(c.source); len(got) < len(c.html) || got[:len(c.html)] != c.html {
				t.Errorf("%q is\n%s, want\n%s", c.source, got, c.html)
			}
		})
	}
}
