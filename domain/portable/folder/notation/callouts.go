package notation

import (
	"regexp"
	"strings"

	"inkfeed/domain/markdown"
	"inkfeed/domain/portable/markup"
)

// calloutLine matches the first line of a callout in Obsidian and on GitHub: > [!warning]- Title
var calloutLine = regexp.MustCompile(`(?m)^((?:[ \t]*(?:[-*+][ \t]+|\d{1,9}[.)][ \t]+)*)(?:>[ \t]?)+)` +
	`\[!([\p{L}\p{N}_ -]{1,40})(?:\|[^\]\n]*)?\][+-]?(?:[ \t]+(.*))?$`)

// Callouts converts callouts that Inkfeed does not have, or that have a title, to block quotes with a bold title.
// Folded callouts are shown unfolded.
func Callouts(source string) string {
	if !strings.Contains(source, "[!") {
		return source
	}
	code := markup.CodeIn(source)
	var edits []markup.Edit
	for _, m := range calloutLine.FindAllStringSubmatchIndex(source, -1) {
		if markup.Within(code, m[4]) {
			continue
		}
		if markdown.CalloutMark(source[m[3]:m[1]]) != "" {
			continue
		}
		title := ""
		if m[6] >= 0 {
			title = strings.TrimSpace(strings.NewReplacer("**", "", "__", "").Replace(source[m[6]:m[7]]))
		}
		if title == "" {
			words := strings.NewReplacer("-", " ", "_", " ").Replace(source[m[4]:m[5]])
			title = markup.Capitalised(strings.ToLower(words))
		}
		prefix := strings.TrimRight(source[m[2]:m[3]], " \t") + " "
		text := prefix + "**" + title + "**"
		// The text below begins a paragraph of its own.
		next, _, _ := strings.Cut(strings.TrimPrefix(source[m[1]:], "\n"), "\n")
		if strings.Trim(next, " \t>") != "" && strings.Contains(next, ">") {
			text += "\n" + strings.TrimRight(markup.Continued(prefix), " ")
		}
		edits = append(edits, markup.Edit{Span: markup.Span{Start: m[0], End: m[1]}, Text: text})
	}
	return markup.Apply(source, edits)
}
