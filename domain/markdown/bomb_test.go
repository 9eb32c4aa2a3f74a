package markdown_test

import (
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/domain/markdown"
)

// What is made of a text is bounded by the text: nothing small becomes something that
// fills a memory. Each bomb is tried at a size, and at twice that: what is let through grows
// with the text, but for a megabyte.
func TestNoTextMakesManyTimesItsSize(t *testing.T) {
	m := markdown.New()
	table := func(columns, rows int, row string) string {
		return strings.Repeat("|a", columns) + "\n" + strings.Repeat("|-", columns) + "\n" +
			strings.Repeat(row+"\n", rows)
	}
	for name, bomb := range map[string]func(n int) string{
		"rows of a table that have one cell of many": func(n int) string { return table(n, 4*n, "|a") },
		"rows of a table in a quote": func(n int) string {
			return "> " +
				strings.ReplaceAll(table(n, 4*n, "|a"), "\n", "\n> ")
		},
		"rows of a table without an edge": func(n int) string {
			return strings.Repeat("a|", n) + "\n" + strings.Repeat("-|", n) + "\n" + strings.Repeat("a\n", 4*n)
		},
		"one long definition used again and again": func(n int) string {
			return "[a]: http://example.com/" + strings.Repeat("x", 20*n) + "\n\n" + strings.Repeat("[a] ", n/2)
		},
		"one long title used again and again": func(n int) string {
			return "[a]: /x \"" + strings.Repeat("&", 20*n) + "\"\n\n" + strings.Repeat("[a]\n\n", 2*n)
		},
		"one footnote called again and again": func(n int) string {
			return strings.Repeat("[^a]\n\n", 5*n) + "[^a]: note"
		},
		"a table behind a mark of a definition, without a blank line": func(n int) string {
			return "- " + strings.Repeat("a|", n) + "\n  " + strings.Repeat("-|", n) + "\n" +
				strings.Repeat("  \u00a0\n", 4*n)
		},
		"quotes that open and close": func(n int) string {
			return strings.Repeat(strings.Repeat(">", 90)+"a\n\n",
				n/4)
		},
		"lists that open and close": func(n int) string {
			return strings.Repeat(strings.Repeat("- ", 90)+"a\n\n",
				n/8)
		},
	} {
		t.Run(name, func(t *testing.T) {
			for _, n := range []int{250, 500} {
				source := bomb(n)
				if len(source) > domain.MaxContent {
					t.Fatalf("%d is more than a text may have", len(source))
				}
				html, text := m.HTML(source), m.Text(source, 2000)
				feed, _ := m.FeedHTML(source, "https://example.org")
				for what, got := range map[string]string{"page": html, "summary": text, "feed": feed} {
					if most := 40*len(source) + 1_500_000; len(got) > most {
						t.Errorf("%d: the %s has %d bytes, of %d", n, what, len(got), len(source))
					}
				}
			}
		})
	}
}

// What looks like the beginning of a block need not be one to the parser: nothing begins
// the count of what a paragraph holds anew but what ends the paragraph.
func TestNothingHidesWhatAParagraphHolds(t *testing.T) {
	for _, between := range []string{"\u00a0\n", "     # a\n", "     - a\n", "       1. a\n", "- \n"} {
		if source := "text\n" + strings.Repeat(strings.Repeat("[", 900)+"\n"+between,
			50); !markdown.TooComplex(source) {
			t.Errorf("%q hides it", between)
		}
	}
	if source := "12345678. text\n" + strings.Repeat(strings.Repeat("[", 900)+"\n       - a\n",
		50); !markdown.TooComplex(source) {
		t.Error("a long number hides it")
	}
	for _, heading := range []string{"# a\n", "> ## a\n", "- # a\n", "1. # a\n", "> - ### a\n", "a\n=\n\n",
		"> a\n> --\n\n"} {
		if markdown.TooComplex(strings.Repeat(heading, 2000)) || !markdown.TooComplex(strings.Repeat(heading, 2001)) {
			t.Errorf("%q: not 2000 headings and no more", heading)
		}
	}
	nested := strings.Repeat("- [a](/a)\n  - [b](/b)\n    - [c](/c)\n        - [d](/d)\n1. [e](/e)\n   - [f](/f)\n",
		500)
	if markdown.TooComplex(nested) {
		t.Error("a long list in lists is too much")
	}
	defined := strings.Repeat("See [a page] and [another one].\n\n", 400) +
		strings.Repeat("[a page]: https://example.org/"+strings.Repeat("x", 100)+"\n", 300)
	if markdown.TooComplex(defined) {
		t.Error("a long list of addresses is too much")
	}
	noted := strings.Repeat("A text[^a] with a note.\n\n", 200) +
		strings.Repeat("[^a]: "+strings.Repeat("long ", 500)+"\n\n", 20)
	if markdown.TooComplex(noted) {
		t.Error("long notes are too much")
	}
}
