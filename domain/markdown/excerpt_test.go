package markdown_test

import (
	"strings"
	"testing"
	"time"

	"inkfeed/domain/markdown"
)

func TestExcerptEqualsTheTextOfTheSource(t *testing.T) {
	m := markdown.New()
	for name, source := range map[string]string{
		"words":     "One *two* `three` **four**\nfive\\\nsix",
		"blocks":    "# Title\n\nOne.\n\n> Two.\n\nThree[^1].\n\n```go\nfunc main() {}\n```\n\nFour.\n\n[^1]: A note.",
		"lists":     "Before\n\n- one\n- two\n\n  more\n  1. a\n  2. b\n- three\n\nAfter\n\n- [x] done\n- [ ] to do",
		"tables":    "| a | b |\n|---|---|\n| 1 | 2 |\n\nAnd text.",
		"headings":  "# One\n\n## Two\n\n### Three",
		"a program": "```c\nint main(void) { return a < b && c > d; }\n```",
		"a table":   "| a | b |\n|---|---|\n| 1 | 2 |",
		"pictures": "![A cat](/media/abcdefghijkmnpqrstuvwxyz23-1200x800.jpg)\n\nText ![in " +
			"it](https://example.org/x.png) more.",
		"entities":   "a &lt; b &amp; <b>c</b>\n\n<div>\nd\n</div>",
		"terms":      "Ink\n: A liquid.\n: A colour.\n\nPen\n: A tool.",
		"formulas":   "Then $a^2$ is\n\n$$\nb_1\n$$\n\nso.\n\n- $x$ and $\\frac12$, 5 $",
		"a formula":  "$$\nb_1 < \\pi\n$$",
		"others":     "<span class=\"math\">a<br>*b*</span> and <div class=\"math\">c</div>",
		"links":      "See [this](https://example.org) and https://example.com/a?b=c.",
		"long":       strings.Repeat("word and another, ", 5_000),
		"a long one": strings.Repeat("x", 5_000),
		"spaces":     "a" + strings.Repeat(" &#32;", 3_000) + "b",
		"characters": strings.Repeat("👨‍👩‍👧‍👦 ", 400),
		"complex":    strings.Repeat("[", 5_000) + "\n\n**a**\nb",
		"none":       "",
	} {
		for _, limit := range []int{20, 155, 280} {
			if got, want := m.Post(source).Excerpt(limit), m.Text(source, limit); got != want {
				t.Errorf("%s, %d:\n%q, want\n%q", name, limit, got, want)
			}
		}
	}
}

// White space and omitted parts cost an excerpt no more than text: twice as much of them takes about twice as long.
func BenchmarkExcerptOfOmittedText(b *testing.B) {
	took := func(n int) time.Duration {
		r := markdown.Rendered{HTML: strings.Repeat("\u3000", 2*n) + strings.Repeat("<h2>x</h2>\n", n)}
		start := time.Now()
		r.Excerpt(200)
		return time.Since(start)
	}
	var once, twice time.Duration
	for b.Loop() {
		once += took(10_000)
		twice += took(20_000)
	}
	b.ReportMetric(float64(twice)/float64(once), "ratio")
}

func TestExcerptIsOneLine(t *testing.T) {
	for source, want := range map[string]string{
		"<p> a\u00a0 b</p>\n\n<p>c</p>":         "a b c",
		"<p>\u3000</p><h2>x</h2>\u3000<p>y</p>": "y",
		"<ul><li>a</li><li>b</li></ul>":         "a · b",
		"<p>a<em>b</em><br>c\xff</p>":           "ab c\xff",
		" ":                                     "",
	} {
		if got := (markdown.Rendered{HTML: source}).Excerpt(200); got != want {
			t.Errorf("the excerpt of %q is %q, want %q", source, got, want)
		}
	}
}
