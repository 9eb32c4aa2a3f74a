package domain

import (
	"html"
	"strings"
)

// What no reader can follow, and what takes a Markdown parser time that grows
// with the square of it: quotes and lists nested without end, emphasis and links
// opened thousands of times in one paragraph.
const (
	maxNesting    = 100  // marks of quotes and lists before a line's text
	maxDelimiters = 2000 // of emphasis in a paragraph
	maxBrackets   = 1000 // opening ones in a paragraph
)

// intricate reports whether source is beyond those limits. It is then shown as
// it was typed.
func intricate(source string) bool {
	delimiters, brackets, fence := 0, 0, ""
	for line := range strings.Lines(source) {
		if fence != "" { // code is not parsed
			if closes(line, fence) {
				fence = ""
			}
			continue
		}
		if fence = opensFence(line); fence != "" {
			delimiters, brackets = 0, 0
			continue
		}
		text := strings.TrimLeft(line, "> \t-*+")
		if nesting(line[:len(line)-len(text)]) > maxNesting {
			return true
		}
		if beginsBlock(line) {
			delimiters, brackets = 0, 0
		}
		delimiters += strings.Count(line, "*") + strings.Count(line, "_") + strings.Count(line, "~")
		brackets += strings.Count(line, "[")
		if delimiters > maxDelimiters || brackets > maxBrackets {
			return true
		}
	}
	return false
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
	text := strings.TrimSpace(line)
	return len(text) >= len(fence) && strings.Trim(text, fence[:1]) == ""
}

// nesting is how deep the marks before a line's text can nest what follows.
func nesting(marks string) int {
	spaces := strings.Count(marks, " ") + 4*strings.Count(marks, "\t")
	return len(strings.Fields(marks)) + strings.Count(marks, ">") + spaces/4
}

// beginsBlock reports whether a line cannot be part of the paragraph before it:
// it is blank, a heading or an item of a list.
func beginsBlock(line string) bool {
	text := strings.TrimSpace(line)
	if text == "" {
		return true
	}
	for _, mark := range []string{"- ", "+ ", "* ", "1. ", "# ", "## ", "### "} {
		if strings.HasPrefix(text, mark) {
			return true
		}
	}
	return false
}

// asTyped is HTML that shows source without reading it as Markdown.
func asTyped(source string) string {
	var b strings.Builder
	for paragraph := range strings.SplitSeq(source, "\n\n") {
		if paragraph = strings.TrimSpace(paragraph); paragraph != "" {
			b.WriteString("<p>" + strings.ReplaceAll(html.EscapeString(paragraph), "\n", "<br>\n") + "</p>\n")
		}
	}
	return b.String()
}
