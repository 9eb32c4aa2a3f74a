package markdown

import (
	"slices"
	"strings"

	"golang.org/x/net/html"
)

// PlainText returns all that the author of the source wrote: headings, programs, footnotes and the descriptions of
// images too. Line breaks separate blocks. For a summary see Text.
func (m *Renderer) PlainText(source string) string { return plainText(m.HTML(source)) }

// plainText is PlainText for a source that is already rendered.
func plainText(rendered string) string {
	var b strings.Builder
	tokenizer := html.NewTokenizer(strings.NewReader(rendered))
	ours := false // whether the tokenizer is within an element that the renderer added
	for {
		switch tokenizer.Next() {
		case html.ErrorToken: // the end, always: it reads from memory
			return tidy(b.String())
		case html.TextToken:
			if !ours {
				b.Write(tokenizer.Text())
			}
		case html.StartTagToken, html.SelfClosingTagToken:
			token := tokenizer.Token()
			ours = ours || slices.ContainsFunc(token.Attr, isOurs)
			separate(&b, token.Data)
			if !ours && isFormula(token) {
				b.WriteString(textWithin(tokenizer))
				separate(&b, token.Data)
				continue
			}
			for _, a := range token.Attr {
				if token.Data == "img" && a.Key == "alt" {
					b.WriteString(" " + a.Val + " ")
				}
			}
		case html.EndTagToken:
			name, _ := tokenizer.TagName()
			ours = ours && string(name) != "a" && string(name) != "span"
			separate(&b, string(name))
		}
	}
}

// isOurs reports whether an attribute belongs to an element that the renderer adds: a link beside a heading, to a
// footnote or back from one, or the note of a placeholder.
func isOurs(a html.Attribute) bool {
	return a.Key == "class" && (a.Val == "anchor" || a.Val == "backlink" || a.Val == "picture-note") ||
		a.Key == "id" && strings.HasPrefix(a.Val, "fnref-")
}

// inline are the elements that do not separate words. Footnote numbers are in sup.
var inline = []string{"a", "abbr", "b", "code", "del", "em", "i", "ins", "kbd", "mark", "q", "s", "small", "span",
	"strong", "sup", "sub", "u", "wbr"}

func separate(b *strings.Builder, element string) {
	if separates(element) {
		b.WriteByte('\n')
	}
}

// separates reports whether the text after an element begins on a new line.
func separates(element string) bool { return !slices.Contains(inline, element) }

// tidy removes lines without text.
func tidy(text string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line != "" {
			if b.Len() > 0 {
				b.WriteByte('\n')
			}
			b.WriteString(line)
		}
	}
	return b.String()
}
