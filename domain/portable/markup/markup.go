package markup

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"inkfeed/domain/locale"
	"inkfeed/domain/portable"
)

// Markdown translates HTML and other syntax in a Markdown text that Inkfeed would show as typed.
func (t *Translator) Markdown(source string) string {
	text := t.renamed(t.markdownWithin(t.withoutData(source), 0))
	t.reportUnlinked(text)
	return text
}

// markdownWithin is Markdown for a text at a depth of quotes and foldable sections.
func (t *Translator) markdownWithin(source string, depth int) string {
	if !strings.Contains(source, "<") {
		return source
	}
	source = scriptedNumber.ReplaceAllStringFunc(source, func(tag string) string {
		m := scriptedNumber.FindStringSubmatch(tag)
		if text, ok := scripted(strings.ToLower(m[1]), m[2]); ok {
			return text
		}
		return tag
	})
	t.refer(source)
	p, ok := Parse(source)
	if !ok {
		t.RecordLoss(locale.M("its Markdown is too complex to translate and is shown as it was typed"))
		return source
	}
	lower := AsciiLower(source)
	var edits []Edit
	end := 0
	for _, block := range p.blocks {
		if block.Start < end {
			continue
		}
		if depth < maxWrappers {
			if w, ok := t.wrapperAt(source, lower, block, p.Code); ok {
				edits = append(edits, t.wrapped(source, w, depth+1))
				end = w.end.End
				continue
			}
		}
		block = t.wholeElement(source, lower, block)
		if e, ok := t.block(source, block); ok {
			edits = append(edits, e)
		}
		end = block.End
	}
	edits = t.inline(source, p.inline, edits)
	return Apply(source, edits)
}

// Edit replaces a part of a text.
type Edit struct {
	Span
	Text string
}

// Apply makes edits, in any order. Of overlapping edits it makes only the first.
func Apply(source string, edits []Edit) string {
	if len(edits) == 0 {
		return source
	}
	sortEdits(edits)
	var b strings.Builder
	end := 0
	for _, e := range edits {
		if e.Start < end {
			continue
		}
		b.WriteString(source[end:e.Start])
		b.WriteString(e.Text)
		end = e.End
	}
	b.WriteString(source[end:])
	return b.String()
}

var openingTag = regexp.MustCompile(`^\s*<([a-zA-Z][a-zA-Z0-9]*)[\s/>]`)

// wholeElement extends a block to the closing tag of its element. Markdown ends a block of HTML at a blank line, but a
// table or a list may contain one.
func (t *Translator) wholeElement(source, lower string, block Span) Span {
	m := openingTag.FindStringSubmatch(source[block.Start:block.End])
	if m == nil {
		return block
	}
	name := strings.ToLower(m[1])
	switch name {
	case "table", "ul", "ol", "dl", "figure", "iframe", "video", "audio", "object", "script", "style", "pre", "form",
		"svg":
	default:
		return block
	}
	lower = lower[block.Start:]
	closing := "</" + name + ">"
	inside := lower[:block.End-block.Start]
	depth := strings.Count(inside, "<"+name) - strings.Count(inside, closing)
	first := block
	for at := block.End; depth > 0; depth-- {
		if t.searched > maxSearched {
			return block
		}
		i := strings.Index(lower[at-block.Start:], closing)
		if i < 0 {
			t.searched += len(source) - at
			return block
		}
		t.searched += i
		depth += strings.Count(lower[at-block.Start:at-block.Start+i], "<"+name)
		at += i + len(closing)
		block.End = at
	}
	if name == "figure" && block != first && markdownInside.MatchString(source[first.End:block.End]) {
		return first
	}
	return block
}

var (
	// markdownInside matches a line of Markdown after a blank line in HTML.
	markdownInside = regexp.MustCompile(`(?m)^[ \t>]*\n(?:> ?)* {0,3}[^\s<>]`)
	indentedInside = regexp.MustCompile(`(?m)^[ \t]*\n(?: {4}|\t)`)
	footnoteUse    = regexp.MustCompile(`\\(\[\^[^\[\]\s]{1,100}\])`)
)

// block translates a block of HTML.
func (t *Translator) block(source string, b Span) (Edit, bool) {
	raw := source[b.Start:b.End]
	name := ""
	if m := openingTag.FindStringSubmatch(raw); m != nil {
		if name = strings.ToLower(m[1]); !knownElement(name) {
			return Edit{}, false // most likely not HTML
		}
	}
	start := strings.LastIndexByte(source[:b.Start], '\n') + 1
	prefix := Continued(source[start:b.Start])
	if prefix != "" {
		raw = strings.ReplaceAll(raw, "\n"+strings.TrimRight(prefix, " "), "\n")
	}
	// A table or a list has Markdown between its blank lines, which is HTML for its other cells.
	rendered := name != "" && strings.Contains("table ul ol dl", name) && markdownInside.MatchString(raw) &&
		!indentedInside.MatchString(raw)
	if rendered {
		raw = Rendered(raw)
	}
	text, err := t.HTML(raw)
	if err != nil {
		t.RecordLoss(portable.Explain(err))
		return Edit{}, false
	}
	if rendered {
		text = footnoteUse.ReplaceAllString(text, "$1")
	}
	text = strings.ReplaceAll(text, "\n", "\n"+prefix)
	if strings.HasSuffix(source[b.Start:b.End], "\n") {
		text += "\n"
	}
	// The translation must not join the next line of text.
	if text != "\n" && b.End < len(source) && source[b.End] != '\n' {
		text += prefix + "\n"
	}
	return Edit{b, text}, true
}

// Continued returns the beginning of further lines of a block whose first line begins with prefix: quote marks stay,
// and a list mark becomes spaces.
func Continued(prefix string) string {
	return strings.Map(func(r rune) rune {
		if r == '>' || r == '\t' {
			return r
		}
		return ' '
	}, prefix)
}

// knownElement reports whether a name in angle brackets is that of an HTML element.
func knownElement(name string) bool {
	switch name {
	case "a", "abbr", "address", "article", "aside", "audio", "b", "big", "blockquote", "br", "button", "canvas",
		"caption", "center", "cite", "code", "col", "colgroup", "dd", "del", "details", "dfn", "div", "dl", "dt", "em",
		"embed", "figcaption", "figure", "font", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr",
		"i", "iframe", "img", "input", "ins", "kbd", "label", "li", "link", "main", "mark", "meta", "nav", "nobr",
		"noscript", "object", "ol", "option", "p", "param", "picture", "pre", "q", "rb", "rp", "rt", "rtc", "ruby", "s",
		"samp", "script", "section",
		"select", "small", "source", "span", "strike", "strong", "style", "sub", "summary", "sup", "svg", "table",
		"tbody", "td", "textarea", "tfoot", "th", "thead", "time", "tr", "tt", "u", "ul", "var", "video", "wbr":
		return true
	}
	return false
}

// AsciiLower returns a text with ASCII letters in lower case. Its length does not change.
func AsciiLower(s string) string {
	lower := []byte(s)
	for i, c := range lower {
		if c >= 'A' && c <= 'Z' {
			lower[i] = c + 'a' - 'A'
		}
	}
	return string(lower)
}

// BlockQuote returns a text as a block quote.
func BlockQuote(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight("> "+line, " ")
	}
	return strings.Join(lines, "\n")
}

// Capitalised returns a word with its first letter in upper case.
func Capitalised(word string) string {
	first, size := utf8.DecodeRuneInString(word)
	return string(unicode.ToUpper(first)) + word[size:]
}

// MaxIndent is the number of bytes of a line that are examined before or after a construct.
const MaxIndent = 1000
