package markdown_test

import (
	"testing"

	"inkfeed/domain/markdown"
)

// Browsers take the direction of a text's first letter, also in code, links and quotations.
func TestBlocksHaveTheDirectionOfTheirFirstLetterInProse(t *testing.T) {
	for name, c := range map[string]struct{ source, html string }{
		"an Arabic paragraph that quotes more Latin letters": {"قال: This is a long sentence in English",
			"<p dir=\"rtl\">قال: This is a long sentence in English</p>\n"},
		"a Hebrew paragraph that begins with a quotation": {"“**Go**” היא שפת תכנות",
			"<p dir=\"rtl\">“<strong>Go</strong>” היא שפת תכנות</p>\n"},
		"a Hebrew paragraph that begins with a link": {"[Go](/go) היא שפת תכנות",
			"<p dir=\"rtl\"><a href=\"/go\">Go</a> היא שפת תכנות</p>\n"},
		"a Hebrew paragraph that begins with an address": {"https://go.dev היא", "<p dir=\"rtl\"><a href="},
		"a paragraph of a link alone":                    {"[שפה](/go)", "<p dir=\"rtl\"><a href="},
		"an English paragraph that begins with a quotation": {"«שלום» is the Hebrew word for peace",
			"<p dir=\"ltr\">«שלום» is the Hebrew word for peace</p>\n"},
		"an English paragraph that quotes more Hebrew letters": {"It says שלום שלום שלום",
			"<p dir=\"ltr\">It says שלום שלום שלום</p>\n"},
		"a mark decides":       {"\u200fGo היא", "<p dir=\"rtl\">\u200fGo היא</p>\n"},
		"an English paragraph": {"Peace", "<p>Peace</p>\n"},
		"digits alone":         {"1234", "<p>1234</p>\n"},
		"code does not count": {"`fmt.Println` تطبع",
			"<p dir=\"rtl\"><code dir=\"ltr\">fmt.Println</code> تطبع</p>\n"},
		"a heading": {"# `Go` ולמה", "<div class=\"section\" id=\"go-ולמה\"><h2 id=\"h-go-ולמה\" dir=\"rtl\">"},
		"a quotation": {"> שפת Go is a language",
			"<blockquote dir=\"rtl\"><p dir=\"rtl\">שפת Go is a language</p>\n</blockquote>\n"},
		"a list whose items have its direction": {"- שפת Go\n- שפה",
			"<ul dir=\"rtl\">\n<li dir=\"rtl\">שפת Go</li>\n<li dir=\"rtl\">שפה</li>\n</ul>\n"},
		"an item in the other direction keeps its marker at its side": {"- שפה היא שפה\n- a שפ word",
			"<ul dir=\"rtl\">\n<li dir=\"rtl\">שפה היא שפה</li>\n<li>a שפ word</li>\n</ul>\n"},
		"a definition list": {"`Go`\n: היא שפת תכנות",
			"<dl dir=\"rtl\">\n<dt><code dir=\"ltr\">Go</code></dt>\n<dd>היא שפת תכנות</dd>\n</dl>\n"},
		"a table": {"| שפה | Go language |\n|-|-|", "<table dir=\"rtl\">"},
		"a list that begins with a quotation in the other direction": {"- > Go\n- שפה", "<ul dir=\"rtl\">"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := markdown.New().HTML(c.source); len(got) < len(c.html) || got[:len(c.html)] != c.html {
				t.Errorf("%q is\n%s, want\n%s", c.source, got, c.html)
			}
		})
	}
}

func TestATextHasTheDirectionOfItsFirstLetterInProse(t *testing.T) {
	for source, want := range map[string]bool{
		"> An epigraph in English\n\nنص":              true,
		"```\nfunc main() {}\n```\n\nنص":              true,
		"نص\n\nA longer paragraph in English follows": true,
		"Text\n\nهذا نص عربي أطول من الأول بكثير":     false,
		"> اقتباس\n\nText":                            false,
		"> اقتباس":                                    true,
		"Text":                                        false,
	} {
		if got := markdown.New().Post(source).RightToLeft; got != want {
			t.Errorf("%q is right-to-left: %t", source, got)
		}
	}
}
