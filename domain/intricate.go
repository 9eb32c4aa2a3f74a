package domain

import (
	"html"
	"regexp"
	"strings"
)

// What no reader can follow, and what takes a Markdown parser time that grows
// with the square of it: quotes and lists nested without end, emphasis and links
// opened thousands of times in one paragraph. And what makes a large page of a small text:
// tables of many columns whose rows are nearly empty, long addresses that are referred to
// again and again.
const (
	maxNesting    = 100  // marks of quotes and lists before a line's text
	maxDelimiters = 2000 // of emphasis in a paragraph
	maxBrackets   = 1000 // opening ones in a paragraph
	maxFootnotes  = 500
	maxHeadings   = 2000    // each has an anchor, an address and a place in the contents
	maxCells      = 20_000  // of tables: a row that has fewer is filled up
	maxReferred   = 1 << 20 // bytes that links by reference can repeat
	codeFactor    = 10      // times as much may stand in code
)

// Intricate tells whether a Markdown source is beyond those limits, so that nothing but
// a text as it was typed is made of it.
func Intricate(source string) bool { return intricate(source) }

// intricate reports whether source is beyond those limits. It is then shown as
// it was typed.
func intricate(source string) bool {
	delimiters, brackets, footnotes, headings, fence := 0, 0, 0, 0, ""
	var grown growth
	var blocks items
	for line := range strings.Lines(source) {
		if grown.by(line) {
			return true
		}
		// Code is not parsed, so it may hold more of everything. But what is code to this
		// loop need not be to the parser, which knows of fences in lists.
		if fence != "" {
			if closes(line, fence) {
				fence, delimiters, brackets = "", 0, 0
				continue
			}
			if strings.TrimSpace(line) == "" {
				delimiters, brackets = 0, 0
			}
			delimiters += emphasis(line)
			brackets += strings.Count(line, "[")
			if delimiters > codeFactor*maxDelimiters || brackets > codeFactor*maxBrackets || nesting(line, codeFactor*maxNesting) > codeFactor*maxNesting {
				return true
			}
			continue
		}
		if fence = opensFence(line); fence != "" {
			delimiters, brackets = 0, 0
			continue
		}
		if nesting(line, maxNesting) > maxNesting {
			return true
		}
		if blocks.begin(line) {
			delimiters, brackets = 0, 0
		}
		delimiters += emphasis(line)
		brackets += strings.Count(line, "[")
		if strings.Contains(line, "[^") && strings.Contains(line, "]:") {
			footnotes++
		}
		if mayHead(line) {
			headings++
		}
		if delimiters > maxDelimiters || brackets > maxBrackets || footnotes > maxFootnotes || headings > maxHeadings {
			return true
		}
	}
	return false
}

// mayHead tells whether a line may be a heading, or the line below one, wherever it stands.
func mayHead(line string) bool {
	line = strings.Trim(line, " \t\r\n>")
	return line != "" && (strings.Trim(line, "=") == "" || strings.Trim(line, "-") == "" ||
		strings.HasPrefix(strings.TrimLeft(line, " \t>-+*:.)0123456789"), "#"))
}

// emphasis counts the marks of emphasis in a line.
func emphasis(line string) int {
	return strings.Count(line, "*") + strings.Count(line, "_") + strings.Count(line, "~")
}

// opensFence is the fence that a line opens code with, or "".
func opensFence(line string) string {
	text := strings.TrimLeft(line, " ")
	if len(line)-len(text) > 3 {
		return "" // code by indentation
	}
	for _, mark := range []string{"`", "~"} {
		rest := strings.TrimLeft(text, mark)
		if n := len(text) - len(rest); n >= 3 && (mark == "~" || !strings.Contains(rest, mark)) {
			return text[:n]
		}
	}
	return ""
}

// closes reports whether a line ends the code that fence opened.
func closes(line, fence string) bool {
	text := strings.TrimLeft(line, " ")
	if len(line)-len(text) > 3 {
		return false // more code
	}
	text = strings.TrimRight(text, " \t\r\n")
	return len(text) >= len(fence) && strings.Trim(text, fence[:1]) == ""
}

// nesting is how deep the marks before a line's text can nest it: those of quotes, lists,
// definitions and footnotes, and indentation. It counts no further than enough.
func nesting(line string, enough int) int {
	depth := 0
	for line != "" && depth <= enough {
		text := strings.TrimLeft(line, " \t")
		space := line[:len(line)-len(text)]
		depth += strings.Count(space, " ")/4 + strings.Count(space, "\t")
		mark := containerMark.FindString(text)
		if mark == "" {
			break
		}
		depth++
		line = text[len(mark):]
	}
	return depth
}

// containerMark is what begins a block that holds others.
var containerMark = regexp.MustCompile(`^(>|[-*+:](\s|$)|\d{1,9}[.)](\s|$)|\[\^[^\]]{1,999}\]:)`)

// items knows where the texts of the list's items begin that a line may be part of.
type items []int

// begin reports whether a line cannot be part of the paragraph before it: it is blank, a
// heading or an item of a list. What is indented further than its item is text.
func (in *items) begin(line string) bool {
	line = strings.TrimRight(line, blank)
	if line == "" {
		return true
	}
	text := strings.TrimLeft(line, " ")
	indent := len(line) - len(text)
	for n := len(*in); n > 0 && (*in)[n-1] > indent; n-- {
		*in = (*in)[:n-1]
	}
	if n := len(*in); n > 0 {
		indent -= (*in)[n-1]
	}
	if indent > 3 {
		return false
	}
	for _, mark := range []string{"# ", "## ", "### "} {
		if strings.HasPrefix(text, mark) {
			return true
		}
	}
	for _, mark := range []string{"- ", "+ ", "* ", "1. "} {
		if strings.HasPrefix(text, mark) {
			*in = append(*in, len(line)-len(text)+len(mark))
			return true
		}
	}
	return false
}

// blank is what a blank line is of: other spaces are text to a parser.
const blank = " \t\r\n"

// growth is what a text can grow to, as far as it was read.
type growth struct {
	columns, cells                 int // of the table at hand; of all
	definition, longest, reference int // bytes of that at hand, and of the longest; brackets that may refer to it
}

// by reads a line, and reports whether it is too much now. Code is no exception.
func (g *growth) by(line string) bool {
	g.reference += strings.Count(line, "[")
	if strings.Trim(line, blank) == "" {
		g.columns, g.definition = 0, 0
		return false
	}
	if g.columns > 0 {
		g.cells += g.columns
	}
	// The line under a table's head, in whatever the table stands.
	if bars := strings.Count(line, "|"); bars > 0 && strings.Contains(line, "-") && strings.Trim(line, "-:|>*+.)0123456789"+blank) == "" {
		g.columns = max(g.columns, bars+1)
	}
	switch {
	case strings.Contains(footnoteMark.ReplaceAllString(line, ""), "]:"):
		g.definition = len(line)
	case g.definition > 0: // its title goes on
		g.definition += len(line)
	}
	g.longest = max(g.longest, g.definition)
	return g.cells > maxCells || g.longest*g.reference > maxReferred
}

var footnoteMark = regexp.MustCompile(`^[ \t>]*\[\^[^\]]{1,999}\]:`)

// asTyped is HTML that shows source without reading it as Markdown.
func asTyped(source string) string {
	var b strings.Builder
	for paragraph := range strings.SplitSeq(undirected(source), "\n\n") {
		if paragraph = strings.TrimSpace(paragraph); paragraph != "" {
			b.WriteString("<p>" + strings.ReplaceAll(html.EscapeString(paragraph), "\n", "<br>\n") + "</p>\n")
		}
	}
	return b.String()
}
