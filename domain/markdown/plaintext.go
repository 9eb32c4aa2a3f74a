package markdown

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"

	"inkfeed/domain/plaintext"
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
			ours = false // they contain no elements
			separate(&b, string(name))
		}
	}
}

// isOurs reports whether an attribute belongs to an element that the renderer adds: a link beside a heading, to a
// footnote or back from one, the note of a placeholder, or the label of a callout.
func isOurs(a html.Attribute) bool {
	return a.Key == "class" && (a.Val == "anchor" || a.Val == "backlink" || a.Val == "picture-note" ||
		a.Val == "callout-label") ||
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

// Excerpt returns what Renderer.Text returns for the source, except for typographic marks, without rendering it
// again. It reads no more of the text than it needs.
func (r Rendered) Excerpt(limit int) string {
	text := excerpt(r.HTML, limit, notSentences)
	if text == "" {
		text = excerpt(r.HTML, limit, nil)
	}
	return plaintext.Truncate(text, limit)
}

// notSentences are elements that do not form sentences with the text around them, or that are folded.
var notSentences = []string{"h2", "h3", "h4", "h5", "h6", "pre", "table", "figure", "details"}

// footnotes is the element that the renderer uses for footnotes only.
const footnotes = "section"

// excerpt returns the text of sanitised HTML in one line, without the given elements and footnotes. It stops when the
// text is clearly longer than limit.
func excerpt(source string, limit int, without []string) string {
	var b lineWriter
	var skipped []string // open elements, beginning with the outermost one that is skipped
	var items []int      // number of items of each open list
	enough := 2 * limit * plaintext.BytesPerCharacter
	tokenizer := html.NewTokenizer(strings.NewReader(source))
	for {
		switch tokenizer.Next() {
		case html.ErrorToken: // the end, always: it reads from memory
			return b.String()
		case html.TextToken:
			if len(skipped) > 0 {
				continue
			}
			b.Write(tokenizer.Text())
			if b.Len() > enough {
				return b.String()
			}
		case html.StartTagToken:
			token := tokenizer.Token()
			switch name := token.Data; {
			case isVoid(name):
				b.end()
			case len(skipped) > 0 || slices.Contains(without, name) || name == footnotes ||
				slices.ContainsFunc(token.Attr, isOurs):
				skipped = append(skipped, name)
			case isFormula(token):
				if formula := formulaText(textWithin(tokenizer)); without == nil || name != "div" {
					b.Write([]byte(formula))
				}
				if separates(name) {
					b.end()
				}
			case name == "ul" || name == "ol":
				items = append(items, 0)
			case name == "li" && len(items) > 0:
				if items[len(items)-1]++; items[len(items)-1] > 1 {
					b.Write([]byte(" · "))
				}
			}
		case html.EndTagToken:
			name, _ := tokenizer.TagName()
			switch {
			case len(skipped) > 0:
				skipped = skipped[:len(skipped)-1]
			case (string(name) == "ul" || string(name) == "ol") && len(items) > 0:
				items = items[:len(items)-1]
			}
			if separates(string(name)) {
				b.end()
			}
		}
	}
}

// lineWriter collapses what is written to it into one line, without a second pass, because white space alone may be
// most of a text.
type lineWriter struct {
	b     strings.Builder
	apart bool // whether a space comes before the next text
}

func (w *lineWriter) Write(text []byte) {
	for len(text) > 0 {
		r, size := utf8.DecodeRune(text)
		switch {
		case unicode.IsSpace(r):
			w.end()
		default:
			if w.apart && w.b.Len() > 0 {
				w.b.WriteByte(' ')
			}
			w.apart = false
			w.b.Write(text[:size])
		}
		text = text[size:]
	}
}

// end makes a space precede the next text.
func (w *lineWriter) end() { w.apart = true }

func (w *lineWriter) Len() int { return w.b.Len() }

func (w *lineWriter) String() string { return w.b.String() }
