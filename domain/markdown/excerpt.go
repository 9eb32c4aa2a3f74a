package markdown

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"

	"inkfeed/domain/plaintext"
)

// Excerpt is what Markdown.Text makes of the source, but for the marks of a typesetter,
// and without rendering it once more. It reads no more of the text than it needs.
func (r Rendered) Excerpt(limit int) string {
	text := excerpt(r.HTML, limit, notSentences)
	if text == "" {
		text = excerpt(r.HTML, limit, nil)
	}
	return plaintext.Truncate(text, limit)
}

var (
	// notSentences make none with what stands around them, or are folded.
	notSentences = []string{"h2", "h3", "h4", "h5", "h6", "pre", "table", "figure", "details"}
	// footnoted are what the renderer makes of footnotes alone.
	footnoted = []string{"sup", "section"}
)

// excerpt is the text of sanitised HTML in one line, but for the elements of those names
// and footnotes. It ends where it is plainly longer than limit.
func excerpt(source string, limit int, without []string) string {
	var b lineWriter
	var skipped []string // elements that it is within, from the outermost that is left out
	var items []int      // of each list that it is within
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
			case slices.Contains([]string{"br", "hr", "img"}, name): // which have no end
				b.end()
			case len(skipped) > 0 || slices.Contains(without, name) || slices.Contains(footnoted, name) || slices.ContainsFunc(token.Attr, isOurs):
				skipped = append(skipped, name)
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

// lineWriter makes one line of what is written to it, as oneLine does, without going over
// it again: white space alone may be most of a text.
type lineWriter struct {
	b     strings.Builder
	apart bool // from what comes next
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

// end lets a space come before what is written next.
func (w *lineWriter) end() { w.apart = true }

func (w *lineWriter) Len() int { return w.b.Len() }

func (w *lineWriter) String() string { return w.b.String() }
