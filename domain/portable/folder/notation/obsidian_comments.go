// Package notation translates the notation of programs for notes: callouts, comments, wiki links and outlines.
package notation

import (
	"strings"

	"inkfeed/domain/portable/markup"
)

const obsidianComment = "%%"

// WithoutComments removes Obsidian's comments from a Markdown text: everything between two marks of %%, on one
// line or several. Marks in code are code. As in Obsidian, an unclosed mark at the beginning of a line hides the rest
// of the text. Any other unclosed mark is text.
func WithoutComments(markdown string) string {
	if !strings.Contains(markdown, obsidianComment) {
		return markdown
	}
	code := markup.CodeIn(markdown)
	next := func(from int) int {
		for {
			i := strings.Index(markdown[from:], obsidianComment)
			if i < 0 {
				return -1
			}
			if from += i; !markup.Within(code, from) {
				return from
			}
			from += len(obsidianComment)
		}
	}
	var edits []markup.Edit
	for at := next(0); at >= 0; {
		end := next(at + len(obsidianComment))
		if end < 0 {
			if beginsLine(markdown, at) {
				edits = append(edits, markup.Edit{Span: markup.Span{Start: at, End: len(markdown)}, Text: ""})
			}
			break
		}
		end += len(obsidianComment)
		// A comment on lines of its own includes its last line break.
		if beginsLine(markdown, at) && end < len(markdown) && markdown[end] == '\n' {
			end++
		}
		edits = append(edits, markup.Edit{Span: markup.Span{Start: at, End: end}, Text: ""})
		at = next(end)
	}
	return markup.Apply(markdown, edits)
}

// beginsLine reports whether only white space precedes a position on its line.
func beginsLine(text string, at int) bool {
	before := strings.TrimRight(text[:at], " \t")
	return before == "" || before[len(before)-1] == '\n'
}
