package portable

import (
	"fmt"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// markdown translates what stands in a Markdown text besides Markdown: HTML, which
// Inkfeed shows as it was typed.
func (t *translator) markdown(source string) string { return t.markdownWithin(source, 0) }

// markdownWithin is markdown for what stands in so many quotes and foldable sections.
func (t *translator) markdownWithin(source string, depth int) string {
	if !strings.Contains(source, "<") {
		return source
	}
	source = scripts.ReplaceAllStringFunc(source, func(tag string) string {
		m := scripts.FindStringSubmatch(tag)
		if text, ok := scripted(strings.ToLower(m[1]), m[2]); ok {
			return text
		}
		return tag
	})
	t.refer(source)
	p, ok := parse(source)
	if !ok {
		t.lose("its Markdown is too complex to translate, and is shown as it was typed")
		return source
	}
	lower := asciiLower(source)
	var edits []edit
	end := 0
	for _, block := range p.blocks {
		if block.start < end {
			continue
		}
		if depth < maxWrappers {
			if w, ok := t.wrapperAt(source, lower, block, p.code); ok {
				edits = append(edits, t.wrapped(source, w, depth+1))
				end = w.end.end
				continue
			}
		}
		block = wholeElement(source, lower, block)
		if e, ok := t.block(source, block); ok {
			edits = append(edits, e)
		}
		end = block.end
	}
	edits = t.inline(source, p.inline, edits)
	return apply(source, edits)
}

type edit struct {
	span
	text string
}

// apply makes edits, which may come in any order; of those that overlap the first to
// begin.
func apply(source string, edits []edit) string {
	if len(edits) == 0 {
		return source
	}
	sortEdits(edits)
	var b strings.Builder
	end := 0
	for _, e := range edits {
		if e.start < end {
			continue
		}
		b.WriteString(source[end:e.start])
		b.WriteString(e.text)
		end = e.end
	}
	b.WriteString(source[end:])
	return b.String()
}

var openingTag = regexp.MustCompile(`^\s*<([a-zA-Z][a-zA-Z0-9]*)[\s/>]`)

// wholeElement stretches a block to where its element is closed: Markdown ends a block at
// an empty line, which is no end of a table or a list.
func wholeElement(source, lower string, block span) span {
	m := openingTag.FindStringSubmatch(source[block.start:block.end])
	if m == nil {
		return block
	}
	name := strings.ToLower(m[1])
	switch name {
	case "table", "ul", "ol", "dl", "figure", "iframe", "video", "audio", "object", "script", "style", "pre", "form", "svg":
	default:
		return block
	}
	lower = lower[block.start:]
	closing := "</" + name + ">"
	depth := strings.Count(lower[:block.end-block.start], "<"+name) - strings.Count(lower[:block.end-block.start], closing)
	for at := block.end; depth > 0; depth-- {
		i := strings.Index(lower[at-block.start:], closing)
		if i < 0 {
			return block
		}
		depth += strings.Count(lower[at-block.start:at-block.start+i], "<"+name)
		at += i + len(closing)
		block.end = at
	}
	return block
}

// block translates HTML that stands alone.
func (t *translator) block(source string, b span) (edit, bool) {
	raw := source[b.start:b.end]
	if m := openingTag.FindStringSubmatch(raw); m != nil && !knownElement(strings.ToLower(m[1])) {
		return edit{}, false // most likely no HTML at all
	}
	start := strings.LastIndexByte(source[:b.start], '\n') + 1
	prefix := continued(source[start:b.start])
	if prefix != "" {
		raw = strings.ReplaceAll(raw, "\n"+strings.TrimRight(prefix, " "), "\n")
	}
	text, err := t.html(raw)
	if err != nil {
		t.lose(err.Error())
		return edit{}, false
	}
	text = strings.ReplaceAll(text, "\n", "\n"+prefix)
	if strings.HasSuffix(source[b.start:b.end], "\n") {
		text += "\n"
	}
	// What was HTML may stand next to a line of text that it must not join.
	if text != "\n" && b.end < len(source) && source[b.end] != '\n' {
		text += prefix + "\n"
	}
	return edit{b, text}, true
}

// continued is what the lines after the first begin with, where that begins with prefix:
// quotes go on, and what was a list's mark is space.
func continued(prefix string) string {
	return strings.Map(func(r rune) rune {
		if r == '>' || r == '\t' {
			return r
		}
		return ' '
	}, prefix)
}

// knownElement tells a name of HTML from others that are in angle brackets.
func knownElement(name string) bool {
	switch name {
	case "a", "abbr", "address", "article", "aside", "audio", "b", "big", "blockquote", "br", "button", "canvas", "caption",
		"center", "cite", "code", "col", "colgroup", "dd", "del", "details", "dfn", "div", "dl", "dt", "em", "embed", "figcaption",
		"figure", "font", "footer", "form", "h1", "h2", "h3", "h4", "h5", "h6", "header", "hr", "i", "iframe", "img", "input", "ins",
		"kbd", "label", "li", "link", "main", "mark", "meta", "nav", "nobr", "noscript", "object", "ol", "option", "p", "param", "picture", "pre", "q", "s",
		"samp", "script", "section", "select", "small", "source", "span", "strike", "strong", "style", "sub", "summary", "sup",
		"svg", "table", "tbody", "td", "textarea", "tfoot", "th", "thead", "time", "tr", "tt", "u", "ul", "var", "video", "wbr":
		return true
	}
	return false
}

// inline translates tags between words, one by one.
func (t *translator) inline(source string, tags []span, edits []edit) []edit {
	var links []string // addresses of the links that are open
	blocks := edits    // sorted, as the tags are
	for _, tag := range tags {
		for len(blocks) > 0 && blocks[0].end <= tag.start {
			blocks = blocks[1:]
		}
		if len(blocks) > 0 && blocks[0].start <= tag.start {
			continue
		}
		raw := source[tag.start:tag.end]
		if strings.HasPrefix(raw, "<!") || strings.HasPrefix(raw, "<?") {
			edits = append(edits, edit{tag, ""})
			continue
		}
		z := html.NewTokenizer(strings.NewReader(raw))
		z.Next()
		token := z.Token()
		if !knownElement(token.Data) {
			continue
		}
		get := func(name string) string {
			for _, a := range token.Attr {
				if a.Key == name {
					return a.Val
				}
			}
			return ""
		}
		closes := token.Type == html.EndTagToken
		text := ""
		switch token.Data {
		case "a":
			if !closes {
				text = t.place(token.Data, token.Attr)
			}
			switch href := get("href"); {
			case closes && len(links) > 0:
				if href = links[len(links)-1]; href != "" {
					text = "](" + destination(href) + ")"
				}
				links = links[:len(links)-1]
			case !closes:
				if links = append(links, href); href != "" {
					text += "["
				}
			}
		case "span":
			if !closes {
				text = t.place(token.Data, token.Attr)
			}
		case "b", "strong":
			text = "**"
		case "i", "em", "cite", "dfn", "var":
			text = "*"
		case "del", "s", "strike":
			text = "~~"
		case "code", "kbd", "samp", "tt":
			text = "`"
		case "q":
			text = `"`
		case "br":
			text = lineBreak(source, tag)
		case "hr":
			text = "\n\n---\n\n"
		case "img":
			if src := get("src"); src != "" {
				text = "![" + strings.NewReplacer("[", "\\[", "]", "\\]", "\n", " ").Replace(get("alt")) + "](" + destination(src) + ")"
			}
		case "iframe", "embed", "video", "audio", "source":
			if src := get("src"); src != "" && !closes {
				if strings.HasPrefix(src, "//") {
					src = "https:" + src
				}
				src = watchable(src)
				t.lose("embedded content is a link now: " + src)
				text = "[" + strings.NewReplacer("[", "\\[", "]", "\\]").Replace(src) + "](" + destination(src) + ")"
			}
		case "sup", "sub", "script", "form", "input", "button", "select", "svg":
			if !closes {
				t.lose(fmt.Sprintf("a <%s> is plain text now", token.Data))
			}
		}
		edits = append(edits, edit{tag, text})
	}
	return edits
}

// endsParagraph matches a line that is no more of the paragraph above it.
var endsParagraph = regexp.MustCompile(`^[ \t>]*(?:\n|$|#{1,6}[ \t]|\x60{3}|~~~|---|\*\*\*|[-*+][ \t]|<)`)

// lineBreak ends a line within a paragraph. In a heading or a table's row there is none.
func lineBreak(source string, tag span) string {
	start := strings.LastIndexByte(source[:tag.start], '\n') + 1
	line := strings.TrimLeft(source[start:tag.start], " \t>")
	switch {
	case strings.HasPrefix(line, "|"), strings.HasPrefix(line, "#"), strings.Contains(line, " | "):
		return " "
	}
	rest := strings.TrimLeft(source[tag.end:], " \t")
	switch {
	case rest == "", rest[0] == '\n' && endsParagraph.MatchString(rest[1:min(len(rest), maxIndent)]):
		return ""
	case rest[0] == '\n':
		return "\\"
	}
	return "\\\n" + continued(source[start:start+len(source[start:tag.start])-len(line)])
}

var scripts = regexp.MustCompile(`(?i)<(sup|sub)>([0-9+\-n()]{1,8})</(?:sup|sub)>`)

// scripted writes numbers raised or lowered.
func scripted(how, text string) (string, bool) {
	from, to := "0123456789+-()n", []rune("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁽⁾ⁿ")
	if how == "sub" {
		to = []rune("₀₁₂₃₄₅₆₇₈₉₊₋₍₎ₙ")
	}
	var b strings.Builder
	for _, r := range text {
		i := strings.IndexRune(from, r)
		if i < 0 {
			return "", false
		}
		b.WriteRune(to[i])
	}
	return b.String(), b.Len() > 0
}

// asciiLower is a text in lower case, of the same length.
func asciiLower(s string) string {
	lower := []byte(s)
	for i, c := range lower {
		if c >= 'A' && c <= 'Z' {
			lower[i] = c + 'a' - 'A'
		}
	}
	return string(lower)
}

// blockQuote is a text as a block quote.
func blockQuote(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	for i, line := range lines {
		lines[i] = strings.TrimRight("> "+line, " ")
	}
	return strings.Join(lines, "\n")
}

func capitalised(word string) string {
	first, size := utf8.DecodeRuneInString(word)
	return string(unicode.ToUpper(first)) + word[size:]
}

// maxIndent is the number of bytes of a line that are examined before or after a construct.
const maxIndent = 1000
