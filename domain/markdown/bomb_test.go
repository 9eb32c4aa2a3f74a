package markdown_test

import (
	"strings"
	"testing"

	"inkfeed/domain"
	"inkfeed/domain/markdown"
)

// The output is bounded by the size of the text. Each text is tried at one size and at twice that size. The output of
// accepted texts grows at most in proportion, plus a megabyte.
func TestOutputIsBoundedByTheSizeOfTheText(t *testing.T) {
	m := markdown.New()
	table := func(columns, rows int, row string) string {
		return strings.Repeat("|a", columns) + "\n" + strings.Repeat("|-", columns) + "\n" +
			strings.Repeat(row+"\n", rows)
	}
	for name, bomb := range map[string]func(n int) string{
		"table rows with one cell of many": func(n int) string { return table(n, 4*n, "|a") },
		"table rows in a quote": func(n int) string {
			return "> " +
				strings.ReplaceAll(table(n, 4*n, "|a"), "\n", "\n> ")
		},
		"table rows without outer pipes": func(n int) string {
			return strings.Repeat("a|", n) + "\n" + strings.Repeat("-|", n) + "\n" + strings.Repeat("a\n", 4*n)
		},
		"one long definition, referred to many times": func(n int) string {
			return "[a]: http://example.com/" + strings.Repeat("x", 20*n) + "\n\n" + strings.Repeat("[a] ", n/2)
		},
		"one long title, referred to many times": func(n int) string {
			return "[a]: /x \"" + strings.Repeat("&", 20*n) + "\"\n\n" + strings.Repeat("[a]\n\n", 2*n)
		},
		"one footnote, referred to many times": func(n int) string {
			return strings.Repeat("[^a]\n\n", 5*n) + "[^a]: note"
		},
		"a table after a definition mark, without a blank line": func(n int) string {
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
					t.Fatalf("%d bytes are more than a post may have", len(source))
				}
				html, text := m.HTML(source), m.Text(source, 2000)
				feed, _ := m.FeedHTML(source, "https://example.org")
				for what, got := range map[string]string{"page": html, "summary": text, "feed": feed} {
					if most := 40*len(source) + 1_500_000; len(got) > most {
						t.Errorf("size %d: the %s has %d bytes, from %d", n, what, len(got), len(source))
					}
				}
			}
		})
	}
}

// The limits count the marks of a paragraph. Lines that only look like the beginning of a block do not end the
// paragraph, so they must not reset the count.
func TestLimitsApplyToWholeParagraphs(t *testing.T) {
	for _, between := range []string{"\u00a0\n", "     # a\n", "     - a\n", "       1. a\n", "- \n"} {
		if source := "text\n" + strings.Repeat(strings.Repeat("[", 900)+"\n"+between,
			50); !markdown.TooComplex(source) {
			t.Errorf("%q resets the count", between)
		}
	}
	if source := "12345678. text\n" + strings.Repeat(strings.Repeat("[", 900)+"\n       - a\n",
		50); !markdown.TooComplex(source) {
		t.Error("a long number resets the count")
	}
	for _, heading := range []string{"# a\n", "> ## a\n", "- # a\n", "1. # a\n", "> - ### a\n", "a\n=\n\n",
		"> a\n> --\n\n"} {
		if markdown.TooComplex(strings.Repeat(heading, 2000)) || !markdown.TooComplex(strings.Repeat(heading, 2001)) {
			t.Errorf("%q: the limit is not exactly 2000 headings", heading)
		}
	}
	nested := strings.Repeat("- [a](/a)\n  - [b](/b)\n    - [c](/c)\n        - [d](/d)\n1. [e](/e)\n   - [f](/f)\n",
		500)
	if markdown.TooComplex(nested) {
		t.Error("a long nested list is rejected as too complex")
	}
	defined := strings.Repeat("See [a page] and [another one].\n\n", 400) +
		strings.Repeat("[a page]: https://example.org/"+strings.Repeat("x", 100)+"\n", 300)
	if markdown.TooComplex(defined) {
		t.Error("a long list of addresses is rejected as too complex")
	}
	noted := strings.Repeat("A text[^a] with a note.\n\n", 200) +
		strings.Repeat("[^a]: "+strings.Repeat("long ", 500)+"\n\n", 20)
	if markdown.TooComplex(noted) {
		t.Error("long footnotes are rejected as too complex")
	}
}
