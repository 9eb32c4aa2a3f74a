package markdown

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"

	"inkfeed/domain/plaintext"
)

// Excerpt returns what Renderer.Text returns for the source, except for typographic marks, without rendering it
// again. It reads no more of the text than it needs.
func (r Rendered) Excerpt(limit int) string {
	text := excerpt(r.HTML, limit, notSentences)
	if text == "" {
		text = excerpt(r.HTML, limit, nil)
	}
	return plaintext.Truncate(text, limit)
}

var (
	// notSentences are elements that do not form sentences with the text around them, or that are folded.
	notSentences = []string{"h2", "h3", "h4", "h5", "h6", "pre", "table", "figure", "details"}
	// footnoted are the elements that the renderer uses for footnotes only.
	footnoted = []string{"sup", "section"}
)

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
			case len(skipped) > 0 || slices.Contains(without, name) || slices.Contains(footnoted, name) ||
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
