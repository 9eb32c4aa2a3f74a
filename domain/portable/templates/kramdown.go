package templates

import (
	"regexp"
	"strings"

	"inkfeed/domain/portable/markup"
)

var (
	// markdownTag matches the tags of elements whose content kramdown reads as Markdown if they have the attribute
	// markdown.
	markdownTag = regexp.MustCompile(`(?i)<(/?)(div|section|article|aside|main|center|p|figure|figcaption|header|` +
		`footer|details|blockquote|span|td|th|tr|table|tbody|ul|ol|li|dl|dd)\b([^<>]*)>[ \t]*\n?`)
	markdownAttr = regexp.MustCompile(`(?i)\s+markdown\s*=\s*["']?(?:1|block|span)\b["']?`)
	// parseHTML matches the option by which kramdown reads the content of all elements as Markdown.
	parseHTML = regexp.MustCompile(`\{::options\b[^}\n]*\bparse_block_html="true"`)
	// loneBreak matches a line that begins a block of HTML for other parsers.
	loneBreak = regexp.MustCompile(`(?i)(?:^|\n)(?:[ \t]*\n|[ \t]*<br *\/?>[ \t]*\n)*[ \t]*<br *\/?>[ \t]*\n`)
)

// maxElements is the maximum nesting depth of elements with Markdown in them.
const maxElements = 100

// htmlOfKramdown separates Markdown from HTML by blank lines. Only kramdown reads Markdown without blank lines, in
// elements with the attribute markdown and below a line break.
func htmlOfKramdown(source string) string {
	if !strings.Contains(source, "<") {
		return source
	}
	code := markup.CodeIn(source)
	all := parseHTML.MatchString(source)
	type element struct {
		name     string
		markdown bool
	}
	var open []element
	var edits []markup.Edit
	for _, m := range markdownTag.FindAllStringSubmatchIndex(source, -1) {
		name := strings.ToLower(source[m[4]:m[5]])
		tag := markup.Span{Start: m[0], End: m[7] + 1}
		switch attr := markdownAttr.FindStringIndex(source[m[6]:m[7]]); {
		case markup.Within(code, m[0]):
		case m[2] == m[3] && len(open) < maxElements && source[m[7]-1] != '/':
			markdown := attr != nil || all && name != "p" && name != "span"
			open = append(open, element{name, markdown})
			if attr != nil {
				edits = append(edits, markup.Edit{Span: markup.Span{Start: m[6] + attr[0], End: m[6] + attr[1]}})
			}
			if markdown && m[1] > tag.End && source[m[1]-1] == '\n' {
				edits = append(edits, markup.Edit{Span: markup.Span{Start: m[1], End: m[1]}, Text: "\n"})
			}
		case m[2] != m[3]:
			i := len(open) - 1
			for i >= 0 && open[i].name != name {
				i--
			}
			if i < 0 {
				continue
			}
			before := source[max(0, m[0]-markup.MaxIndent):m[0]]
			if open[i].markdown && strings.TrimSpace(before[strings.LastIndexByte(before, '\n')+1:]) == "" {
				edits = append(edits, markup.Edit{Span: markup.Span{Start: m[0], End: m[0]}, Text: "\n\n"})
				if m[1] > tag.End && source[m[1]-1] == '\n' {
					edits = append(edits, markup.Edit{Span: markup.Span{Start: m[1], End: m[1]}, Text: "\n"})
				}
			}
			open = open[:i]
		}
	}
	for _, m := range loneBreak.FindAllStringIndex(source, -1) {
		before := strings.TrimRight(source[:m[0]], " \t")
		apart := before == "" || strings.HasSuffix(before, "\n") || strings.HasPrefix(source[m[0]:m[1]], "\n\n")
		if apart && !markup.Within(code, m[1]-1) {
			edits = append(edits, markup.Edit{Span: markup.Span{Start: m[1], End: m[1]}, Text: "\n"})
		}
	}
	return markup.Apply(source, edits)
}
