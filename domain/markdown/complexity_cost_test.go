package markdown_test

import (
	"fmt"
	"strings"
	"testing"

	"inkfeed/domain/markdown"
)

// Realistic long posts are rendered as Markdown.
func TestLongRealisticPostsAreNotTooComplex(t *testing.T) {
	lines := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			b.WriteString(strings.ReplaceAll(format, "%d", fmt.Sprint(i)))
		}
		return b.String()
	}
	for name, source := range map[string]string{
		"a release announcement": "# Version 2\n\n" + lines(125,
			"* [#%d]: a [fix] of `x[%d]:` by [@ada], see [its discussion][%d]\n") +
			lines(125, "[%d]: https://example.org/issues/%d \"A title\"\n") + "[fix]: /fix\n[@ada]: /@ada\n",
		"a changelog of hundreds of versions": lines(400,
			"## [1.%d.0] - 2024-01-02\n\n### Added\n\n- A *feature* with **many** parts ([#%d][%d], `a_b_%d`)\n\n") +
			lines(400, "[1.%d.0]: https://example.org/compare/v1.%d.0...v1.%d.1\n[%d]: https://example.org/pull/%d\n"),
		"a long list of addresses": lines(5000, "See [page %d].\n\n") +
			lines(5000, "[page %d]: https://example.org/pages/%d\n"),
		"a long table": "|a|b|c|d|e|f|\n|-|-|-|-|-|-|\n" + lines(6000, "|%d|*b*|[c](/%d)|`d`|e|f|\n"),
		"a paper with many notes": lines(1500,
			"A claim[^%d] that needs a note, and more of it for some words.\n\n") +
			lines(1500, "[^%d]: See *a book*, page %d.\n\n"),
		"a manual with many headings": lines(3000,
			"## Option %d\n\nWhat the option does is told here, in a sentence or two that explain what the option is "+
				"good for.\n\n"),
		"one long paragraph": lines(5000,
			"A *word*, a **strong** [link](/x_%d) and `code` with <b>tags</b>, http://example.org/%d. "),
		"unpaired marks":               lines(1000, "5 * 3 = 15 and a_b_c, f(*p), x[%d] = y[i]; 3 < 4 > 2, ~%d\n"),
		"deep lists":                   lines(2000, "- a\n  - b\n    - c\n      - [d](/%d)\n        1. e\n"),
		"code of brackets":             "```json\n" + lines(20000, "[[%d, 1], [2, 3]],\n") + "```\n",
		"quotes of a correspondence":   lines(2000, "> > > She wrote *this* in line %d\n> > and he that\n\n"),
		"formulas":                     lines(3000, "$a_{%d} * b_{%d}$ and $$c_1$$\n\n"),
		"words of snake and star case": lines(3000, "`a` some_long_name_%d and **bold** __init__ *x*\n"),
	} {
		t.Run(name, func(t *testing.T) {
			if markdown.TooComplex(source) {
				t.Errorf("%d bytes are rejected as too complex", len(source))
			}
		})
	}
}

// Texts for which the parser takes quadratic time are rejected, at any length that a post may have.
func TestTextsOfQuadraticCostAreTooComplex(t *testing.T) {
	const n = 600_000
	of := func(unit string) string { return strings.Repeat(unit, n/len(unit)) }
	for name, source := range map[string]string{
		"brackets":                     of("["),
		"closers of emphasis":          of("*a _") + of("b_ "),
		"marks of two kinds":           of("*a_ "),
		"links that open again":        of("[a]("),
		"addresses in angle brackets":  of("[a](<b"),
		"quotes in quotes":             of(">"),
		"lists in lists":               of("- ") + "x",
		"definitions in one paragraph": of("[a]: b\n"),
		"links in links":               strings.Repeat("[", 400) + of("![a*](b) "),
		"emphasised links":             of("[*a*](b) "),
		"headings":                     of("# a\n"),
		"footnotes":                    of("[^a]: b\n\n"),
		"references to one footnote":   "[^a]: b\n\n" + of("x[^a] "),
		"a long address, referred to many times": "[a]: /" + strings.Repeat("x", n/2) + "\n\n" +
			strings.Repeat("[a] ", n/8),
		"table rows with few cells": strings.Repeat("|a", n/8) + "\n" + strings.Repeat("|-", n/8) + "\n" +
			strings.Repeat("|\n", n/8),
		"backticks of many lengths": backticks(n),
	} {
		t.Run(name, func(t *testing.T) {
			if !markdown.TooComplex(source) {
				t.Errorf("%d bytes are accepted", len(source))
			}
		})
	}
}

func backticks(n int) string {
	var b strings.Builder
	for i := 1; b.Len() < n; i++ {
		b.WriteString(strings.Repeat("`", i) + " ")
	}
	return b.String()
}
